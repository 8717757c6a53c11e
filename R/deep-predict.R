# Predictions of a deep Gaussian process: a mixture of normals for each row, whose moments,
# quantiles, probabilities and draws are those of normal-mixture.R. Rows are independent of each
# other given all that was learned: there is no joint distribution of them.

refuse_joint <- function(method, what) {
  abort_neargp("method",
    c(sprintf("Fits by %s do not provide %s: they predict each location by itself.",
      method_call(method), what), i = "Use svgp(), vnngp() or vecchia() for joint distributions."))
}

#' @export
prediction_conditioning.neargp_deep <- function(method, object, k, local_mean, sectors, joint,
                                                is_part) {
  check_no_neighbors(method, k, local_mean, sectors)
  if (joint) refuse_joint(method, "joint predictions")
  if (is_part) {
    abort_neargp("method",
      c(sprintf("Fits by %s do not provide terms: a deep process is not a sum of trend and process.",
        method_call(method)), i = "Use type = \"link\" for the linear predictor."))
  }
  list(k = 0L, sectors = 0L, exact = FALSE, local_mean = FALSE)
}

#' @export
prediction_k.neargp_deep <- function(method, object, k, least = 60L) {
  check_no_neighbors(method, k)
  0L
}

# Sites of a sampled rule are drawn once for predictions, `count` of them from strata of the normal
# distribution for each unit.
prediction_state <- function(state, seed, count) {
  if (state$rule != "random") return(state)
  state$sites <- lapply(seq_len(length(state$layers) - 1L), function(layer) {
    units <- seq_along(state$layers[[layer]]$units)
    matrix(vapply(units, function(unit) spread_quantiles(count, seed + 1000 * layer + unit),
      double(count)), count)
  })
  state$rule <- "free"
  state$log_weights <- rep(-log(count), count)
  state[c("samples", "seed")] <- NULL
  state
}

# The mixture of the latent field at locations, a row for each target, in the unit of the linear
# predictor.
deep_mixture <- function(method, object, coords, X, offset, context) {
  UseMethod("deep_mixture")
}

#' @export
deep_mixture.default <- function(method, object, coords, X, offset, context) {
  deep <- object$deep
  found <- core_deep_components(deep$prediction, standardized_inputs(coords, deep$inputs), context)
  if (!is.null(found$failure)) abort_singular_unit(found$failure)
  known <- location_of_rows(deep$location, base_mean(object$data, X, offset), X)[, 1L]
  new_normal_mixture(known + deep$location$scale * found$mean,
    deep$location$scale * sqrt(found$variance), deep$prediction$log_weights)
}

#' @export
predictor.neargp_deep <- function(method, object, settings) {
  function(coords, X, offset) {
    moments_of_mixture(deep_mixture(method, object, coords, X, offset, settings$context))
  }
}

moments_of_mixture <- function(mixture) {
  list(mean = predictive_mean(mixture), variance = predictive_variance(mixture),
    components = cbind(mixture$mean, mixture$sd))
}

# Moments of rows as a mixture: where nothing was predicted there are no components.
moments_mixture <- function(object, moments) {
  if (inherits(moments, "neargp_normal_mixture")) return(moments)
  log_weights <- object$deep$prediction$log_weights
  count <- length(log_weights)
  stopifnot(!is.null(moments$components) || all(is.na(moments$mean)))
  components <- moments$components %||% matrix(NA_real_, length(moments$mean), 2L * count)
  new_normal_mixture(components[, seq_len(count), drop = FALSE],
    components[, count + seq_len(count), drop = FALSE], log_weights)
}

#' @export
check_target.neargp_deep <- function(method, object, coords) warn_far_rows(object, coords)

# Outside of the training rows' limits by more than a range of the first layer hidden units go on
# along a line, on which nothing was learned.
warn_far_rows <- function(object, coords, most = 0.05) {
  deep <- object$deep
  ranges <- vapply(deep$state$layers[[1L]]$units, function(unit) unit$range,
    double(length(deep$inputs$scale)))
  margin <- deep$inputs$scale * apply(matrix(ranges, length(deep$inputs$scale)), 1L, stats::median)
  coords <- coords[, deep$inputs$kept, drop = FALSE]
  far <- rowSums(sweep(coords, 2L, deep$inputs$limits[1L, ] - margin) < 0 |
    sweep(coords, 2L, deep$inputs$limits[2L, ] + margin) > 0) > 0
  if (mean(far) <= most) return(invisible())
  warn_neargp("deep",
    c(sprintf("%s of %s rows are outside of the training rows by more than the range of a unit.",
      format_count(sum(far)), format_count(length(far))),
      i = "Means there follow a line, and intervals are not calibrated."))
}

# `moments` may be the mixture of the field itself.
#' @export
predictive.neargp_deep <- function(method, object, moments, at = list()) {
  field <- moments_mixture(object, moments)
  list(field = field,
    observation = with_observation_noise(field, noise_of_targets(object, nrow(field$mean), at)))
}

#' @export
predictive.neargp_deep_families <- function(method, object, moments, at = list()) {
  field <- moments_mixture(object, moments)
  observation <- new_component_mixture(field, family_core_name(object$family),
    as.list(object$family_parameters), at$trials %||% 1, at$weights %||% 1)
  observation$levels <- object$family$levels
  list(field = field, observation = with_limits(observation, at$limits))
}

#' @export
simulation_draws.neargp_deep <- function(method, object, target, nsim, settings) {
  check_draws_of_mixture(method, settings)
  field <- deep_mixture(method, object, target$coords, target$X, target$offset, settings$context)
  at <- list(trials = simulated_trials(object, target, settings$trials), weights = target$weights)
  predictive_draws(nsim, predictive(method, object, field, at)$observation)
}

check_draws_of_mixture <- function(method, settings) {
  if (!settings$conditional) refuse_joint(method, "draws of the process without the data")
  if (!settings$noise) refuse_joint(method, "joint draws of the process")
}

# ---- what takes rows out -------------------------------------------------------------------------

#' @export
cavity_moments.neargp_deep <- function(method, object, k = NULL, threads = NULL) {
  weights_of_others(object$method, object, NULL)
}

#' @export
weights_of_others.neargp_deep <- function(method, object, settings) {
  abort_neargp("method",
    c(sprintf("Fits by %s do not provide leave-one-out predictions: each one would need another fit.",
      method_call(method)),
      i = "cross_validate(refit = TRUE) trains again for each fold; scores(newdata = ) takes other rows."))
}

#' @export
restrict_rows.neargp_deep <- function(method, fit, rows, context) {
  abort_neargp("method",
    c(sprintf("A fit by %s is not conditioned on rows, all of which are in what it has learned.",
      method_call(method)),
      i = "Use cross_validate(refit = TRUE), which trains again for each fold."))
}
