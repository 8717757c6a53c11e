# Prints a fit as plain text, one fact a line.

#' Print and summary of a fit
#'
#' @param x,object a fit of [neargp()] or its summary.
#' @param digits significant digits.
#' @param ... not used.
#' @return `print()` returns its argument invisibly; `summary()` a list of class `summary.neargp`
#'   with the elements `coefficients` (matrix of estimates, standard errors, z and p values),
#'   `covariance` (data frame: estimate, std_error, fixed, at_boundary), `effective_range`, where
#'   the correlation has fallen to 0.05, `level_correlation`, that of two rows that differ in the
#'   level of a factor among the coordinates and in nothing else (of an ordered one, in one step),
#'   and the fit.
#' @seealso [coef.neargp()] for single parts and intervals, [tidiers] for data frames,
#'   [plot.neargp()].
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(100), y = runif(100))
#' d$z <- sin(6 * d$x) + d$y + rnorm(100, sd = 0.1)
#' summary(neargp(z ~ x, d, coords = ~ x + y, method = vecchia(k = 10)))
#' @name summary.neargp
#' @export
print.neargp <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  check_fit(x)
  print_header(x)
  if (length(x$beta)) cat("\nTrend:\n", paste_named(x$beta, digits), "\n", sep = "")
  effects_lines(x, digits)
  cat(covariance_line(x))
  cat(paste_named(printed_covariance(x), digits), "\n", sep = "")
  print_remarks(x, digits)
  invisible(x)
}

print_header <- function(x) {
  cat("Gaussian process by ", describe_method(x), "\n", sep = "")
  cat("Formula:   ", deparse1(x$formula), "\n", sep = "")
  cat("Rows:      ", format_count(stats::nobs(x)), describe_rows(x), describe_dropped(x), "\n",
    sep = "")
  cat(shard_lines(x))
  cat("Locations: ", describe_locations(x$locations), "\n", sep = "")
  if (!is_gaussian(x$family)) {
    cat("Response:  ", family_call(x$family), " with ", x$family$link, " link",
      describe_successes(x), "\n", sep = "")
  }
  cat(describe_transformed(x$family))
  details <- c(if (length(x$chosen)) stats::setNames(paste("by default", x$chosen),
    names(x$chosen) %||% "Method"), fit_details(x$method, x))
  cat(detail_lines(details))
}

detail_lines <- function(details) {
  if (length(details)) paste0(format(paste0(names(details), ":"), width = 11L), details, "\n",
    collapse = "") else ""
}

# Names the success of binomial responses. Which level is the success is a matter of convention, so
# that it is told.
describe_successes <- function(x) {
  data <- x$data
  if (is_streamed(x)) return("")
  if (!is.null(data$limits)) {
    return(sprintf("; %s of %s are censored", format_count(sum(data$limits[, 1L] !=
      data$limits[, 2L])), format_count(length(data$y))))
  }
  if (!has_trials(x$family) || !is.null(x$classifier)) return("")
  successes <- format_count(sum(data$y))
  if (!is.null(data$trials)) {
    return(sprintf("; %s successes in %s trials", successes, format_count(sum(data$trials))))
  }
  sprintf("; %s of %s are %s", successes, format_count(length(data$y)), data$levels[2L] %||% "1")
}

# Further lines of the header: named strings.
fit_details <- function(method, fit) {
  UseMethod("fit_details")
}

#' @export
fit_details.default <- function(method, fit) NULL

# Names above values, in as many pairs of lines as the width of the console asks for.
paste_named <- function(values, digits) {
  formatted <- vapply(values, function(v) format(signif(v, digits), digits = digits), "")
  width <- pmax(nchar(names(values)), nchar(formatted))
  aligned <- function(x) mapply(formatC, x, width = width)
  used <- Reduce(function(before, own) if (before + own > getOption("width")) own else before + own,
    width + 2L, accumulate = TRUE)
  pairs <- vapply(split(seq_along(values), cumsum(used == width + 2L)), function(own) {
    paste0("  ", paste(aligned(names(values))[own], collapse = "  "), "\n  ",
      paste(aligned(formatted)[own], collapse = "  "))
  }, "")
  paste(pairs, collapse = "\n")
}

describe_method <- function(x) {
  paste0(x$method$label, if (!is.null(x$k)) sprintf(" (k = %d)", x$k))
}

describe_dropped <- function(x) {
  if (x$n_dropped == 0L) return("")
  sprintf(" (%s dropped for missing values by %s)", format_count(x$n_dropped),
    paste0("na.", class(x$na_action)))
}

describe_locations <- function(locations) {
  unit <- if (nzchar(locations$unit)) paste(" in", locations$unit) else ""
  space <- if (locations$metric == "longlat") {
    further <- numeric_names(locations)[-(1:2)]
    paste0("longitude and latitude", if (length(further)) paste(" with", format_some(further)),
      ", chordal distance in km")
  } else {
    numbers <- numeric_names(locations)
    c(if (length(numbers)) paste0(format_some(numbers, 8L), ", Euclidean distance", unit))
  }
  space <- paste(c(space, describe_factors(locations)), collapse = "; ")
  space <- paste0(space, describe_support(locations))
  if (is.null(locations$time)) return(space)
  paste0(space, "; time: ", locations$time, if (nzchar(locations$time_unit)) paste(" in",
    locations$time_unit))
}

print_remarks <- function(x, digits) {
  effective <- effective_ranges(x)
  cat(if (has_space_time(x$covariance)) space_time_remarks(x, digits) else
    "  correlation is a function of distance / range\n", sep = "")
  cat(local_remarks(x), sep = "")
  cat(noise_remarks(x), sep = "")
  lines <- c(effective_range_line(x, effective, digits), level_line(level_correlations(x), digits))
  cat(strwrap(lines, width = getOption("width") + 1L, indent = 2L, exdent = 4L), sep = "\n")
  cat(white_noise_note(x, effective), sep = "")
  fixed <- x$parameters$name[x$parameters$fixed & !x$layout$kind %in% c("shape", "time_shape")]
  if (length(fixed)) cat("  fixed: ", paste(fixed, collapse = ", "), "\n", sep = "")
  # The nugget of pseudo-observations is a factor of noise that they have already: at its lower
  # bound, 1, it is not 0.
  vanishing <- is.null(x$classifier) &&
    any(x$layout$kind[x$parameters$at_boundary] %in%
      c("variance", if (is.null(x$pseudo_observations)) "nugget"))
  cat(prior_lines(x), sep = "")
  cat(boundary_lines(x, boundary_parameters(x), vanishing),
    remark_lines(c(boundary_advice(x), idle_ranges_note(x), flat_likelihood_note(x),
      underestimates_note(x))), sep = "")
  cat(label_scale_note(x, digits), far_mean_note(x, digits), sep = "")
  cat("\n", score_line(x), "\n", convergence_line(x), "\n", sep = "")
}

# A field that is forgotten between neighbouring locations cannot be told from noise, and does not
# predict. The spacing is the median distance to the nearest other location, of up to 500; it is
# searched only where a grid over the bounding box would be about as wide.
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
  c(sprintf("  shorter than the spacing of the locations (median distance to the next %s): the field is white noise\n",
    format(signif(spacing, 3L))),
    if (x$family$family == "poisson")
    "  counts that scatter more than Poisson's do that: try negative_binomial()\n")
}

score_line <- function(x) {
  name <- x$score
  label <- paste0(toupper(substr(name, 1L, 1L)), substring(name, 2L))
  value <- stats::logLik(x)
  error <- attr(value, "standard_error")
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

#' @rdname summary.neargp
#' @export
summary.neargp <- function(object, ...) {
  check_fit(object)
  check_no_more_arguments()
  wald <- wald_tests(object)
  coefficients <- cbind(Estimate = object$beta, `Std. Error` = wald$std_error, `z value` = wald$z,
    `Pr(>|z|)` = wald$p_value)
  table <- covariance_estimates(object)$table
  covariance <- structure(table[c("estimate", "std_error", "fixed", "at_boundary")],
    row.names = table$name)
  structure(list(fit = object, coefficients = coefficients, covariance = covariance,
    effective_range = effective_ranges(object), level_correlation = level_correlations(object)),
  class = "summary.neargp")
}

# Wald tests of the trend's coefficients. Of one without a finite estimate the test says nothing
# (Hauck and Donner 1977).
wald_tests <- function(object) {
  variance <- diag(object$beta_vcov)
  std_error <- sqrt(ifelse(variance < 0, NA, variance))
  z <- ifelse(names(object$beta) %in% object$convergence$separated, NA, object$beta / std_error)
  list(std_error = std_error, z = z, p_value = wald_p_value(z))
}

wald_p_value <- function(z) 2 * stats::pnorm(-abs(z))

#' @rdname summary.neargp
#' @export
print.summary.neargp <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_header(x$fit)
  if (nrow(x$coefficients)) {
    cat("\nTrend:\n")
    stats::printCoefmat(x$coefficients, digits = digits, signif.legend = FALSE)
  }
  effects_lines(x$fit, digits)
  print_summary_covariance(x, digits)
  print_remarks(x$fit, digits)
  invisible(x)
}

print_summary_covariance <- function(x, digits) {
  cat(covariance_line(x$fit))
  table <- cbind(Estimate = x$covariance$estimate, `Std. Error` = x$covariance$std_error)
  rownames(table) <- rownames(x$covariance)
  # Each number for itself: a tiny nugget would put all of them in scientific notation.
  shown <- apply(table, c(1L, 2L), function(value) format(signif(value, digits), digits = digits))
  print(shown, quote = FALSE, right = TRUE)
  estimated <- !x$covariance$fixed
  if (any(estimated) && all(is.na(x$covariance$std_error[estimated]))) {
    cat("  no standard errors: ", why_no_errors(x$fit), "\n", sep = "")
  }
  cat(local_deviations(x$fit), sep = "")
}

why_no_errors <- function(fit) {
  if (all(fit$parameters$at_boundary | fit$parameters$fixed)) {
    return("all that is estimated is at a boundary")
  }
  reason_for_no_errors(fit$method, fit)
}

reason_for_no_errors <- function(method, fit) {
  UseMethod("reason_for_no_errors")
}

#' @export
reason_for_no_errors.default <- function(method, fit) {
  if (!is_likelihood(fit) && is.null(fit$information)) return("the score is not a likelihood")
  if (isFALSE(fit$convergence$converged)) "the fit did not converge" else
    "the curvature at the optimum is not that of a maximum"
}
