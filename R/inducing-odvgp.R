#' More points for the mean than for the covariance (ODVGP)
#'
#' @description
#' Fits [svgp()] and replaces its predictive mean by the exact one, given all observations
#' (Salimbeni et al. 2018).
#'
#' ```r
#' air <- na.omit(airquality)
#' neargp(log(Ozone) ~ 1, air, coords = ~ Solar.R + Wind + Temp, method = odvgp(inducing = 20))
#' ```
#'
#' @details
#' Use it with many predictors if the mean matters and the process has more detail than the inducing
#' points can represent. Variances remain those of `svgp()`, so intervals are too wide. In two or
#' three coordinates, [vecchia()] is better and faster.
#'
#' Conjugate gradients solve `(K + noise) a = y - trend` with the parameters and positions of
#' `svgp()`, and trend coefficients are generalised least squares. An iteration takes `n^2`
#' covariances and no matrix, and a prediction n covariances. Other families and categories use
#' three to ten Newton steps. `logLik()` is the ELBO with this mean, between that of `svgp()` and
#' the log-likelihood, equation (18a) of `vignette("model-and-methods")`. The orthogonal, hybrid and
#' decoupled bases of the paper share this optimum.
#'
#' The paper trains the parameters by the ELBO with this mean, and `odvgp()` keeps those of
#' `svgp()`. In trials with 40 points for 1,000 observations, training them improved the log score
#' by up to 0.09. Three times as many points improved it more, in a fifth of the time.
#'
#' @inheritParams svgp
#' @param mean_inducing the number of observations that are inducing points of the mean, an integer.
#'   Default `NULL`: all up to 100,000 (fewer for categories), else 2,048, with a message.
#' @param tolerance the relative residual at which conjugate gradients stop, and the relative change
#'   at which Newton's method stops. Default: 2e-3.
#' @return A settings object for the argument `method` of [neargp()]. The fit contains the data
#'   frame `inducing`. Leave-one-out predictions are not available: use [cross_validate()].
#' @references Salimbeni, H., Cheng, C.-A., Boots, B. and Deisenroth, M. (2018). Orthogonally
#'   decoupled variational Gaussian processes. *NeurIPS*. arXiv:1809.08820.
#' @seealso [svgp()], [ppgpr()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x1 = runif(500), x2 = runif(500), x3 = runif(500))
#' d$y <- sin(12 * d$x1) * cos(9 * d$x2) + d$x3 + rnorm(500, sd = 0.1)
#' train <- d[1:400, ]
#' test <- d[401:500, ]
#' fit <- neargp(y ~ 1, train, coords = ~ x1 + x2 + x3, covariance = cov_matern(nu = 2.5),
#'   method = odvgp(inducing = 30, move = FALSE))
#' fit
#' # The mean is better than that of svgp()
#' few <- update(fit, method = svgp(inducing = 30, move = FALSE))
#' c(odvgp = scores(fit, newdata = test)$rmse, svgp = scores(few, newdata = test)$rmse)
#' @export
odvgp <- function(inducing = NULL, move = TRUE, bound = c("tight", "standard"),
                  select = c("kmeans", "random"), jitter = 1e-6, std_error = NULL,
                  mean_inducing = NULL, tolerance = 2e-3) {
  method <- svgp(inducing, move, bound, select, jitter, std_error)
  method$label <- "inducing points, more of them for the mean (ODVGP)"
  if (!is.null(mean_inducing)) method$mean_inducing <- check_count(mean_inducing, "mean_inducing")
  method$tolerance <- check_number(tolerance, "tolerance", 0, 0.1, open = TRUE)
  class(method) <- c("neargp_odvgp", "neargp_svgp", "neargp_method")
  method
}

#' @export
print.neargp_odvgp <- function(x, ...) {
  x$mean_inducing <- x$mean_inducing %||% sprintf("all rows, up to %s",
    format_count(most_mean_rows))
  NextMethod()
}

#' @export
method_families.neargp_odvgp <- function(method) c(latent_families(), "categorical")

# The bound with the new mean.
#' @export
complete_fit.neargp_odvgp <- function(method, fit, result, context) {
  with_raised_bound(NextMethod(), result, context)
}

#' @export
complete_fit.neargp_odvgp_families <- function(method, fit, result, context) {
  fit <- complete_fit.neargp_svgp_families(method, fit, result, context)
  # of the field, the trend's to come
  fit$posterior$variance_at_data <- result$posterior$variance_at_data
  with_raised_bound(fit, result, context)
}

with_raised_bound <- function(fit, result, context) {
  fit <- with_exact_mean(fit, context)
  fit$log_likelihood <- result$value + fit$svgp$gain
  fit
}

# Mean and trend given the rows that the fit holds now. `weights` of the mean: by what the
# covariances of a location with its points are multiplied for each column of response and trend.
with_exact_mean <- function(fit, context, most = 200L) {
  taken <- system.time({
    points <- mean_points(fit$method, fit, context)
    solve <- mean_solver(fit, points, context, most)
    found <- best_mean(fit$method, fit, solve, context)
    fit$svgp$mean <- list(points = points, weights = mean_weights(fit, points,
      found$solved, context),
      iterations = found$iterations, residual = found$residual, steps = found$steps)
  })
  warn_inexact_mean(fit, most)
  fit$svgp$gain <- found$gain
  if (!is.null(fit$elapsed)) fit$elapsed <- fit$elapsed + taken[["elapsed"]]
  found$into(fit, found)
}

with_trend_of_mean <- function(fit, trend) {
  if (!ncol(fit$data$X)) return(fit)
  if (length(fit$convergence$separated)) {
    trend$held_vcov <- held_trend(core_data(fit$data)$X, trend$beta_vcov,
      separation_limit(field_variance(fit)))
  }
  trend <- with_natural_trend(trend, fit$data)
  trend$beta_vcov <- named_square(trend$beta_vcov, fit$data$X)
  fit[names(trend)] <- trend
  fit
}

mean_weights <- function(fit, points, solved, context) {
  if (is.null(points)) return(solved)
  checked_bound(core_point_weights(fit$data$coords, solved, points,
    as_specified(fit$core_covariance), fit$method$jitter, context))$weights
}

warn_inexact_mean <- function(fit, most) {
  mean <- fit$svgp$mean
  if (mean$residual <= fit$method$tolerance) return(invisible())
  reached <- if (is.null(mean$steps)) sprintf("%d iterations", most) else
    sprintf("%d steps", mean$steps)
  warn_neargp("convergence",
    c(sprintf("The mean did not converge: the relative residual of its equations is %.2g after %s.",
      mean$residual, reached),
      i = "More inducing points precondition them better; so does noise that is not estimated as next to none."))
}

#' @export
predictor.neargp_odvgp <- function(method, object, settings) {
  function(coords, X, offset) {
    known <- inducing_moments(object, coords, settings$context)
    trend_moments(object, mean_columns(object, coords, NULL, settings$context),
      known$unexplained + known$posterior, X, offset)
  }
}

refuse_leave_one_out <- function() {
  abort_neargp("method",
    c("A fit by odvgp() does not support leave-one-out predictions: they would need the inverse of a matrix of all rows.",
      i = "cross_validate() leaves folds out; svgp() supports leave-one-out predictions."))
}

#' @export
cavity_moments.neargp_odvgp <- function(method, object, k = NULL, threads = NULL) {
  refuse_leave_one_out()
}

#' @export
weights_of_others.neargp_odvgp <- function(method, object, settings) refuse_leave_one_out()

#' @export
restrict_rows.neargp_odvgp <- function(method, fit, rows, context) {
  with_exact_mean(NextMethod(), context)
}

#' @export
restrict_rows.neargp_odvgp_families <- function(method, fit, rows, context)
  refit_on_rows(fit, rows, context)

#' @export
fit_details.neargp_odvgp <- function(method, fit) {
  mean <- fit$svgp$mean
  on <- if (is.null(mean$points)) "of all rows" else
    sprintf("on %s points", format_count(nrow(mean$points)))
  how <- c(if (!is.null(mean$steps)) sprintf("%d steps", mean$steps),
    if (is.null(mean$points)) sprintf("%d iterations of conjugate gradients", mean$iterations))
  c(NextMethod(), Mean = sprintf("%s%s (relative residual %.1g); raises the ELBO by %s", on,
    if (length(how)) paste0(", by ", paste(how, collapse = " and ")) else "", mean$residual,
    format(round(fit$svgp$gain, 2L), nsmall = 2L)))
}
