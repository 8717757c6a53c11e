# What a fit to a transformed or recalibrated response does otherwise than one to a gaussian
# response: all that is said of responses is on the user's scale, by R/mixture-transformed.R.

# Responses of rows whose transformed ones have these moments, noise included.
responses_of <- function(object, mean, sd) {
  new_mixture(mean, sd, object$family, c(variance = 0))
}

# The leave-one-out predictions of the rows that have them.
left_out_responses <- function(object, k = NULL, threads = NULL, leave_out = NULL) {
  left <- leave_one_out(normal_scale_fit(object), k, threads, leave_out)
  rows <- which(!is.na(left$mean))
  list(rows = rows, mixture = responses_of(object, left$mean[rows], left$sd[rows]))
}

#' @export
leave_one_out.neargp_method_transformed <- function(object, k, threads, leave_out = NULL) {
  response_given_others(object, left_out_responses(object, k, threads, leave_out))
}

# The same without its recalibration, which is of observations that are not known.
without_recalibration <- function(object) {
  object$family$recalibration <- NULL
  object$method <- method_for(object$method, object$family, object$data)
  object
}

# ---- predictions ---------------------------------------------------------------------------------

#' @export
prediction_columns.neargp_method_transformed <- function(method, object, moments, settings) {
  if (settings$joint && settings$type != "link") {
    if (!is.null(object$family$transform)) {
      abort_joint_response("where the response is transformed")
    }
    abort_neargp("argument",
      c("`type` must be \"link\" with joint = TRUE where the response is recalibrated.",
        i = "The map is of each response by itself: use the fit before recalibrate()."))
  }
  if (!is.null(object$family$recalibration)) check_observation_wanted(settings)
  prediction_columns_by_family(object, moments, settings)
}

# A recalibration is of new observations: it knows nothing of their mean given the field.
check_observation_wanted <- function(settings) {
  of_mean <- settings$interval == "confidence" || identical(settings$threshold_of, "mean")
  if (settings$type == "link" || !of_mean) return(invisible())
  abort_neargp("recalibration",
    c("Recalibrated are new observations, and not the latent field or their mean given it.",
      i = "Use interval = \"prediction\", type = \"link\", or the fit before recalibrate()."))
}

# Draws of the transformed response, back on the user's scale. Those of a recalibrated fit would
# need the dependence of places, too.
transformed_draws <- function(object, target, nsim, settings) {
  if (settings$noise && !is.null(object$family$recalibration)) {
    abort_neargp("recalibration",
      c("There are no draws of recalibrated responses: the map is of each by itself.",
        i = "Use type = \"link\", or the fit before recalibrate()."))
  }
  normal <- normal_scale_fit(object)
  draws <- simulation_draws(normal$method, normal, target, nsim, settings)
  if (settings$noise) from_normal_scale(draws, object$family$transform) else draws
}

# ---- the rows of the fit -------------------------------------------------------------------------

# The expected response of a new observation with the weight of each row; without a nugget the data.
#' @export
smoothed.neargp_method_transformed <- function(object, k, threads) {
  object <- without_recalibration(object)
  if (!has_transform(object$family)) return(smoothed(object, k, threads))
  if (isTRUE(object$nugget == 0)) return(observed_response(object$data))
  moments <- moments_at_data(normal_scale_fit(object), k, threads)
  mixture_mean(responses_of(object, moments$mean, sqrt(moments$variance + noise_of_rows(object))))
}

# Divided by the standard deviation of the response given the posterior mean of the field.
pearson_of_transformed <- function(object, k, threads) {
  object <- without_recalibration(object)
  if (!has_transform(object$family)) return(pearson_residuals(object, k, threads))
  check_pearson_noise(object)
  mean <- moments_at_data(normal_scale_fit(object), k, threads)$mean
  (observed_response(object$data) - smoothed(object, k, threads)) /
    sqrt(mixture_variance(responses_of(object, mean, sqrt(noise_of_rows(object)))))
}

# Moments of the field at the data, given all of them.
moments_at_data <- function(object, k, threads) {
  if (is_latent(object)) return(posterior_moments(object, k, threads))
  settings <- predict_settings(object, k, threads = threads)
  settings$context <- prediction_context(object, length(object$data$y), settings)
  chunked_moments(object, training_target(object), settings)
}

#' @export
loo_table.neargp_method_transformed <- function(fit, k = NULL, threads = NULL, leave_out = NULL) {
  y <- observed_response(fit$data)
  left <- left_out_responses(fit, k, threads, leave_out)
  predicted <- response_given_others(fit, left)
  z <- replace(rep(NA_real_, length(y)), left$rows,
    score_of_response(y[left$rows], left$mixture))
  data.frame(observed = y, mean = predicted$mean, sd = predicted$sd, z = z)
}

# ---- by the mixture, as of other families --------------------------------------------------------

#' @export
observation_summary.neargp_method_transformed <- function(method, fit, moments) {
  observation_summary.neargp_method_families(method, fit, moments)
}

#' @export
loo_scores.neargp_method_transformed <- function(fit, loo) {
  loo_scores.neargp_method_families(fit, loo)
}

#' @export
scores_of_observations.neargp_method_transformed <- function(object, truth, predicted, weights,
                                                             level, na.rm) {
  scores_of_observations.neargp_method_families(object, truth, predicted, weights, level, na.rm)
}

#' @export
scores_given_others.neargp_method_transformed <- function(object, level, na.rm, leave_out = NULL) {
  scores_of_left_out(object, left_out_responses(object, leave_out = leave_out), level, na.rm)
}

#' @export
fold_scores.neargp_method_transformed <- function(method, fit, moments, data, level) {
  fold_scores.neargp_method_families(method, fit, moments, data, level)
}

#' @export
fold_log_scores.neargp_method_transformed <- function(method, fit, moments, data) {
  fold_log_scores.neargp_method_families(method, fit, moments, data)
}
