# One evaluation of the ELBO of svgp() with its gradient. It is compared with the time that its products alone would take at the rate of the
# package's matrix product. This rate is measured between the evaluations. Times are CPU seconds of one thread. With M inducing points and
# the standard ELBO, a row takes 4 M^2 multiplications and additions, for a triangular solve, a rank update and a product. The tight ELBO
# takes 6 M^2, for a solve and a rank update more.
#
#   Rscript bench/svgp-million.R [rows: 100000] [inducing points: 512] [coordinates: 3] [rounds: 3]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

n <- as.integer(argument(1L, "100000"))
points <- as.integer(argument(2L, "512"))
coordinates <- as.integer(argument(3L, "3"))
rounds <- as.integer(argument(4L, "3"))

# Eigen's product as the package has it on processors with AVX2, or with what options(neargp.blas = ) chooses.
Sys.setenv(PKG_CXXFLAGS = if (neargp:::core_simd() == "sse2") "-O2" else "-O2 -mavx2 -mfma")
Rcpp::sourceCpp(code = "
// [[Rcpp::depends(RcppEigen)]]
#include <RcppEigen.h>
// [[Rcpp::export]]
double product_sum(int m, int columns, int times) {
  Eigen::MatrixXd a = Eigen::MatrixXd::Random(m, m), b = Eigen::MatrixXd::Random(m, columns), c(m, columns);
  for (int i = 0; i < times; ++i) c.noalias() = a * b;
  return c.sum();
}")

gemm_rate <- function(columns, seconds = 1) {
  times <- ceiling(seconds * 3e10 / (2 * points^2 * columns))
  2 * points^2 * columns * times / cpu_seconds(product_sum(points, columns, times))
}

set.seed(1)
coords <- matrix(stats::runif(n * coordinates), n)
columns <- cbind(sin(4 * coords[, 1L]) + stats::rnorm(n, sd = 0.1), 1)
inducing <- coords[seq_len(points), ] + 0.01
small <- data.frame(coords[1:200, ], y = columns[1:200, 1L])
covariance <- neargp(y ~ 1, small, coords = ~ ., method = exact_gp(), nugget = 0.01,
  covariance = cov_matern(nu = 2.5, variance = 1, range = 0.5))$core_covariance
covariance$active <- c(TRUE, TRUE, FALSE, TRUE)  # the smoothness is held
covariance <- neargp:::as_specified(covariance)
weight <- rep(1, n)

evaluate <- function(bound, derivatives) {
  cpu_seconds(neargp:::core_collapsed_bound(coords, columns, 0L, weight, inducing, covariance, 0.01, bound, 1e-6, derivatives, neargp:::plain_context()))
}

cases <- expand.grid(bound = c("standard", "tight"), derivatives = c(FALSE, TRUE), stringsAsFactors = FALSE)
cases$products <- c(2, 2, 4, 6)  # of M^2 operations
seconds <- rate <- matrix(NA_real_, rounds, nrow(cases))
for (round in seq_len(rounds)) for (case in seq_len(nrow(cases))) {
  before <- gemm_rate(256L)
  seconds[round, case] <- evaluate(cases$bound[case], cases$derivatives[case])
  rate[round, case] <- max(before, gemm_rate(256L))
}
results <- data.frame(rows = n, inducing = points, coordinates = coordinates, cases[c("bound", "derivatives", "products")],
  cpu = apply(seconds, 2L, min), gemm_gflops = 1e-9 * apply(rate, 2L, max))
results$cpu_of_products <- results$products * points^2 * n / (1e9 * max(results$gemm_gflops))
results$ratio <- results$cpu / results$cpu_of_products
describe_run()
save_table(results, paste0("svgp-million-", format(n, scientific = FALSE)))
