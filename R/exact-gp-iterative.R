# exact_gp(solver = "cg"), see src/core/response/iterative_gp.h. The Vecchia factor of the rows is
# the preconditioner. Its log determinant, and the derivatives of that, are known. Random signs
# estimate the small rest. They are the same in every evaluation: the objective is smooth. The
# reported value takes four times as many others, to which the search has not adapted.

# Residuals relative to the columns. Quadratic forms are accurate to the square of this.
iterative_tolerance <- 1e-6
iterative_steps <- 500L

#' @export
fit_method.neargp_exact_gp_cg <- function(method, problem) {
  check_exact_size(method, problem)
  near <- near_optimum(problem, method$neighbors)
  objective <- iterative_objective(problem, near$working)
  state <- scoring_optimizer(problem)(objective, near$working, FALSE)
  state <- add_counts(state, near)
  others <- random_probes(problem, 5L * method$probes)[, -seq_len(method$probes)]
  reported <- iterative_objective(problem, near$working, others)$evaluate(state$working)
  state$evaluated$value <- reported$value
  state$value_error <- reported$value_error
  scored_result(problem, state, function(working) objective)
}

#' @export
likelihood_objective.neargp_exact_gp_cg <- function(method, problem) {
  iterative_objective(problem, problem$start)
}

random_probes <- function(problem, count = problem$method$probes) {
  core_random_signs(length(problem$data$y), count)
}

# The neighbours are those in the metric of the parameters `at`, in all evaluations.
iterative_objective <- function(problem, at, probes = random_probes(problem)) {
  component <- metric_component(covariance_at(problem, at))
  system <- iterative_system(problem$data, component, problem$method, problem$context)
  error <- NULL
  objective <- new_objective(problem, parts = function(covariance, nugget, information, context) {
    found <- iterative_parts(system, covariance, nugget, probes, information, context)
    error <<- found$value_error
    found
  })
  evaluate <- objective$evaluate
  objective$evaluate <- function(...) c(evaluate(...), list(value_error = error))
  # values and gradients are means over the signs, each for itself
  objective$resolution <- 0.01
  objective
}

# The rows, and for each its neighbours among those before it in the maxmin order.
iterative_system <- function(data, component, method, context) {
  scaled <- core_scale(data$coords, component)
  order <- core_order(scaled, "maxmin", 0, context)
  k <- min(method$neighbors, nrow(scaled) - 1L)
  list(coords = data$coords, columns = response_columns(data), noise_scale = 1 / data$weights,
    order = order, neighbors = core_neighbors_before(scaled, order, k, context, NULL))
}

# Vecchia's weights of the neighbours and the conditional deviations; NULL where a matrix of
# neighbours is singular.
iterative_root <- function(system, covariance, nugget, context) {
  kriging <- core_kriging(system$coords, matrix(0, length(system$order), 1L), system$noise_scale,
    covariance, nugget, NULL)
  found <- core_krige(kriging, system$coords, system$neighbors, FALSE, context, NULL, TRUE)
  if (found$failed > 0L) return(NULL)
  list(neighbors = system$neighbors, weights = found$weights,
    deviations = sqrt(found$variance + nugget * system$noise_scale))
}

# Sums as the core returns them for other likelihoods, with the standard error of the value.
iterative_parts <- function(system, covariance, nugget, probes, information, context) {
  root <- iterative_root(system, covariance, nugget, context)
  if (is.null(root)) return(list(failed = 1L))
  found <- iterative_solution(system, root, covariance, nugget, probes, context)
  parts <- list(failed = 0L, log_det = 2 * sum(log(root$deviations)) + mean(found$log_dets),
    gram = found$gram,
    value_error = 0.5 * error_of_probes(found$log_dets))
  if (!information) return(parts)
  c(parts, iterative_derivatives(system, root, covariance, nugget, probes, found, context))
}

# The standard error of a mean of few numbers. Their own standard deviation is uncertain: with the
# factor of Student's t distribution the mean is within the error in 68% of cases, as for many.
error_of_probes <- function(log_dets) {
  count <- length(log_dets)
  stats::qt(stats::pnorm(1), count - 1L) * stats::sd(log_dets) / sqrt(count)
}

iterative_solution <- function(system, root, covariance, nugget, probes, context) {
  found <- core_iterative_solve(system$coords, system$columns, nugget * system$noise_scale,
    covariance, nugget, root, probes, iterative_tolerance, iterative_steps, context)
  if (isTRUE(found$residual <= iterative_tolerance)) return(found)
  abort_neargp("cholesky", c(
    sprintf("The conjugate gradients of exact_gp() have not converged in %d steps.",
      found$iterations),
    i = "Use more `neighbors` for the preconditioner, a nugget, or a rougher covariance."))
}

# With v = W^-1 z the derivative of the log determinant is
#
#   d log|K| = tr(P^-1 dP) + E [left' dK right - v' P^-1 dP P^-1 v].
#
# Vecchia's part is exact. The signs estimate the difference of two numbers that are almost equal.
# profile_gradient() uses the quadratic form of `d_gram` in the contrast alone, and the first entry
# contains it. The information is that of Vecchia's approximation.
iterative_derivatives <- function(system, root, covariance, nugget, probes, found, context) {
  noise <- nugget * system$noise_scale
  slopes <- function(left, right) core_iterative_gradient(system$coords, noise, covariance, nugget,
    root, left, right, context)
  colored <- core_iterative_color(system$coords, noise, covariance, nugget, root, probes,
    system$order, context)
  pointer <- core_problem(system$coords, colored, system$noise_scale, system$neighbors, context,
    NULL, NULL)
  near <- core_evaluate(pointer, covariance, nugget, TRUE, context)
  own <- apply(near$d_gram, 3L, function(slice) mean(diag(slice)))
  solved <- found$solved %*% profile_trend(list(gram = found$gram, log_det = 0), 0)$contrast
  d_gram <- array(0, c(dim(found$gram), length(own)))
  d_gram[1L, 1L, ] <- -slopes(solved, solved)
  list(d_log_det = near$d_log_det + slopes(found$left, found$right) / ncol(probes) + own,
    d_gram = d_gram, information = near$information)
}

# ---- predictions ---------------------------------------------------------------------------------

# Predictions share the equations, and K^-1 of the response and the design.
cached_iterative <- function(object, context) {
  data <- conditioned_data(object)
  cached(object, "iterative", context, {
    covariance <- as_specified(object$core_covariance)
    system <- iterative_system(data, metric_component(object$core_covariance), object$method,
      context)
    root <- iterative_root(system, covariance, object$nugget, context)
    if (is.null(root)) abort_cholesky(0L)
    none <- matrix(0, nrow(data$coords), 0L)
    found <- iterative_solution(system, root, covariance, object$nugget, none, context)
    list(system = system, root = root, covariance = covariance, solved = found$solved,
      gram = found$gram)
  })
}

#' @export
kriging_of_all.neargp_exact_gp_cg <- function(method, object, coords, settings, output) {
  known <- cached_iterative(object, settings$context)
  core_iterative_predict(coords, known$system$coords,
    object$nugget * known$system$noise_scale, known$covariance, object$nugget, known$root,
    known$solved, iterative_tolerance, iterative_steps, settings$context)
}

# Other rows and draws are those of neighbours.
#' @export
weights_of_other_locations.neargp_exact_gp_cg <- function(method, object, settings) {
  settings$exact <- FALSE
  NextMethod()
}

#' @export
estimated_trend.neargp_exact_gp_cg <- function(method, fit, data, context) {
  fit$data <- data
  known <- cached_iterative(with_own_cache(fit), context)
  solved_trend(list(failed = 0L, gram = known$gram, log_det = 0), count_observations(data))
}
