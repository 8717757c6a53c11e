# The transform of Box and Cox, and its power by the profile likelihood.

#' Box-Cox transforms of a response
#'
#' The argument `transform` of [neargp()]: `(y^lambda - 1) / lambda` of positive responses, their
#' logarithm for `lambda = 0`. Each power is scaled so that it joins the others: its slope is 1 at
#' `y = 1`.
#'
#' @details
#' Responses of `"log"`, `"sqrt"` and [box_cox()] are greater than 0, where their densities are
#' finite. A normal variable of `"sqrt"` may be negative, and one of `box_cox(lambda)` below `-1 /
#' lambda`: the response is 0 there, with the probability of that. With `lambda < 0` it is infinite
#' above `-1 / lambda`. Where that is within 12 standard deviations mean and standard deviation are
#' infinite, too, and in [scores()] bias, errors and CRPS, since no distribution with an infinite
#' response has a finite one. Medians, other quantiles and the log score are not concerned: compare
#' by the latter, or take `"log"`. Means are in closed form for `"log"` and `"sqrt"`, else integrals
#' to eight digits. A pair of functions takes vectors (and `inverse` matrices); its slope is found
#' by differences, unless the list has it as `derivative`, that of `forward`.
#'
#' With `lambda = NULL` the power is estimated: of the fits for `lambda` between -2 and 2 that one
#' is returned whose log-likelihood, of the response itself, is largest (to 0.01 in `lambda`). That
#' is about ten fits. The estimate counts as a parameter in [stats::logLik()]; errors of other
#' parameters and of predictions do not know that it was estimated, and [cross_validate()] keeps it.
#' A rounded power such as 0, 1/3 or 1/2 near the estimate is usually as good and can be told.
#'
#' @param lambda power, between -5 and 5; `NULL` estimates it.
#' @return An object of class `neargp_transform`.
#' @seealso The section on transforms of [neargp()].
#' @references Box, G. E. P. and Cox, D. R. (1964). An analysis of transformations. *Journal of the
#'   Royal Statistical Society B* 26, 211--252. De Oliveira, V., Kedem, B. and Short, D. A. (1997).
#'   Bayesian prediction of transformed Gaussian random fields. *Journal of the American Statistical
#'   Association* 92, 1422--1433.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(150), y = runif(150))
#' d$z <- (1 + (2 + sin(5 * d$x) + rnorm(150, sd = 0.2)) / 3)^3
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, transform = box_cox())
#' fit
#' predict(fit, data.frame(x = 0.5, y = 0.5), interval = "prediction")
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

# The score of mll_k() has no Jacobian, see with_jacobian().
check_open_transform <- function(method) {
  if (is.null(method) || !identical(method_name(method), "mll_k")) return(invisible())
  abort_transform("mll_k() cannot estimate the power: its score is no density of the responses.",
    "Give `lambda`, or take another method.")
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
