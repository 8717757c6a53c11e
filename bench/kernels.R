# Times of the local computations alone, in microseconds a row: by instruction set, for large conditioning sets in eight dimensions, and
# with two threads. They are CPU seconds of one thread (elapsed for two), the least of several repetitions. For large sets the floor is
# k^3 / 3 operations a row at 51 Gflop/s. One core of the machine of notes/speed.md reaches this rate in large double-precision matrix
# products.
#
#   Rscript bench/kernels.R
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

component <- function(dim, shape) {
  list(family = "matern", variance = 1.3, range = if (dim > 3L) rep(0.8, dim) else 0.1,
    group = if (dim > 3L) seq_len(dim) else rep(1L, dim), anisotropy = numeric(), shape = shape)
}

# Value, information and adjoint gradient over `rows` rows of a problem, each as microseconds a row.
kernel_times <- function(problem, rows, part, estimated, repetitions) {
  covariance <- neargp:::as_specified(list(components = list(part), active = c(TRUE, rep(TRUE, length(part$range)), estimated, TRUE)))
  per_row <- function(seconds) 1e6 * seconds / rows
  data.frame(
    value = per_row(least(repetitions, neargp:::core_evaluate(problem, covariance, 0.1, FALSE, neargp:::plain_context()))),
    information = per_row(least(repetitions, neargp:::core_evaluate(problem, covariance, 0.1, TRUE, neargp:::plain_context()))),
    gradient = per_row(least(repetitions, neargp:::core_gradient(problem, covariance, 0.1, 0, neargp:::plain_context()))))
}

planar_problem <- function(n, k) {
  coords <- matrix(stats::runif(2L * n), n)
  order <- neargp:::core_order(coords, "maxmin", 0, neargp:::plain_context())
  neargp:::core_problem(coords, cbind(stats::rnorm(n), 1), rep(1, n), neargp:::core_neighbors_before(coords, order, k, neargp:::plain_context()),
    neargp:::plain_context())
}

by_instruction_set <- function(n = 50000L, k = 30L) {
  problem <- planar_problem(n, k)
  rows <- lapply(neargp:::core_simd_available(), function(set) {
    neargp:::core_set_simd(set)
    rbind(
      data.frame(instructions = set, covariance = "Matern 3/2", kernel_times(problem, n, component(2L, 1.5), FALSE, 5L)),
      data.frame(instructions = set, covariance = "smoothness estimated", kernel_times(problem, n, component(2L, 0.8), TRUE, 5L)))
  })
  neargp:::core_set_simd("auto")
  save_table(do.call(rbind, rows), "kernels-instruction-sets", digits = 3L)
}

large_sets <- function(n = 20000L, dim = 8L) {
  coords <- matrix(stats::runif(dim * n), n)
  targets <- seq_len(2048L)
  rows <- lapply(c(64L, 128L, 256L), function(k) {
    neighbors <- as.matrix(neargp:::core_neighbors_to(coords, coords[targets, ], k + 1L, neargp:::plain_context()))[-1L, ]
    problem <- neargp:::core_problem(coords, cbind(stats::rnorm(n), 1), rep(1, n), neighbors, neargp:::plain_context(), targets)
    data.frame(k = k, kernel_times(problem, length(targets), component(dim, 2.5), FALSE, 3L), floor = k^3 / 3 / 51e3)
  })
  save_table(do.call(rbind, rows), "kernels-large-sets", digits = 3L)
}

two_threads <- function(n = 200000L, k = 30L) {
  problem <- planar_problem(n, k)
  covariance <- neargp:::as_specified(list(components = list(component(2L, 1.5)), active = c(TRUE, TRUE, FALSE, TRUE)))
  evaluate <- function(threads) neargp:::core_evaluate(problem, covariance, 0.1, TRUE, neargp:::plain_context(threads))
  stopifnot(identical(evaluate(1L), evaluate(2L)))
  seconds <- vapply(1:2, function(threads) least(5L, evaluate(threads), "elapsed"), 0)
  save_table(data.frame(threads = 1:2, n = n, elapsed_seconds = seconds, ratio = seconds[1L] / seconds), "kernels-threads", digits = 3L)
}

set.seed(1)
describe_run()
by_instruction_set()
large_sets()
two_threads()
