# Inducing points of responses of other families than gaussian: each row is a pseudo-observation, and the bound is maximised over these
# at each evaluation.

# A function of working parameters and positions, as bound_objective(). Each evaluation finds the posterior from that of the best value so
# far, so that points that were tried and left leave no trace.
family_objective <- function(problem, method, tolerance) {
  layout <- problem$layout
  best <- list(value = -Inf, end = start_pseudo_observations(problem))
  function(working, positions) {
    values <- to_core(working, layout$transform)
    result <- family_bound_at(problem, method, values, positions, best$end, tolerance)
    if (nzchar(result$failure)) return(result)
    if (result$value > best$value) best <<- result[c("value", "end")]
    result$gradient <- layout_gradient(layout, values, result$d_covariance, result$d_likelihood)
    result
  }
}

family_bound_at <- function(problem, method, values, positions, start, tolerance, derivatives = TRUE) {
  if (is_categorical(problem$family)) return(class_bound_at(problem, method, values, positions, start, tolerance, derivatives))
  core_family_bound(problem$data$coords, latent_response(problem$data), positions, as_core_covariance(problem$layout, problem$groups, values),
    family_core_name(problem$family), family_values(problem$family, problem$layout, values), start,
    max(location_index(problem$data$coords)), method$bound, bound_kl_weight(method), method$jitter, tolerance, derivatives, problem$threads)
}

# Those of the fit that is continued, or such as the responses suggest.
start_pseudo_observations <- function(problem) {
  warm <- problem$warm_start$svgp$pseudo_observations
  if (!is.null(warm) || is_categorical(problem$family)) return(warm)
  values <- to_core(problem$start, problem$layout$transform)
  core_family_start(data_linear_predictor(problem$data, problem$family), latent_response(problem$data), family_core_name(problem$family),
    family_values(problem$family, problem$layout, values), problem$threads)
}

# What a fit keeps of its posterior, found to a finer tolerance than on the way; `posterior` as of vnngp(), for which the field has the
# variance given the inducing points at its rows, too.
family_posterior <- function(problem, method, reached) {
  found <- family_bound_at(problem, method, to_core(reached$working, problem$layout$transform), reached$positions, reached$evaluated$end,
    tolerance = 1e-8, derivatives = FALSE)
  if (nzchar(found$failure)) abort_bound(found$failure)
  list(svgp = list(positions = reached$positions, weights = found$weights, factor = found$factor, unexplained = mean(found$unexplained),
      settled = found$converged, pseudo_observations = found$end), beta = found$beta, beta_vcov = found$beta_vcov,
    posterior = list(linear_predictor = found$linear_predictor, slope = found$slope, pseudo_precision = found$end$precision,
      variance_at_data = found$variance + found$unexplained, variance_given_nodes = found$unexplained))
}

# The uncertainty of the trend is part of that of the linear predictors.
with_trend_variance <- function(fit) {
  weighted <- inducing_moments(fit, fit$data$coords, fit$threads)$weighted
  unseen <- design_columns(fit$data) - weighted[, -1L, drop = FALSE]
  fit$posterior$variance_at_data <- fit$posterior$variance_at_data + row_forms(unseen, core_trend(fit)$beta_vcov)
  fit
}

#' @export
has_nugget.neargp_svgp_families <- function(method) FALSE

#' @export
needs_distinct_locations.neargp_svgp_families <- function(method, problem) FALSE
