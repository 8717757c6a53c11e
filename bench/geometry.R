# Orderings and neighbours of uniform points on one thread. Times are CPU seconds, the least of several rounds in which all packages take
# turns.
# - Part (a) finds the nearest others of each row, and compares with RANN and FNN.
# - Part (b) times what each package does before its first likelihood, n = 50,000: ordering, ordered neighbours and its arrays. GPBoost's
#   search can only be reached by its constructor. The constructor computes a random ordering, ordered neighbours and the distances among them.
# - Part (c) times how ordering and neighbours grow with n. The script ten-million.R goes on from there.
#
# Expected for (a): twice as fast as either package. Expected for (b): 25 times as fast as GpGp. Expected for (c): CPU time close to n log
# n.
#
#   OMP_NUM_THREADS=1 NEARGP_RIVALS=<library> NEARGP_PYTHON=<interpreter with gpboost> Rscript bench/geometry.R [n] [k]
#   defaults: n = 50000, k = 30
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
source(file.path(bench_folder(), "rivals.R"))
stop_unless_one_thread()
given <- as.integer(commandArgs(TRUE))
n <- if (length(given) > 0L) given[1L] else 50000L
k <- if (length(given) > 1L) given[2L] else 30L

uniform <- function(n, dimension) matrix(stats::runif(n * dimension), n)

as_table <- function(work, dimension, seconds) {
  data.frame(work = work, n = n, dimension = dimension, k = k, package = names(seconds), cpu_seconds = seconds,
    ratio = seconds / seconds[["neargp"]])
}

unordered <- function(dimension, rounds = 5L) {
  coords <- uniform(n, dimension)
  contestants <- list(neargp = function() cpu_seconds(neargp:::core_neighbors_others(coords, k, neargp:::plain_context())))
  if (has_rival("RANN")) contestants$RANN <- function() cpu_seconds(RANN::nn2(coords, coords, k + 1L))
  if (has_rival("FNN")) contestants$FNN <- function() cpu_seconds(FNN::get.knn(coords, k))
  as_table("nearest others", dimension, compete(rounds, contestants))
}

prepare_by <- function(coords, ordering) {
  order <- neargp:::core_order(coords, ordering, 1, neargp:::plain_context())
  neighbors <- neargp:::core_neighbors_before(coords, order, k, neargp:::plain_context())
  neargp:::core_problem(coords, matrix(0, nrow(coords), 1L), rep(1, nrow(coords)), neighbors, neargp:::plain_context())
}

prepared <- function(dimension, rounds = 3L) {
  coords <- uniform(n, dimension)
  maxmin <- list(neargp = function() cpu_seconds(prepare_by(coords, "maxmin")))
  if (has_rival("GpGp")) maxmin$GpGp <- function() cpu_seconds(GpGp::find_ordered_nn(coords[GpGp::order_maxmin(coords), ], k))
  random <- list(neargp = function() cpu_seconds(prepare_by(coords, "random")))
  if (with_gpboost) random$GPBoost <- function() gpboost("search", data.frame(coords, 0), k)$construct_seconds
  rbind(
    as_table("maxmin ordering to arrays", dimension, compete(rounds, maxmin)),
    as_table("random ordering to arrays", dimension, compete(rounds, random)))
}

growth <- function(sizes = c(1e4, 1e5, 1e6), k = 20L, rounds = 3L) {
  rows <- lapply(sizes, function(size) {
    coords <- uniform(size, 2L)
    order <- NULL
    seconds <- compete(rounds, list(
      ordering = function() cpu_seconds(order <<- neargp:::core_order(coords, "maxmin", 0, neargp:::plain_context())),
      neighbors = function() cpu_seconds(neargp:::core_neighbors_before(coords, order, k, neargp:::plain_context()))))
    data.frame(n = size, k = k, t(seconds), nanoseconds_by_n_log_n = 1e9 * sum(seconds) / (size * log(size)))
  })
  do.call(rbind, rows)
}

set.seed(1)
with_gpboost <- has_gpboost()
describe_run(Filter(has_rival, c("RANN", "FNN", "GpGp")))
if (with_gpboost) cat("GPBoost", gpboost_version(), "\n")
save_table(rbind(unordered(2L), unordered(3L), prepared(2L), prepared(3L)), "geometry", digits = 4L)
save_table(growth(), "geometry-growth", digits = 4L)
