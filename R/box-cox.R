# The transform of Box and Cox, and its power by the profile likelihood.

#' Transformations of a response
#'
#' @description
#' `transform = "log"`, `"sqrt"`, `box_cox()` or a pair of functions in [neargp()] transforms a
#' Gaussian response.
#'
#' ```r
#' neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326,
#'   transform = box_cox(0.5))
#' ```
#'
#' @details
#' The model is `g(y) = trend + offset + w + noise`. Trend, covariance, nugget, `type = "link"` and
#' residuals of type `"trend"` are on the transformed scale. Predictions, intervals, fitted values,
#' draws and scores return to the scale of `y`. Means are expectations of `y`, for the logarithm
#' `exp(m + s^2 / 2)`. The log-likelihood includes the Jacobian, so `AIC()` compares
#' transformations, except by [mll_k()]. In contrast, `log(y) ~ 1` makes the logarithm the response.
#'
#' `box_cox()` is `(y^lambda - 1) / lambda`, and the logarithm for `lambda = 0`. Responses must be
#' positive. The probability of values beyond the domain is at 0, or at infinity for `lambda < 0`.
#' If that infinity is within 12 standard deviations, mean, standard deviation, bias and CRPS are
#' infinite. You can then use quantiles and the log score. For a pair of functions, you can add
#' `derivative`, the slope of `forward`.
#'
#' `lambda = NULL` estimates the power by about ten fits. It counts as a parameter in `logLik()`,
#' and standard errors ignore it. You can usually round it, for example to 0, 1/3 or 1/2.
#'
#' @param lambda the power, a number between -5 and 5. Default `NULL`: estimated between -2 and 2.
#' @return An object of class `neargp_transform`.
#' @references Box, G. E. P. and Cox, D. R. (1964). An analysis of transformations. *JRSS B* 26,
#'   211–252. De Oliveira, V., Kedem, B. and Short, D. A. (1997). Bayesian prediction of transformed
#'   Gaussian random fields. *JASA* 92, 1422–1433.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(150), y = runif(150))
#' d$z <- (1 + (2 + sin(5 * d$x) + rnorm(150, sd = 0.2)) / 3)^3
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, transform = box_cox())
#' fit
#' predict(fit, data.frame(x = 0.5, y = 0.5), interval = "prediction")
#' c(box_cox = AIC(fit), log = AIC(update(fit, transform = "log")))
#' @export
box_cox <- function(lambda = NULL) {
  new_transform("box_cox", lambda = check_number(lambda, "lambda", -5, 5, null_ok = TRUE))
}

estimated_powers <- c(-2, 2)

is_open_transform <- function(transform) {
  identical(transform$name, "box_cox") && is.null(transform$lambda)
}

# The best of the fits of `call`, of neargp(), over the power. `frame`: where it was called from.
fit_box_cox <- function(call, method, frame) {
  check_open_transform(method)
  fit_at <- function(lambda) {
    call$transform <- new_transform("box_cox", lambda = lambda, estimated = TRUE)
    eval(call, frame)
  }
  value_at <- function(lambda) suppressWarnings(suppressMessages(fit_at(lambda)))$log_likelihood
  best <- stats::optimize(value_at, estimated_powers, maximum = TRUE, tol = 0.01)$maximum
  fit <- fit_at(best)
  fit$call["transform"] <- call["transform"]
  warn_power_at_end(best)
  fit
}

# The score of mll_k() contains no Jacobian, see with_jacobian().
check_open_transform <- function(method) {
  if (is.null(method) || !identical(method_name(method), "mll_k")) return(invisible())
  abort_transform("mll_k() cannot estimate the power, because its score is not a density of the responses.",
    "Give `lambda`, or use another method.")
}

warn_power_at_end <- function(lambda) {
  if (min(abs(lambda - estimated_powers)) > 0.02) return(invisible())
  warn_neargp("boundary", c(
    sprintf("The power of box_cox() is estimated as %s, an end of its range.",
      format(round(lambda))),
    i = "Give a `lambda` between -5 and 5, or another transform."))
}

# Estimated powers, as parameters of the fit.
count_powers <- function(family) sum(family$transform$estimated)
