# The objective of several responses: the evidence lower bound of all (evidence_bound.h) as a
# function of loadings, ranges and parameters of families. Fields and trends are profiled out.
#
# The prior of the responses' correlation matrix R is LKJ(2), log det R, if there are as many fields
# as responses. For few data the maximum without it is often at a correlation of 1 or -1. With B = A
# A' its derivative in A is 2 B^-1 A - 2 diag(B)^-1 A.

# The latent model behind a pointer. `search`: ordering and neighbours of the locations.
joint_latent <- function(shared, search, exact = shared$method$factor == "exact") {
  return_models(search$neighbors)
  shares <- shared$shares %||% matrix(1, 1L, length(shared$place))
  in_memory(nrow(search$neighbors), nrow(shared$coords), core_fields(
    core_nodes(shared$coords, search$order, search$neighbors, shared$method$jitter, NULL),
    list(places = matrix(shared$place, nrow(shares)), shares = shares, response = shared$response,
      structure = structure_of_fields(shared$structures)),
    length(shared$parts), merged_rows(shared$data, shared$common)[c("y", "trials", "weights",
      "offset", "design")], exact, factor_bytes(shared$method), shared$context,
    shared$data$effects))
}

# Releases models that are no longer used, and returns their memory to the system. The C library
# would keep it in pieces that the tables of a large model do not fit into. At 20,000 locations they
# are 80 MB.
return_models <- function(neighbors) {
  release_models(neighbors)
  if (20 * prod(dim(neighbors)) > 5e6) core_return_free_memory()
}

# Neighbours of the locations in the metric of the first structure. A structure of another shape
# needs more of them.
joint_search <- function(shared, working) {
  fields <- Filter(function(x) !isTRUE(x$constant), shared$structures)
  shapes <- unique(lapply(fields, function(x) x$component[c("ard", "anisotropy")]))
  k <- min(shared$method$k + if (length(shapes) > 1L) 5L else 0L, nrow(shared$coords) - 1L)
  latent_search(shared, list(coords = shared$coords), joint_metric(shared, working), k)
}

joint_metric <- function(shared, working) {
  search_component(structure_covariance(shared, working, 1L), 1L)
}

# The covariance of a structure as the core's list.
structure_covariance <- function(shared, working, j) {
  single <- structure_layout(shared$layout, j)
  values <- to_core(working, shared$layout$transform)[single$rows]
  as_core_covariance(single$layout, shared$groups[[j]], c(1, values, 0))
}

# The objective for an optimiser, as of latent_objective(). Answers in a checkpoint leave out the
# posterior, except where a search by fit_at() begins at it. The newest answer keeps what the next
# evaluation depends on, see kept_posterior().
fields_objective <- function(shared, latent) {
  session <- shared$session
  best <- list(value = -Inf, end = NULL)
  improves <- function(found) {
    value <- found$bound %||% found$value
    is.finite(value) && value > best$value
  }
  name <- journal_name(session, "posterior")
  posterior_at <- fields_posterior(shared, latent)
  answered <- function(question, drop, from = NULL) {
    goes_on <- is_journaled(session) && is_replaying(session$journal)
    answer <- function() {
      found <- do.call(posterior_at, c(list(from %||% best$end), question))
      end <- if (improves(found)) found$end else best$end
      if (!is.null(name)) found$kept <- kept_posterior(latent, end)
      found
    }
    found <- withCallingHandlers(journaled(session, c(unlist(question), !is.null(from)), answer,
      list(name = name, what = "kept", improves = function(found) TRUE, pack = identity,
        drop = drop)),
    # an answer that fails leaves nothing to begin at
    error = function(condition) core_fields_begin_at_response(latent, double(0)))
    if (improves(found)) best <<- list(value = found$bound %||% found$value, end = found$end)
    if (goes_on && !is.null(found$kept)) best$end <<- restored_posterior(latent, found$kept)
    found[names(found) != "kept"]
  }
  # `from`: where the posterior begins, in place of the best one so far
  fit_at <- function(working, tolerance = 1e-5, max_iterations = 100L, derivatives = FALSE,
                     from = NULL) {
    answered(list(working, tolerance, max_iterations, derivatives), if (!is.null(from)) "end", from)
  }
  # gradients of few rows are small, and so must be their errors
  tolerance <- if (length(shared$response) > 10000L) 1e-5 else 1e-7
  evaluate <- function(working, ...) {
    found <- tryCatch(answered(list(working, tolerance, 100L, TRUE), c("end", "mean")),
      neargp_error_checkpoint = rlang::cnd_signal,
      neargp_error = function(e) list(value = -Inf, condition = e))
    if (!is.finite(found$value) || !all(is.finite(found$gradient))) {
      return(list(value = -Inf, failed = 0L, condition = found$condition))
    }
    found$failed <- 0L
    found
  }
  # the last posterior stays in the model, and is computed again where a fit goes on
  converge <- function(working) posterior_at(best$end, working, 1e-8, 500L, FALSE)
  list(evaluate = evaluate, fit_at = fit_at, converge = converge, latent = latent,
    best_end = function() best$end, tolerance = tolerance, n = length(shared$data$y),
    session = session)
}

# The best posterior so far, and where the model's solves for the trend begin.
kept_posterior <- function(latent, end) {
  list(end = end, exact = core_latent_is_exact(latent), response = core_fields_response(latent))
}

restored_posterior <- function(latent, kept) {
  become_exact_as(latent, kept)
  core_fields_begin_at_response(latent, kept$response)
  kept$end
}

# A function that computes the posterior for working parameters, from where another one ended, NULL
# for the first one.
fields_posterior <- function(shared, latent) {
  layout <- shared$layout
  count <- length(shared$parts)
  structures <- lapply(seq_along(shared$structures), function(j) {
    single <- structure_layout(layout, j)
    c(single, list(specification = covariance_specification(single$layout, shared$groups[[j]])))
  })
  parameters_at <- function(values) {
    list(structures = lapply(structures, function(structure) specified_covariance(
      structure$specification, c(1, values[structure$rows], 0))),
    loadings = joint_loadings(layout, values, count),
    likelihoods = joint_likelihoods(shared, values))
  }
  function(begin, working, tolerance, max_iterations, derivatives) {
    values <- to_core(working, layout$transform)
    at <- parameters_at(values)
    effects <- joint_effects(shared, values)
    if (shared$data$effects > 0L) core_latent_set_effects(latent, effects$columns)
    begin <- begin %||% joint_begin(shared, latent, at$likelihoods)
    release_unused(4 * shared$method$k * nrow(shared$coords))  # posteriors before the best one
    found <- rlang::try_fetch(core_fields_fit(latent, begin, at$structures, at$loadings,
      at$likelihoods, tolerance, max_iterations, derivatives, shared$context),
    error = function(condition) abort_posterior(shared$method$jitter, condition,
      remedy_for_areas(shared)))
    found$parameters <- at$likelihoods$parameters
    if (derivatives) found$gradient <- joint_gradient(shared, structures, found, values, effects)
    with_correlation_prior(shared, found[setdiff(names(found), c("parameters", "d_covariance",
      "d_likelihood", "d_design"))], values)
  }
}

# The families in the form of the core.
joint_likelihoods <- function(shared, values) {
  parts <- shared$parts
  list(families = vapply(parts, function(part) family_core_name(part$family), ""),
    parameters = lapply(seq_along(parts), function(m) {
      core_parameters(parts[[m]]$family, parts[[m]]$layout, values_of_part(shared, m, values),
        family_rows_of_part(shared, m))
    }), ends = cumsum(tabulate(shared$response, length(parts))))
}

# The rows of a part in the problem, with the fields that core_parameters() reads.
family_rows_of_part <- function(shared, m) {
  data <- shared$parts[[m]]$data[c("y", "parameter_models")]
  rows <- shared$rows_of_parts[[m]]
  if (is.null(rows)) return(data)
  list(y = data$y[rows], parameter_models = take_parameter_models(data$parameter_models, rows))
}

# The derivatives in the parameters of all families, one part after the other.
joint_family_gradient <- function(shared, found, values) {
  owner <- rep(seq_along(found$parameters), lengths(found$parameters))
  unlist(lapply(seq_along(found$parameters), function(m) {
    part <- shared$parts[[m]]
    family_gradient(found$d_likelihood[owner == m], part$family, part$layout,
      values_of_part(shared, m, values), family_rows_of_part(shared, m))
  }))
}

# Where posteriors begin: at the pseudo-observations of the fits of single responses.
joint_begin <- function(shared, latent, likelihoods) {
  elements <- c("linear_predictor", "pseudo_precision", "slope")
  known <- lapply(stats::setNames(nm = elements), function(name) {
    unlist(lapply(seq_along(shared$parts), function(m) {
      problem_rows_of_part(shared, m, shared$parts[[m]]$posterior[[name]])
    }), use.names = FALSE)
  })
  if (any(lengths(known) != length(shared$response)) || anyNA(unlist(known))) {
    return(core_fields_start(latent, joint_suggestions(shared), likelihoods, shared$context))
  }
  core_latent_resume(latent, double(nrow(shared$coords) * count_shared_fields(shared$structures)),
    merged_coefficients(double(ncol(shared$data$design)), shared$common), known$linear_predictor,
    known$pseudo_precision, known$slope)
}

problem_rows_of_part <- function(shared, m, values) {
  rows <- shared$rows_of_parts[[m]]
  if (is.null(rows)) values else values[rows]
}

# The linear predictors that responses suggest, of the rows of the problem.
joint_suggestions <- function(shared) {
  unlist(lapply(seq_along(shared$parts), function(m) {
    rows <- shared$response == m
    part <- shared$parts[[m]]
    data <- core_data(part$data)
    if (sum(rows) < length(data$y)) data <- take_data_rows(data, shared$rows_of_parts[[m]])
    data_linear_predictor(data, part$family)
  }), use.names = FALSE)
}

# Columns of the random effects of all parts for these values, whitened, and those of each part.
joint_effects <- function(shared, values) {
  if (shared$data$effects == 0L) return(NULL)
  layout <- shared$layout
  columns <- matrix(0, length(shared$response), shared$data$effects)
  trends <- ncol(shared$data$design) - shared$data$effects
  of_parts <- lapply(seq_along(shared$parts), function(m) {
    part <- shared$parts[[m]]
    if (!has_effects(part$data)) return(NULL)
    own <- values_of_part(shared, m, values)
    made <- effects_at(list(data = part$data, layout = part$layout), own)
    at <- columns_of_part(shared$parts, m, effects = TRUE)
    rows <- shared$response == m
    columns[rows, at - trends] <<- times_factors(shared$data$design[rows, at, drop = FALSE],
      made$blocks, made$factors)
    c(made, list(values = own, columns = at - trends, rows = rows))
  })
  list(columns = columns, of_parts = of_parts)
}

# The values of a part's own layout: those of the joint fit where it has them.
values_of_part <- function(shared, m, values) {
  part <- shared$parts[[m]]
  own <- to_core(part$parameters$working, part$layout$transform)
  rows <- which(shared$layout$output %in% m)
  replace(own, shared$layout$row[rows], values[rows])
}

# The gradient in the working parameters.
joint_gradient <- function(shared, structures, found, values, effects) {
  layout <- shared$layout
  gradient <- double(nrow(layout))
  last <- 0L
  for (structure in structures) {
    size <- nrow(structure$layout)
    slope <- found$d_covariance[last + seq_len(size)] *
      core_to_working_slope(structure$layout, c(1, values[structure$rows], 0))
    gradient[structure$rows] <- slope[seq_along(structure$rows) + 1L]
    last <- last + size
  }
  rows <- loading_rows(layout, length(shared$parts))
  gradient[rows] <- found$d_covariance[last + seq_along(rows)]
  gradient[layout$kind %in% c("family", "nugget")] <- joint_family_gradient(shared, found,
    values)
  for (m in seq_along(effects$of_parts)) {
    made <- effects$of_parts[[m]]
    if (is.null(made)) next
    part <- shared$parts[[m]]
    own <- which(layout$output %in% m & layout$kind %in% effect_kinds)
    data <- part$data
    data$effects$Z <- shared$data$design[made$rows, columns_of_part(shared$parts, m, TRUE),
      drop = FALSE]
    gradient[own] <- latent_effects_gradient(data, part$layout, made$values, made,
      found$d_design[made$rows, made$columns, drop = FALSE]) *
      core_to_working_slope(layout[own, ], values[own])
  }
  gradient
}

# ---- the prior of correlations -------------------------------------------------------------------

with_correlation_prior <- function(shared, found, values) {
  if (!shared$prior || !is.finite(found$value)) return(found)
  A <- joint_loadings(shared$layout, values, length(shared$parts))
  B <- tcrossprod(A)
  found$bound <- found$value
  found$value <- found$value + log_det_correlation(B)
  if (!is.null(found$gradient)) {
    rows <- loading_rows(shared$layout, length(shared$parts))
    inverse <- tryCatch(solve(B), error = function(e) matrix(NaN, nrow(B), nrow(B)))
    found$gradient[rows] <- found$gradient[rows] + as.vector(2 * inverse %*% A - 2 * A / diag(B))
  }
  found
}

log_det_correlation <- function(B) {
  as.double(determinant(B)$modulus) - sum(log(diag(B)))
}
