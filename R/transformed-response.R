# A fit to a transformed or recalibrated response differs from one to a Gaussian response in this:
# all results for responses are on the user's scale, by R/mixture-transformed.R.

# The fit without its recalibration, which is of observations that are not known.
without_recalibration <- function(object) {
  object$family$recalibration <- NULL
  object$method <- method_for(object$method, object$family, object$data)
  object
}

# ---- predictions ---------------------------------------------------------------------------------

# Draws of the transformed response, back on the user's scale. Those of a recalibrated fit would
# need the dependence of locations as well.
transformed_draws <- function(object, target, nsim, settings) {
  if (settings$noise && !is.null(object$family$recalibration)) {
    abort_neargp("recalibration",
      c("Draws of recalibrated responses are not available: recalibration treats each response by itself.",
        i = "Use type = \"link\", or the fit before recalibrate()."))
  }
  normal <- normal_scale_fit(object)
  draws <- simulation_draws(normal$method, normal, target, nsim, settings)
  if (!settings$noise) return(draws)
  transform <- object$family$transform
  drawn <- from_normal_scale(draws, transform)
  if (is.infinite(transform_pole(transform))) saturate_draws(drawn, draws) else drawn
}

# ---- the rows of the fit -------------------------------------------------------------------------

# The expected response of a new observation with the weight of each row; without a nugget the data.
#' @export
smoothed.neargp_method_transformed <- function(method, object, k, threads) {
  object <- without_recalibration(object)
  if (!has_transform(object$family)) return(smoothed(object$method, object, k, threads))
  if (isTRUE(object$nugget == 0)) return(observed_response(object$data))
  moments <- moments_at_data(normal_scale_fit(object), k, threads)
  sd <- sqrt(moments$variance + noise_of_rows(object))
  predictive_mean(responses_of(object, moments$mean, sd))
}

# Divided by the standard deviation of the response given the posterior mean of the field.
pearson_of_transformed <- function(object, k, threads) {
  object <- without_recalibration(object)
  if (!has_transform(object$family)) return(pearson_residuals(object, k, threads))
  check_pearson_noise(object)
  mean <- moments_at_data(normal_scale_fit(object), k, threads)$mean
  (observed_response(object$data) - smoothed(object$method, object, k, threads)) /
    sqrt(predictive_variance(responses_of(object, mean, sqrt(noise_of_rows(object)))))
}

# Moments of the field at the data, given all of them.
moments_at_data <- function(object, k, threads) {
  if (is_latent(object)) return(posterior_moments(object$method, object, k, threads))
  settings <- predict_settings(object, k, threads = threads)
  settings$context <- prediction_context(object, length(object$data$y), settings)
  chunked_moments(object, training_target(object), settings)
}
