# Methods for generics where fits of loo_k() by pseudo-observations differ from other fits. These
# fits contain an element `pseudo_observations`, made by fitted_pseudo_observations() in
# R/neighbours-pseudo-observations-fit.R. Given the pseudo-observations, a fit is Gaussian on the
# scale of the link.

# The fit as one of a Gaussian response, whose latent field is the linear predictor.
gaussian_of <- function(object) {
  object$nugget <- known_parameters(object)$nugget
  object$data <- object$pseudo_observations$data
  object
}

pseudo_observation_settings <- function(object, settings) {
  settings$k <- min(settings$k, length(object$pseudo_observations$data$y))
  settings
}

# Where each row has been predicted from all others, new locations are predicted from all rows.
#' @export
prediction_k.neargp_loo_k_families <- function(method, object, k, least = 60L) {
  if (!is.null(k)) return(NextMethod())
  if (sees_all_others(object)) length(object$pseudo_observations$data$y) else object$k
}

#' @export
predictor.neargp_loo_k_families <- function(method, object, settings) {
  moments_at <- predictor.default(method, gaussian_of(object),
    pseudo_observation_settings(object, settings))
  function(coords, X, offset) with_bias(object, moments_at(coords, X, offset))
}

with_bias <- function(object, moments) {
  moments$mean <- moments$mean + object$pseudo_observations$bias
  moments
}

#' @export
joint_moments.neargp_loo_k_families <- function(method, object, target, settings) {
  if (settings$type != "link") {
    abort_joint_response("where the response is not Gaussian")
  }
  with_bias(object, joint_moments.default(method, gaussian_of(object), target,
    pseudo_observation_settings(object, settings)))
}

#' @export
simulation_draws.neargp_loo_k_families <- function(method, object, target, nsim, settings) {
  latent <- pseudo_observation_settings(object, settings)
  latent$noise <- FALSE
  eta <- simulation_draws.default(method, gaussian_of(object), target, nsim, latent) +
    object$pseudo_observations$bias
  if (settings$noise) response_draws(object, target, eta, settings$trials) else eta
}

# Pseudo-observations, prior and trend of the other rows.
#' @export
restrict_rows.neargp_loo_k_families <- function(method, fit, rows, context) {
  refit_trend(fit, rows, context)
}

# The trend in the core's columns.
known_parameters <- function(object) {
  family <- unname(object$family_parameters)
  list(covariance = as_specified(object$core_covariance),
    component = metric_component(object$core_covariance),
    nugget = pseudo_observation_noise(object$family, object$nugget, family), family = family,
    beta = unname(core_trend(object)$beta), bias = object$pseudo_observations$bias)
}

#' @export
fit_details.neargp_loo_k_families <- function(method, fit) {
  distinct <- length(fit$pseudo_observations$data$y)
  c(Given = if (has_gamma_variables(fit$family)) "observations, reweighted by gamma variables" else
      "pseudo-observations on the scale of the link, noise in units of theirs",
    if (distinct < length(fit$data$y)) c(Distinct = paste(format_count(distinct), "locations")))
}

#' @export
area_observations.neargp_loo_k_families <- function(method, object) {
  observations_as_they_are(gaussian_of(object), bias = object$pseudo_observations$bias)
}

trend_of_others <- function(object, rows) {
  context <- plain_context(object$threads)
  if (!is.null(object$pseudo_observations)) {
    noise <- trend_noise(object$family, unname(object$family_parameters))
    return(trend_of_rows(replace(gaussian_of(object), "nugget", noise),
      pseudo_observations_as_data(object, rows), context))
  }
  trend_of_rows(object, take_data_rows(object$data, rows), context)
}

# ---- leave one out -------------------------------------------------------------------------------

# Moments of each row's linear predictor given the pseudo-observations of the others. The trend is
# estimated from the others as well (R/leave-one-out.R), as by generalised least squares. The
# score's trend is near that estimate.
#' @export
cavity_moments.neargp_loo_k_families <- function(method, object, k = NULL, threads = NULL) {
  locations <- object$pseudo_observations$locations
  settings <- predict_settings(object, k, threads = threads)
  settings$k <- min(settings$k, nrow(locations$coords) - 1L)
  n <- length(object$data$y)
  given <- list(weighted = matrix(0, n, ncol(object$data$X) + 1L), variance = double(n))
  settings$context <- default_context(object, n, settings$k, settings$context$threads)
  for (rows in split_rows(seq_len(n), 20000L)) {
    part <- pseudo_observation_weights_of_others(object, rows, settings)
    given$weighted[rows, ] <- part$weighted
    given$variance[rows] <- part$variance
  }
  known <- known_parameters(object)
  pseudo_observations <- pseudo_observations_of(object)
  with_bias(object, without_own_trend(object, given, pseudo_observations$mean,
    trend_noise(object$family, known$family) / pseudo_observations$precision))
}

pseudo_observation_weights_of_others <- function(object, rows, settings) {
  known <- known_parameters(object)
  at <- list(row = rows, location_index = object$pseudo_observations$locations$location_index[rows])
  pointer <- pseudo_observation_model(object$pseudo_observations$locations, at,
    metric_component(object$core_covariance), settings$k,
    if (has_gamma_variables(object$family)) known, settings$context)
  moments <- core_pseudo_observation_moments(pointer, 1L, length(rows), known$covariance,
    known$nugget, settings$context)
  if (moments$failed > 0L) abort_cholesky(0L)
  moments
}

# The precision of a row of Student's t is that given its gamma variable.
pseudo_observations_of <- function(object) {
  pseudo_observations <- object$pseudo_observations$of_rows
  if (has_gamma_variables(object$family)) {
    pseudo_observations$precision <- object$pseudo_observations$row_weights
  }
  pseudo_observations
}

# The pseudo-observations of these rows as data of a Gaussian response, one for each row and not for
# each location.
pseudo_observations_as_data <- function(object, rows) {
  pseudo_observations <- pseudo_observations_of(object)
  precision <- observation_counts(object$data, object$family) * pseudo_observations$precision
  data <- utils::modifyList(object$data, list(y = pseudo_observations$mean, weights = precision))
  take_data_rows(data, rows)
}

# Moments of each row's linear predictor given all rows, its own included.
#' @export
posterior_moments.neargp_loo_k_families <- function(method, object, k = NULL, threads = NULL) {
  settings <- predict_settings(object, k, threads = threads)
  settings$context <- default_context(object, length(object$data$y), settings$k,
    settings$context$threads)
  chunked_moments(object, training_target(object), settings)
}

# ---- far from data -------------------------------------------------------------------------------

# Where no pseudo-observation is near, the linear predictor is the trend and the bias, with all the
# variance of the field. The score is that of rows with neighbours near. It barely distinguishes a
# greater variance with a longer range from a smaller one. The mean of the response far from data
# may therefore differ from that among the rows. Both means are per trial, for the covariates of the
# rows, or of a sample of `at_most` rows.
far_and_observed_means <- function(object, at_most = 5000L) {
  data <- object$data
  n <- length(data$y)
  rows <- if (n > at_most) round(seq(1, n, length.out = at_most)) else seq_len(n)
  known <- known_parameters(object)
  X <- design_columns(data, data$X[rows, , drop = FALSE])
  trend <- known$bias + data$offset[rows] + drop(X %*% known$beta)
  sill <- sum(vapply(object$core_covariance$components, function(component) component$variance, 0))
  trials <- if (is.null(data$trials)) rep(1, n) else data$trials
  count <- observation_counts(data, object$family)[rows]
  per_trial <- function(response) sum(count * response) / sum(count * trials[rows])
  far <- response_of_rows(object, trend,
    sill + rowSums((X %*% core_trend(object)$beta_vcov) * X), rows)
  list(far = per_trial(predictive_mean(far)), observed = per_trial(data$y[rows]))
}

# Printed where odds, or means without an upper limit, differ by more than a factor of 2. The mean
# of Student's t is that of the trend, whatever the variance.
far_mean_note <- function(x, digits) {
  if (is.null(x$pseudo_observations) || has_gamma_variables(x$family) || is_streamed(x)) {
    return(NULL)
  }
  means <- far_and_observed_means(x)
  size <- if (response_family(x$family)$link == "log") unlist(means) else
    unlist(means) / (1 - unlist(means))
  if (!isTRUE(abs(diff(log(size))) > log(2))) return(NULL)
  far <- if (is.finite(means$far)) format(signif(means$far, digits), digits = digits) else
    "beyond 1e308"
  sprintf("Far from data the mean of the response is %s, among the observations %s. Predict near data, or use method = vnngp().", far,
    format(signif(means$observed, digits), digits = digits))
}
