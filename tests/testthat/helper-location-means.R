# Rows that share locations, and the dense model of all rows in plain R.

repeated_rows <- function(counts = c(1, 2, 5, 12), locations = 16L) {
  set.seed(2)
  stations <- data.frame(x = runif(locations), y = runif(locations))
  index <- rep(seq_len(locations), rep(counts, length.out = locations))
  data <- stations[index, ]
  n <- nrow(data)
  data$year <- factor(2001 + sample(3, n, TRUE))
  data$w <- sample(c(0.5, 1, 3), n, TRUE)
  data$o <- rnorm(n)
  data$z <- rnorm(locations)[index] + 0.5 * as.integer(data$year) + data$o +
    rnorm(n, sd = 1.4 / sqrt(data$w))
  data <- data[sample(n), ]
  rownames(data) <- NULL
  data
}

held_covariance <- cov_exponential(variance = 1, range = 0.3)

dense_exponential <- function(a, b) {
  exp(-sqrt(outer(a$x, b$x, "-")^2 + outer(a$y, b$y, "-")^2) / 0.3)
}

# Likelihoods, coefficients and the field with the trend at new rows, from all rows.
dense_model <- function(data, new, nugget = 2) {
  X <- model.matrix(~ year, data)
  y <- data$z - data$o
  S <- dense_exponential(data, data) + diag(nugget / data$w)
  Q <- solve(S)
  V <- solve(t(X) %*% Q %*% X)
  beta <- drop(V %*% t(X) %*% Q %*% y)
  r <- y - drop(X %*% beta)
  log_det <- as.double(determinant(S)$modulus)
  n <- length(y)
  value <- -0.5 * (n * log(2 * pi) + log_det + drop(r %*% Q %*% r))
  cross <- dense_exponential(new, data)
  X0 <- model.matrix(~ year, new)
  unseen <- X0 - cross %*% Q %*% X
  covariance <- dense_exponential(new, new) - cross %*% Q %*% t(cross) + unseen %*% V %*% t(unseen)
  list(value = value, beta = beta, vcov = V,
    restricted = value + 0.5 * (ncol(X) * log(2 * pi) + as.double(determinant(V)$modulus)),
    mean = unname(drop(X0 %*% beta + cross %*% Q %*% r)) + new$o, covariance = unname(covariance))
}

# Row i from all others, the trend estimated without it.
dense_without <- function(data, i, nugget = 2) {
  model <- dense_model(data[-i, ], data[i, ], nugget)
  c(model$mean, sqrt(model$covariance + nugget / data$w[i]))
}

fit_held <- function(data, method, ...) {
  suppressMessages(neargp(z ~ year + offset(o), data, coords = ~ x + y, weights = w,
    covariance = held_covariance, nugget = 2, method = method, threads = 1L, verbose = FALSE, ...))
}

# The rows `out` from all others, the trend estimated without them.
dense_without_rows <- function(data, out, nugget = 2) {
  model <- dense_model(data[-out, ], data[out, ], nugget)
  list(mean = model$mean, sd = sqrt(diag(model$covariance) + nugget / data$w[out]))
}
