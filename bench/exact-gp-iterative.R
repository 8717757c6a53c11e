# Compares exact_gp(solver = "cg") with the dense solver on simulated rows like those of a road network, and times evaluations and fits.
#
#   Rscript bench/exact-gp-iterative.R errors [rows: 8000] [seeds: 1,2,3] [sets of probes: 8]
#   Rscript bench/exact-gp-iterative.R evaluation [rows: 20000,50000]
#   Rscript bench/exact-gp-iterative.R fit [rows: 50000]

# `errors` compares the log-likelihood at Vecchia's estimates with the dense one, in table exact-gp-errors. `difference`, `std_error` and `errors`
# are those of a fit, which reports it by 64 random probes. `errors` is the difference in standard errors. The last columns are over several sets of
# 64 probes. `errors_rms` is near 1 and `within_error` near .68 if the standard errors are honest, and `mean_difference` is near 0 without a bias.
# `evaluation` times value and gradient, and adds the memory of the process to table exact-gp-evaluations. `fit` does so for a whole fit, with
# NEARGP_THREADS threads.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
core <- function(name) getFromNamespace(name, "neargp")

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

vecchia_fit <- function(rows) {
  neargp(z ~ 1, rows, coords = ~ x + y, covariance = cov_matern(nu = 1.5), method = vecchia(k = 30), threads = bench_threads())
}

problem_at <- function(fit, method) {
  problem <- core("problem_of_fit")(fit)
  problem$method <- method
  problem
}

compare_values <- function(n, seed, sets) {
  method <- exact_gp(solver = "cg")
  problem <- problem_at(vecchia_fit(simulated_roads(n, seed)), method)
  at <- problem$start
  count <- 4L * method$probes
  probes <- core("random_probes")(problem, method$probes + sets * count)[, -seq_len(method$probes)]
  objective <- core("iterative_objective")(problem, at, probes[, seq_len(count)])
  fitted <- timed(found <- objective$evaluate(at))
  dense <- timed(exact <- core("exact_objective")(problem)$evaluate(at)$value)
  # the log determinants of further probes, with the same factor of Vecchia
  values <- core("to_core")(at, problem$layout$transform)
  covariance <- core("problem_covariance")(problem, values)
  nugget <- core("nugget_of")(problem$layout, values)
  system <- core("iterative_system")(problem$data, core("metric_component")(core("covariance_at")(problem, at)), method, problem$context)
  root <- core("iterative_root")(system, covariance, nugget, problem$context)
  log_dets <- matrix(core("iterative_solution")(system, root, covariance, nugget, probes, problem$context)$log_dets, count)
  value <- found$value - 0.5 * (colMeans(log_dets) - mean(log_dets[, 1L]))
  error <- 0.5 * apply(log_dets, 2L, core("error_of_probes"))
  stopifnot(abs(error[1L] - found$value_error) < 1e-6 * error[1L])
  difference <- value - exact
  data.frame(n = n, seed = seed, dense = exact, difference = difference[1L], std_error = error[1L], errors = difference[1L] / error[1L],
    sets = sets, errors_rms = sqrt(mean((difference / error)^2)), within_error = mean(abs(difference) < error), mean_difference = mean(difference),
    mean_se = 0.5 * stats::sd(log_dets) / sqrt(length(log_dets)), cpu_cg = fitted$cpu, cpu_dense = dense$cpu)
}

time_evaluation <- function(n) {
  problem <- problem_at(vecchia_fit(simulated_roads(n)), exact_gp(solver = "cg"))
  taken <- timed(found <- core("likelihood_objective")(problem$method, problem)$evaluate(problem$start, information = TRUE))
  data.frame(what = "value and gradient", n = n, threads = bench_threads(), evaluations = 1L, seconds = taken$elapsed, cpu = taken$cpu,
    mebibytes = peak_mebibytes(), value = found$value, std_error = found$value_error)
}

time_fit <- function(n) {
  taken <- timed(fit <- neargp(z ~ 1, simulated_roads(n), coords = ~ x + y, covariance = cov_matern(nu = 1.5), method = exact_gp(solver = "cg"),
    threads = bench_threads()))
  data.frame(what = "fit", n = n, threads = bench_threads(), evaluations = fit$convergence$evaluations, seconds = taken$elapsed, cpu = taken$cpu,
    mebibytes = peak_mebibytes(), value = c(logLik(fit)), std_error = attr(logLik(fit), "std_error"))
}

# Puts rows into a table, in place of earlier ones of the same `key`.
renew <- function(rows, name, key) {
  case_of <- function(rows) if (is.null(rows)) character(0) else do.call(paste, rows[key])
  known <- read_result(name)
  save_table(rbind(known[!case_of(known) %in% case_of(rows), ], rows), name)
}

describe_run()
what <- argument(1L, "errors")
if (what == "errors") {
  sets <- as.integer(argument(4L, "8"))
  for (seed in as.integer(argument(3L, c("1", "2", "3")))) for (n in as.integer(argument(2L, "8000"))) {
    renew(compare_values(n, seed, sets), "exact-gp-errors", c("n", "seed"))
  }
} else {
  measure <- if (what == "fit") time_fit else time_evaluation
  for (n in as.integer(argument(2L, if (what == "fit") "50000" else c("20000", "50000")))) {
    renew(measure(n), "exact-gp-evaluations", c("what", "n", "threads"))
  }
}
