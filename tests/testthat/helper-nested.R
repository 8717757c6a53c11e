# A field with an exponential covariance and noise at uniform locations. `seed` chooses it.
data_of_field <- function(seed, n, correlation, noise) {
  withr::local_seed(seed)
  places <- matrix(stats::runif(2L * n), n)
  distances <- as.matrix(stats::dist(places))
  field <- drop(t(chol(correlation(distances) + diag(1e-8, n))) %*% stats::rnorm(n))
  data.frame(x = places[, 1L], y = places[, 2L], z = field + noise * stats::rnorm(n))
}

# A rough field `f` at 200 locations, covariate `w` and an ordered response of three levels.
ordinal_field <- function(seed) {
  withr::local_seed(seed)
  data <- data.frame(x = stats::runif(200), y = stats::runif(200), w = stats::rnorm(200))
  distances <- as.matrix(stats::dist(data[1:2]))
  field <- drop(t(chol(0.5 * exp(-distances / 0.3) + diag(1e-8, 200))) %*% stats::rnorm(200))
  eta <- field + 0.3 * data$w + 0.4 * stats::rlogis(200)
  data$o <- factor(findInterval(eta, c(-0.7, 0.4)), ordered = TRUE)
  data
}
