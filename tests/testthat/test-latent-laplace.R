# The slope and the curvature of a log density at eta by differences would lose digits: family
# -> list(value, slope, curvature) of responses `y`.
log_density_parts <- function(family, y, eta, size) {
  switch(family,
    binary = {
      share <- plogis(eta)
      list(sum(dbinom(y, 1, share, log = TRUE)), y - share, share * (1 - share))
    },
    poisson = list(sum(dpois(y, exp(eta), log = TRUE)), y - exp(eta), exp(eta)),
    negative_binomial = {
      mu <- exp(eta)
      list(sum(dnbinom(y, size = size, mu = mu, log = TRUE)), size * (y - mu) / (mu + size),
        size * mu * (y + size) / (mu + size)^2)
    })
}

# Laplace's approximation of the log evidence by dense matrices, with the field at its mode given
# the trend. parameters: log variance, log range, (log size,) coefficients.
dense_laplace <- function(parameters, family, y, X, distances) {
  p <- length(parameters)
  size <- if (p > ncol(X) + 2L) exp(parameters[3L])
  trend <- drop(X %*% parameters[(p - ncol(X) + 1L):p])
  n <- length(y)
  K <- exp(parameters[1L]) * (exp(-distances / exp(parameters[2L])) + diag(1e-8, n))
  field <- numeric(n)
  for (step in 1:100) {
    parts <- log_density_parts(family, y, trend + field, size)
    W <- parts[[3L]]
    B <- diag(n) + sqrt(W) * t(sqrt(W) * K)
    target <- W * field + parts[[2L]]
    alpha <- target - sqrt(W) * solve(B, sqrt(W) * drop(K %*% target))
    moved <- drop(K %*% alpha)
    done <- max(abs(moved - field)) < 1e-10
    field <- moved
    if (done) break
  }
  log_density_parts(family, y, trend + field, size)[[1L]] - sum(alpha * field) / 2 -
    as.numeric(determinant(B)$modulus) / 2
}

laplace_data <- function(n = 150) {
  withr::with_seed(2, {
    d <- data.frame(x = runif(n), y = runif(n), u = rnorm(n))
    K <- exp(-as.matrix(dist(d[c("x", "y")])) / 0.15) + diag(1e-8, n)
    field <- drop(crossprod(chol(K), rnorm(n)))
    d$binary <- as.numeric(runif(n) < plogis(0.3 + 1.2 * d$u + 1.3 * field))
    d$poisson <- rpois(n, exp(-0.3 + 0.5 * d$u + 0.8 * field))
    d$negative_binomial <- rnbinom(n, size = 1, mu = exp(0.5 + 0.5 * d$u + 0.8 * field))
  })
  d
}

expect_dense_laplace <- function(name, family) {
  d <- laplace_data()
  distances <- as.matrix(dist(d[c("x", "y")]))
  # trial values of a line search can be out of reach of Newton's steps
  value <- function(p) {
    tryCatch(dense_laplace(p, name, d[[name]], cbind(1, d$u), distances),
      error = function(e) -Inf)
  }
  start <- c(0, log(0.15), if (name == "negative_binomial") log(2), 0.3, 0.5)
  best <- optim(start, value, method = "BFGS", hessian = TRUE,
    control = list(fnscale = -50, reltol = 1e-12, ndeps = rep(1e-4, length(start))))
  fit <- neargp(reformulate("u", name), d, coords = ~ x + y, family = family, threads = 1L,
    covariance = cov_exponential(), distance = "euclidean", method = vnngp(k = nrow(d) - 1,
      posterior = "laplace", factor = "exact", ordering = "given", jitter = 1e-8))
  expect_equal(c(logLik(fit)), best$value, tolerance = 1e-6)
  trend <- length(start) - 1:0
  expect_equal(unname(coef(fit)), best$par[trend], tolerance = 2e-3)
  expect_equal(unname(log(coef(fit, "covariance")[1:2])), best$par[1:2], tolerance = 5e-3)
  expect_equal(unname(vcov(fit)), solve(-best$hessian)[trend, trend], tolerance = 0.02)
}

test_extended("Laplace's trend maximises its approximation, with the standard errors of its curvature", {
  expect_dense_laplace("binary", binomial())
})

test_extended("so it does for counts and with a parameter of the family", {
  expect_dense_laplace("poisson", poisson())
  expect_dense_laplace("negative_binomial", negative_binomial())
})

test_extended("where the evidence of rare events has no maximum the trend is at the joint mode, and a message says so", {
  data <- withr::with_seed(306, {
    d <- data.frame(x = runif(400), y = runif(400))
    field <- crossprod(chol(exp(-as.matrix(dist(d)) / 0.15) + diag(1e-8, 400)), rnorm(400))
    d$seen <- rbinom(400, 1, plogis(qlogis(0.1) + drop(field)))
    d
  })
  fit_with <- function(posterior, variance = NULL) {
    neargp(seen ~ 1, data, coords = ~ x + y, family = binomial(), threads = 1L,
      method = vnngp(posterior = posterior), covariance = cov_exponential(variance = variance))
  }
  expect_message(fit <- fit_with("laplace"), "infinite variance", class = "neargp_message_trend")
  expect_true(fit$convergence$converged)
  expect_output(print(fit), "at the mode of process and trend", fixed = TRUE)
  # the likelihood is not far from the ELBO, and the estimates are of the same order
  sparse <- fit_with("sparse")
  expect_lt(abs(c(logLik(fit)) - c(logLik(sparse))), 2)
  expect_lt(abs(log(coef(fit, "covariance")[["variance"]] /
    coef(sparse, "covariance")[["variance"]])), 1)
  expect_equal(sum(data$seen - plogis(fit$posterior$linear_predictor)), 0, tolerance = 1e-3)
  expect_no_message(fit_with("laplace", variance = 1), class = "neargp_message_trend")
})
