# Compares exact_gp(solver = "cg") with the dense solver, and times one evaluation with many rows like those of a road network.
#
#   Rscript bench/exact-gp-iterative.R 8000
#   Rscript bench/exact-gp-iterative.R 50000 only

# The first call prints the log-likelihood and its standard error, and the dense log-likelihood. With `only`, the script prints seconds and
# memory of one evaluation with its gradient.
#
# Value and gradient by two threads of a loaded machine took 27 s for 8,000 rows, and 375 s by the dense solver. The value was 1.4 standard
# errors below the dense one. 20,000 rows took 19 s and 225 MiB, and 50,000 rows took 309 s and 409 MiB. The times vary with the load.

library(neargp)

# Roads are random walks of 50 steps in a square, on which elevations vary smoothly.
simulated_roads <- function(n, seed = 1L) {
  set.seed(seed)
  roads <- ceiling(n / 50)
  turn <- apply(matrix(rnorm(roads * 50L, sd = 0.15), 50L), 2L, cumsum)
  heading <- sweep(turn, 2L, runif(roads, 0, 2 * pi), "+")
  x <- sweep(apply(cos(heading), 2L, cumsum) * 0.0005, 2L, runif(roads), "+")
  y <- sweep(apply(sin(heading), 2L, cumsum) * 0.0005, 2L, runif(roads), "+")
  places <- cbind(c(x), c(y))[seq_len(n), ]
  waves <- matrix(rt(400L, 3) * 12, 200L)
  phase <- runif(200L, 0, 2 * pi)
  z <- rowSums(cos(sweep(tcrossprod(places, waves), 2L, phase, "+"))) / 10
  data.frame(x = places[, 1L], y = places[, 2L], z = z + rnorm(n, sd = 0.1))
}

peak_mebibytes <- function() {
  line <- grep("VmHWM", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

arguments <- commandArgs(TRUE)
n <- if (length(arguments)) as.integer(arguments[1L]) else 8000L
rows <- simulated_roads(n)
near <- neargp(z ~ 1, rows, coords = ~ x + y, covariance = cov_matern(nu = 1.5),
  method = vecchia(k = 30), threads = 2)
cat(sprintf("%d rows; Vecchia's fit takes %.1f s\n", n, near$elapsed[["total"]]))

problem <- neargp:::problem_of_fit(near)
problem$method <- exact_gp(solver = "cg")
objective <- neargp:::likelihood_objective(problem$method, problem)
seconds <- system.time(found <- objective$evaluate(problem$start, information = TRUE))[["elapsed"]]
cat(sprintf("cg: log-likelihood %.3f, standard error %.3f; value and gradient in %.1f s; peak memory %.0f MiB\n",
  found$value, found$value_error, seconds, peak_mebibytes()))
if (!"only" %in% arguments) {
  seconds <- system.time(
    dense <- neargp:::exact_objective(problem)$evaluate(problem$start, information = TRUE)
  )[["elapsed"]]
  cat(sprintf("dense: log-likelihood %.3f in %.1f s; difference %.3f, %.2f standard errors\n",
    dense$value, seconds, found$value - dense$value, (found$value - dense$value) / found$value_error))
  gap <- (found$gradient - dense$gradient) / sqrt(diag(dense$information))
  cat("gradient, difference in standard deviations of the score:",
    format(gap[problem$free], digits = 2), "\n")
}
