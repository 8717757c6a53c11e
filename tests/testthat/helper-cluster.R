# Workers that are forked start in some hundredths of a second, find the package as it is here, and
# end with the test.
local_workers <- function(count, env = parent.frame()) {
  skip_on_os("windows")
  cluster <- parallel::makeForkCluster(count)
  # a worker that was killed has no end to be written to
  withr::defer(for (i in seq_len(count)) {
    try(suppressWarnings(parallel::stopCluster(cluster[i])), silent = TRUE)
    try(close(cluster[[i]]$con), silent = TRUE)
  }, envir = env)
  cluster
}
