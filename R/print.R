# print() and summary() of fits: their sections.

#' Print and summarise a fit
#'
#' @description
#' `print()` shows the estimates, and `summary()` adds standard errors.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' summary(fit)
#' ```
#'
#' @param x,object a fit by [neargp()], or its summary.
#' @param digits the number of significant digits, an integer. Default: `getOption("digits") - 3`.
#' @param ... not used.
#' @return `print()` returns its argument invisibly. `summary()` returns a list of class
#'   `summary.neargp` with
#'   * `coefficients`: a matrix of estimates, standard errors, z and p values;
#'   * `covariance`: a data frame with `estimate`, `std_error`, `fixed` and `at_boundary`;
#'   * `effective_range`: the distance at which the correlation is 0.05;
#'   * `level_correlation`: the correlation of two observations that differ only in a factor among
#'     the coordinates, by one step if it is ordered.
#'
#'   Summaries of categories add leave-one-out `scores` and a `confusion` table. Summaries of deep
#'   fits add `units`, `sites` and `weights`.
#' @seealso [coef.neargp()] for intervals, [tidiers] for data frames, [plot.neargp()].
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5))
#' fit
#' summary(fit)
#' summary(fit)$effective_range
#' @name summary.neargp
#' @export
print.neargp <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  check_fit(x)
  print_sections(sections(x, digits), digits)
  invisible(x)
}

#' @rdname summary.neargp
#' @export
summary.neargp <- function(object, ...) {
  check_fit(object)
  check_no_more_arguments()
  wald <- wald_tests(object)
  coefficients <- cbind(Estimate = wald$estimate, `Std. Error` = wald$std_error,
    `z value` = wald$z, `Pr(>|z|)` = wald$p_value)
  table <- covariance_estimates(object)$table
  covariance <- structure(table[c("estimate", "std_error", "fixed", "at_boundary")],
    row.names = table$name)
  structure(list(fit = object, coefficients = coefficients, covariance = covariance,
    effective_range = effective_ranges(object), level_correlation = level_correlations(object)),
  class = "summary.neargp")
}

#' @rdname summary.neargp
#' @export
print.summary.neargp <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_sections(sections(x$fit, digits, x), digits)
  invisible(x)
}

# ---- sections ------------------------------------------------------------------------------------

#' @export
sections.neargp <- function(x, digits, summary = NULL) {
  c(list(header_section(x), trend_section(x, summary)), effects_sections(x, digits),
    list(covariance_section(x, digits, summary), ending_section(x)))
}

trend_section <- function(x, summary, title = "Trend:", remarks = NULL) {
  remarks <- c(remarks, fixed_trend_remark(x))
  if (!length(x$beta)) return(if (length(remarks)) new_section(title, NULL, remarks))
  if (has_errors(summary$coefficients[, "Std. Error"])) {
    remarks <- c(remarks, untested_smooths_remark(x))
    return(new_section(title, summary$coefficients, remarks, show_coefficients))
  }
  if (is.matrix(x$beta)) return(new_section(title, t(x$beta), remarks, show_rounded))
  new_section(title, x$beta, remarks)
}

untested_smooths_remark <- function(x) {
  linear <- smooth_coefficients(x)
  if (!length(linear)) return(NULL)
  sprintf("%s: part of a smooth, not tested alone. To test a smooth, compare fits with and without it by cross_validate().",
    paste(linear, collapse = ", "))
}

has_errors <- function(std_error) !all(is.na(std_error))

covariance_section <- function(x, digits, summary) {
  title <- covariance_line(x)
  remarks <- covariance_remarks(x, digits)
  if (!is.null(summary)) {
    return(covariance_table_section(title, summary, c(local_deviations(x), remarks)))
  }
  values <- printed_covariance(x)
  ranges <- printed_ranges(x)
  if (is.null(ranges)) return(new_section(title, with_units(values, x), remarks))
  new_section(title, list(values = values[!names(values) %in% ranges$name], ranges = ranges),
    remarks, show_with_ranges)
}

# "range (km)"
with_units <- function(values, x) {
  unit <- range_units(names(values), x$locations)
  is_range <- names(values) %in% x$layout$name[x$layout$kind == "range"] & nzchar(unit)
  names(values)[is_range] <- sprintf("%s (%s)", names(values), unit)[is_range]
  values
}

# `Std. Error` of a parameter that is not estimated is "fixed". The title shows fixed shapes.
covariance_table_section <- function(title, summary, remarks = NULL) {
  fit <- summary$fit
  shown <- !rownames(summary$covariance) %in% titled_shapes(fit)
  ranges <- printed_ranges(fit)$name
  order <- seq_along(shown)
  order[rownames(summary$covariance) %in% ranges] <- match(ranges, rownames(summary$covariance))
  rows <- summary$covariance[order, ][shown[order], ]
  table <- cbind(Estimate = rows$estimate, `Std. Error` = ifelse(rows$fixed & is.na(rows$std_error),
    Inf, rows$std_error))
  rownames(table) <- rownames(rows)
  estimated <- !summary$covariance$fixed
  reason <- if (any(estimated) && !has_errors(summary$covariance$std_error[estimated])) {
    sprintf("No standard errors: %s.", why_no_errors(summary$fit))
  }
  new_section(title, table, c(reason, remarks), show_estimates)
}

covariance_remarks <- function(x, digits) {
  if (has_no_process(x$covariance)) return(remarks_without_process(x, digits))
  if (has_features(x$covariance)) return(c(feature_remarks(x), fixed_remark(x)))
  if (has_linear(x$covariance)) {
    return(c(linear_remark(x), effective_range_line(x, effective_ranges(x), digits),
      row_remarks(x), fixed_remark(x), underestimates_note(x)))
  }
  effective <- effective_ranges(x)
  # The nugget of pseudo-observations is a factor of noise that they have already: at its lower
  # bound, 1, it is not 0.
  vanishing <- is.null(x$classifier) &&
    any(x$layout$kind[x$parameters$at_boundary] %in%
      c("variance", if (is.null(x$pseudo_observations)) "nugget"))
  c(deviations_line(x, digits), if (has_space_time(x$covariance)) space_time_remarks(x, digits),
  local_remarks(x), row_remarks(x), effective_range_line(x, effective, digits),
  level_line(level_correlations(x), digits), white_noise_note(x, effective), fixed_remark(x),
  prior_lines(x), boundary_lines(x, boundary_parameters(x), vanishing), boundary_advice(x),
  idle_ranges_note(x), flat_likelihood_note(x), underestimates_note(x),
  label_scale_note(x, digits), far_mean_note(x, digits))
}

remarks_without_process <- function(x, digits) {
  vanishing <- any(x$layout$kind[x$parameters$at_boundary] == "nugget")
  c(deviations_line(x, digits), row_remarks(x), fixed_remark(x),
    boundary_lines(x, boundary_parameters(x), vanishing), boundary_advice(x),
    underestimates_note(x))
}

fixed_remark <- function(x) {
  table <- covariance_estimates(x)$table
  fixed <- setdiff(table$name[table$fixed], titled_shapes(x))
  tied <- fixed == "nugget" & any(is_tied(x$layout))
  fixed[tied] <- sprintf("nugget_ratio = %s", format(fixed_ratio(x$layout), digits = 4L))
  if (length(fixed)) sprintf("Fixed: %s.", paste(fixed, collapse = ", "))
}

ending_section <- function(x) new_section(c(score_line(x), convergence_line(x)))

# A process whose correlation ends between neighbouring locations cannot be distinguished from
# noise, and does not predict. The spacing is the median distance to the nearest other location, of
# up to 500 locations. It is searched only if the range is below the spacing of a grid over the
# bounding box.
white_noise_note <- function(x, effective) {
  if (length(effective) != 1L || has_factors(x$locations)) return(NULL)
  if (inherits(x, "neargp_outputs") || is_streamed(x)) return(NULL)
  coords <- places_of(x$data$coords, x$locations)
  if (effective >= (prod(pmax(apply(coords, 2L, function(x) diff(range(x))), 1e-300)) /
      nrow(coords))^(1 / ncol(coords))) {
    return(NULL)
  }
  places <- coords[!duplicated(location_index(coords)), , drop = FALSE]
  some <- places[unique(round(seq(1, nrow(places), length.out = 500L))), , drop = FALSE]
  nearest <- as.matrix(core_neighbors_to(places, some, 2L, plain_context()))[2L, ]
  spacing <- stats::median(sqrt(rowSums((places[nearest, , drop = FALSE] - some)^2)))
  if (effective >= spacing) return(NULL)
  c(sprintf("The effective range is shorter than the spacing of the locations (median distance to the next: %s). The process is white noise, and predictions are the trend.",
    format(signif(spacing, 3L))),
    if (x$family$family == "poisson")
    "Counts that scatter more than a Poisson distribution cause that: try family = negative_binomial().")
}

score_line <- function(x) {
  name <- x$score
  label <- capitalised(name)
  value <- stats::logLik(x)
  error <- attr(value, "std_error")
  sprintf("%s: %s%s", label, format(round(x$log_likelihood, 2L), nsmall = 2L),
    if (!is_likelihood(x)) " (not a likelihood)" else sprintf(" (df = %d%s)", attr(value, "df"),
      if (is.null(error)) "" else sprintf("; by random signs, standard error %.2g", error)))
}

convergence_line <- function(x) {
  state <- x$convergence
  outcome <- if (is.na(state$converged)) paste0("Optimiser ", state$message) else
    if (state$converged) {
      sprintf("Converged in %d iterations", state$iterations)
    } else {
    paste0("NOT CONVERGED: ", state$message)
  }
  details <- c(x$gpu, describe_precision(x))
  device <- paste0(x$device, if (length(details)) sprintf(" (%s)", paste(details, collapse = "; ")))
  sprintf("%s; %s s on %s with %d %s", outcome, format(round(x$elapsed[["total"]], 1L)), device,
    x$threads, if (x$threads == 1L) "thread" else "threads")
}

why_no_errors <- function(fit) {
  if (all(fit$parameters$at_boundary | fit$parameters$fixed)) {
    return("all estimated parameters are at a limit")
  }
  value_for(fit$method, reasons_for_no_errors, fit)
}

reasons_for_no_errors <- list(
  default = function(method, fit) no_curvature(fit),
  ppgpr = "the objective is a predictive score",
  svgp = function(method, fit) {
    if (is.null(fit$information)) "svgp(std_error = TRUE) computes them" else no_curvature(fit)
  },
  vnngp = function(method, fit) {
    if (identical(method$optimizer, "adam")) "Adam finds no curvature" else no_curvature(fit)
  }
)

no_curvature <- function(fit) {
  if (!is_likelihood(fit) && is.null(fit$information)) return("the objective is not a likelihood")
  if (isFALSE(fit$convergence$converged)) "the fit did not converge" else
    "the objective does not reach a maximum at the estimates"
}
