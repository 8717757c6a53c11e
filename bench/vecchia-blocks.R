# Measures vecchia(block = ) against vecchia() without blocks.
# - Part (a) is the Kullback-Leibler divergence of the approximation from the exact density, relative to k = 30, n = 800. The covariances are
#   exponential, Matérn 3/2 and 5/2 of range 0.1, with noise 0, 0.1 and 1. Locations are uniform, or in clusters.
# - Part (b) is the CPU time of an evaluation and of the search for neighbours on one thread, n = 20,000, Matérn 3/2. An evaluation is the
#   log-likelihood alone, or with gradient and information. Settings take turns.
#
# Expected for 4 rows with 44 neighbours: a divergence of 0.64 for uniform locations and of 0.56 in clusters. Expected for an evaluation:
# 1.6 times as fast for values, and 1.3 times with information.
#
#   OMP_NUM_THREADS=1 Rscript bench/vecchia-blocks.R

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
stop_unless_one_thread()
context <- neargp:::plain_context()
settings <- list("k = 20" = c(1L, 20L), "k = 30" = c(1L, 30L), "k = 36" = c(1L, 36L), "4 rows, K = 40" = c(4L, 40L),
  "4 rows, K = 44" = c(4L, 44L), "8 rows, K = 56" = c(8L, 56L))

neighbors_of <- function(coords, setting) {
  order <- neargp:::core_order(coords, "maxmin", 0, context)
  if (setting[1L] == 1L) return(neargp:::core_neighbors_before(coords, order, setting[2L], context))
  neargp:::core_block_neighbors(coords, order, setting[1L], setting[2L], context)
}

problem_of <- function(coords, values, neighbors) {
  neargp:::local_problem(list(coords = coords, y = values, offset = 0, weights = rep(1, nrow(coords)), X = matrix(0, nrow(coords), 0L)),
    neighbors, context)
}

matern <- function(shape) {
  component <- list(family = "matern", variance = 1, range = 0.1, group = c(1L, 1L), anisotropy = double(0), shape = shape)
  neargp:::as_specified(list(components = list(component)))
}

# ---- (a) divergence ----

clusters <- function(n) {
  centres <- matrix(runif(400L), 200L)
  own <- sample(200L, n, replace = TRUE, prob = 1 / seq_len(200L))
  centres[own, ] + rnorm(2L * n, sd = 0.01)
}

exact_log_det <- function(distances, shape, noise) {
  r <- distances / 0.1
  correlation <- exp(-r) * switch(as.character(shape), "0.5" = 1, "1.5" = 1 + r, "2.5" = 1 + r + r^2 / 3)
  2 * sum(log(diag(chol(correlation + diag(noise, nrow(r))))))
}

divergences <- function(name, coords) {
  problems <- lapply(settings, function(setting) problem_of(coords, double(nrow(coords)), neighbors_of(coords, setting)))
  distances <- as.matrix(stats::dist(coords))
  ratios <- NULL
  for (shape in c(0.5, 1.5, 2.5)) for (noise in c(0, 0.1, 1)) {
    log_det <- vapply(problems, function(problem) neargp:::core_evaluate(problem, matern(shape), noise, FALSE, context)$log_det, 0)
    loss <- log_det - exact_log_det(distances, shape, noise)
    ratios <- rbind(ratios, loss / loss[["k = 30"]])
  }
  data.frame(locations = name, setting = names(settings), geometric_mean = exp(colMeans(log(ratios))), largest = apply(ratios, 2L, max),
    row.names = NULL)
}

# ---- (b) time ----

times <- function(n, rounds = 3L) {
  coords <- matrix(runif(2L * n), n)
  tables <- lapply(settings, function(setting) neighbors_of(coords, setting))
  problems <- lapply(tables, function(table) problem_of(coords, rnorm(n), table))
  evaluate <- function(problem, information) {
    cpu_seconds(for (call in 1:5) neargp:::core_evaluate(problem, matern(1.5), 0.1, information, context)) / 5
  }
  seconds <- function(measure) {
    1e6 / n * apply(replicate(rounds, vapply(names(settings), measure, 0)), 1L, min)
  }
  data.frame(n = n, setting = names(settings), value = seconds(function(name) evaluate(problems[[name]], FALSE)),
    with_information = seconds(function(name) evaluate(problems[[name]], TRUE)),
    search = seconds(function(name) cpu_seconds(neighbors_of(coords, settings[[name]]))))
}

describe_run()
set.seed(1)
save_table(rbind(divergences("uniform", matrix(runif(1600L), 800L)), divergences("clusters", clusters(800L))), "vecchia-blocks-divergence",
  digits = 3L)
save_table(times(20000L), "vecchia-blocks-time", digits = 4L)
