# Networks with weights in general position, and data that vary along a curve.

some_network <- function(widths, activation, seed = 1) {
  count <- sum((utils::head(widths, -1L) + 1) * widths[-1L])
  withr::with_seed(seed, list(widths = as.integer(widths), activation = activation,
    weights = stats::rnorm(count, sd = 0.7)))
}

# The network in base R.
dense_network <- function(inputs, network) {
  values <- inputs
  left <- network$weights
  for (l in seq_along(network$widths)[-1L]) {
    shape <- network$widths[l - 1:0]
    weights <- matrix(left[seq_len(prod(shape))], shape[1L])
    bias <- left[prod(shape) + seq_len(shape[2L])]
    left <- left[-seq_len(prod(shape) + shape[2L])]
    values <- sweep(values %*% weights, 2L, bias, "+")
    if (l < length(network$widths)) {
      values <- if (network$activation == "relu") pmax(values, 0) else tanh(values)
    }
  }
  values
}

# A function that varies along a curve.
curved_data <- function(n = 300, seed = 5) {
  withr::with_seed(seed, {
    data <- data.frame(a = stats::runif(n), b = stats::runif(n), c = stats::runif(n))
    data$z <- 3 + 2 * sin(9 * data$a * data$b) + stats::rnorm(n, sd = 0.2)
    data$count <- stats::rpois(n, exp(1 + sin(9 * data$a * data$b)))
    data
  })
}

network_covariance <- function(layers = c(6, 2), ...) {
  cov_matern(nu = 2.5, warp = mlp(layers, ...))
}
