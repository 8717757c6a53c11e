# Data from a known model, small enough for a dense factor. R's generator is put back afterwards.
simulated_data <- function(n = 200, seed = 1, family = "exponential", shape = NULL, variance = 2,
                           range = 0.2, nugget = 0.1, slope = 1.5) {
  withr::local_seed(seed)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), height = stats::rnorm(n),
    group = factor(sample(c("a", "b", "c"), n, replace = TRUE)))
  S <- variance * dense_correlation(family, as.matrix(stats::dist(data[1:2])) / range, shape)
  data$z <- 3 + slope * data$height + drop(crossprod(chol(S + diag(1e-10, n)), stats::rnorm(n))) +
    stats::rnorm(n, sd = sqrt(nugget))
  data
}

simulated_sf <- function(..., crs = 32633, scale = 1000) {
  testthat::skip_if_not_installed("sf")
  data <- simulated_data(...)
  data$x <- data$x * scale
  data$y <- data$y * scale
  sf::st_as_sf(data, coords = c("x", "y"), crs = crs)
}

small_field <- function(n = 150, seed = 21) {
  set.seed(seed)
  coords <- cbind(x = runif(n, 0, 10), y = runif(n, 0, 6))
  list(coords = coords, values = sin(coords[, 1]) + rnorm(n, sd = 0.3))
}
