test_that("constructors keep what is fixed and print it", {
  expect_output(print(cov_matern(nu = 2.5, range = 10)), "range +10")
  expect_output(print(cov_matern(nu = NULL)), "smoothness +estimated")
  expect_output(print(cov_exponential() + cov_gaussian()), "Exponential.*Gaussian")
  expect_output(print(cov_matern(anisotropy = c(angle = 30, ratio = 0.5))),
    "angle = 30, ratio = 0.5")
})

test_that("wrong settings are classed errors that name the argument", {
  expect_error(cov_matern(nu = -1), "`nu`", class = "neargp_error_argument")
  expect_error(cov_matern(nu = "a"), "`nu`", class = "neargp_error_argument")
  expect_error(cov_exponential(variance = 0), "`variance`", class = "neargp_error_argument")
  expect_error(cov_exponential(range = c(1, NaN)), "`range`", class = "neargp_error_argument")
  expect_error(cov_powered_exponential(power = 2.1), "`power`", class = "neargp_error_argument")
  expect_error(cov_cauchy(shape = 0), "`shape`", class = "neargp_error_argument")
  expect_error(cov_gaussian(ard = NA), "`ard`", class = "neargp_error_argument")
  expect_error(cov_gaussian(anisotropy = 0.5), "`anisotropy`", class = "neargp_error_argument")
  expect_error(cov_gaussian(ard = TRUE, anisotropy = TRUE), "cannot both",
    class = "neargp_error_argument")
  expect_error(cov_gaussian(range = 1, anisotropy = TRUE), "cannot be fixed while",
    class = "neargp_error_argument")
  expect_error(cov_gaussian(start = list(nu = 1)), "does not have", class = "neargp_error_argument")
  expect_error(cov_matern(nu = NULL, start = list(nu = 50)), "start\\$nu",
    class = "neargp_error_argument")
  expect_error(cov_gaussian() + 1, "argument of neargp", class = "neargp_error_argument")
})

test_that("covariance_value() is the curve of the formulas", {
  d <- c(0, 1, 5, 20)
  expect_equal(covariance_value(cov_exponential(variance = 2, range = 5), d), 2 * exp(-d / 5))
  expect_equal(covariance_value(cov_matern(nu = 0.7, variance = 1, range = 4), d),
    dense_correlation("matern", d / 4, 0.7), tolerance = 1e-10)
  sum <- cov_gaussian(variance = 1, range = 2) + cov_cauchy(shape = 2, variance = 3, range = 1)
  expect_equal(covariance_value(sum, d), exp(-(d / 2)^2) + 3 * (1 + d^2)^-2)
  expect_error(covariance_value(cov_exponential(), d), "not fixed", class = "neargp_error_argument")
  expect_error(covariance_value(cov_exponential(variance = 1, range = 1), -1), "`distance`",
    class = "neargp_error_argument")
})

test_that("the curve of an anisotropic fit depends on the direction as the dense covariance does", {
  fit <- neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = vecchia(k = 10), nugget = 0.1,
    covariance = cov_exponential(variance = 2, range = 0.4,
      anisotropy = c(angle = 30, ratio = 0.5)))
  for (direction in c(0, 30, 75, 120)) {
    step <- 0.2 * c(sin(direction * pi / 180), cos(direction * pi / 180))
    dense <- dense_covariance(matrix(0, 1, 2), matrix(step, 1), fit$core_covariance)
    expect_equal(covariance_value(fit, 0.2, direction = direction), drop(dense), tolerance = 1e-10)
  }
  expect_equal(covariance_value(fit, 0.4), 2 * exp(-1))
  expect_equal(covariance_value(fit, 0.2, direction = 120), 2 * exp(-1), tolerance = 1e-10)
})

test_that("covariances at very far places are 0 or refused, never missing", {
  makers <- list(cov_matern(1.5, variance = 1, range = 1), cov_matern(0.7, variance = 1, range = 1),
    cov_gaussian(variance = 1, range = 1), cov_cauchy(1e-6, variance = 1, range = 1),
    cov_powered_exponential(1e-5, variance = 1, range = 1))
  for (covariance in makers) {
    expect_identical(covariance_value(covariance, c(0, Inf)), c(1, 0))
    expect_error(covariance_value(covariance, 1e160), "1e150 times the range",
      class = "neargp_error_argument")
  }
  expect_equal(covariance_value(cov_cauchy(1e-6, variance = 1, range = 1), 1e150), 1e300^-1e-6)
})
