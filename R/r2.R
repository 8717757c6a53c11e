# Shares of the variance, for performance::r2().

#' R-squared of a fit
#'
#' Two numbers between a useless and a perfect model, for the generic `r2()` of the package
#' performance (which need not be installed for the rest of this one).
#'
#' @details
#' `R2_loo` is \eqn{1 - \sum_i (y_i - m_i)^2 / \sum_i (y_i - \bar y)^2}, with \eqn{m_i} the
#' prediction of row i from the other rows as by [loo_predict()]: what share of the variance of the
#' response is predicted. Fitted values would not do in its place, since a process without nugget
#' goes through all data, whatever it predicts. It can be below 0, where the predictions are worse
#' than the mean.
#'
#' `R2_trend` is the marginal R-squared of Nakagawa and Schielzeth (2013, eq. 26), \eqn{s^2_X /
#' (s^2_X + \sigma^2 + \tau^2)}: with \eqn{s^2_X} the variance of the trend among the rows,
#' \eqn{\sigma^2} the variance of the process and of [random effects][random_effects], that of the
#' penalised parts of smooths included, and \eqn{\tau^2} the noise variance, each the mean over the
#' rows. It is the share of the variance that the trend explains, 0 for an intercept alone. For
#' responses that are not gaussian it is of the linear predictor, which has no noise.
#'
#' @param model a fit by [neargp()] to one numeric response.
#' @param ... not used.
#' @return An object of class `neargp_r2`, a list of the two numbers.
#' @references Nakagawa, S. and Schielzeth, H. (2013). A general and simple method for obtaining R2
#'   from generalized linear mixed-effects models. *Methods in Ecology and Evolution* 4, 133–142.
#' @examples
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, data = stations, coords = ~ lon + lat,
#'   distance = "chordal", method = vecchia(k = 15))
#' if (requireNamespace("performance", quietly = TRUE)) performance::r2(fit)
#' @name r2.neargp
#' @exportS3Method performance::r2
r2.neargp <- function(model, ...) {
  check_fit(model)
  check_no_more_arguments()
  check_leave_one_out(model)
  loo <- predicted_rows(loo_moments(model))
  deviation <- loo$observed - mean(loo$observed)
  structure(list(R2_loo = 1 - sum((loo$observed - loo$mean)^2) / sum(deviation^2),
    R2_trend = trend_share(model)), class = "neargp_r2")
}

# Observations and the means of their predictions from the others.
loo_moments <- function(model) {
  data.frame(observed = observed_response(model$data),
    mean = leave_one_out(model, NULL, NULL)$mean)
}

trend_share <- function(model) {
  trend <- drop(model$data$X %*% model$beta)
  explained <- mean((trend - mean(trend))^2)
  noise <- if (is_gaussian(model$family)) mean(model$nugget / model$data$weights) else 0
  explained / (explained + process_variance(model) + effects_variance(model) + noise)
}

# The mean over the rows. (`variance` is that of places whose local covariates are at their mean.)
process_variance <- function(model) {
  variances <- vapply(model$core_covariance$components, `[[`, 0, "variance")
  if (!has_local_scales(model)) return(sum(variances))
  relative <- vapply(seq_along(variances), function(component) {
    at_mean <- model$parameters$estimate[component_rows(model$layout, component, "variance")]
    mean(local_scales_at(model, model$data$coords, component)$sd^2) / at_mean
  }, 0)
  sum(variances * relative)
}

# The mean over the rows of z'G z, G the covariance matrix of the effects and z their columns.
effects_variance <- function(model) {
  if (!has_effects(model$data)) return(0)
  of <- fitted_effects(model)
  spherical <- spherical_values(effect_slots(model$data), of$blocks, of$factors)
  mean(rowSums(spherical^2))
}

#' @exportS3Method performance::r2
r2.neargp_classifier <- function(model, ...) {
  abort_neargp("argument", c("There is no R-squared of a fit to classes.",
    i = "Use scores(): accuracy, log loss and Brier score."))
}

#' @exportS3Method performance::r2
r2.neargp_outputs <- function(model, ...) {
  abort_neargp("argument", c("There is no R-squared of a fit to several outputs.",
    i = "Use scores(), which has a row for each output."))
}

#' @export
print.neargp_r2 <- function(x, digits = 3L, ...) {
  cat("R2 of predictions from the other rows: ", formatC(x$R2_loo, digits = digits, format = "f"),
    "\nR2 of the trend alone:                 ", formatC(x$R2_trend, digits = digits, format = "f"),
    "\n", sep = "")
  invisible(x)
}
