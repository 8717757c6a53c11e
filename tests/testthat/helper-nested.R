# A field with an exponential covariance and noise at uniform places. `seed` chooses it.
data_of_field <- function(seed, n, correlation, noise) {
  withr::local_seed(seed)
  places <- matrix(stats::runif(2L * n), n)
  distances <- as.matrix(stats::dist(places))
  field <- drop(t(chol(correlation(distances) + diag(1e-8, n))) %*% stats::rnorm(n))
  data.frame(x = places[, 1L], y = places[, 2L], z = field + noise * stats::rnorm(n))
}
