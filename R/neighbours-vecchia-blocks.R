# vecchia(block = ): blocks of rows share one set of neighbours and condition on each other. The
# density of a block is one factor of a matrix of `k + block` rows (conditioning_blocks.h).

with_blocks <- function(method, block) {
  method$block <- block
  method$label <- sprintf("%s in blocks of %d", method$label, block)
  method
}

# Returns what the neighbours are. Blocks condition on responses alone.
check_block_settings <- function(method, block, inducing, condition) {
  refuse_adam(method, "with blocks")
  if (!identical(as.double(unlist(inducing)), 0)) {
    abort_argument("block", "1 with inducing points", block)
  }
  if (!is.null(condition) && condition != "responses") {
    abort_argument("condition", "\"responses\" with blocks", condition)
  }
  "responses"
}

# Settings of the problem that blocks do not support.
check_blocks <- function(problem) {
  if (!has_blocks(problem$method)) return(invisible())
  without <- c("with several responses"[has_outputs(problem)],
    "with a space-time covariance"[has_space_time(problem$covariance)],
    "where responses are on areas"[!is.null(problem$locations$support)],
    "in a fit by shards"[is_sharded(problem)],
    "with more than 60 coefficients of random effects"[has_effects_pass(problem)],
    "on a GPU"[nzchar(problem$context$device_module)])
  if (length(without)) abort_argument("block", paste("1", without[1L]), problem$method$block)
}

# The rows that the likelihood conditions on: for each row, or for each block. Levels with fewer
# neighbours only find a start, and need no blocks.
conditioning_sets <- function(problem, component, k, order) {
  method <- problem$method
  if (!has_blocks(method) || k < method$k) {
    return(neighbors_in_order(problem, component, k, order))
  }
  release_unused(k * length(order) / method$block)
  core_block_neighbors(core_scale(problem$data$coords, component), order, method$block, k,
    problem$context)
}

blocks_before <- function(problem, component, k, ordering, key) {
  conditioning_sets(problem, component, k, row_order(problem, component, ordering, key, k))
}
