# One evaluation of the likelihood of exact_gp() with Matérn 3/2: its value alone, and the value with gradient and information. The times
# are compared with those of R itself for the factor and the inverse of the same matrix. R uses its LAPACK, which runs on one thread with
# the reference BLAS.
#
#   Rscript bench/exact.R [rows, as 1500,3000]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
arguments <- commandArgs(TRUE)
sizes <- if (length(arguments)) as.integer(strsplit(arguments[[1L]], ",")[[1L]]) else c(1500L, 3000L)
describe_run()

part <- list(family = "matern", variance = 1.3, range = 0.1, group = c(1L, 1L), anisotropy = numeric(), shape = 1.5)
covariance <- neargp:::as_specified(list(components = list(part), active = c(TRUE, TRUE, FALSE, TRUE)))

times <- function(n) {
  set.seed(n)
  coords <- matrix(runif(2L * n), n)
  columns <- cbind(rnorm(n), 1)
  r <- as.matrix(stats::dist(coords)) / 0.1
  S <- 1.3 * (1 + r) * exp(-r) + diag(0.1, n)
  evaluate <- function(information, threads) neargp:::core_exact(coords, columns, rep(1, n), covariance, 0.1, information, neargp:::plain_context(threads))
  work <- list(value = function() evaluate(FALSE, 1L), information = function() evaluate(TRUE, 1L),
    value_2 = function() evaluate(FALSE, 2L), information_2 = function() evaluate(TRUE, 2L),
    r_factor = function() chol(S), r_inverse = function() chol2inv(chol(S)))
  stopifnot(isTRUE(all.equal(work$information(), work$information_2(), tolerance = 0)))
  seconds <- replicate(2L, vapply(work, function(run) {
    took <- system.time(run())
    c(took[["user.self"]] + took[["sys.self"]], took[["elapsed"]])
  }, c(cpu = 0, elapsed = 0)))
  data.frame(n = n, what = names(work), t(apply(seconds, c(1L, 2L), min)), row.names = NULL)
}

print(do.call(rbind, lapply(sizes, times)), digits = 3, row.names = FALSE)
