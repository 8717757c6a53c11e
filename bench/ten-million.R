# Ten million locations in the plane: ordering, neighbours and five evaluations of likelihood, gradient and
# information, by the functions that neargp() calls. Prints times and, for each step, the peak memory of the process
# per location; with "fit" as the third argument also those of a whole neargp().
#
#   Rscript bench/ten-million.R [n] [k] [fit]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

arguments <- commandArgs(TRUE)
n <- if (length(arguments) > 0L) as.integer(as.numeric(arguments[[1L]])) else 10000000L
k <- if (length(arguments) > 1L) as.integer(arguments[[2L]]) else 20L
threads <- bench_threads()

# Times an expression, and records the peak of the process's memory meanwhile. Linux starts its count again when 5 is written to clear_refs.
measure <- function(name, expression) {
  gc()
  cat("5", file = "/proc/self/clear_refs")
  result <- timed(expression)
  status <- readLines("/proc/self/status")
  peak <- as.numeric(gsub("[^0-9]", "", grep("^VmHWM", status, value = TRUE))) * 1024
  measured <<- rbind(measured, data.frame(step = name, n = n, k = k, cpu_seconds = result$cpu,
    elapsed_seconds = result$elapsed, peak_bytes_per_row = peak / n))
  invisible(result$value)
}
measured <- NULL

describe_run()
set.seed(1)
coords <- matrix(runif(2 * n), n)
columns <- cbind(rnorm(n), 1)
component <- list(family = "matern", variance = 1, range = 0.05, group = c(1L, 1L), anisotropy = numeric(), shape = 1.5)
covariance <- neargp:::as_specified(list(components = list(component), active = c(TRUE, TRUE, FALSE, TRUE)))
ones <- rep(1, n)

ordering <- measure("maxmin ordering", neargp:::core_order(coords, "maxmin", 0, neargp:::plain_context(threads)))
neighbors <- measure("ordered neighbours", neargp:::core_neighbors_before(coords, ordering, k, neargp:::plain_context(threads)))
rm(ordering)
problem <- measure("problem", neargp:::core_problem(coords, columns, ones, neighbors, neargp:::plain_context(threads)))
rm(neighbors)
measure("five likelihoods with gradient and information",
  for (i in 1:5) neargp:::core_evaluate(problem, covariance, 0.1, TRUE, neargp:::plain_context(threads)))
rm(problem, columns, ones)

if (length(arguments) > 2L) {
  data <- data.frame(x = coords[, 1L], y = coords[, 2L])
  data$z <- with(data, sin(6 * x) * cos(5 * y)) + rnorm(n, sd = 0.3)
  rm(coords)
  fit <- measure("neargp()", neargp(z ~ 1, data, ~ x + y, method = vecchia(k), covariance = cov_matern(nu = 1.5),
    threads = threads))
}
save_table(measured, "ten-million")
