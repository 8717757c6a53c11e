# The bound of svgp(), and the score of ppgpr(), over rows in shards: their sums over rows, and
# those of their gradients, are added along the tree of shards. All that follows from sums, and what
# is of the inducing points alone, is computed here, by a bound that has no rows of its own
# (src/core/variational/streamed_bound.h).

# The problem with its rows in shards, of which the bound is made. Parts of its rows are in memory.
with_bound_in_shards <- function(problem) {
  check_bound_in_shards(problem$data)
  problem$data$shards <- list(host = host_of_problem(problem),
    unit = problem$data$basis$unit %||% 1)
  problem
}

check_bound_in_shards <- function(data) {
  refused <- c(if (!is.null(data$noise)) "rows with noise of their own",
    if (has_effects(data)) "rows with random effects or smooths")
  if (is.null(refused)) return(invisible())
  abort_neargp("cluster", c(sprintf("Bounds on inducing points have no shards of %s.", refused[1L]),
    i = "Leave out `cluster` and neargp_control(shards = ), or take vecchia()."))
}

# The factor of the response that shards have: they have it in the unit of the fit.
bound_unit <- function(data) data$shards$unit / (data$basis$unit %||% 1)

# What bound_over_rows() gives, of shards.
bound_in_shards <- function(data, method, context) {
  host <- data$shards$host
  unit <- bound_unit(data)
  function(covariance, nugget, positions, derivatives, ...) {
    pointer <- core_streamed_bound(row_count(data), 1L + ncol(data$X), positions, covariance,
      nugget, method$bound, method$jitter, derivatives, context)
    at <- list(values = covariance$values, nugget = nugget, positions = positions, unit = unit,
      bound = method$bound, jitter = method$jitter, derivatives = derivatives)
    if (core_streamed_regular(pointer)) {
      core_streamed_set_sums(pointer, sum_of_shards(host, "shard_bound_sums", list(at = at))$sums)
    }
    result <- core_streamed_value(pointer, context)
    if (nzchar(result$failure) || !derivatives) return(result)
    core_streamed_set_adjoints(pointer, sum_of_shards(host, "shard_bound_adjoints", list(at = at,
      moments = core_streamed_moments(pointer)))$sums)
    c(result, core_streamed_gradient(pointer, context))
  }
}

# ---- of one shard --------------------------------------------------------------------------------

# `at`: what the bound depends on.
shard_bound_sums <- function(shard, at) {
  shard$bound <- NULL
  pointer <- shard_bound(shard, at)
  add_to_shard_bound(core_streamed_add_value, shard, pointer, at)
  if (at$derivatives) shard$bound <- list(at = at, pointer = pointer)
  as_sums(core_streamed_sums(pointer))
}

# A shard that is made anew has no bound at these parameters, and needs no sums of it.
shard_bound_adjoints <- function(shard, at, moments) {
  pointer <- if (identical(shard$bound$at, at)) shard$bound$pointer else shard_bound(shard, at)
  shard$bound <- NULL
  core_streamed_begin_gradient(pointer, moments, shard$context)
  add_to_shard_bound(core_streamed_add_gradient, shard, pointer, at)
  as_sums(core_streamed_adjoints(pointer))
}

shard_bound <- function(shard, at) {
  core_streamed_bound(nrow(shard$rows), length(shard$form$columns), at$positions,
    specified_covariance(shard$specification, at$values), at$nugget, at$bound, at$jitter,
    at$derivatives, shard$context)
}

add_to_shard_bound <- function(add, shard, pointer, at) {
  add(pointer, shard_columns(shard$rows, shard$form, "coords"), shard_response(shard, at$unit),
    1 / shard$rows[, shard$form$weights], shard$context)
}

shard_response <- function(shard, unit) {
  columns <- shard_columns(shard$rows, shard$form, "columns")
  columns[, 1L] <- columns[, 1L] * unit
  columns
}

# ---- the second stage of ppgpr() -----------------------------------------------------------------

# The predictive score less the divergence (src/core/variational/predictive_score.h) is a sum, too:
# shards have that of their rows without a divergence, and here is the divergence without rows.

# What gaussian_rows() gives, of shards. `at`: what the bound has found, and where.
stage_in_shards <- function(data, covariance, at) {
  on_shards(data$shards$host, "shard_stage", list(values = covariance$values, at = at,
    unit = bound_unit(data)), makes = TRUE)
  stage_of_shards(data, at)
}

stage_of_shards <- function(data, at) {
  none <- predictive_rows(take_data_rows(data, integer(0)), double(0), double(0), double(0),
    double(0), at$factor, at$positions)
  c(replace(none, "n", row_count(data)), data["shards"])
}

score_over_shards <- function(stage, method, family, covariance, context) {
  divergence_at <- score_of_rows(stage, family_core_name(family), covariance, method$jitter,
    method$kl_weight, context)
  lower <- lower.tri(stage$factor, diag = TRUE)
  function(relative, parameters) {
    found <- divergence_at(relative, parameters)
    sums <- sum_of_shards(stage$shards$host, "shard_predictive_score", list(relative = relative,
      parameters = parameters))$sums
    found$value <- found$value + sums[1L]
    if (!is.finite(found$value)) return(list(value = -Inf))
    entries <- seq_len(sum(lower))
    found$d_factor[lower] <- found$d_factor[lower] + sums[1L + entries]
    found$d_likelihood <- found$d_likelihood + sums[-c(1L, 1L + entries)]
    found
  }
}

shard_stage <- function(shard, values, at, unit) {
  covariance <- specified_covariance(shard$specification, values)
  stage <- gaussian_rows(shard_columns(shard$rows, shard$form, "coords"), shard_response(shard,
    unit), shard$rows[, shard$form$weights], covariance, at, shard$context)
  shard$score_at <- score_of_rows(stage, "gaussian", covariance, at$jitter, 0, shard$context)
  NULL
}

# A score that overflows has no slopes.
shard_predictive_score <- function(shard, relative, parameters) {
  found <- shard$score_at(relative, parameters)
  lower <- lower.tri(relative, TRUE)
  as_sums(if (is.finite(found$value)) c(found$value, found$d_factor[lower],
    found$d_likelihood) else rep(-Inf, 1L + sum(lower) + length(parameters)))
}
