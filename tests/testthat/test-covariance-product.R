season <- function(n = 80, seed = 73) {
  set.seed(seed)
  data <- data.frame(year = sort(runif(n, 0, 6)))
  data$z <- sin(2 * pi * data$year) * (1 + data$year / 6) + rnorm(n, sd = 0.1)
  data
}

test_that("a product in one coordinate has the dense likelihood and predictions", {
  data <- season()
  seen <- data[-(1:5), ]
  new <- data[1:5, ]
  fit <- neargp(z ~ 0, seen, coords = ~ year, method = exact_gp(), nugget = 0.02,
    covariance = cov_matern(variance = 2, range = 3) * cov_periodic(period = 1, lengthscale = 1.2))
  covariance <- function(a, b) {
    t <- outer(a$year, b$year, `-`)
    2 * (1 + abs(t) / 3) * exp(-abs(t) / 3) * exp(-2 * sin(pi * t)^2 / 1.2^2)
  }
  S <- covariance(seen, seen) + diag(0.02, 75)
  expect_equal(c(logLik(fit)), -0.5 * (75 * log(2 * pi) + c(determinant(S)$modulus) +
    sum(seen$z * solve(S, seen$z))))
  weights <- solve(S, covariance(seen, new))
  predicted <- predict(fit, new)
  expect_equal(predicted$mean, drop(crossprod(weights, seen$z)))
  expect_equal(predicted$sd^2, 2.02 - colSums(covariance(seen, new) * weights))
})

test_that("factors may change places where one is periodic, and coordinates may be text", {
  data <- season()
  fit_by <- function(covariance, coords) c(logLik(neargp(z ~ 1, data, coords = coords,
    nugget = 0.02, covariance = covariance, method = exact_gp())))
  matern <- cov_matern(variance = 2, range = 3)
  periodic <- cov_periodic(period = 1, lengthscale = 1.2)
  expect_identical(fit_by(periodic * matern, "year"), fit_by(matern * periodic, ~ year))
})

test_that("a product of space and time is the separable model, also in a sum", {
  set.seed(74)
  data <- data.frame(x = runif(60), y = runif(60), day = sample(6, 60, TRUE))
  data$z <- sin(4 * data$x) + cos(data$day) + rnorm(60, sd = 0.1)
  fit_by <- function(covariance) neargp(z ~ 1, data, coords = ~ x + y, time = ~ day,
    covariance = covariance, method = exact_gp(), nugget = 0.02)
  space <- cov_matern(variance = 1, range = 0.3)
  time <- cov_exponential(range = 2)
  further <- cov_exponential(variance = 0.5, range = c(0.4, 3))
  expect_identical(logLik(fit_by(space * time)),
    logLik(fit_by(cov_spacetime(space, time, model = "separable"))))
  expect_identical(logLik(fit_by(space * time + further)),
    logLik(fit_by(cov_spacetime(space, time, model = "separable") + further)))
})

test_that("products that cannot be are refused", {
  data <- season()
  data$other <- data$year
  expect_error(2 * cov_matern(), class = "neargp_error_argument")
  expect_error(cov_matern() * (cov_matern() + cov_exponential()), class = "neargp_error_argument")
  expect_error(cov_matern() * cov_exponential(variance = 2), class = "neargp_error_argument")
  expect_error(neargp(z ~ 1, data, coords = ~ year + other, covariance = cov_matern() *
    cov_exponential()), class = "neargp_error_space_time")
})
