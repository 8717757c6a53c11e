# This file fits latent models with many parameters, for example one range for each of many
# predictors. Second derivatives by differences cost one evaluation for each parameter, and flat
# directions require them again and again. For a Gaussian response the expected information of
# Vecchia's likelihood replaces them during the search, and its optimum is the start. For other
# responses the optimum of Vecchia's likelihood for the working response is only a first guess.
# Second derivatives are then those of a share of the rows at its own optimum, where each evaluation
# costs little.

# Whether the working response's noise is known, or estimated with the covariance.
has_known_dispersion <- function(family) {
  is_gaussian(family) || !length(response_family(family)$parameters)
}

# With a range for each of several predictors, Newton's method took up to 239 evaluations on the
# field of a Gaussian response, since predictors without effect leave flat directions.
has_many_parameters <- function(problem, many = 8L) {
  !has_effects(problem$data) && has_known_dispersion(problem$family) && is.null(problem$inducing) &&
    (sum(problem$free) > many || (is_on_field(problem$method) && has_many_ranges(problem)))
}

# Working parameters with the values that a problem has fixed.
with_fixed <- function(problem, working) {
  layout <- problem$layout
  replace(working, layout$fixed, to_working(layout$value, layout$transform)[layout$fixed])
}

# For a Gaussian response both likelihoods share their optimum, and Vecchia's reaches it faster.
scoring_fit <- function(problem, nodes) {
  UseMethod("scoring_fit", problem$method)
}

#' @export
scoring_fit.neargp_vnngp_families <- function(problem, nodes) scale_up_fit(problem, nodes)

#' @export
scoring_fit.default <- function(problem, nodes) {
  search <- vecchia_search(problem, problem$method$ordering)
  information_for <- function(objective) {
    k <- min(nrow(objective$latent$search$neighbors), length(problem$data$y) - 1L)
    reference <- local_objective(problem, search(objective$latent$search$component, k))
    function(working) reference$evaluate(working, information = TRUE)$information
  }
  state <- optimize_by_scoring(problem, nodes, response_optimum(problem), information_for)
  # as those of vecchia()
  state$curvature <- state$evaluated["information"]
  state
}

scale_up_fit <- function(problem, nodes, few = optimum_of_few(problem)) {
  # Significance starts at about 1; what flat directions promise for a hundred steps is far below a
  # standard error of each.
  problem$control$tolerance <- max(problem$control$tolerance, 0.2)
  state <- optimize_by_scoring(problem, nodes, few,
    function(objective) function(working) few$information)
  state$curvature <- find_curvature(problem, state$objective, state$working, state$evaluated)
  state
}

# Optimum and second derivatives, scaled up to all rows, of the latent model of some rows. They are
# few enough for an exact factor. An evaluation needs one wherever an incomplete factor is not good
# enough, and its cost then grows with the cube of the number of rows. Smooth fields with many
# predictors are an example. For them the first rows of a maxmin ordering are outliers and differ
# from the rest, so the rows are random, and always the same ones. The estimates of an earlier fit
# are nearer than this optimum, and replace it.
optimum_of_few <- function(problem, few = 500L) {
  problem$control["shards"] <- list(NULL)
  warm_start <- !anyNA(problem$layout$start[problem$free])
  start <- if (warm_start) list(working = problem$start, iterations = 0L, evaluations = 0L) else
    response_optimum(problem)
  n <- length(problem$data$y)
  part <- first_rows(problem, "random", min(n, max(few, min(2L * few, n %/% 10L))))
  part$start <- start$working
  part$method$factor <- "exact"
  part$control$max_iterations <- 12L  # sixty steps of quasi-Newton come near
  optimize <- function(objective, working, coarse) {
    if (warm_start) {
      return(optimizer_result(working, check_start(objective$evaluate(working)), 0, 0L, 1L, TRUE,
        "given"))
    }
    together <- optimize_together(part, objective, working)
    state <- quasi_newton(objective, together$working, part$free, part$bounds, part$control,
      relative_tolerance = 1e-4)
    state$evaluations <- state$evaluations + together$evaluations
    state
  }
  state <- optimize_latent(part, latent_nodes(part), start, optimize, coarse = TRUE)
  center <- state$objective$fit_at(state$working, derivatives = TRUE)
  curvature <- find_curvature(part, state$objective, state$working, center)
  state$information <- curvature$positive * n / length(part$data$y)
  state
}

response_optimum <- function(problem) {
  of_response <- response_problem(problem)
  search <- vecchia_search(of_response, problem$method$ordering)
  objective_for <- function(component, k) local_objective(of_response, search(component, k))
  state <- list(working = with_fixed(of_response, of_response$start), iterations = 0L,
    evaluations = 0L)
  coarse <- problem$control$coarse_k
  for (k in unique(pmin(c(if (coarse > 0L) coarse, problem$method$k), length(problem$data$y) -
      1L))) {
    state <- fit_level(of_response, k, coarse = TRUE, state, objective_for,
      scoring_optimizer(of_response), problem$control$refresh_gain)
  }
  working <- replace(problem$start, problem$layout$kind != "family", state$working)
  state$working <- clamp(with_fixed(problem, working), problem$bounds, problem$free)
  state
}

# Multiplies all variances by one factor and all ranges by another. The working response contains
# little information about the size of a field of log odds. With many predictors it contains little
# information about the ranges as well, since the distances between all points are similar.
# Optimised one by one, these parameters would take a hundred steps.
optimize_together <- function(problem, objective, working) {
  groups <- lapply(c("variance", "range"), function(kind) problem$free & problem$layout$kind ==
    kind)
  groups <- groups[vapply(groups, any, NA)]
  moves <- vapply(groups, as.double, double(length(working)))
  to_bound <- function(bound, nearest) {
    vapply(groups, function(rows) nearest((bound - working)[rows]), 0)
  }
  at <- function(shift) clamp(working + drop(moves %*% shift), problem$bounds, problem$free)
  evaluate <- function(shift) {
    state <- objective$evaluate(at(shift))
    if (is.finite(state$value)) state$gradient <- drop(crossprod(moves, state$gradient))
    state
  }
  bounds <- list(lower = to_bound(problem$bounds$lower, max), upper = to_bound(problem$bounds$upper,
    min))
  state <- quasi_newton(list(n = objective$n, evaluate = evaluate, session = problem$session),
    rep(0, length(groups)), rep(TRUE, length(groups)), bounds, problem$control,
    relative_tolerance = 1e-4)
  list(working = at(state$working), evaluations = state$evaluations)
}

# `information_for(objective)`: the information as a function of the working parameters.
optimize_by_scoring <- function(problem, nodes, start, information_for) {
  informed <- FALSE
  optimize <- function(objective, working, coarse) {
    information_at <- information_for(objective)
    evaluate <- function(working, ...) {
      state <- objective$evaluate(working)
      if (!informed && took_exact_factor(problem, state, objective)) {
        informed <<- inform_of_exact_factor(objective)
      }
      if (is.finite(state$value)) state$information <- information_at(working)
      if (is.null(state$information)) state$value <- -Inf
      state
    }
    fisher_scoring(list(evaluate = evaluate, n = objective$n, accept = objective$accept,
      session = problem$session), working, problem$free, problem$bounds, problem$control)
  }
  optimize_latent(problem, nodes, start, optimize, coarse = FALSE)
}

took_exact_factor <- function(problem, state, objective, many = 1000L) {
  isTRUE(state$exact) && problem$method$factor == "incomplete" &&
    nrow(objective$latent$nodes$coords) > many
}

# Said before the time is spent.
inform_of_exact_factor <- function(objective) {
  inform_neargp("factor",
    c(sprintf("The incomplete factor is not accurate enough. The fit uses an exact factor of %s inducing points.",
      format_count(nrow(objective$latent$nodes$coords))),
      i = "Its time grows with the cube of their number: some minutes for 1,500 in 20 inputs.",
      i = "loo_k() fits smooth fields in many inputs in seconds; vnngp() with ranges that are fixed at its estimates takes few evaluations."))
  TRUE
}
