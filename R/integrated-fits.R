# Fits at the points of the design of R/integrated-parameters.R.

# The problem of the fit with the priors that its parameters have.
posterior_problem <- function(object, context) {
  object$method$estimation <- "REML"
  problem <- started_problem(fold_problem(object, seq_along(object$data$y), context))
  problem$layout <- with_default_priors(problem)
  problem
}

#' @export
integrated_fits.neargp <- function(object, context) {
  cached(object, "integrated", context, {
    problem <- posterior_problem(object, context)
    objective <- likelihood_objective(problem$method, problem)
    design <- posterior_design(objective, problem)
    list(fits = lapply(design$states, function(state) fit_at(object, problem,
      with_full_vcov(state, objective, problem))),
      log_weights = design$log_weights, pareto_k = design$pareto_k)
  })
}

fit_at <- function(object, problem, state) {
  result <- list(working = state$working, beta = state$beta, beta_vcov = state$beta_vcov,
    value = state$value, convergence = object$convergence)
  solved <- in_data_units(problem_at_rows(problem), result)
  with_own_cache(with_estimates(object, solved$problem, solved$result))
}
