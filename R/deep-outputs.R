# Several responses of a deep Gaussian process. The last layer contains a unit for each response.
# Output p is the mixture A_p'u of these units plus noise of its own. A row's predictive
# distribution is a mixture of normal distributions of all outputs together (Jankowiak et al. 2020,
# section 4.3).

# ---- predictions ---------------------------------------------------------------------------------

# Means and variances of the last units in each component, as lists of matrices of rows x
# components.
last_units <- function(object, coords, context) {
  deep <- object$deep
  state <- deep$prediction
  count <- length(state$log_weights)
  units <- nrow(state$mixing)
  state$mixing <- diag(units)
  found <- core_deep_components(state, standardized_inputs(coords, deep$inputs), context)
  if (!is.null(found$failure)) abort_singular_unit(found$failure)
  of_unit <- function(x, u) x[, (u - 1L) * count + seq_len(count), drop = FALSE]
  list(mean = lapply(seq_len(units), of_unit, x = found$mean),
    variance = lapply(seq_len(units), of_unit, x = found$variance))
}

weighted_sum <- function(matrices, weights) Reduce(`+`, Map(`*`, matrices, weights))

# The mixtures of the outputs' fields at locations, a row for each target, in the unit of the
# response.
outputs_mixture <- function(object, X, units) {
  location <- object$deep$location
  mixing <- object$deep$prediction$mixing
  known <- location_of_outputs(object, X)
  of_outputs <- function(moments) do.call(rbind, lapply(seq_along(object$outputs), moments))
  new_normal_mixture(
    of_outputs(function(p) known[, p] + location$scale[p] * weighted_sum(units$mean, mixing[, p])),
    of_outputs(function(p) location$scale[p] * sqrt(weighted_sum(units$variance, mixing[, p]^2))),
    object$deep$prediction$log_weights)
}

location_of_outputs <- function(object, X) {
  base <- base_mean(object$data, stacked_targets(object, X, X)$X, 0)
  location_of_rows(object$deep$location, base, X)
}

#' @export
deep_mixture.neargp_deep_outputs <- function(method, object, coords, X, offset, context) {
  outputs_mixture(object, X, last_units(object, coords, context))
}

#' @export
predictor.neargp_deep_outputs <- function(method, object, settings) {
  if (!settings$covariance) return(NextMethod())
  function(coords, X, offset) {
    units <- last_units(object, coords, settings$context)
    mixture <- outputs_mixture(object, X, units)
    moments <- moments_of_mixture(mixture)
    moments$covariance <- covariance_of_mixtures(object, units, mixture$mean - moments$mean)
    moments
  }
}

# Within components, A'diag(v_s)A, and between them.
# `error`: of the components' means, a row for each target.
covariance_of_mixtures <- function(object, units, error) {
  weights <- exp(object$deep$prediction$log_weights)
  mixing <- object$deep$prediction$mixing
  scale <- object$deep$location$scale
  P <- length(object$outputs)
  m <- nrow(error) %/% P
  of_output <- function(p) error[(p - 1L) * m + seq_len(m), , drop = FALSE]
  covariance <- array(0, c(m, P, P))
  for (p in seq_len(P)) for (q in seq_len(P)) {
    within <- scale[p] * scale[q] * weighted_sum(units$variance, mixing[, p] * mixing[, q])
    covariance[, p, q] <- drop((within + of_output(p) * of_output(q)) %*% weights)
  }
  covariance
}

# The log density of all outputs that are known at a location; y: a row for each, NA where nothing
# is known.
outputs_log_density <- function(object, target, y, weights, context) {
  deep <- object$deep
  state <- deep$prediction
  state["trend"] <- list(NULL)
  scale <- deep$location$scale
  standard <- sweep(y - location_of_outputs(object, target$X), 2L, scale, "/")
  found <- core_deep_density(state, standardized_inputs(target$coords, deep$inputs),
    unname(standard), list(weights = weights / deep$weight), context)
  if (!is.null(found$failure)) abort_singular_unit(found$failure)
  known <- !is.na(y)
  ifelse(rowSums(known) > 0, found$value - drop(known %*% log(scale)), NA_real_)
}

# Draws of new observations: locations x draws x outputs, all outputs of a location from one
# component.
#' @export
simulation_draws.neargp_deep_outputs <- function(method, object, target, nsim, settings) {
  check_draws_of_mixture(method, settings)
  units <- last_units(object, target$coords, settings$context)
  mixing <- object$deep$prediction$mixing
  m <- nrow(target$coords)
  component <- sample.int(length(object$deep$prediction$log_weights), m * nsim, replace = TRUE,
    prob = exp(object$deep$prediction$log_weights))
  at <- cbind(rep(seq_len(m), nsim), component)
  drawn <- Map(function(mean, variance) stats::rnorm(m * nsim, mean[at], sqrt(variance[at])),
    units$mean, units$variance)
  known <- location_of_outputs(object, target$X)
  draws <- vapply(seq_along(object$outputs), function(p) {
    noise <- stats::rnorm(m * nsim) * sqrt(object$nugget[[p]] / (target$weights %||% 1))
    known[at[, 1L], p] + object$deep$location$scale[p] * weighted_sum(drawn, mixing[, p]) + noise
  }, double(m * nsim))
  array(draws, c(m, nsim, length(object$outputs)))
}

# ---- rows ----------------------------------------------------------------------------------------

#' @export
augment.neargp_deep_outputs <- function(x, data = NULL, newdata = NULL, ...) {
  check_fit(x)
  if (!is.null(newdata)) return(augment.neargp_outputs(x, newdata = newdata, ...))
  check_no_more_arguments()
  given <- deep_residuals(x)
  columns <- output_columns(lapply(stats::setNames(given[c("fitted", "response", "quantile")],
    c(".fitted", ".resid", ".std_resid")), function(values) stats::naresid(x$na_action,
      output_matrix(x$data, values))), x$outputs)
  beside_outputs(x, data, columns)
}

#' @export
scores.neargp_deep_outputs <- function(object, newdata = NULL, observed = NULL, weights = NULL,
                                       level = 0.95, na.rm = FALSE, threads = NULL, ...) {
  check_fit(object)
  check_no_more_arguments()
  check_level(level)
  if (is.null(newdata)) weights_of_others(object$method, object, NULL)
  observed <- new_observations(object, newdata, observed)$y
  weights <- rep_len(new_weights(object, newdata, weights), NROW(newdata))
  target <- new_target(object, newdata)
  settings <- predict_settings(object, threads = threads)
  moments <- chunked_moments(object, target, settings)
  P <- length(object$outputs)
  m <- nrow(observed)
  at <- list(weights = rep(weights, P), output = rep(seq_len(P), each = m))
  distribution <- predictive(object$method, object, moments, at)$observation
  table <- scores_of_outputs(object, function(p) {
    own <- (p - 1L) * m + seq_len(m)
    scores_of_distribution(observed[, p], list(mean = moments$mean[own], weights = weights),
      distribution[own], object$family, level, na.rm)
  })
  joint <- rep(NA_real_, nrow(observed))
  joint[target$complete] <- -outputs_log_density(object, target,
    observed[target$complete, , drop = FALSE], weights[target$complete], settings$context)
  with_joint_row(table, joint)
}

#' @export
check_outputs_conditioning.neargp_deep <- function(method, k, k_other, observed) {
  check_no_neighbors(method, k, k_other = k_other)
  if (!check_flag(observed, "use_observed")) return(invisible())
  abort_argument("use_observed",
    sprintf("FALSE for a fit by %s. vecchia(), loo_k() and svgp() can condition on the other responses at a location",
      method_call(method)), observed)
}
