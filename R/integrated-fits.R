# Fits at the points of the design of R/integrated-parameters.R.

# The problem of the fit with the priors that its parameters have.
posterior_problem <- function(object, context) {
  object$method$estimation <- "REML"
  problem <- started_problem(fold_problem(object, seq_along(object$data$y), context))
  problem$layout <- with_default_priors(problem)
  problem$start <- start_within_priors(problem)
  problem
}

#' @export
integrated_fits.neargp <- function(object, context) {
  # few rows are for the CPU, and make one design for all that use it
  if (few_rows(object)) context <- plain_context(context$threads)
  cached(object, "integrated", context, if (has_sandwich(object))
    sandwich_fits(object, context) else posterior_fits(object, context))
}

posterior_fits <- function(object, context) {
  problem <- posterior_problem(object, context)
  objective <- posterior_objective(object, problem, context)
  design <- posterior_design(objective, problem)
  list(fits = lapply(design$states, objective$fit_at), log_weights = design$log_weights,
    is_posterior = TRUE, pareto_k = design$pareto_k)
}

# The log posterior density as a function of working parameters; `fit_at` makes the fit of a state.
posterior_objective <- function(object, problem, context) {
  if (!has_likelihood_objective(object)) return(held_objective(object, problem, context))
  objective <- likelihood_objective(problem$method, problem)
  objective$fit_at <- function(state) {
    fit_at(object, problem, with_full_vcov(state, objective, problem))
  }
  objective
}

fit_at <- function(object, problem, state) {
  result <- list(working = state$working, beta = state$beta, beta_vcov = state$beta_vcov,
    value = state$value, convergence = object$convergence)
  solved <- in_data_units(problem_at_rows(problem), result)
  with_own_cache(with_estimates(object, solved$problem, solved$result))
}

# ---- posteriors given the parameters -------------------------------------------------------------

# For methods that find a posterior of field and trend at given parameters: the objective is their
# bound or approximate evidence, at its maximum over the trend. Laplace's method integrates over the
# trend's coefficients, with 1/2 log|V| of their covariance matrix. Slopes are differences.
held_objective <- function(object, problem, context) {
  density_at <- function(working) {
    fit <- if_computable(held_fit(object, problem, working, context))
    if (is.null(fit)) return(list(value = -Inf))
    list(value = fit$log_likelihood + restricted_term(trend_vcov(fit), fit$data$basis) -
      penalty_at(problem$layout, working), fit = fit)
  }
  slopes <- function(working) {
    found <- slopes_by_differences(function(at) density_at(at)$value, working, problem$free,
      rep(1, length(working)), step = 0.05)
    replace(found[1L, ], !is.finite(found[1L, ]), 0)
  }
  curvature <- held_curvature(object, problem)
  evaluate <- function(working, information = FALSE) {
    state <- density_at(working)
    if (isFALSE(information) || !is.finite(state$value)) return(state)
    c(state, list(gradient = slopes(working), information = curvature))
  }
  list(evaluate = evaluate, curvature = curvature, n = length(problem$data$y),
    session = problem$session, fit_at = function(state) state$fit)
}

# That of the fit and of the priors. The layout of the problem contains a fixed nugget in addition.
held_curvature <- function(object, problem) {
  layout <- problem$layout
  curvature <- diag(penalty_curvature(layout, problem$start), nrow(layout))
  rows <- match(object$layout$name, layout$name)
  curvature[rows, rows] <- curvature[rows, rows] + object$information
  positive_information(curvature, problem$free)
}

# `working`: in the unit of the problem.
held_fit <- function(object, problem, working, context) {
  if (!is.null(problem$data$basis$unit)) working <- working + unit_shift(problem)
  named <- match(object$parameters$name, problem$layout$name)
  # the cache of the fit itself is that of its own parameters
  object <- with_own_cache(object)
  object$parameters$working <- working[named]
  held <- held_problem(object$method, object, seq_along(object$data$y), context)
  solved <- fit_problem(started_problem(held))
  fit <- with_estimates(object, solved$problem, solved$result)
  fit$log_likelihood <- solved$result$value + penalty_at(held$layout, solved$result$working)
  fit
}
