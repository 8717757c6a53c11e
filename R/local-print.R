# What print() and summary() of a fit say of local fields.

# bumps1, or bumps(x, 4)1 of several bases (local_coefficient_names()).
is_bump <- function(names) grepl("^bumps(\\(.*\\))?[0-9]+", names)

is_bump_coefficient <- function(layout) layout$kind %in% local_kinds & is_bump(sub("^log_(sd|range):", "", layout$name))

# Coefficients of bumps say nothing one by one: they are left to summary().
printed_covariance <- function(fit) {
  estimates <- stats::coef(fit, what = "covariance")
  estimates[!names(estimates) %in% fit$layout$name[is_bump_coefficient(fit$layout)]]
}

local_remarks <- function(fit) {
  if (!is_local(fit)) return(NULL)
  fields <- unique(lapply(fit$locations$local, function(recipe) list(component = recipe$component, kind = recipe$kind)))
  fields <- fields[order(vapply(fields, `[[`, 0L, "component"), vapply(fields, `[[`, "", "kind"))]
  paste0("  ", c("variance and range are those where the covariates of local sd and range are at their mean",
    vapply(fields, local_span, "", fit), local_penalty_line(fit)), "\n")
}

# "local range: 2.04 to 236 km over the rows (median 6.21)"
local_span <- function(field, fit) {
  is_range <- field$kind == "log_range"
  logarithm <- local_logarithm(fit, fit$data$coords, field$component, field$kind)
  shown <- vapply(exp(c(range(logarithm$value), stats::median(logarithm$value))), format_three_digits, "")
  unit <- if (is_range) local_range_unit(fit, field$component) else ""
  sprintf("local %s%s: %s to %s%s over the rows (median %s)", if (is_range) "range" else "sd",
    if (length(fit$covariance$components) > 1L) sprintf(" of component %d", field$component) else "", shown[1L], shown[2L],
    if (nzchar(unit)) paste0(" ", unit) else "", shown[3L])
}

format_three_digits <- function(value) format(signif(value, 3L), digits = 3L)

local_penalty_line <- function(fit) {
  given <- lapply(fit$covariance$components, function(x) x$local$penalty)
  is_default <- vapply(fit$locations$local, function(recipe) is.null(given[[recipe$component]]), NA)
  penalties <- vapply(unique(fit$layout$penalty[fit$layout$kind %in% local_kinds]), format_three_digits, "")
  count <- sum(fit$layout$kind %in% local_kinds)
  sprintf("penalty %s on %d %s%s; local_scales(), plot(fit, \"%s\")", format_some(penalties), count,
    if (count == 1L) "coefficient" else "coefficients", if (all(is_default)) " (by default)" else "", local_plots(fit)[1L])
}

# Coefficients are by one standard deviation of their covariate, which says how much that is.
local_deviations <- function(fit) {
  deviations <- unlist(lapply(fit$locations$local, function(recipe) stats::setNames(recipe$scale, recipe$names)))
  deviations <- deviations[!duplicated(names(deviations)) & !is_bump(names(deviations))]
  if (!length(deviations)) return(NULL)
  shown <- paste0("coefficients of sd and range are by one standard deviation: ",
    paste(names(deviations), vapply(deviations, format_three_digits, ""), collapse = ", "))
  paste0(strwrap(shown, width = getOption("width") + 1L, indent = 2L, exdent = 4L), "\n")
}
