# The CPU's part of a fit on a GPU, with n = 1,000,000 in the plane and k = 30. It consists of maxmin ordering, ordered neighbours, the
# problem in memory order, and the neighbours of 100,000 predictions. The results are CPU seconds on one thread and on two, the least of
# three rounds in turns. The least elapsed seconds of two threads are recorded as well.
#
# Expected: 10 s of CPU time together (notes/speed.md has ordering and neighbours at k = 20), the same on two threads.
#
#   Rscript bench/cuda-host.R [n] [k]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
given <- as.integer(commandArgs(TRUE))
n <- if (length(given) > 0L) given[1L] else 1000000L
k <- if (length(given) > 1L) given[2L] else 30L

describe_run()
set.seed(1)
coords <- matrix(runif(2L * n), n)
columns <- cbind(rnorm(n), 1)
places <- matrix(runif(2e5), 1e5)

steps_on <- function(threads) {
  ordering <- timed(neargp:::core_order(coords, "maxmin", 0, neargp:::plain_context(threads)))
  neighbors <- timed(neargp:::core_neighbors_before(coords, ordering$value, k, neargp:::plain_context(threads)))
  problem <- timed(neargp:::core_problem(coords, columns, rep(1, n), neighbors$value, neargp:::plain_context(threads)))
  predicted <- timed(neargp:::core_neighbors_to(coords, places, 2L * k, neargp:::plain_context(threads)))
  steps <- list(ordering = ordering, neighbors = neighbors, problem = problem, predictions = predicted)
  data.frame(step = names(steps), threads = threads, cpu_seconds = vapply(steps, `[[`, 0, "cpu"),
    elapsed_seconds = vapply(steps, `[[`, 0, "elapsed"))
}

rounds <- do.call(rbind, lapply(rep(1:2, 3L), steps_on))
measured <- aggregate(cbind(cpu_seconds, elapsed_seconds) ~ step + threads, rounds, min)
save_table(cbind(n = n, k = k, measured), "cuda-host")
