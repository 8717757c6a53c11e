# The bound of svgp() over rows in shards: its sums over rows, and those of its gradient, are added
# along the tree of shards. All that follows from sums, and what is of the inducing points alone, is
# computed here, by a bound that has no rows of its own (src/core/variational/streamed_bound.h).

# The problem with its rows in shards, of which the bound is made. Parts of its rows are in memory.
with_bound_in_shards <- function(problem) {
  check_bound_in_shards(problem$data)
  problem$data$shards <- list(host = host_of_problem(problem),
    unit = problem$data$basis$unit %||% 1)
  problem
}

check_bound_in_shards <- function(data) {
  if (is.null(data$noise)) return(invisible())
  abort_neargp("cluster", c("svgp() has no shards of rows with noise of their own.",
    i = "Leave out `cluster` and neargp_control(shards = ), or take vecchia()."))
}

# As bound_over_rows(). Shards have the response in the unit of the fit.
bound_in_shards <- function(data, method, context) {
  host <- data$shards$host
  unit <- data$shards$unit / (data$basis$unit %||% 1)
  function(covariance, nugget, positions, derivatives) {
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
  list(failed = 0, size = 0, sums = core_streamed_sums(pointer))
}

# A shard that is made anew has no bound at these parameters, and needs no sums of it.
shard_bound_adjoints <- function(shard, at, moments) {
  pointer <- if (identical(shard$bound$at, at)) shard$bound$pointer else shard_bound(shard, at)
  shard$bound <- NULL
  core_streamed_begin_gradient(pointer, moments, shard$context)
  add_to_shard_bound(core_streamed_add_gradient, shard, pointer, at)
  list(failed = 0, size = 0, sums = core_streamed_adjoints(pointer))
}

shard_bound <- function(shard, at) {
  core_streamed_bound(nrow(shard$rows), length(shard$form$columns), at$positions,
    specified_covariance(shard$specification, at$values), at$nugget, at$bound, at$jitter,
    at$derivatives, shard$context)
}

add_to_shard_bound <- function(add, shard, pointer, at) {
  columns <- shard_columns(shard$rows, shard$form, "columns")
  columns[, 1L] <- columns[, 1L] * at$unit
  add(pointer, shard_columns(shard$rows, shard$form, "coords"), columns,
    1 / shard$rows[, shard$form$weights], shard$context)
}
