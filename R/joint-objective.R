# The objective of several responses: the evidence lower bound of all (evidence_bound.h) as a
# function of loadings, ranges and parameters of families. Fields and trends are profiled out.
#
# The prior of the responses' correlation matrix R is LKJ(2), log det R, if there are as many fields
# as responses. For few data the maximum without it is often at a correlation of 1 or -1. With B = A
# A' its derivative in A is 2 B^-1 A - 2 diag(B)^-1 A.

# The latent model behind a pointer. `search`: ordering and neighbours of the locations.
joint_latent <- function(problem, search, exact = problem$method$factor == "exact") {
  rows <- length(problem$place)
  in_memory(nrow(search$neighbors), nrow(problem$coords), core_fields(
    core_nodes(problem$coords, search$order, search$neighbors, problem$method$jitter, NULL),
    list(places = matrix(problem$place, 1L), shares = matrix(1, 1L, rows),
      response = problem$response, structure = structure_of_fields(problem$structures)),
    length(problem$parts), problem$data[c("y", "trials", "weights", "offset", "design")], exact,
    factor_bytes(problem$method), problem$context, problem$data$effects))
}

# Neighbours of the locations in the metric of the first structure. A structure of another shape
# needs more of them.
joint_search <- function(problem, working) {
  single <- problem
  shapes <- unique(lapply(problem$structures, function(x) x$component[c("ard", "anisotropy")]))
  k <- min(problem$method$k + if (length(shapes) > 1L) 5L else 0L, nrow(problem$coords) - 1L)
  single$method$ordering <- problem$method$ordering
  latent_search(single, list(coords = problem$coords), joint_metric(problem, working), k)
}

joint_metric <- function(problem, working) {
  search_component(structure_covariance(problem, working, 1L), 1L)
}

# The covariance of a structure as the core's list.
structure_covariance <- function(problem, working, j) {
  single <- structure_layout(problem$layout, j)
  values <- to_core(working, problem$layout$transform)[single$rows]
  as_core_covariance(single$layout, problem$groups[[j]], c(1, values, 0))
}

# The objective for an optimiser, as of latent_objective().
fields_objective <- function(problem, latent, end = NULL) {
  layout <- problem$layout
  count <- length(problem$parts)
  structures <- lapply(seq_along(problem$structures), function(j) {
    single <- structure_layout(layout, j)
    c(single, list(specification = covariance_specification(single$layout, problem$groups[[j]])))
  })
  best <- list(value = -Inf, end = end)
  parameters_at <- function(values) {
    list(structures = lapply(structures, function(structure) specified_covariance(
      structure$specification, c(1, values[structure$rows], 0))),
    loadings = joint_loadings(layout, values, count),
    likelihoods = joint_likelihoods(problem, values))
  }
  fit_at <- function(working, tolerance = 1e-5, max_iterations = 100L, derivatives = FALSE) {
    values <- to_core(working, layout$transform)
    at <- parameters_at(values)
    effects <- joint_effects(problem, values)
    if (problem$data$effects > 0L) core_latent_set_effects(latent, effects$columns)
    if (is.null(best$end)) {
      best$end <<- core_fields_start(latent, joint_suggestions(problem), at$likelihoods,
        problem$context)
    }
    found <- rlang::try_fetch(core_fields_fit(latent, best$end, at$structures, at$loadings,
      at$likelihoods, tolerance, max_iterations, derivatives, problem$context),
    error = function(condition) abort_posterior(problem$method$jitter, condition))
    if (is.finite(found$value) && found$value > best$value) {
      best <<- list(value = found$value, end = found$end)
    }
    if (derivatives) found$gradient <- joint_gradient(problem, structures, found, values, effects)
    with_correlation_prior(problem, found, values)
  }
  evaluate <- function(working, ...) {
    found <- tryCatch(fit_at(working, derivatives = TRUE), neargp_error = function(e)
      list(value = -Inf, condition = e))
    if (!is.finite(found$value) || !all(is.finite(found$gradient))) {
      return(list(value = -Inf, failed = 0L, condition = found$condition))
    }
    found$failed <- 0L
    found
  }
  list(evaluate = evaluate, fit_at = fit_at, latent = latent, best_end = function() best$end,
    n = length(problem$data$y), session = problem$session)
}

# The families in the form of the core.
joint_likelihoods <- function(problem, values) {
  layout <- problem$layout
  parts <- problem$parts
  list(families = vapply(parts, function(part) family_core_name(part$family), ""),
    parameters = lapply(seq_along(parts), function(m) {
      as.double(values[layout$output %in% m & layout$kind %in% c("family", "nugget")])
    }), ends = cumsum(tabulate(problem$response, length(parts))))
}

# The linear predictors that responses suggest, of the rows of the problem.
joint_suggestions <- function(problem) {
  unlist(lapply(seq_along(problem$parts), function(m) {
    rows <- problem$response == m
    part <- problem$parts[[m]]
    data <- core_data(part$data)
    if (sum(rows) < length(data$y)) data <- take_data_rows(data, problem$rows_of_parts[[m]])
    data_linear_predictor(data, part$family)
  }), use.names = FALSE)
}

# Columns of the random effects of all parts for these values, whitened, and those of each part.
joint_effects <- function(problem, values) {
  if (problem$data$effects == 0L) return(NULL)
  layout <- problem$layout
  columns <- matrix(0, length(problem$response), problem$data$effects)
  trends <- ncol(problem$data$design) - problem$data$effects
  of_parts <- lapply(seq_along(problem$parts), function(m) {
    part <- problem$parts[[m]]
    if (!has_effects(part$data)) return(NULL)
    own <- values_of_part(problem, m, values)
    made <- effects_at(list(data = part$data, layout = part$layout), own)
    at <- columns_of_part(problem$parts, m, effects = TRUE)
    rows <- problem$response == m
    columns[rows, at - trends] <<- times_factors(problem$data$design[rows, at, drop = FALSE],
      made$blocks, made$factors)
    c(made, list(values = own, columns = at - trends, rows = rows))
  })
  list(columns = columns, of_parts = of_parts)
}

# The values of a part's own layout: those of the joint fit where it has them.
values_of_part <- function(problem, m, values) {
  part <- problem$parts[[m]]
  own <- to_core(part$parameters$working, part$layout$transform)
  rows <- which(problem$layout$output %in% m)
  replace(own, problem$layout$row[rows], values[rows])
}

# The gradient in the working parameters.
joint_gradient <- function(problem, structures, found, values, effects) {
  layout <- problem$layout
  gradient <- double(nrow(layout))
  last <- 0L
  for (structure in structures) {
    size <- nrow(structure$layout)
    slope <- found$d_covariance[last + seq_len(size)] *
      core_to_working_slope(structure$layout, c(1, values[structure$rows], 0))
    gradient[structure$rows] <- slope[seq_along(structure$rows) + 1L]
    last <- last + size
  }
  rows <- loading_rows(layout, length(problem$parts))
  gradient[rows] <- found$d_covariance[last + seq_along(rows)]
  gradient[layout$kind %in% c("family", "nugget")] <- found$d_likelihood
  for (m in seq_along(effects$of_parts)) {
    made <- effects$of_parts[[m]]
    if (is.null(made)) next
    part <- problem$parts[[m]]
    own <- which(layout$output %in% m & layout$kind %in% effect_kinds)
    data <- part$data
    data$effects$Z <- problem$data$design[made$rows, columns_of_part(problem$parts, m, TRUE),
      drop = FALSE]
    gradient[own] <- latent_effects_gradient(data, part$layout, made$values, made,
      found$d_design[made$rows, made$columns, drop = FALSE]) *
      core_to_working_slope(layout[own, ], values[own])
  }
  gradient
}

# ---- the prior of correlations -------------------------------------------------------------------

with_correlation_prior <- function(problem, found, values) {
  if (!problem$prior || !is.finite(found$value)) return(found)
  A <- joint_loadings(problem$layout, values, length(problem$parts))
  B <- tcrossprod(A)
  found$bound <- found$value
  found$value <- found$value + log_det_correlation(B)
  if (!is.null(found$gradient)) {
    rows <- loading_rows(problem$layout, length(problem$parts))
    inverse <- tryCatch(solve(B), error = function(e) matrix(NaN, nrow(B), nrow(B)))
    found$gradient[rows] <- found$gradient[rows] + as.vector(2 * inverse %*% A - 2 * A / diag(B))
  }
  found
}

log_det_correlation <- function(B) {
  as.double(determinant(B)$modulus) - sum(log(diag(B)))
}
