# Exact neighbours in many dimensions. The package's kd-tree is compared with FAISS's flat index with certified candidates, and with "auto",
# which tries both. These are values of neighbor_search in neargp_control(). Times are CPU microseconds a query on one thread. The searches
# take turns, and the least of two rounds counts.
#
# Queries are groups of 16 that lie close together, as in a search for the neighbours of all rows. The seconds to build the tree or the
# index are separate results. The column auto_over_best is the whole time of "auto" over that of the faster search. The trial of "auto"
# weighs more here, with 2,048 queries, than where all rows are queries. For all of covtype the queries are too few for a trial, and "auto"
# is the tree.
#
# The set covtype is standardised, as a fit starts. It is also scaled by the ranges that a short fit of loo_k() finds for pine forest. The
# set kin40k is standardised. Normal variates fill all their dimensions.
#
# Expected: FAISS costs 2 n d / (rate of the BLAS) a query, whatever the data. For the 581,012 rows of covtype this is 12 ms with a
# reference BLAS at 5 Gflop/s, and 1 ms with an optimised one at 60 Gflop/s. The time of the tree depends on how many dimensions the data
# fill. It is much less than that of FAISS under fitted ranges, which make few inputs count. Where the tree excludes nothing, it is 3 ns a
# coordinate of each point.
#
#   OMP_NUM_THREADS=1 Rscript bench/neighbors-high-dimension.R [k, default 32] [groups of queries, default 128]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
stop_unless_one_thread()
given <- as.integer(commandArgs(TRUE))
k <- if (length(given) > 0L) given[1L] else 32L
groups <- if (length(given) > 1L) given[2L] else 128L

search <- function(name, points, queries) {
  as.matrix(neargp:::core_neighbors_to(points, queries, k, neargp:::new_context(1L, search = name)))
}

close_queries <- function(points) {
  seeds <- points[sample(nrow(points), groups), , drop = FALSE]
  points[as.matrix(neargp:::core_neighbors_to(points, seeds, 16L, neargp:::plain_context(2L))), , drop = FALSE]
}

compare <- function(set, points) {
  set.seed(1)
  queries <- close_queries(points)
  found <- list()
  run <- function(name) function() cpu_seconds(found[[name]] <<- search(name, points, queries))
  build <- function(name) function() cpu_seconds(search(name, points, queries[1L, , drop = FALSE]))
  names <- c("kd-tree", "faiss", "auto")
  seconds <- compete(2L, stats::setNames(lapply(names, run), names))
  stopifnot(identical(found[[1L]], found[[2L]]), identical(found[[1L]], found[[3L]]))
  built <- compete(2L, list(tree = build("kd-tree"), faiss = build("faiss")))
  micro <- function(name, built) round(1e6 * (seconds[[name]] - built) / nrow(queries), 1L)
  data.frame(set = set, n = nrow(points), dimension = ncol(points), tree = micro("kd-tree", built[["tree"]]),
    faiss = micro("faiss", built[["faiss"]]), build_tree = round(built[["tree"]], 2L), build_faiss = round(built[["faiss"]], 2L),
    auto_over_best = round(seconds[["auto"]] / min(seconds[["kd-tree"]], seconds[["faiss"]]), 2L))
}

standardized <- function(set, inputs) {
  x <- scale(as.matrix(bench_data(set)[inputs]))
  unname(x[, apply(x, 2L, function(column) all(is.finite(column)))])
}

# The inputs divided by the ranges of a fit to some of the rows.
with_fitted_ranges <- function(inputs, response, rows = 10000L) {
  set.seed(2)
  some <- sample(nrow(inputs), rows)
  known <- apply(inputs[some, ], 2L, stats::sd) > 0
  inputs <- inputs[, known]
  data <- data.frame(inputs[some, ], y = factor(response[some]))
  fit <- neargp(y ~ 1, data, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), family = binomial(), verbose = FALSE,
    method = loo_k(k, "label", "adam", steps = 400L), threads = 2L)
  neargp:::core_scale(inputs, neargp:::metric_component(fit$core_covariance))
}

normal <- function(n, dimension) matrix(stats::rnorm(n * dimension), n)

covtype <- bench_data("covtype")
inputs <- unname(scale(as.matrix(covtype[1:54])))
shuffled <- local({ set.seed(3); sample(nrow(inputs)) })
fitted_inputs <- with_fitted_ranges(inputs, covtype$pine)
table <- rbind(
  compare("covtype", inputs[shuffled[1:50000], ]), compare("covtype", inputs),
  compare("covtype, fitted ranges", fitted_inputs[shuffled[1:50000], ]), compare("covtype, fitted ranges", fitted_inputs),
  compare("kin40k", standardized("kin40k", 1:8)),
  compare("normal", normal(50000L, 8L)), compare("normal", normal(50000L, 12L)), compare("normal", normal(50000L, 20L)),
  compare("normal", normal(50000L, 54L)))
blas <- if (grepl("openblas", utils::sessionInfo()$BLAS)) "openblas" else "reference-blas"
cat("BLAS of R:", utils::sessionInfo()$BLAS, "\n")
print(table, row.names = FALSE)
save_result(table, paste0("neighbors-high-dimension-", blas))
