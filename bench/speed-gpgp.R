# Compares neargp with GpGp, alternating in the same run on one thread. Times are CPU seconds, the least of several rounds. Part (a) is the
# log-likelihood with gradient and information, in microseconds a row. Part (b) is the maxmin ordering and ordered neighbours. Evaluations
# of the likelihood alone, whole fits and predictions are in speed-rivals.R. The expectation comes from a trial of the kernel alone, with
# Matérn 3/2 and k = 30. It is 1.96 microseconds a row with AVX-512, 2.26 with AVX2 and 4.63 with SSE2, against 34 of GpGp.
#
#   OMP_NUM_THREADS=1 Rscript bench/speed-gpgp.R [rows]       50,000 by default

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
source(file.path(bench_folder(), "field.R"))
stop_unless_one_thread()
if (!has_rival("GpGp")) quit("no")
given <- commandArgs(TRUE)
n <- if (length(given)) as.integer(given[1L]) else 50000L
k <- 30L

# One row for each instruction set of neargp; calls on few rows are repeated, being too short for the clock.
evaluation <- function(label, name, family, shape, parameters, rows, rounds, estimated = length(parameters) == 4L) {
  frame <- field$frame[seq_len(rows), ]
  places <- as.matrix(frame[c("x", "y")])
  neighbors <- field$neighbors[, seq_len(rows)]
  table <- cbind(seq_len(rows), t(neighbors))
  X <- matrix(1, rows, 1L)
  component <- list(family = family, variance = 1, range = 0.1, group = c(1L, 1L), anisotropy = double(0), shape = shape)
  covariance <- neargp:::as_specified(list(components = list(component), active = c(TRUE, TRUE, rep(estimated, length(shape)), TRUE)))
  problem <- neargp:::core_problem(places, cbind(frame$z, X), rep(1, rows), neighbors, neargp:::plain_context())
  calls <- max(2L, 100000L %/% rows)
  sets <- neargp:::core_simd_available()
  ours <- lapply(stats::setNames(nm = sets), function(set) function() {
    neargp:::core_set_simd(set)
    cpu_seconds(for (call in seq_len(calls)) neargp:::core_evaluate(problem, covariance, 0.1, TRUE, neargp:::plain_context())) / calls
  })
  theirs <- function() cpu_seconds(GpGp::vecchia_profbeta_loglik_grad_info(parameters, name, frame$z, X, places, table))
  seconds <- compete(rounds, c(ours, GpGp = theirs))
  neargp:::core_set_simd("auto")
  data.frame(task = paste("loglik + gradient + information,", label), instructions = sets, n = rows, unit = "microseconds a row",
    neargp = 1e6 * seconds[sets] / rows, GpGp = 1e6 * seconds[["GpGp"]] / rows, ratio = seconds[["GpGp"]] / seconds[sets])
}

geometry <- function(rounds) {
  places <- as.matrix(field$frame[sample(n), c("x", "y")])
  ours <- function() cpu_seconds({
    order <- neargp:::core_order(places, "maxmin", 0, neargp:::plain_context())
    neargp:::core_neighbors_before(places, order, k, neargp:::plain_context())
  })
  theirs <- function() cpu_seconds({
    order <- GpGp::order_maxmin(places)
    GpGp::find_ordered_nn(places[order, ], k)
  })
  seconds <- compete(rounds, list(neargp = ours, GpGp = theirs))
  data.frame(task = "maxmin ordering + ordered neighbours", instructions = "", n = n, unit = "CPU seconds", neargp = seconds[["neargp"]],
    GpGp = seconds[["GpGp"]], ratio = seconds[["GpGp"]] / seconds[["neargp"]])
}

set.seed(1)
describe_run("GpGp")
field <- simulate_field(n)
tenth <- max(1000L, n %/% 25L)
save_table(rbind(
  evaluation("exponential", "exponential_isotropic", "exponential", double(0), c(1, 0.1, 0.1), n, 5L),
  evaluation("Matern 3/2", "matern15_isotropic", "matern", 1.5, c(1, 0.1, 0.1), n, 5L),
  evaluation("Matern, nu estimated", "matern_isotropic", "matern", 0.8, c(1, 0.1, 0.8, 0.1), tenth, 3L),
  geometry(3L)), "speed-gpgp", digits = 4L)
