# Predictions of a deep Gaussian process: a mixture of normals for each row, whose moments,
# quantiles, probabilities and draws are those of normal-mixture.R. Rows are independent of each
# other given all that was learned: there is no joint distribution of them.

refuse_joint <- function(method, what) {
  abort_neargp("method",
    c(sprintf("A fit by %s has no %s: it predicts rows one by one, and knows nothing of two together.",
      method_call(method), what), i = "svgp(), vnngp() and vecchia() have joint distributions."))
}

#' @export
prediction_conditioning.neargp_deep <- function(method, object, k, local_mean, sectors, joint,
                                                is_part) {
  check_no_neighbors(method, k, local_mean, sectors)
  if (joint) refuse_joint(method, "joint predictions")
  if (is_part) {
    abort_neargp("method",
      c(sprintf("A fit by %s has no parts: a field of fields is not a sum of trend and process.",
        method_call(method)), i = "Use type = \"link\" for the whole field."))
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

# The mixture of the latent field at places, a row for each target, in the unit of the linear
# predictor.
deep_mixture <- function(object, coords, X, offset, context) {
  UseMethod("deep_mixture", object$method)
}

#' @export
deep_mixture.default <- function(object, coords, X, offset, context) {
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
    moments_of_mixture(deep_mixture(object, coords, X, offset, settings$context))
  }
}

moments_of_mixture <- function(mixture) {
  list(mean = normal_mixture_mean(mixture), variance = normal_mixture_variance(mixture),
    components = cbind(mixture$mean, mixture$sd))
}

# Moments of rows as a mixture: where nothing was predicted there are no components.
moments_mixture <- function(object, moments) {
  log_weights <- object$deep$prediction$log_weights
  count <- length(log_weights)
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

#' @export
prediction_columns.neargp_deep <- function(method, object, moments, settings) {
  latent <- moments_mixture(object, moments)
  count <- length(moments$mean)
  observed <- observed_mixture(latent, nugget_of_targets(object, count))
  settings$threshold <- threshold_of_targets(object, settings$threshold, count)
  target_columns(object, normal_mixture_columns(latent, observed, settings))
}

#' @export
prediction_columns.neargp_deep_families <- function(method, object, moments, settings) {
  mixture_prediction_columns(observed_rows(object, moments_mixture(object, moments),
    settings$trials), settings)
}

#' @export
simulation_draws.neargp_deep <- function(method, object, target, nsim, settings) {
  check_draws_of_mixture(method, settings)
  draws_of_mixture(object, target, nsim, deep_mixture(object, target$coords, target$X,
    target$offset, settings$context), settings$trials)
}

check_draws_of_mixture <- function(method, settings) {
  if (!settings$conditional) refuse_joint(method, "field to draw from without the data")
  if (!settings$noise) refuse_joint(method, "joint distribution of its field to draw from")
}

draws_of_mixture <- function(object, target, nsim, eta, trials) {
  UseMethod("draws_of_mixture", object$method)
}

#' @export
draws_of_mixture.default <- function(object, target, nsim, eta, trials) {
  normal_mixture_draws(nsim, observed_mixture(eta, object$nugget / (target$weights %||% 1)))
}

#' @export
draws_of_mixture.neargp_deep_families <- function(object, target, nsim, eta, trials) {
  response_draws(object, target, normal_mixture_draws(nsim, eta), trials)
}

# ---- what takes rows out -------------------------------------------------------------------------

#' @export
weights_of_others.neargp_deep <- function(method, object, settings) {
  abort_neargp("method",
    c(sprintf("A fit by %s has no leave-one-out predictions: each would be another fit.",
      method_call(method)),
      i = "cross_validate(refit = TRUE) trains anew for each fold; scores(newdata = ) takes other rows."))
}

#' @export
restrict_rows.neargp_deep <- function(method, fit, rows, context) {
  abort_neargp("method",
    c(sprintf("A fit by %s is not conditioned on rows, all of which are in what it has learned.",
      method_call(method)),
      i = "Use cross_validate(refit = TRUE), which trains anew for each fold."))
}

# Scores of the held-out rows of a fold. `moments`: of these.
#' @export
fold_scores.neargp_deep <- function(method, fit, moments, data, level) {
  observed_scores(data$y, fold_observed(fit, moments, data), level)
}

fold_observed <- function(fit, moments, data) {
  with_limits(observed_rows(fit, moments_mixture(fit, moments), data$trials %||% 1, data$weights,
    data$output %||% 1L), data$limits)
}

#' @export
fold_log_scores.neargp_deep <- function(method, fit, moments, data) {
  -observed_log_density(data$y, fold_observed(fit, moments, data))
}
