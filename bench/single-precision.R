# The cost of single precision: errors of Vecchia's log-likelihood, of its derivative in the log of the range and of the information.
# Matrices in single precision are compared with matrices in double. The covariance is Matérn 3/2 at 3,000 uniform points in the unit
# square, k = 30, and the data are drawn from the model.
#
#   Rscript bench/single-precision.R
options(width = 160L)
Rcpp::sourceCpp("bench/single-precision.cpp")

set.seed(1)
n <- 3000
k <- 30
points <- cbind(runif(n), runif(n))
distances <- as.matrix(dist(points))
neighbors <- t(vapply((k + 1):n, function(row) order(distances[row, seq_len(row - 1)])[seq_len(k)], integer(k)))

cases <- expand.grid(range = c(0.05, 0.3), nugget = c(1, 0.1, 0.01, 1e-3, 1e-4))
rows <- lapply(seq_len(nrow(cases)), function(case) {
  range <- cases$range[case]
  nugget <- cases$nugget[case]
  y <- drop(crossprod(chol((1 + distances / range) * exp(-distances / range) + diag(nugget, n)), rnorm(n)))
  exact <- vecchia_terms(points, y, neighbors, range, nugget, FALSE)
  single <- vecchia_terms(points, y, neighbors, range, nugget, TRUE)
  data.frame(range, nugget, log_likelihood = exact[1], error = single[1] - exact[1],
    score_error_in_standard_errors = (single[2] - exact[2]) / sqrt(exact[3]), information_error = single[3] / exact[3] - 1, failed = single[4])
})
print(do.call(rbind, rows), digits = 2, row.names = FALSE)
