#' More points for the mean than for the covariance (ODVGP)
#'
#' A fit by [svgp()] whose predictive mean is then that of all rows: the mean of a Gaussian process may have inducing points of its own, at no
#' more than linear cost each (orthogonally decoupled bases, Salimbeni et al. 2018), and with one at each row it is the exact one,
#' which conjugate gradients find without a matrix of all rows. Variances stay those of `svgp()`.
#'
#' @section When to take it:
#' Where a field has more detail than the inducing points hold, in many coordinates, and the mean is what matters: the mean is better than that of `svgp()`,
#' the more so the fewer points there are for the field. Since the variance does not know of that, intervals are too wide by as much. Do
#' not take it in two or three coordinates, where [vecchia()] has a better mean and its variance sooner; nor for small fits, for it keeps the data.
#'
#' @section Method:
#' With covariance parameters and positions of the bound, `(K + noise) a = y - trend` is solved by conjugate gradients, preconditioned by the
#' matrix that the inducing points have of the data (that of FITC), so that few iterations are needed; trend coefficients are those of generalised least squares
#' with the exact covariance matrix. An iteration takes `n^2` covariances and nothing but vectors of memory: some seconds for 20,000 rows, and a prediction
#' `n` covariances a row. The paper finds the coefficients a of random subsets of the rows by a stochastic optimiser, with which its
#' means fall short of this one.
#'
#' @inheritParams svgp
#' @param tolerance residual, relative to the right-hand side, at which conjugate gradients end. Scores have settled at 5e-3.
#' @return A settings object for the argument `method` of [neargp()]. A fit by it has the data frame `inducing`, as one by [svgp()].
#' @section Errors: those of [svgp()]; `neargp_error_family` for responses that are not gaussian; `neargp_error_method` for leave-one-out
#'   predictions, which [cross_validate()] has the place of. A warning of class `neargp_warning_convergence` where 200 iterations did not do.
#' @references Salimbeni, H., Cheng, C.-A., Boots, B. and Deisenroth, M. (2018). Orthogonally decoupled variational Gaussian processes. *NeurIPS*.
#'   arXiv:1809.08820.
#' @examples
#' set.seed(1)
#' d <- data.frame(x1 = runif(500), x2 = runif(500), x3 = runif(500))
#' d$y <- sin(12 * d$x1) * cos(9 * d$x2) + d$x3 + rnorm(500, sd = 0.1)
#' fit <- neargp(y ~ 1, d, coords = ~ x1 + x2 + x3, method = odvgp(inducing = 30), covariance = cov_matern(nu = 2.5, ard = TRUE))
#' fit
#' predict(fit, data.frame(x1 = 0.5, x2 = 0.5, x3 = 0.5), interval = "prediction")
#' @export
odvgp <- function(inducing = NULL, move = TRUE, bound = c("tight", "standard"), select = c("kmeans", "random"), jitter = 1e-6,
                  std_errors = NULL, tolerance = 2e-3) {
  method <- svgp(inducing, move, bound, select, jitter, std_errors)
  method$label <- "inducing points, exact mean (ODVGP)"
  method$tolerance <- check_number(tolerance, "tolerance", 0, 0.1, open = TRUE)
  class(method) <- c("neargp_odvgp", "neargp_svgp", "neargp_method")
  method
}

#' @export
method_families.neargp_odvgp <- function(method) "gaussian"

#' @export
complete_fit.neargp_odvgp <- function(method, fit, result) with_exact_mean(NextMethod())

# `solved`: (K + noise)^-1 of the columns of response and trend. The trend's coefficients follow from them.
with_exact_mean <- function(fit, most = 200L) {
  data <- fit$data
  columns <- response_columns(data)
  taken <- system.time(found <- core_exact_mean(data$coords, columns, 1 / data$weights, fit$svgp$positions, fit$core_covariance, fit$nugget,
    fit$method$jitter, fit$method$tolerance, most, fit$threads))
  if (nzchar(found$failure)) abort_bound(found$failure)
  if (found$residual > fit$method$tolerance) {
    warn_neargp("convergence", c(sprintf("The exact mean is not reached: its equations have a relative residual of %.2g after %d iterations.",
      found$residual, most), i = "More inducing points precondition them better; so does noise that is not estimated as next to none."))
  }
  fit$svgp[c("solved", "iterations", "residual")] <- found[c("solved", "iterations", "residual")]
  if (!is.null(fit$elapsed)) fit$elapsed <- fit$elapsed + taken[["elapsed"]]
  if (ncol(columns) == 1L) return(fit)
  information <- crossprod(columns[, -1L, drop = FALSE], found$solved)
  beta_vcov <- chol2inv(chol((information[, -1L, drop = FALSE] + t(information[, -1L, drop = FALSE])) / 2))
  trend <- with_natural_trend(list(beta = drop(beta_vcov %*% information[, 1L]), beta_vcov = beta_vcov), data)
  trend$beta_vcov <- named_square(trend$beta_vcov, data$X)
  fit[names(trend)] <- trend
  fit
}

#' @export
predictor.neargp_odvgp <- function(method, object, settings) {
  function(coords, X, offset) {
    known <- inducing_moments(object, coords, settings$threads)
    trend_moments(object, exact_weighted(object, coords, settings$threads), known$unexplained + known$posterior, X, offset)
  }
}

exact_weighted <- function(object, coords, threads) {
  core_exact_mean_at(coords, object$data$coords, object$svgp$solved, object$core_covariance, threads)
}

# What the exact mean is above that of the inducing points.
mean_beyond_inducing <- function(object, target, threads) {
  beyond <- exact_weighted(object, target$coords, threads) - inducing_moments(object, target$coords, threads)$weighted
  beyond[, 1L] - drop(beyond[, -1L, drop = FALSE] %*% core_trend(object)$beta)
}

#' @export
joint_moments.neargp_odvgp <- function(method, object, target, settings) {
  moments <- NextMethod()
  beyond <- mean_beyond_inducing(object, target, settings$threads)
  moments$mean[target$complete] <- moments$mean[target$complete] + beyond
  moments
}

#' @export
simulation_draws.neargp_odvgp <- function(method, object, target, nsim, settings) {
  draws <- NextMethod()
  if (settings$conditional) draws + mean_beyond_inducing(object, target, settings$threads) else draws
}

#' @export
weights_of_others.neargp_odvgp <- function(method, object, settings) {
  abort_neargp("method", c("A fit by odvgp() has no leave-one-out predictions: they would take the inverse of a matrix of all rows.",
    i = "cross_validate() leaves folds out; svgp() has leave-one-out predictions."))
}

#' @export
restrict_rows.neargp_odvgp <- function(method, fit, rows) with_exact_mean(restrict_rows.neargp_svgp(method, fit, rows))

#' @export
fit_details.neargp_odvgp <- function(method, fit) {
  c(NextMethod(), Mean = sprintf("of all rows, by %d iterations of conjugate gradients (relative residual %.1g)", fit$svgp$iterations,
    fit$svgp$residual))
}
