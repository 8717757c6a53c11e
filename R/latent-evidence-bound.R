# The objective of a latent model is its evidence lower bound
#
#     L = E log p(y given u) - KL[q(u), prior of u].
#
# With posterior = "laplace" it is Laplace's approximation of the log evidence. Field and trend are
# profiled out, so it is a function of the working parameters of covariance and family. Its terms
# are written out and computed in src/core/latent/evidence_bound.h.

# Returns the `coords` of the inducing points. `node`: the inducing point of each row, where they
# are the locations of the data. `low_rank`: the inducing points of a low-rank part.
latent_nodes <- function(problem) {
  if (!is.null(problem$inducing)) return(list(coords = problem$inducing))
  place <- location_index(problem$data$coords)
  nodes <- list(coords = problem$data$coords[!duplicated(place), , drop = FALSE], node = place)
  nodes$low_rank <- problem$low_rank
  nodes
}

# How rows depend on the inducing points: each row is at one, or depends on the k nearest.
latent_data <- function(nodes, coords, component, k, context) {
  if (!is.null(nodes$node)) return(list(node = nodes$node))
  list(coords = coords, neighbors = core_neighbors_to(core_scale(nodes$coords, component),
    core_scale(coords, component), min(k, nrow(nodes$coords)), context))
}

latent_problem <- function(problem, nodes, search) {
  data <- problem$data
  release_models(search$neighbors)
  pointer <- in_memory(nrow(search$neighbors), nrow(nodes$coords), core_latent(
    core_nodes(nodes$coords, search$order, search$neighbors, problem$method$jitter, nodes$low_rank),
    latent_data(nodes, data$coords, search$component, nrow(search$neighbors), problem$context),
    latent_response(data), problem$method$posterior, problem$method$factor == "exact",
    factor_bytes(problem$method), problem$context, count_effects(data),
    joint_trend = isTRUE(problem$joint_trend)))
  list(pointer = pointer, nodes = nodes, search = search)
}

factor_bytes <- function(method) method$factor_memory * 2^30

in_memory <- function(k, points, expression) {
  rlang::try_fetch(expression, neargp_error_memory = function(condition) {
    abort_neargp("size",
      c(sprintf("The posterior's precision for k = %d neighbours of %s inducing points does not fit into memory.", k,
        format_count(points)),
        i = "Its size grows with the square of k: take fewer neighbours, or a smaller `factor_memory` in vnngp()."))
  })
}

latent_response <- function(data) {
  c(core_observations(data), list(weights = data$weights, offset = data$offset,
    design = full_design(data)))
}

# The objective for an optimiser. Each evaluation starts from the posterior of the best value so
# far, and the first one from `start`. Points that were tried and rejected therefore leave no trace.
# A likelihood that is not log-concave may lead to several posteriors, and the best one is kept.
# `solver`: as of new_latent_solver(), or that of latent_shard_objective().
latent_objective <- function(problem, latent, start = start_posterior(problem, latent),
                             solver = new_latent_solver(problem, latent)) {
  layout <- problem$layout
  best <- list(value = -Inf, end = start)
  improves <- function(found) is.finite(found$value) && found$value > best$value
  apart <- list(name = journal_name(problem$session, "posterior"), what = "end",
    improves = improves, pack = solver$pack)
  # Where a likelihood is not log-concave, the precision at a supposed mode may be indefinite. The
  # solves for the gradient detect this.
  fit_at <- function(working, tolerance = 1e-5, max_iterations = 100L, derivatives = FALSE) {
    values <- to_core(working, layout$transform)
    effects <- effects_at(problem, values)
    if (!is.null(effects)) set_latent_effects(latent, problem$data, effects)
    fitted <- function() solver$fit(best$end, values, tolerance, max_iterations, derivatives)
    # The call without derivatives is the last one, and its posterior is needed.
    found <- rlang::try_fetch(
      if (derivatives) journaled(problem$session, c(working, tolerance), fitted, apart) else
        fitted(),
      error = function(condition) if (is_of_whole_fit(condition)) rlang::zap() else
        abort_posterior(problem$method$jitter, condition))
    if (improves(found)) best <<- list(value = found$value, end = found$end)
    if (derivatives) {
      found$gradient <- latent_gradient(found, problem, values, effects)
    }
    found <- penalised_state(found, layout, working)
    found[c("value", "beta", "gradient", "iterations", "converged", "exact", "restricted")]
  }
  evaluate <- function(working, ...) {
    found <- tryCatch(fit_at(working, derivatives = TRUE),
      neargp_error_checkpoint = rlang::cnd_signal, neargp_error_cluster = rlang::cnd_signal,
      error = function(e) list(value = -Inf, condition = e))
    if (!is.finite(found$value) || !all(is.finite(found$gradient))) {
      return(list(value = -Inf, failed = 0L, condition = found$condition))
    }
    found$failed <- 0L
    found
  }
  list(evaluate = evaluate, fit_at = fit_at, best_end = function() best$end,
    n = length(problem$data$y), latent = latent, accept = problem$keep,
    session = problem$session)
}

latent_gradient <- function(found, problem, values, effects) {
  layout <- problem$layout
  gradient <- layout_gradient(layout, values, found$d_covariance,
    family_gradient(found$d_likelihood, problem$family, layout, values, problem$data))
  if (!is.null(effects)) {
    gradient[layout$kind %in% effect_kinds] <- latent_effects_gradient(problem$data, layout, values,
      effects, found$d_design)
  }
  gradient
}

# Whether an error would occur with any other parameters as well.
is_of_whole_fit <- function(condition) {
  inherits(condition, c("neargp_error_checkpoint", "neargp_error_cluster"))
}

# The source of an objective's posteriors. `fit(end, values, tolerance, max_iterations,
# derivatives)` goes from where another ended to parameters on the core's scale, and `pack(end)`
# returns what another model needs to go on from there.
new_latent_solver <- function(problem, latent) {
  specification <- covariance_specification(problem$layout, problem$groups)
  family <- problem$family
  list(pack = function(end) packed_end(latent$pointer, end),
    fit = function(end, values, tolerance, max_iterations, derivatives) {
      become_exact_as(latent$pointer, end)
      core_latent_fit(latent$pointer, end, specified_covariance(specification, values),
        family_core_name(family), core_parameters(family, problem$layout, values, problem$data),
        tolerance, max_iterations, derivatives, problem$context)
    })
}

# The `end` of a fit with whether the model's factor has become exact. A model that goes on from a
# packed end takes the same factor.
packed_end <- function(pointer, end) c(end, exact = core_latent_is_exact(pointer))

become_exact_as <- function(pointer, end) {
  if (isTRUE(end$exact)) core_latent_become_exact(pointer)
}

# The pseudo-observations and the posterior at the start: those of the fit that is continued, or
# those that the responses suggest. Rows that are appended at known locations do not belong to the
# earlier posterior.
start_posterior <- function(problem, latent) {
  warm <- problem$warm_start
  if (!is.null(warm) && identical(latent$nodes$coords, warm$posterior$coords) &&
    length(warm$posterior$linear_predictor) == length(problem$data$y)) {
    was <- warm$posterior
    core_latent_resume(latent$pointer, was$mean, spherical_trend(warm), was$linear_predictor,
      was$pseudo_precision, was$slope)
  } else {
    values <- to_core(problem$start, problem$layout$transform)
    core_latent_start(latent$pointer, data_linear_predictor(problem$data, problem$family),
      family_core_name(problem$family), core_parameters(problem$family, problem$layout, values,
        problem$data), problem$context)
  }
}

# `remedy`: advice for the model at hand, in place of the general one.
abort_posterior <- function(jitter, condition, remedy = NULL) {
  remedy <- remedy %||% c(i = "An incomplete factor also gains by more neighbours; factor = \"exact\" does without it, for a few thousand locations.")
  abort_neargp("cholesky", c("The posterior cannot be computed to working precision.",
    x = conditionMessage(condition),
    i = sprintf("Raise the jitter (it is %s of the variance), or choose a rougher covariance.",
      format(jitter)), remedy))
}
