# Inducing points for responses of other families than Gaussian. Each row is a pseudo-observation,
# and each evaluation maximises the ELBO over the pseudo-observations.

#' @export
method_layout.neargp_svgp_families <- function(method, layout, settings) {
  latent_layout(layout, settings)
}

is_svgp_of_counts <- function(method, problem) {
  has_mark(problem$family, "discrete") && problem$family$link == "log" &&
    !inherits(method, c("neargp_odvgp", "neargp_ppgpr"))
}

#' @export
with_start.neargp_svgp_families <- function(method, problem) {
  with_core_start(problem, with_latent_start)
}

# Without a closed form of the posterior, gradients contain an error of about 1e-5, which the wider
# step makes harmless.
#' @export
fit_method.neargp_svgp_families <- function(method, problem) {
  refuse_effects_by_batches(method, problem$data)
  problem$data <- core_data(problem$data)
  if (is_sharded(problem)) problem <- with_families_in_shards(problem)
  reached <- above_long_field(problem, method, fit_inducing(method, problem))
  problem <- with_fitted_network(problem, reached$network)
  curvature <- wanted_curvature(method, problem, reached, step = 0.01)
  result <- inducing_result(method, problem, reached, curvature)
  if (is.null(reached$found)) {
    found <- family_posterior(problem, method, reached)
    result[names(found)] <- found
  }
  result$shards <- problem$data$shards
  with_parameter_uncertainty(with_separation(result, problem), problem, curvature$trend_slope)
}

# If points explain little of a field of counts, the ELBO is a function of their positions with many
# optima, and they stay near their start. A field that begins with a long range moves them further
# before its range is short. The better of two searches is kept. `tolerated`: the share of the
# field's variance that points may leave unexplained without a second search.
above_long_field <- function(problem, method, reached, tolerated = 0.1) {
  layout <- problem$layout
  of_field <- layout$kind %in% c("variance", "range")
  searched <- is_svgp_of_counts(method, problem) && method$move && is.null(reached$found) &&
    !is_begun(problem) && !trains_network(problem) && length(problem$groups) == 1L &&
    all(problem$free[of_field]) && kind_of_rows(problem$data) != "parts"
  if (!searched || share_unknown(problem, method, reached) <= tolerated) return(reached)
  coords <- problem$data$coords
  ranges <- 7 * sqrt(ncol(coords)) * group_scales(coords, problem$groups[[1L]]$group)
  problem$layout$start[of_field] <- replace(rep(1, sum(of_field)),
    layout$kind[of_field] == "range", ranges)
  problem$start[of_field] <- to_working(problem$layout$start, layout$transform)[of_field]
  long <- if_computable(fit_inducing(method, problem))
  if (is.null(long)) return(reached)
  if (long$evaluated$value > reached$evaluated$value) add_counts(long, reached) else
    add_counts(reached, long)
}

share_unknown <- function(problem, method, reached) {
  values <- to_core(reached$working, problem$layout$transform)
  found <- family_bound_at(problem, method, values, reached$positions, reached$evaluated$end,
    tolerance = 1e-5, derivatives = FALSE)
  if (nzchar(found$failure)) return(0)
  mean(found$unexplained) / sum(values[problem$layout$kind == "variance"])
}

#' @export
complete_fit.neargp_svgp_families <- function(method, fit, result, context) {
  fit <- with_family_values(with_inducing_points(fit, result), result$working)
  fit$posterior <- result$posterior
  with_trend_variance(fit, context)
}

#' @export
restrict_rows.neargp_svgp_families <- function(method, fit, rows, context)
  refit_on_rows(fit, rows, context)

#' @export
rows_in_batches.neargp_svgp_families <- function(method, problem) {
  list(response = latent_response(problem$data), X = problem$data$X,
    unit = predictor_unit(problem$data, problem$family),
    suggested = function() data_linear_predictor(problem$data, problem$family))
}

#' @export
bound_objective.neargp_svgp_families <- function(problem, method, tolerance = 1e-5) {
  family_objective(problem, method, tolerance)
}

# A function of working parameters and positions, as bound_objective(). Each evaluation finds the
# posterior from that of the best value so far, so that rejected points leave no trace.
family_objective <- function(problem, method, tolerance) {
  layout <- problem$layout
  specification <- covariance_specification(layout, problem$groups)
  best <- list(value = -Inf, end = start_pseudo_observations(problem))
  apart <- list(name = journal_name(problem$session, "pseudo-observations"), what = "end",
    drop = c(of_posterior, "fields", "linear_predictor", "slope", "variance", "unexplained"),
    improves = function(result) !nzchar(result$failure) && result$value > best$value,
    pack = identity)
  function(working, positions) {
    values <- to_core(working, layout$transform)
    result <- journaled(problem$session, c(working, positions), function() {
      family_bound_at(problem, method, values, positions, best$end, tolerance,
        covariance = specified_covariance(specification, values))
    }, apart)
    if (nzchar(result$failure)) return(result)
    if (result$value > best$value) best <<- list(value = result$value, end = result$end)
    result$gradient <- layout_gradient(layout, values, result$d_covariance, result$d_likelihood)
    with_effects_slopes(result, layout, values, effects_at(problem, values))
  }
}

# `covariance`: at the values.
family_bound_at <- function(problem, method, values, positions, start, tolerance,
                            derivatives = TRUE, covariance = problem_covariance(problem, values)) {
  UseMethod("family_bound_at", method)
}

#' @export
family_bound_at.default <- function(problem, method, values, positions, start, tolerance,
                                    derivatives = TRUE,
                                    covariance = problem_covariance(problem, values)) {
  data <- problem$data
  if (kind_of_rows(data) == "parts") {
    return(family_bound_in_shards(problem, method, values, positions, start, tolerance,
      derivatives, covariance))
  }
  effects <- effects_at(problem, values)
  response <- latent_response(data)
  response$design <- with_spherical_columns(response$design, data, effects)
  found <- core_family_bound(data$coords, response, positions, covariance,
    family_core_name(problem$family), family_values(problem$family, problem$layout, values), start,
    max(location_index(data$coords)), count_effects(data), method$bound, bound_kl_weight(method),
    method$jitter, tolerance, derivatives, problem$context)
  with_bound_effects(found, data, effects)
}

# Pseudo-observations of the fit that is continued, or those that the responses suggest.
start_pseudo_observations <- function(problem) {
  warm <- problem$warm_start$svgp$pseudo_observations
  if (!is.null(warm) || is_categorical(problem$family)) return(warm)
  values <- to_core(problem$start, problem$layout$transform)
  core_family_start(data_linear_predictor(problem$data, problem$family),
    latent_response(problem$data), family_core_name(problem$family),
    family_values(problem$family, problem$layout, values), problem$context)
}

# The posterior where the search has ended, to a finer tolerance than on the way.
family_bound_reached <- function(problem, method, reached) {
  checked_bound(family_bound_at(problem, method, to_core(reached$working,
    problem$layout$transform), reached$positions, reached$evaluated$end, tolerance = 1e-8,
    derivatives = FALSE))
}

# A fit keeps its posterior to a finer tolerance than on the way. `posterior` is like that of
# vnngp(): the variance of the field at its rows includes the variance given the inducing points.
family_posterior <- function(problem, method, reached) {
  found <- family_bound_reached(problem, method, reached)
  list(svgp = list(positions = reached$positions, weights = found$weights, factor = found$factor,
    unexplained = mean(found$unexplained),
      settled = found$converged, pseudo_observations = found$end), beta = found$beta,
      beta_vcov = found$beta_vcov,
    posterior = list(linear_predictor = found$linear_predictor, slope = found$slope,
      pseudo_precision = found$end$precision, variance_at_data = found$variance + found$unexplained,
      variance_given_nodes = found$unexplained))
}

# The uncertainty of the trend is part of that of the linear predictors.
with_trend_variance <- function(fit, context) {
  weighted <- inducing_moments(fit, fit$data$coords, context)$weighted
  unseen <- design_columns(fit$data) - weighted[, -1L, drop = FALSE]
  fit$posterior$variance_at_data <- fit$posterior$variance_at_data +
    row_forms(unseen, core_trend(fit)$beta_vcov)
  fit
}
