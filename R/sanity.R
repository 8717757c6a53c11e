#' Check a fit
#'
#' @description
#' `sanity()` collects on one screen what `print()`, `summary()` and warnings report about the
#' reliability of a fit, with a remedy for each problem.
#'
#' ```r
#' fit <- neargp(precipitation ~ elevation, colorado_precipitation(), coords = ~ lon + lat,
#'   crs = 4326)
#' sanity(fit)
#' ```
#'
#' @details
#' | check | a problem if |
#' |---|---|
#' | `convergence` | the optimisation stopped early, or coefficients are infinite |
#' | `gradient` | a further step would gain more than 0.1 units of log-likelihood |
#' | `boundary` | a parameter is at a limit of its search |
#' | `std_errors` | standard errors of estimated parameters are missing, or larger than the estimate |
#' | `range` | the effective range exceeds the extent of the locations, or is below their spacing |
#' | `process` | the process accounts for less than 1% of the variance |
#' | `neighbours` | `k` neighbours lose much, see [neighbor_loss()] |
#' | `trend` | a column of the trend depends on the others, with a variance inflation above 10 |
#' | `rows` | there are fewer than five observations for each parameter |
#'
#' A check that a fit does not support is `NA`: for example, gradients are available for methods
#' that maximise a likelihood. [joint_models] support six checks. One of them, `fields`, finds
#' fields without an effect. A problem does not make a fit useless: predictions often depend
#' little on a range that the data do not identify.
#' @param fit a fit by [neargp()].
#' @param x the result of `sanity()`.
#' @param ... not used.
#' @return `sanity()` returns a data frame of class `neargp_sanity` with the columns `check`, `ok`
#'   (`TRUE`, `FALSE` or `NA`), `finding` and `remedy`, one row for each check. `print()` shows it.
#' @seealso [check_consistency()], [neighbor_loss()], [scores()], [plot.neargp()]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326)
#' sanity(fit)
#'
#' # Noise alone: there is no process to find
#' set.seed(1)
#' noise <- data.frame(x = runif(200), y = runif(200), z = rnorm(200))
#' sanity(neargp(z ~ 1, noise, coords = ~ x + y))
#' @export
sanity <- function(fit) {
  check_required()
  checks <- checks_of(fit)
  found <- lapply(checks, function(check) check(fit))
  part <- function(name) vapply(found, function(one) one[[name]] %||% "", "", USE.NAMES = FALSE)
  ok <- vapply(found, function(one) one$ok, NA, USE.NAMES = FALSE)
  structure(data.frame(check = names(checks), ok = ok, finding = part("finding"),
    remedy = part("remedy")), class = c("neargp_sanity", "data.frame"))
}

#' @rdname sanity
#' @export
print.neargp_sanity <- function(x, ...) {
  mark <- ifelse(is.na(x$ok), "-", ifelse(x$ok, "ok", "!!"))
  width <- max(12L, nchar(x$check) + 1L)
  label <- sprintf("%-3s%-*s", mark, width, x$check)
  for (row in seq_len(nrow(x))) {
    lines <- strwrap(c(x$finding[row], x$remedy[row]), getOption("width") - width - 4L)
    lines <- lines[nzchar(lines)]
    writeLines(paste(c(label[row], rep(strrep(" ", width + 3L), length(lines) - 1L)), lines))
  }
  wrong <- sum(x$ok %in% FALSE)
  writeLines(if (wrong) sprintf("%d of %d checks found a problem.", wrong, sum(!is.na(x$ok))) else
    "No problem found.")
  invisible(x)
}

# The checks of a kind of fit, by name.
checks_of <- function(fit) {
  UseMethod("checks_of")
}

#' @export
checks_of.default <- function(fit) {
  check_fit(fit)
  sanity_checks
}

# ---- the checks ----------------------------------------------------------------------------------

# `ok`: NA where the check does not apply.
finding <- function(ok, finding, remedy = NULL) {
  list(ok = ok, finding = finding, remedy = if (ok %in% FALSE) paste(remedy, collapse = " "))
}

not_checked <- function(reason) finding(NA, reason)

check_of_convergence <- function(fit) {
  state <- fit$convergence
  if (is.na(state$converged)) return(not_checked("The optimiser does not test for convergence."))
  if (state$converged) {
    return(finding(TRUE, sprintf("Converged in %d iterations.", state$iterations)))
  }
  finding(FALSE, sprintf("Not converged: %s.", state$message),
    if (length(state$separated)) "Merge levels, or use a random effect, (1 | level)." else
      "Continue: update(fit, start = fit).")
}

# The gain that a further step of Fisher scoring would bring.
check_of_gradient <- function(fit, most = 0.1) {
  if (!is_likelihood(fit) || !has_likelihood_objective(fit) || is_streamed(fit) ||
      has_effects(fit$data) || has_outputs(fit) || all(fit$parameters$fixed)) {
    return(not_checked("No gradient of a likelihood is available."))
  }
  state <- if_computable(state_at_estimates(fit))
  free <- !fit$parameters$fixed & !fit$parameters$at_boundary
  if (is.null(state) || !has_derivatives(state, free)) {
    return(not_checked("The gradient cannot be computed."))
  }
  gain <- scoring_step(state, free, 10)$predicted_gain
  finding(gain <= most, sprintf("A further step would gain %.2g units of log-likelihood.", gain),
    "Continue: update(fit, start = fit).")
}

state_at_estimates <- function(fit) {
  problem <- problem_of_fit(fit)
  likelihood_objective(problem$method, problem)$evaluate(problem$start, information = TRUE)
}

check_of_boundary <- function(fit) {
  if (is.null(fit$layout) || !is.null(fit$deep)) return(not_checked("There are no limits."))
  named <- boundary_parameters(fit)
  if (!length(named)) return(finding(TRUE, "No parameter is at a limit of its search."))
  finding(FALSE, sprintf("At a limit: %s.", format_some(named)),
    c(boundary_advice(fit), idle_ranges_note(fit)))
}

check_of_errors <- function(fit) {
  own <- !fit$parameters$fixed & !fit$parameters$at_boundary
  if (!any(own)) return(not_checked("No parameter of the covariance is estimated inside its limits."))
  if (!has_errors(fit$parameters$std_error[own])) {
    return(finding(FALSE, "There are no standard errors of covariance parameters.",
      sprintf("The reason: %s.", why_no_errors(fit))))
  }
  flat <- if (is.null(fit$deep)) flat_likelihood_note(fit)
  if (is.null(flat)) return(finding(TRUE, "Standard errors are smaller than the estimates."))
  finding(FALSE, "A standard error exceeds its estimate.", flat)
}

check_of_range <- function(fit) {
  reason <- if (has_no_process(fit$covariance)) "There is no process." else
    if (!is.null(fit$deep) || is_streamed(fit) || is_nowhere(fit$locations) ||
      has_no_curve(fit)) "There is no range to compare."
  if (!is.null(reason)) return(not_checked(reason))
  short <- white_noise_note(fit, effective_ranges(fit))
  if (!is.null(short)) return(finding(FALSE, "The effective range is below the spacing.", short))
  coords <- places_of(fit$data$coords, fit$locations)
  kinds <- fit$locations$kind[fit$locations$block]
  coords <- coords[, !kinds %in% c("factor", "ordered", "replicate", "time"), drop = FALSE]
  extent <- sqrt(sum(apply(coords, 2L, function(x) diff(range(x)))^2))
  first <- effective_ranges(fit)
  first <- first[names(first) %in% fit$layout$name[fit$layout$group %in% 1L]]
  far <- length(first) > 0L && ncol(coords) <= 3L && max(first) > extent
  finding(!far, if (far) sprintf("The effective range, %s, exceeds the extent of the locations, %s.",
    format_three_digits(max(first)), format_three_digits(extent)) else
    "The effective range is between spacing and extent of the locations.",
  "Variance and range are determined jointly: fix one of them, or give pc_priors(). Predictions among the data depend little on it.")
}

# Variances of the process and of the noise on the scale of the linear predictor.
check_of_process <- function(fit, least = 0.01) {
  variances <- fit$layout$kind == "variance"
  if (has_no_process(fit$covariance) || !any(variances) || !is.null(fit$deep)) {
    return(not_checked("There is no variance of one process."))
  }
  process <- sum(fit$parameters$estimate[variances])
  noise <- if (is_gaussian(fit$family)) sum(fit$nugget[!is.na(fit$nugget)]) else
    if (has_mark(fit$family, "in_units") && fit$family$link == "identity") {
      stats::var(fit$data$y)
    } else {
      1
    }
  share <- process / (process + noise)
  percent <- format(signif(100 * share, 2L), scientific = FALSE)
  finding(share >= least, sprintf("The process accounts for %s%% of the variance.", percent),
    "Compare with the fit without it: anova(update(fit, covariance = cov_none()), fit).")
}

check_of_neighbors <- function(fit) {
  loss <- fit$conditioning$loss
  if (is.null(loss)) {
    able <- has_ability(fit$method, "neighbor_loss")
    return(not_checked(if (able) "Not sampled: neighbor_loss(fit) estimates what few neighbours lose."
      else "This does not apply to the method."))
  }
  lossy <- is_lossy(fit)
  finding(!lossy, if (lossy) sprintf("k = %d neighbours lose about %s.", fit$k,
    format_loss(loss)) else
    sprintf("k = %d neighbours lose little, or the fit conditions on the process.", fit$k),
  "Use a larger k, for example vecchia(k = 60).")
}

# The diagonal of the inverse correlation matrix: 1 / (1 - R^2) of each column given the others.
check_of_trend <- function(fit, most = 10) {
  X <- fit$data$X
  if (is.null(X) || is_streamed(fit) || has_outputs(fit)) {
    return(not_checked("The columns of the trend are not available."))
  }
  X <- X[, apply(X, 2L, function(x) diff(range(x)) > 0), drop = FALSE]
  if (ncol(X) < 2L) return(finding(TRUE, "Fewer than two covariates."))
  inverse <- tryCatch(solve(stats::cor(X)), error = function(e) NULL)
  inflation <- if (is.null(inverse)) rep(Inf, ncol(X)) else diag(inverse)
  wrong <- colnames(X)[inflation > most]
  if (!length(wrong)) {
    return(finding(TRUE, sprintf("The largest variance inflation is %.2g.", max(inflation))))
  }
  finding(FALSE, sprintf("Nearly collinear: %s (variance inflation up to %.2g).",
    format_some(wrong), max(inflation)), "Leave one of them out of the formula.")
}

check_of_rows <- function(fit, least = 5) {
  if (!is.null(fit$deep)) return(not_checked("Deep fits are judged by held-out observations."))
  parameters <- length(fit$beta) + count_covariance_parameters(fit)
  rows <- stats::nobs(fit)
  finding(rows >= least * parameters, sprintf("%s observations for %d parameters.",
    format_count(rows), parameters),
  "Fix known parameters (?fixed_parameters), give pc_priors(), or use a shorter formula.")
}

sanity_checks <- list(convergence = check_of_convergence, gradient = check_of_gradient,
  boundary = check_of_boundary, std_errors = check_of_errors, range = check_of_range,
  process = check_of_process, neighbours = check_of_neighbors, trend = check_of_trend,
  rows = check_of_rows)
