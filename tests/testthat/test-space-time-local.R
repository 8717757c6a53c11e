# Local standard deviations and multiplied columns of cov_spacetime(), against dense formulas.

local_space_time <- function(covariance, data = space_time_data(9, 5), method = exact_gp(), ...) {
  suppressWarnings(suppressMessages(neargp(z ~ height, data, coords = ~ x + y, time = ~ day,
    covariance = covariance, method = method, ...)))
}

# The deviation of each row, from the columns that the fit keeps.
row_deviations <- function(component, rows) {
  deviation <- rep(1, nrow(rows))
  field <- component$log_sd
  if (!is.null(field)) {
    deviation <- exp(drop(rows[, field$columns, drop = FALSE] %*% field$coefficients))
  }
  if (!is.null(component$by)) deviation <- deviation * rows[, component$by]
  deviation
}

dense_local_space_time <- function(fit, a = fit$data$coords, b = a) {
  Reduce(`+`, lapply(fit$core_covariance$components, function(component) {
    scale <- outer(row_deviations(component, a), row_deviations(component, b))
    component[c("log_sd", "by")] <- NULL
    places <- seq_along(component$group)
    scale * dense_covariance(a[, places, drop = FALSE], b[, places, drop = FALSE],
      list(components = list(component)))
  }))
}

# Dense generalised least squares.
mvn_profile <- function(S, X, z) {
  inverse <- solve(S)
  beta <- solve(crossprod(X, inverse %*% X), crossprod(X, inverse %*% z))
  e <- z - X %*% beta
  -0.5 * (length(z) * log(2 * pi) + determinant(S)$modulus + sum(e * (inverse %*% e)))
}

test_that("likelihood and predictions are those of dense algebra", {
  covariances <- list(
    cov_spacetime(cov_exponential(sd = ~ height)),
    cov_spacetime(cov_exponential(by = ~ height), model = "separable") + cov_exponential(),
    cov_spacetime(cov_matern(sd = ~ x, by = ~ height), cov_exponential(), "product_sum"),
    cov_spacetime(cov_exponential()) + cov_exponential(sd = ~ height))
  data <- space_time_data(9, 5)
  new <- data[1:4, ]
  new$day <- new$day + 0.5
  for (covariance in covariances) {
    fit <- local_space_time(covariance, method = exact_gp(estimation = "ML"),
      control = neargp_control(max_iterations = 4L))
    S <- dense_local_space_time(fit) + diag(fit$nugget, nrow(data))
    X <- cbind(1, data$height)
    expect_equal(c(logLik(fit)), c(mvn_profile(S, X, data$z)), tolerance = 1e-8)
    vecchia <- local_space_time(covariance, method = vecchia(k = nrow(data) - 1L,
      condition = "responses", estimation = "ML"), start = fit,
      control = neargp_control(max_iterations = 1L))
    S <- dense_local_space_time(vecchia) + diag(vecchia$nugget, nrow(data))
    expect_equal(c(logLik(vecchia)), c(mvn_profile(S, X, data$z)), tolerance = 1e-8)
    expect_true(all(is.finite(predict(vecchia, new)$sd)))
    expect_true(all(diff(covariance_value(vecchia, c(0, 0.2, 0.4), time = 1)) <= 0))
  }
})

test_that("a local standard deviation is found, and other methods fit", {
  set.seed(3)
  data <- space_time_data(25, 10, seed = 4)
  S <- outer(exp(0.8 * data$height), exp(0.8 * data$height)) *
    exp(-as.matrix(stats::dist(data[c("x", "y")])) / 0.3 - as.matrix(stats::dist(data$day)) / 3)
  data$z <- drop(t(chol(S)) %*% rnorm(nrow(data))) + rnorm(nrow(data), sd = 0.1)
  covariance <- cov_spacetime(cov_exponential(sd = ~ height), model = "separable")
  for (method in list(vecchia(k = 15), vnngp(k = 10))) {
    fit <- local_space_time(covariance, data, method)
    expect_lt(abs(coef(fit, what = "covariance")[["log_sd:height"]] - 0.8), 0.25)
    expect_true(all(is.finite(predict(fit, data[1:3, ])$sd)))
    expect_output(print(fit), "log_sd:height")
  }
})

test_that("what cov_spacetime() cannot vary is refused", {
  expect_error(cov_spacetime(cov_exponential(range = ~ x)), class = "neargp_error_argument")
  expect_error(cov_spacetime(cov_exponential(warp = monotone(~ x))),
    class = "neargp_error_argument")
  expect_error(cov_spacetime(time = cov_exponential(sd = ~ x), model = "separable"),
    class = "neargp_error_argument")
  expect_error(local_space_time(cov_spacetime() + cov_exponential(warp = monotone(~ x))),
    class = "neargp_error_space_time")
  data <- transform(space_time_data(9, 5), g = factor(rep(1:3, 15)))
  expect_error(local_space_time(cov_spacetime(cov_exponential(by = ~ g)), data),
    class = "neargp_error_covariance")
})
