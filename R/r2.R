# Shares of the variance, for performance::r2().

#' R-squared of a fit
#'
#' @description
#' Returns two R-squared values for the generic `r2()` of package performance.
#'
#' ```r
#' fit <- neargp(precipitation ~ elevation, colorado_precipitation(), coords = ~ lon + lat,
#'   crs = 4326)
#' if (requireNamespace("performance", quietly = TRUE)) performance::r2(fit)
#' ```
#'
#' @details
#' `R2_loo` is the share of the response's variance that leave-one-out predictions explain: \eqn{1 -
#' \sum_i (y_i - m_i)^2 / \sum_i (y_i - \bar y)^2}, with \eqn{m_i} from [loo_predict()]. It can be
#' negative, if the predictions are worse than the mean. Fitted values cannot replace \eqn{m_i},
#' since a process without nugget interpolates the data.
#'
#' `R2_trend` is the share of the variance that the trend explains, the marginal R-squared of
#' Nakagawa and Schielzeth (2013, eq. 26): \eqn{s^2_X / (s^2_X + \sigma^2 + \tau^2)}. Here
#' \eqn{s^2_X} is the variance of the trend among the observations. \eqn{\sigma^2} is the variance
#' of the process, of [random effects][random_effects] and of penalised parts of smooths, and
#' \eqn{\tau^2} the noise variance. For other families, it refers to the linear predictor, without
#' noise.
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

# The mean over the rows. (`variance` is that of locations whose local covariates are at their
# mean.)
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
  abort_neargp("argument", c("There is no R-squared of a fit to several responses.",
    i = "Use scores(), which returns a row for each response."))
}

#' @export
print.neargp_r2 <- function(x, digits = 3L, ...) {
  cat("R2 of predictions from the other rows: ", formatC(x$R2_loo, digits = digits, format = "f"),
    "\nR2 of the trend alone:                 ", formatC(x$R2_trend, digits = digits, format = "f"),
    "\n", sep = "")
  invisible(x)
}
