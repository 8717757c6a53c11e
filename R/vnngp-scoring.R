# Latent models with many parameters, as one range for each of many coordinates. Second derivatives by differences cost one evaluation
# for each parameter, and flat directions want them found anew again and again. Vecchia's likelihood of the response, or of the working
# response of a generalised linear model, has nearly the same curvature: its expected information takes their place on the way, and its
# optimum is the start.

has_many_parameters <- function(problem, many = 8L) {
  sum(problem$free) > many && problem$family$family %in% c("gaussian", "binomial", "poisson") && is.null(problem$inducing)
}

# On the same working parameters: these families have none of their own but a nugget.
response_problem <- function(problem) {
  if (is_gaussian(problem$family)) problem else working_response_problem(problem, rough_glm(problem$data, problem$family))
}

# An earlier fit's estimates are nearer than the optimum of a working response, whose noise is but a guess; for a gaussian response both
# have the same optimum, and Vecchia's likelihood goes there faster.
scoring_start <- function(problem) {
  continued <- !is_gaussian(problem$family) && !anyNA(problem$layout$start[problem$free])
  if (continued) list(working = problem$start, iterations = 0L, evaluations = 0L) else response_optimum(problem)
}

response_optimum <- function(problem) {
  of_response <- response_problem(problem)
  search <- vecchia_search(of_response, problem$method$ordering)
  objective_for <- function(component, k) local_objective(of_response, search(component, k))
  state <- list(working = problem$start, iterations = 0L, evaluations = 0L)
  coarse <- problem$control$coarse_k
  for (k in unique(pmin(c(if (coarse > 0L) coarse, problem$method$k), length(problem$data$y) - 1L))) {
    state <- fit_level(of_response, k, TRUE, state, objective_for, scoring_optimizer(of_response), problem$control$refresh_gain)
  }
  state$working <- clamp(state$working, problem$bounds, problem$free)
  state
}

# The standard errors of a gaussian response are by the expected information, as those of vecchia().
scoring_fit <- function(problem, nodes, start) {
  of_response <- response_problem(problem)
  search <- vecchia_search(of_response, problem$method$ordering)
  optimize <- function(objective, working, coarse) {
    k <- min(nrow(objective$latent$search$neighbors), length(problem$data$y) - 1L)
    reference <- local_objective(of_response, search(objective$latent$search$component, k))
    evaluate <- function(working, information = TRUE) {
      state <- objective$evaluate(working, information = TRUE)
      if (!is.finite(state$value)) return(state)
      of_reference <- reference$evaluate(working, information = TRUE)
      if (!is.finite(of_reference$value)) return(of_reference)
      state$information <- of_reference$information
      state
    }
    fisher_scoring(list(evaluate = evaluate, n = objective$n), working, problem$free, problem$bounds, problem$control)
  }
  state <- climb_latent(problem, nodes, start, optimize, coarse = FALSE)
  state$curvature <- if (is_gaussian(problem$family)) state$state["information"] else
    find_curvature(problem, state$objective, state$working, state$state$gradient)
  state
}
