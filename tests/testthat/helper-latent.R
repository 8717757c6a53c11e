# Counts, amounts and classes that follow one smooth field.

latent_data <- function(n, seed = 41) {
  withr::local_seed(seed)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), height = stats::rnorm(n))
  eta <- 1 + sin(6 * data$x) + 0.5 * cos(5 * data$y) + 0.3 * data$height
  data$count <- stats::rpois(n, exp(eta))
  data$amount <- stats::rgamma(n, 3, scale = exp(eta) / 3)
  data$class <- factor(ifelse(stats::runif(n) < stats::plogis(eta - 1), "yes", "no"))
  data
}

latent_fit <- function(formula, family, data) {
  neargp(formula, data, coords = ~ x + y, method = vnngp(k = 10), family = family,
    covariance = cov_exponential())
}
