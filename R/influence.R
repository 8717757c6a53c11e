# The effect of one row on fitted values and on the trend, from the leave-one-out residuals of
# leave-one-out.R, with its letters.

#' Influence of single observations
#'
#' @description
#' The leave-one-out diagnostics of [stats::lm()], for a fit with a Gaussian process.
#'
#' ```r
#' fit <- neargp(precipitation ~ elevation, colorado_precipitation(), coords = ~ lon + lat,
#'   crs = 4326)
#' sum(hatvalues(fit))
#' ```
#'
#' @details
#' `hatvalues()` are derivatives of the fitted values by their own observations, \eqn{1 - \tau_i^2
#' P_{ii}}: \eqn{\tau_i^2} is the noise variance and \eqn{1 / P_{ii}} the variance of the
#' leave-one-out prediction. Their sum is the effective number of parameters.
#'
#' `dfbeta()` are the changes of the coefficients if an observation is left out, \eqn{A d_i r_i /
#' (v_i (1 - h_i))} with the coefficients' covariance matrix \eqn{A}. `dfbetas()` divides them by
#' standard errors, and `cooks.distance()` is \eqn{\delta'A^{-1}\delta / p}. `rstandard()` is
#' `residuals(type = "standardized")`. Covariance parameters are not re-estimated. Results are exact
#' for [exact_gp()], and use the nearest observations for other methods. `rstudent()`, `dffits()`,
#' `covratio()` and `influence.measures()` are errors.
#'
#' @param model a fit by [neargp()] to one Gaussian response by [exact_gp()], [vecchia()], [loo_k()]
#'   or [mll_k()].
#' @param k,threads see [residuals.neargp()].
#' @param ... not used.
#' @return `hatvalues()`, `cooks.distance()` and `rstandard()`: a named number for each observation.
#'   `dfbeta()` and `dfbetas()`: a matrix with a column for each coefficient. `influence()`: a list
#'   of `hat`, `coefficients` and `loo`. If the trend cannot be estimated without an observation,
#'   its hat value is 1 and other results are `NA`.
#' @references Cook, R. D. (1977). Detection of influential observation in linear regression.
#'   *Technometrics* 19, 15–18.
#' @seealso [residuals.neargp()], [loo_predict()]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326)
#' sum(hatvalues(fit))
#' stations[which.max(cooks.distance(fit)), ]
#' head(dfbetas(fit), 3)
#' summary(rstandard(fit))
#' @export
hatvalues.neargp <- function(model, k = NULL, threads = NULL, ...) {
  check_no_more_arguments()
  named_rows(model, row_deletions(model, k, threads, "hatvalues()")$hat)
}

#' @rdname hatvalues.neargp
#' @export
influence.neargp <- function(model, k = NULL, threads = NULL, ...) {
  check_no_more_arguments()
  deleted <- row_deletions(model, k, threads, "influence()")
  list(hat = named_rows(model, deleted$hat),
    coefficients = named_rows(model, natural_change(model, deleted$change)),
    loo = loo_predict(model, k, threads))
}

#' @rdname hatvalues.neargp
#' @export
dfbeta.neargp <- function(model, k = NULL, threads = NULL, ...) {
  check_no_more_arguments()
  named_rows(model, natural_change(model, row_deletions(model, k, threads, "dfbeta()")$change))
}

#' @rdname hatvalues.neargp
#' @export
dfbetas.neargp <- function(model, k = NULL, threads = NULL, ...) {
  check_no_more_arguments()
  sweep(stats::dfbeta(model, k = k, threads = threads), 2L, wald_tests(model)$std_error, "/")
}

#' @rdname hatvalues.neargp
#' @export
cooks.distance.neargp <- function(model, k = NULL, threads = NULL, ...) {
  check_no_more_arguments()
  change <- trend_part(model$data, row_deletions(model, k, threads, "cooks.distance()")$change)
  if (!ncol(change)) {
    abort_neargp("formula", c("Cook's distance measures the coefficients of the trend, and this trend is empty.",
      i = "hatvalues() and rstandard() include the process."))
  }
  # columns in units of their standard errors, which may differ by any powers of ten
  vcov <- trend_vcov(model)
  scale <- sqrt(diag(vcov))
  change <- sweep(change, 2L, scale, "/")
  named_rows(model, row_forms(change, solve(vcov / tcrossprod(scale))) / ncol(change))
}

#' @rdname hatvalues.neargp
#' @export
rstandard.neargp <- function(model, k = NULL, threads = NULL, ...) {
  check_no_more_arguments()
  stats::residuals(model, "standardized", k = k, threads = threads)
}

# Residuals of lm() with the noise variance of the other rows, which is not estimated again here.
#' @export
rstudent.neargp <- function(model, ...) {
  abort_neargp("method", c("rstudent() would need a noise variance estimated without each row.",
    i = "rstandard() returns leave-one-out errors with the parameters of all rows."))
}

named_rows <- function(object, values) {
  names <- stats::case.names(object)
  if (is.matrix(values)) rownames(values) <- names else names(values) <- names
  stats::naresid(object$na_action, values)
}

natural_change <- function(object, change) {
  back <- object$data$basis$back
  change <- trend_part(object$data, change)
  if (!is.null(back) && ncol(change)) change <- tcrossprod(change, back)
  structure(change, dimnames = list(NULL, names(object$beta)))
}

# The derivative of each row's fitted value by its observation, and by how much the coefficients in
# the core's coordinates fall when it is left out.
row_deletions <- function(object, k, threads, what) {
  check_linear_smoother(object, what)
  refuse_compressed(object, what)
  settings <- predict_settings(object, k, threads = threads)
  given <- weights_of_others(object$method, object, settings)
  errors <- response_columns(object$data) - given$weighted
  unseen <- errors[, -1L, drop = FALSE]
  trend <- core_trend(object)
  noise <- noise_of_rows(object)
  variance <- pmax(given$variance, 0) + noise
  weighted <- row_products(unseen, trend$beta_vcov)
  kept <- 1 - rowSums(weighted * unseen) / variance
  error <- errors[, 1L] - drop(row_products(unseen, trend$beta))
  change <- weighted * (error / (variance * kept))
  alone <- determining_groups(trend_part(object$data, design_columns(object$data)))
  trend_without <- deleted_trends(object)
  for (row in setdiff(which(kept < 1 - high_leverage), alone)) {
    without <- trend_without(row)
    change[row, ] <- without$change
    d <- unseen[row, ]
    kept[row] <- variance[row] / (variance[row] + sum(d * (without$beta_vcov %*% d)))
  }
  change[alone, ] <- NA
  list(hat = replace(1 - noise * kept / variance, alone, 1), change = change)
}

# Inducing points and latent fields have other smoothers.
check_linear_smoother <- function(object, what) {
  check_fit(object)
  if (is_streamed(object)) refuse_rows(what)
  if (inherits(object, "neargp_classifier")) {
    abort_for_classes(what, "Use loo_predict() and scores().")
  }
  check_gaussian(object$family,
    abort_neargp("family",
      c(sprintf("%s is for Gaussian responses, whose fitted values are linear in the data.", what),
        i = "residuals(type = \"standardized\") finds outliers of any response.")))
  if (is_latent(object) || !has_ability(object$method, "linear_predictions")) {
    abort_neargp("method",
      c(sprintf("%s is for one response, by exact_gp(), vecchia(), loo_k() or mll_k().", what),
        i = "residuals(type = \"standardized\") finds outliers of any fit."))
  }
}
