# The data of a latent model given all of them, and given the others. Latent models are those of
# vnngp(), and those of loo_k() by pseudo-observations.

is_latent <- function(object) !is.null(object$posterior) || !is.null(object$pseudo_observations)

posterior_response <- function(object, k = NULL, threads = NULL) {
  moments <- posterior_moments(object$method, object, k, threads)
  predictive_moments(response_of_rows(object, moments$mean, moments$variance))
}

# Posterior moments of each row's linear predictor.
posterior_moments <- function(method, object, k, threads) {
  UseMethod("posterior_moments")
}

#' @export
posterior_moments.default <- function(method, object, k, threads) {
  list(mean = with_base(object$data, object$posterior$linear_predictor),
    variance = object$posterior$variance_at_data)
}

# A pseudo-observation, with precision W, is normal. It observes the part of its datum's linear
# predictor that the inducing points determine. This part is N(mu, t) in the posterior, and
# g = E d log p is the slope. Without the pseudo-observation the part is the cavity N(mu - t' g, t')
# with t' = t / (1 - W t). The variance of the linear predictor given the inducing points is added
# to t'. For a Gaussian response this is leave-one-out prediction. The trend's coefficients are part
# of the posterior, so they are estimated without the datum, as the field is.
cavity_moments <- function(method, object, k = NULL, threads = NULL) {
  UseMethod("cavity_moments")
}

# The variance without a row cannot always be computed. Where the field varies by far more than the
# noise, the share of the variance that remains may lack a correct digit. In Laplace's approximation
# with Student's t, the precision of an outlier's pseudo-observation can be negative, and all rows
# but one may define no distribution.
without_improper <- function(object, moments, rows) {
  if (!length(rows)) return(moments)
  warn_neargp("leverage", c(
    sprintf("The posterior variance without %s of the data cannot be computed, so leave-one-out predictions are not available there.",
      format_rows(if (is.null(object$row_names)) rows else object$row_names[rows])),
    x = "Mean NA, standard deviation Inf.", i = if (identical(object$method$posterior, "laplace"))
    "posterior = \"sparse\" seldom has such rows."))
  moments$mean[rows] <- NA
  moments$variance[rows] <- Inf
  moments
}

#' @export
left_out.neargp_method_families <- function(method, object, k = NULL, threads = NULL,
                                            leave_out = NULL, most = Inf) {
  left_out_latent(object, k, threads)
}

left_out_latent <- function(object, k = NULL, threads = NULL) {
  cavity <- cavity_moments(object$method, object, k, threads)
  rows <- which(!is.na(cavity$mean))
  list(rows = rows, distribution = response_of_rows(object, cavity$mean[rows],
    cavity$variance[rows], rows))
}

# The responses of rows of the fit whose linear predictors have these moments.
response_of_rows <- function(object, mean, variance, rows = seq_along(object$data$y)) {
  data <- object$data
  trials <- if (is.null(data$trials)) 1 else data$trials[rows]
  parameters <- response_parameters(object, list(parameter_columns = columns_of_rows(data, rows)))
  with_limits(new_mixture(mean, sqrt(variance), object$family, parameters, trials,
    data$weights[rows]), data$limits[rows, , drop = FALSE])
}

# Divided by the standard deviation of the response given the posterior mean of the linear
# predictor.
pearson_of_latent <- function(object, k, threads) {
  data <- object$data
  moments <- posterior_moments(object$method, object, k, threads)
  sd <- sqrt(predictive_variance(response_of_rows(object, moments$mean, rep(0, length(data$y)))))
  mean <- predictive_mean(response_of_rows(object, moments$mean, moments$variance))
  # a trend that separates the responses leaves no scatter
  residual <- ifelse(data$y == mean, 0, (data$y - mean) / ifelse(sd > 0, sd, NA))
  warn_no_scatter(which(is.na(residual) & !is.na(mean)))
  # A warning has already reported that the mean is beyond the range of numbers.
  beyond <- which(is.infinite(residual))
  replace(residual, beyond, sign(residual[beyond]) * .Machine$double.xmax)
}

warn_no_scatter <- function(rows) {
  if (!length(rows)) return(invisible())
  warn_neargp("overflow", c(
    sprintf("Pearson residuals of %s are NA: given the process, responses do not scatter there.",
      format_rows(rows)),
    i = "The trend may separate the responses: leave covariates out, or use type = \"response\"."))
}
