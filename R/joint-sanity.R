# sanity() of fits of several responses that share fields.

#' @export
checks_of.neargp_joint <- function(fit) {
  list(convergence = check_of_convergence, boundary = check_joint_boundary,
    std_errors = check_joint_errors, fields = check_joint_fields, trend = check_joint_trend,
    rows = check_joint_rows)
}

check_joint_boundary <- function(fit) {
  ended <- fit$parameters$name[fit$parameters$at_boundary]
  if (!length(ended)) return(finding(TRUE, "No parameter is at a limit of its search."))
  finding(FALSE, sprintf("At a limit: %s.", format_some(ended)),
    "Fix the parameter, or use fewer fields: cov_coregionalisation(rank = ).")
}

check_joint_errors <- function(fit) {
  poor <- fit$parameters$name[fit$parameters$poor]
  if (!length(poor)) return(finding(TRUE, "All parameters are determined by the data."))
  finding(FALSE, sprintf("Poorly determined by the data: %s.", format_some(poor)),
    "Use fewer fields, cov_coregionalisation(rank = ), or fix known parameters.")
}

check_joint_fields <- function(fit) {
  dead <- dead_fields_remark(fit)
  finding(is.null(dead), dead %||% "Each field affects a response.",
    "Compare numbers of fields by compare_ranks().")
}

# The trends are those of the responses, one each.
check_joint_trend <- function(fit) {
  found <- lapply(fit$parts, check_of_trend)
  wrong <- Filter(function(one) one$ok %in% FALSE, found)
  if (!length(wrong)) {
    return(finding(TRUE, "No column of a trend is nearly a combination of the others."))
  }
  finding(FALSE, paste(sprintf("%s: %s", names(wrong), vapply(wrong, `[[`, "", "finding")),
    collapse = " "), wrong[[1L]]$remedy)
}

check_joint_rows <- function(fit, least = 5) {
  parameters <- attr(stats::logLik(fit), "df")
  rows <- stats::nobs(fit)
  finding(rows >= least * parameters, sprintf("%s observations for %d parameters.",
    format_count(rows), parameters), "Use fewer fields, or shorter formulas.")
}
