# The Gaussian log-likelihood with the trend profiled out, from the parts the core computes in one
# pass. For every method of this package it is
#     l(theta, beta) = -1/2 [ n log 2 pi + log_det(theta) + c'G(theta) c ].
# Here c is the vector (1, -beta). G is the Gram matrix of the whitened columns (y, X). The best
# beta is the generalised least squares estimate from the blocks of G, and its covariance is the
# inverse of the X block. The gradient of the profile in theta is the partial one at that beta, from
# the envelope theorem.

profile_trend <- function(parts, n) {
  gram <- parts$gram
  q <- ncol(gram) - 1L
  beta <- double(0)
  beta_vcov <- matrix(double(0), 0L, 0L)
  if (q > 0L) {
    factor <- tryCatch(chol(gram[-1L, -1L, drop = FALSE]), error = function(e) NULL)
    if (is.null(factor)) return(list(value = -Inf))
    beta_vcov <- chol2inv(factor)
    beta <- drop(backsolve(factor, backsolve(factor, gram[-1L, 1L], transpose = TRUE)))
  }
  contrast <- c(1, -beta)
  rss <- drop(crossprod(contrast, gram %*% contrast))
  value <- -0.5 * (n * log(2 * pi) + parts$log_det + rss)
  list(value = if (is.finite(value)) value else -Inf, beta = beta, beta_vcov = beta_vcov,
    contrast = contrast, rss = rss, log_det = parts$log_det)
}

# Derivatives in the core's parameters; with `trend_vcov`, the covariance matrix of the
# coefficients, those of the restricted likelihood (estimation.R).
profile_gradient <- function(parts, contrast, trend_vcov = NULL) {
  quadratic <- apply(parts$d_gram, 3L,
    function(slice) drop(crossprod(contrast, slice %*% contrast)))
  gradient <- -0.5 * (parts$d_log_det + quadratic)
  if (is.null(trend_vcov)) return(gradient)
  gradient - 0.5 * apply(parts$d_gram, 3L, function(slice) sum(trend_vcov * slice[-1L, -1L]))
}

# An objective is what an optimiser sees: functions of the working parameters. `evaluate(working)`
# returns value and trend, and with information = TRUE gradient and information in the working
# parameters. `gradient(working, beta)` returns the gradient by the adjoint path, where evaluate()
# does not always return it. The optimiser hands accepted parameters to `accept(working)`
# (R/last-state.R), and reports its progress to the `session`.
# `parts` and `adjoint` are functions of the core's covariance and nugget, and of a context.
# `restricted`: whether it is the restricted likelihood, which lacks an adjoint path. `set_noise`:
# takes the noise of rows with a model of it, see noise.R. `targets`: the rows summed over, all by
# default. A row that is a location adds its observations to `n`, and the terms from within it.
# `within`: these terms for locations in shards.
new_objective <- function(problem, parts, adjoint = NULL,
                          restricted = is_restricted(problem$method), set_noise = NULL,
                          targets = NULL, n = count_observations(problem$data, targets),
                          within = NULL) {
  sums <- core_sums(list(parts = parts, adjoint = adjoint, set = set_noise), problem$data,
    problem$layout, targets, within)
  if (has_effects(problem$data)) return(new_effects_objective(problem, n, sums, restricted))
  layout <- problem$layout
  at <- core_point(problem, sums$set)
  evaluate <- function(working, information = FALSE, context = problem$context) {
    point <- at(to_core(working, layout$transform))
    result <- journaled(problem$session, c(working, information), function() {
      sums$parts(point$covariance, point$nugget, information, context)
    })
    if (result$failed > 0L) return(list(value = -Inf, failed = result$failed))
    profile <- profile_trend(result, n)
    profile$failed <- 0L
    if (restricted) profile$value <- profile$value + restricted_term(profile$beta_vcov)
    if (information && is.finite(profile$value)) {
      result <- in_layout_order(result, problem$data, layout)
      slope <- core_to_working_slope(layout, point$values)
      profile$gradient <- slope * profile_gradient(result, profile$contrast,
        if (restricted) profile$beta_vcov)
      profile$information <- result$information * outer(slope, slope)
    }
    penalised_state(profile, layout, working)
  }
  gradient <- function(working, beta, context = problem$context) {
    point <- at(to_core(working, layout$transform))
    result <- journaled(problem$session, c(working, beta), function() {
      sums$adjoint(point$covariance, point$nugget, beta, context)
    })
    if (result$failed > 0L) return(rep(NA_real_, length(working)))
    result <- in_layout_order(result, problem$data, layout)
    penalised_gradient(core_to_working_slope(layout, point$values) * result$gradient, layout,
      working)
  }
  with_tied_slopes(list(evaluate = evaluate, gradient = gradient, n = n, accept = problem$keep,
    session = problem$session), layout)
}

new_effects_objective <- function(problem, n, sums, restricted) {
  at <- core_point(problem, sums$set)
  parts_at <- function(values, information, context = problem$context) {
    point <- at(values)
    result <- journaled(problem$session, c(values, information), function() {
      sums$parts(point$covariance, point$nugget, information, context)
    })
    in_layout_order(result, problem$data, problem$layout)
  }
  objective <- effects_objective(problem$layout, problem$data, n, parts_at, restricted)
  c(objective, list(accept = problem$keep, session = problem$session))
}

# A function of the layout's values in the core that returns the arguments of the core. Where the
# noise of rows follows a model, a call also sets that noise by `set_noise`.
core_point <- function(problem, set_noise = NULL) {
  nugget_at <- noise_setter(problem$data, problem$layout, set_noise)
  specification <- covariance_specification(problem$layout, problem$groups)
  function(values) {
    list(values = values, covariance = specified_covariance(specification, values),
      nugget = nugget_at(values))
  }
}

# Conditioning on neighbours: vecchia() and loo_k() differ only in the neighbours. `targets`: the
# rows summed over.
local_objective <- function(problem, neighbors, targets = NULL) {
  if (has_effects_pass(problem)) return(effects_pass_objective(problem, neighbors, targets))
  objective_of_sums(problem, local_sums$conditional, neighbors, targets,
    is.null(targets) && is_restricted(problem$method))
}

# Joint densities of neighbourhoods, each divided by its size: mll_k().
joint_objective <- function(problem, neighbors, targets = NULL) {
  objective_of_sums(problem, local_sums$joint, neighbors, targets)
}

# The core keeps the neighbours in its own order. Without rm() the objective would keep R's table
# next to them.
objective_of_sums <- function(problem, sums, neighbors, targets = NULL, restricted = FALSE) {
  pointer <- local_problem(problem$data, neighbors, problem$context, targets)
  rm(neighbors)
  new_objective(problem, parts = function(...) sums$evaluate(pointer, ...),
    adjoint = function(...) sums$gradient(pointer, ...), restricted = restricted,
    set_noise = pointer_noise(pointer), targets = targets)
}

# The likelihood that a method has maximised, as a function of the working parameters, in the
# neighbours of problem$start.
likelihood_objective <- function(method, problem) {
  UseMethod("likelihood_objective")
}

# Whether the fit's method has it.
has_likelihood_objective <- function(object) has_ability(object$method, "likelihood_objective")

exact_objective <- function(problem) {
  data <- problem$data
  noise <- list(variance = 1 / data$weights)
  new_objective(problem,
    parts = function(covariance, nugget, information, context) {
      core_exact(data$coords, noise$columns %||% response_columns(data), noise$variance,
        covariance, nugget, information, context, data$output, noise$derivatives)
    }, set_noise = function(found) noise <<- found)
}

# `neighbors` contains one column for each target, or for each row. In blocks it is the list of
# core_block_neighbors().
local_problem <- function(data, neighbors, context, targets = NULL) {
  block <- 1L
  if (is.list(neighbors)) {
    targets <- neighbors$targets
    block <- neighbors$block
    neighbors <- neighbors$neighbors
  }
  release_unused(prod(dim(neighbors)))
  core_problem(data$coords, response_columns(data), 1 / data$weights, neighbors, context, targets,
    data$output, block)
}
