# Local standard deviations and ranges, warps and multiplied columns of cov_spacetime(), against
# dense formulas.

local_space_time <- function(covariance, data = space_time_data(9, 5), method = exact_gp(), ...) {
  suppressWarnings(suppressMessages(neargp(z ~ height, data, coords = ~ x + y, time = ~ day,
    covariance = covariance, method = method, ...)))
}

# Dense generalised least squares.
mvn_profile <- function(S, X, z) {
  inverse <- solve(S)
  beta <- solve(crossprod(X, inverse %*% X), crossprod(X, inverse %*% z))
  e <- z - X %*% beta
  -0.5 * (length(z) * log(2 * pi) + determinant(S)$modulus + sum(e * (inverse %*% e)))
}

test_extended("likelihood and predictions are those of dense algebra", {
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
    S <- dense_covariance(fit$data$coords, fit$data$coords, fit$core_covariance) +
      diag(fit$nugget, nrow(data))
    X <- cbind(1, data$height)
    expect_equal(c(logLik(fit)), c(mvn_profile(S, X, data$z)), tolerance = 1e-8)
    vecchia <- local_space_time(covariance, method = vecchia(k = nrow(data) - 1L,
      condition = "responses", estimation = "ML"), start = fit,
      control = neargp_control(max_iterations = 1L))
    S <- dense_covariance(vecchia$data$coords, vecchia$data$coords,
      vecchia$core_covariance) + diag(vecchia$nugget, nrow(data))
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

local_spacetimes <- function() {
  penalized <- function(...) cov_exponential(..., penalty = 1)
  list(cov_spacetime(penalized(range = ~ height), model = "separable"),
    cov_spacetime(penalized(range = ~ height, sd = ~ x), beta = 0),
    cov_spacetime(cov_matern(1.5, range = ~ height, sd = ~ x, penalty = 1), model = "metric"),
    cov_spacetime(penalized(range = ~ height, ard = TRUE, warp = expand(1, ~ x)),
      model = "metric"),
    cov_spacetime(cov_matern(1.5, range = ~ height, warp = expand(1, ~ bumps(2)), penalty = 1),
      cov_matern(1.5), "product_sum"),
    cov_spacetime(penalized(warp = list(expand(1, ~ height + x), monotone(~ y, 3)))) +
      penalized(range = ~ x, warp = monotone(~ day, 3)))
}

test_extended("values of all methods with local ranges and warps are those of dense matrices", {
  expect_dense_values(local_spacetimes(), data = space_time_data(9, 5), time = ~ day)
})

test_extended("gradients with local ranges and warps are those of differences", {
  expect_gradients_of_differences(local_spacetimes(), data = space_time_data(9, 5), time = ~ day)
})

test_extended("predictions with local ranges and warps are dense kriging, with all rows as neighbours", {
  data <- space_time_data(9, 5)
  new <- data[1:4, ]
  new$day <- new$day + 0.5
  for (covariance in local_spacetimes()) {
    fit <- local_fit(covariance, exact_gp(), data, time = ~ day)
    coords <- embed_coordinates(raw_coordinates(new, fit$locations), fit$locations, data = new)
    covariance <- fit$core_covariance["components"]
    plain <- list(coords = fit$data$coords, X = cbind(1, data$height), y = data$z,
      weights = rep(1, nrow(data)), offset = rep(0, nrow(data)))
    expected <- dense_krige(plain, covariance, fit$nugget, coords, cbind(1, new$height))
    found <- predict(fit, new, type = "link", parameters = "plug-in")
    expect_equal(found$mean, expected$mean, tolerance = 1e-8)
    expect_equal(found$sd, sqrt(expected$variance), tolerance = 1e-8)
  }
})

# Stations whose field is rougher in the north: exp(-distance) over distances that shrink there.
test_that("a local range is found", {
  set.seed(5)
  data <- space_time_data(40, 8, seed = 6)
  range <- 0.3 * exp(2 * (0.5 - data$y))
  mean <- outer(range^2, range^2, "+") / 2
  S <- outer(range, range) / mean * exp(-as.matrix(stats::dist(data[c("x", "y")])) / sqrt(mean) -
    as.matrix(stats::dist(data$day)) / 2)
  data$z <- drop(t(chol(S)) %*% rnorm(nrow(data))) + rnorm(nrow(data), sd = 0.1)
  fit <- local_space_time(cov_spacetime(cov_exponential(range = ~ y), model = "separable"), data,
    vecchia(k = 20))
  expect_lt(abs(coef(fit, what = "covariance")[["log_range:y"]] + 2 * sd(data$y)), 0.3)
  scales <- local_scales(fit, data[1:5, ])
  expect_equal(order(scales$range), order(-data$y[1:5]))
  stationary <- local_space_time(cov_spacetime(cov_exponential(), model = "separable"), data,
    vecchia(k = 20))
  expect_gt(c(logLik(fit)), c(logLik(stationary)) + 5)
})

# One station: pairs of its observations differ in time alone, where the local range is the same.
test_that("a local range of the metric model leaves the range in time as it is", {
  data <- space_time_data(9, 5)
  fit <- local_fit(cov_spacetime(cov_exponential(range = ~ height, penalty = 1), model = "metric"),
    exact_gp(), data, time = ~ day)
  at <- data[data$height %in% range(data$height), ]
  coords <- embed_coordinates(raw_coordinates(at, fit$locations), fit$locations, data = at)
  K <- core_covariance_matrix(coords, coords, as_specified(fit$core_covariance))
  component <- fit$core_covariance$components[[1L]]
  lag <- as.matrix(stats::dist(at$day)) / component$range[2L]
  same <- outer(at$height, at$height, `==`)
  expect_equal(K[same], (component$variance * exp(-lag))[same], tolerance = 1e-12)
  expect_output(print(fit), "Metric")
})

test_that("a metric model without a local range is the covariance of one distance", {
  expect_identical(cov_spacetime(cov_matern(), model = "metric"), cov_matern())
})

test_that("further coordinates of expand() limit beta", {
  covariance <- cov_spacetime(cov_exponential(warp = expand(1, ~ height)), beta = 1)
  expect_error(local_space_time(covariance), "2 / d", class = "neargp_error_space_time")
  fit <- local_space_time(cov_spacetime(cov_exponential(warp = expand(1, ~ height))))
  expect_lte(coef(fit, what = "covariance")[["beta"]], 2 / 3 + 1e-8)
})

test_that("what cov_spacetime() cannot vary is refused", {
  expect_error(cov_spacetime(cov_exponential(range = ~ x)), "beta = 0",
    class = "neargp_error_argument")
  expect_error(cov_spacetime(cov_exponential(warp = mlp(2))), class = "neargp_error_argument")
  expect_error(cov_spacetime(time = cov_exponential(sd = ~ x), model = "separable"),
    class = "neargp_error_argument")
  expect_error(local_space_time(cov_spacetime(cov_exponential(warp = monotone(~ day)))),
    "coordinates of space", class = "neargp_error_local")
  data <- transform(space_time_data(9, 5), g = factor(rep(1:3, 15)))
  expect_error(local_space_time(cov_spacetime(cov_exponential(by = ~ g)), data),
    class = "neargp_error_covariance")
})
