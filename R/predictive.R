# Predictive distributions of new observations, or of a field, one distribution for each row. A fit
# makes them (R/predictive-fit.R); predictions, scores, cross-validation, residuals and plots only
# read them. The results of rows that are NA are NA. The classes:
#
#   `neargp_normal`: R/normal.R.
#   `neargp_normal_mixture`: R/normal-mixture.R.
#   `neargp_response_mixture`: R/response-mixture.R, a response family over a normal predictor.
#   `neargp_component_mixture`: R/component-mixture.R, a family over a mixture of normals.
#   `neargp_transformed_mixture`: R/mixture-transformed.R, a function of a normal variable.
#   `neargp_recalibrated`: R/recalibrated.R, any continuous distribution under a map.
#   `neargp_inflated`: R/inflated.R, zero, or a positive response.
#   `neargp_categorical`: R/categorical-distribution.R, probabilities of classes.
#   `neargp_drawn`: R/drawn.R, by draws.
#
# `[` takes rows. As in R's own distribution functions the value comes first, the distribution
# second. All of them provide a mean and a variance. Scores need a density, which drawn
# distributions lack. Categorical ones provide neither quantiles nor limits. Draws are of each row
# alone; R/simulate-draws.R draws rows together.

new_predictive <- function(fields, class) {
  structure(fields, class = c(paste0("neargp_", class), "neargp_predictive"))
}

# ---- generics ------------------------------------------------------------------------------------

predictive_mean <- function(distribution) UseMethod("predictive_mean")

predictive_variance <- function(distribution) UseMethod("predictive_variance")

# P(Y <= q), for counts with the tolerance of stats::ppois(), or P(Y > q).
predictive_cdf <- function(q, distribution, lower = TRUE) {
  UseMethod("predictive_cdf", distribution)
}

# The smallest y with P(Y <= y) >= p, p strictly between 0 and 1.
predictive_quantile <- function(p, distribution) UseMethod("predictive_quantile", distribution)

# The log of the density, of counts of the probability.
predictive_log_density <- function(y, distribution) {
  UseMethod("predictive_log_density", distribution)
}

# The continuous ranked probability score.
predictive_crps <- function(observed, distribution) UseMethod("predictive_crps", distribution)

# P(Y < y) and P(Y <= y): of continuous responses the same.
predictive_pit <- function(observed, distribution) UseMethod("predictive_pit", distribution)

#' @export
predictive_pit.default <- function(observed, distribution) {
  pit <- predictive_cdf(observed, distribution)
  list(lower = pit, upper = pit)
}

# P(lower <= Y <= upper) is at least the level, with at most half of the rest on either side.
predictive_limits <- function(distribution, level) UseMethod("predictive_limits")

#' @export
predictive_limits.default <- function(distribution, level) {
  list(lower = predictive_quantile((1 - level) / 2, distribution),
    upper = predictive_quantile((1 + level) / 2, distribution))
}

# Draws of each row, independent of each other: rows x nsim.
predictive_draws <- function(nsim, distribution) UseMethod("predictive_draws", distribution)

# A quantile at a uniform number is a draw.
#' @export
predictive_draws.default <- function(nsim, distribution) {
  n <- length(predictive_mean(distribution))
  matrix(vapply(seq_len(nsim), function(s) {
    predictive_quantile(stats::runif(n), distribution)
  }, double(n)), n)
}

# Standard normal under the model: z with Phi(z) = P(Y <= y), of discrete responses of a random
# point of the step (Dunn and Smyth 1996).
normal_residuals <- function(observed, distribution) UseMethod("normal_residuals", distribution)

#' @export
normal_residuals.default <- function(observed, distribution) {
  pit <- predictive_pit(observed, distribution)
  pit_residuals(pit$lower, pit$upper)
}

# A distribution function is known to 1e-9, so that residuals beyond 6 cannot be distinguished.
pit_residuals <- function(lower, upper) {
  point <- lower + stats::runif(length(upper)) * (upper - lower)
  stats::qnorm(pmin(pmax(point, 1e-9), 1 - 1e-9))
}

# The mean of the response where the field, or linear predictor, is `eta`; and the field at which
# that mean is `value`, one number, -Inf and Inf beyond its range. The field of a normal response is
# the mean.
mean_given_field <- function(eta, distribution) UseMethod("mean_given_field", distribution)

#' @export
mean_given_field.default <- function(eta, distribution) eta

field_of_mean <- function(value, distribution) UseMethod("field_of_mean", distribution)

#' @export
field_of_mean.default <- function(value, distribution) value

# ---- of all classes ------------------------------------------------------------------------------

predictive_sd <- function(distribution) sqrt(predictive_variance(distribution))

predictive_moments <- function(distribution) {
  list(mean = predictive_mean(distribution), sd = predictive_sd(distribution))
}
