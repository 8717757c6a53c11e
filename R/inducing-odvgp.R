#' More points for the mean than for the covariance (ODVGP)
#'
#' A fit by [svgp()] whose predictive mean is then that of all rows: the mean of a Gaussian process
#' may have inducing points of its own, at no more than linear cost each (orthogonally decoupled
#' bases, Salimbeni et al. 2018), and with one at each row it is the exact one, which conjugate
#' gradients find without a matrix of all rows. Variances stay those of `svgp()`.
#'
#' @section When to take it: Where a field has more detail than the inducing points hold, in many
#' coordinates, and the mean is what matters: the mean is better than that of `svgp()`, the more so
#' the fewer points there are for the field. Since the variance does not know of that, intervals are
#' too wide by as much. Do not take it in two or three coordinates, where [vecchia()] has a better
#' mean and its variance sooner; nor for small fits, for it keeps the data.
#'
#' @section Method: With covariance parameters and positions of the bound,
#' `(K + noise) a = y - trend` is solved by conjugate gradients, preconditioned by the matrix that
#' the inducing points have of the data (that of FITC), so that few iterations are needed; trend
#' coefficients are those of generalised least squares with the exact covariance matrix. An
#' iteration takes `n^2` covariances and nothing but vectors of memory: some seconds for 20,000
#' rows, and a prediction `n` covariances a row.
#'
#' Responses of other families are pseudo-observations, as in [svgp()]: Newton's method solves these
#' equations in each of its three to eight steps, for the trend with the mean, from that of `svgp()`
#' until the linear predictors move no more. Their variances in the objective are those of `svgp()`.
#' Classes ([categorical()], by softmax or robust-max) have a mean each, which take such steps
#' together, by conjugate gradients: three to ten of them.
#'
#' A number `mean_inducing` is for more rows than that, and for faster predictions: so many rows are
#' inducing points of the mean, besides those of the covariance. Means on both kinds of points
#' together solve dense equations of as many unknowns. (Rows that the points of the covariance
#' explain already are left out, with a message of class `neargp_message_inducing`.)
#'
#' @section The objective: [logLik()] is the lower bound of the log-likelihood with this mean: that
#' of `svgp()`, plus what the data and the divergence from the prior gain by it (the line "Mean" of
#' `print()` says how much). It lies between the bound of `svgp()` and the log-likelihood.
#' Parameters are those at which the bound of `svgp()` is largest.
#'
#' @section Bases: The orthogonal, the hybrid and the decoupled basis (sections 2.3, 3.1 and 3.2 of
#' the paper) are three ways to write the same means and covariances, and so have one optimum. They
#' differ in how far a stochastic optimiser gets towards it (test log-likelihoods of the decoupled
#' basis fell short of those of the orthogonal one by 0.04 to 0.8 in the paper, appendix G); here it
#' is solved for, and there is nothing to choose.
#'
#' @inheritParams svgp
#' @param mean_inducing how many rows are inducing points of the mean, besides those of the
#'   covariance. `NULL` for all up to 100,000 rows (by the root of the number of classes fewer),
#'   where conjugate gradients take about as long as `svgp()` before; and for 2,048 of more than
#'   these, with a message of class `neargp_message_inducing`. The number of rows, or more, takes
#'   all.
#' @param tolerance residual, relative to the right-hand side, at which conjugate gradients end; and
#'   of other families the change of linear predictors, relative to their size, at which Newton's
#'   method does. Scores have settled at 5e-3.
#' @return A settings object for the argument `method` of [neargp()]. A fit by it has the data frame
#'   `inducing`, as one by [svgp()].
#' @section Errors: those of [svgp()]; `neargp_error_method` for leave-one-out predictions, which
#'   [cross_validate()] has the place of; `neargp_error_convergence` where Newton's method finds no
#'   mean. A warning of class `neargp_warning_convergence` where 200 iterations, or 50 of Newton's
#'   steps, did not do.
#' @references Salimbeni, H., Cheng, C.-A., Boots, B. and Deisenroth, M. (2018). Orthogonally
#'   decoupled variational Gaussian processes. *NeurIPS*. arXiv:1809.08820.
#' @examples
#' set.seed(1)
#' d <- data.frame(x1 = runif(500), x2 = runif(500), x3 = runif(500))
#' d$y <- sin(12 * d$x1) * cos(9 * d$x2) + d$x3 + rnorm(500, sd = 0.1)
#' fit <- neargp(y ~ 1, d, coords = ~ x1 + x2 + x3, method = odvgp(inducing = 30),
#'   covariance = cov_matern(nu = 2.5, ard = TRUE))
#' fit
#' predict(fit, data.frame(x1 = 0.5, x2 = 0.5, x3 = 0.5), interval = "prediction")
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
# covariances of a place with its points are multiplied for each column of response and trend.
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
    c(sprintf("The mean is not reached: its equations have a relative residual of %.2g after %s.",
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
    c("A fit by odvgp() has no leave-one-out predictions: they would take the inverse of a matrix of all rows.",
      i = "cross_validate() leaves folds out; svgp() has leave-one-out predictions."))
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
  c(NextMethod(), Mean = sprintf("%s%s (relative residual %.1g); raises the bound by %s", on,
    if (length(how)) paste0(", by ", paste(how, collapse = " and ")) else "", mean$residual,
    format(round(fit$svgp$gain, 2L), nsmall = 2L)))
}
