# Ten million locations in the plane: ordering, neighbours and five evaluations of likelihood, gradient and
# information, by the functions that neargp() calls. Prints times and the peak memory of the process per location.
#
#   Rscript bench/ten-million.R [n] [k]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

arguments <- commandArgs(TRUE)
n <- if (length(arguments) > 0L) as.integer(as.numeric(arguments[[1L]])) else 10000000L
k <- if (length(arguments) > 1L) as.integer(arguments[[2L]]) else 20L
threads <- bench_threads()

peak_bytes <- function() {
  status <- readLines("/proc/self/status")
  as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) * 1024
}

describe_run()
set.seed(1)
coords <- matrix(runif(2 * n), n)
columns <- cbind(rnorm(n), 1)
component <- list(family = "matern", variance = 1, range = 0.05, group = c(1L, 1L), anisotropy = numeric(), shape = 1.5)
covariance <- list(components = list(component), active = c(TRUE, TRUE, FALSE, TRUE))

ordering <- timed(neargp:::core_order(coords, "maxmin", 0, threads))
neighbors <- timed(neargp:::core_neighbors_before(coords, ordering$value, k, threads))
ordering$value <- NULL
problem <- timed(neargp:::core_problem(coords, columns, rep(1, n), neighbors$value, threads = threads))
neighbors$value <- NULL
evaluation <- timed(for (i in 1:5) neargp:::core_evaluate(problem$value, covariance, 0.1, TRUE, threads))

steps <- list(ordering, neighbors, problem, evaluation)
save_table(data.frame(
  step = c("maxmin ordering", "ordered neighbours", "problem", "five likelihoods with gradient and information"),
  n = n, k = k, cpu_seconds = vapply(steps, `[[`, 0, "cpu"), elapsed_seconds = vapply(steps, `[[`, 0, "elapsed"),
  peak_bytes_per_row = peak_bytes() / n), "ten-million")
