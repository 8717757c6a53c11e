# A response that bends more at one side, with a scatter that grows along another coordinate.
bent_data <- function(n = 240L, seed = 1) {
  set.seed(seed)
  d <- data.frame(x1 = runif(n), x2 = runif(n, 0, 100), w = rep(c(1, 4), length.out = n))
  d$y <- 50 + 4 * sin(8 * d$x1^2) + rnorm(n, sd = 0.2 + d$x2 / 100)
  d
}

# A short fit, without the warning of few rows.
fit_deep <- function(method = short_dspp(), data = bent_data(), ..., formula = y ~ 1,
                     coords = ~ x1 + x2, threads = 1L) {
  suppressWarnings(neargp(formula, data, coords = coords, method = method, threads = threads, ...),
    classes = "neargp_warning_deep")
}

# The package's mixture of the linear predictor at new rows.
latent_mixture <- function(fit, newdata) {
  target <- new_target(fit, newdata)
  deep_mixture(fit$method, fit, target$coords, target$X, target$offset, plain_context())
}

short_dspp <- function(width = 2L, inducing = 12L, epochs = 8L, batch_size = 64L, restarts = 1L,
                       regularization = 0.5, seed = 3L, ...) {
  dspp(width = width, inducing = inducing, epochs = epochs, batch_size = batch_size,
    restarts = restarts, regularization = regularization, seed = seed, ...)
}

short_dgp <- function(width = 2L, inducing = 10L, samples = 3L, epochs = 6L, batch_size = 64L,
                      restarts = 1L, seed = 3L, ...) {
  dgp(width = width, inducing = inducing, samples = samples, epochs = epochs,
    batch_size = batch_size, restarts = restarts, seed = seed, ...)
}

# The mixture of new observations by dense matrices, in the unit of the response: a list of means,
# variances and weights.
dense_deep_mixture <- function(fit, newdata) {
  deep <- fit$deep
  x <- as.matrix(newdata[fit$locations$raw_names])
  x <- sweep(sweep(x, 2L, colMeans(fit$data$coords)), 2L, apply(fit$data$coords, 2L, sd), "/")
  at <- dense_components(deep$prediction, unname(x))
  center <- mean(fit$data$y)
  scale <- sd(fit$data$y)
  list(mean = center + scale * vapply(at, function(one) one$mean[, 1L], double(nrow(x))),
    variance = scale^2 * vapply(at, function(one) one$variance[, 1L], double(nrow(x))),
    weights = exp(deep$prediction$log_weights))
}
