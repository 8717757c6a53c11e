# The work for one shard of vnngp(), in the process that holds it (R/shard-worker.R). It computes
# the posterior of the shard's extended rows, and returns the part of its own rows.

# `nodes`: coordinates, order and neighbours, and the node of each row. `response`: as the core
# takes it. `part`: which nodes and rows are the shard's own.
latent_shard_load <- function(shard, layout, groups, family, jitter, bytes, context, nodes,
                              response, part) {
  design <- response$design
  response$design <- matrix(0, nrow(design), 0L)
  shard$latent <- in_memory(nrow(nodes$neighbors), nrow(nodes$coords), core_latent(
    core_nodes(nodes$coords, nodes$order, nodes$neighbors, jitter, NULL), nodes["node"], response,
    "sparse", FALSE, bytes, context, shares = TRUE))
  shard$values <- NULL
  shard$specification <- covariance_specification(layout, groups)
  shard$family <- family
  shard$offset <- response$offset
  shard$design <- design
  shard$context <- context
  shard$part <- part
  NULL
}

# The field given the trend `beta`. Errors are the package's, so that they travel.
latent_shard_fit <- function(shard, values, parameters, tolerance, max_iterations, beta, start) {
  core_latent_set_offset(shard$latent, shard$offset + drop(shard$design %*% beta))
  rows <- start$rows
  rlang::try_fetch({
    from <- if (ncol(rows) == 1L) {
      core_latent_start(shard$latent, rows[, 1L], shard$family, parameters, shard$context)
    } else {
      core_latent_resume(shard$latent, start$mean, double(0), rows[, 1L], rows[, 2L], rows[, 3L])
    }
    is_new <- !identical(values, shard$values)
    shard$values <- NULL
    found <- core_latent_fit(shard$latent, from, if (is_new) specified_covariance(
      shard$specification, values), shard$family, parameters, tolerance, max_iterations, FALSE,
    shard$context)
    shard$values <- values
    state <- core_latent_state(shard$latent, shard$context)
  }, error = function(condition) {
    if (inherits(condition, "neargp_error")) rlang::zap() else
      abort_neargp("cholesky", conditionMessage(condition))
  })
  rows <- cbind(state$linear_predictor, state$pseudo_precision, state$slope)
  list(mean = state$mean[shard$part$own], rows = rows[shard$part$own_rows, , drop = FALSE],
    iterations = found$iterations, converged = found$converged, restricted = found$restricted)
}

# The response of the field at its own nodes to the trend, at the posterior of the last fit.
latent_shard_response <- function(shard) {
  response <- core_latent_field_response(shard$latent, shard$design, shard$context)
  list(response = response[shard$part$own, , drop = FALSE])
}

# The shard's share of the ELBO at the posterior of the last fit. `mean` and `response`: values at
# all nodes of the shard, from the shards that own these nodes.
latent_shard_share <- function(shard, derivatives, mean, response) {
  as_sums(core_latent_share(shard$latent, shard$part$own, mean, shard$design, response,
    derivatives, shard$context))
}

# The variances of the field at its own nodes and rows; `checked`: the error of some of them by the
# incomplete factor.
latent_shard_state <- function(shard, checked) {
  state <- core_latent_state(shard$latent, shard$context)
  list(nodes = state$node_variance[shard$part$own], variance = state$variance[shard$part$own_rows],
    error = if (checked) sampled_variance_error(shard$latent, state$node_variance,
      shard$context) else 0)
}

latent_shard_difference <- function(shard, mean, sd) {
  here <- core_latent_state(shard$latent, shard$context)$mean[shard$part$near]
  max(abs(here - mean) / sd, 0)
}
