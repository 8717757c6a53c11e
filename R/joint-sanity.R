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
  noise <- fit$parameters$at_boundary & fit$layout$kind %in% c("nugget", "family")
  finding(FALSE, sprintf("At a limit: %s.", format_some(ended)),
    if (all(noise == fit$parameters$at_boundary))
      "Fix it if it is known: `nugget` of a Gaussian response, or an argument of the family."
    else fewer_fields(fit, "Fix the parameter."))
}

check_joint_errors <- function(fit) {
  poor <- fit$parameters$name[fit$parameters$poor]
  if (!length(poor)) return(finding(TRUE, "All parameters are determined by the data."))
  finding(FALSE, sprintf("Poorly determined by the data: %s.", format_some(poor)),
    fewer_fields(fit, "Fix known parameters."))
}

check_joint_fields <- function(fit) {
  dead <- dead_fields_remark(fit)
  finding(is.null(dead), dead %||% "Each field affects a response.",
    "Compare numbers of fields by compare_ranks().")
}

# The trends are those of the responses, one each.
check_joint_trend <- function(object) {
  found <- lapply(object$parts, check_of_trend)
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
    format_count(rows), parameters), fewer_fields(fit, "Use shorter formulas."))
}

# A remedy, with fewer fields as another one where there are several.
fewer_fields <- function(fit, remedy) {
  paste(c(remedy, if (ncol(shared_loadings(fit)) > 1L)
    "Or use fewer fields: cov_coregionalisation(rank = )."), collapse = " ")
}

# ---- hurdle models -------------------------------------------------------------------------------

#' @export
checks_of.neargp_joint_hurdle <- function(fit) checks_of_element(fit, "joint")

#' @export
checks_of.neargp_hurdle <- function(fit) {
  unlist(lapply(rlang::set_names(c("presence", "positive")), checks_of_element, fit = fit),
    recursive = FALSE)
}

# The checks of a fit in a hurdle model.
checks_of_element <- function(fit, element) {
  lapply(checks_of(fit[[element]]), function(check) function(hurdle) check(hurdle[[element]]))
}
