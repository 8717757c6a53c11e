# Workers that are forked start in some hundredths of a second, find the package as it is here, and
# end with the test.
local_workers <- function(count, env = parent.frame()) {
  skip_on_os("windows")
  cluster <- parallel::makeForkCluster(count)
  # nothing can be written to a worker that was killed
  withr::defer(for (i in seq_len(count)) {
    try(suppressWarnings(parallel::stopCluster(cluster[i])), silent = TRUE)
    try(close(cluster[[i]]$con), silent = TRUE)
  }, envir = env)
  cluster
}

# The entries `at` of an objective's gradient are central differences of its value.
expect_gradient_of_differences <- function(objective, theta, at) {
  differences <- vapply(at, function(i) {
    h <- replace(0 * theta, i, 1e-5)
    (objective$evaluate(theta + h)$value - objective$evaluate(theta - h)$value) / 2e-5
  }, 0)
  testthat::expect_equal(objective$gradient(theta)[at], differences, tolerance = 1e-6)
}

# How many sets of shards, and plans of predictions, each worker still holds.
held_by_workers <- function(cluster) {
  parallel::clusterEvalQ(cluster, {
    state <- neargp:::process_state
    length(state$shards) + length(state$plans)
  })
}
