test_extended("a fit does not depend on the unit of the response, however small or large", {
  data <- simulated_data(120)
  results <- function(method, unit, ...) {
    data$z <- unit * data$z
    fit <- neargp(z ~ height, data, coords = ~ x + y, method = method,
      covariance = cov_exponential(...))
    estimates <- coef(fit, what = "covariance")
    new <- predict(fit, data[1:3, ], interval = "prediction")
    c(c(fit$log_likelihood) + 120 * log(unit), estimates[["variance"]] / unit / unit,
      estimates[["nugget"]] / unit / unit, estimates[["range"]],
      coef(fit) / unit, sqrt(diag(vcov(fit))) / unit, unlist(new) / unit,
      residuals(fit, "loo")[1:3] / unit)
  }
  for (method in list(vecchia(10), exact_gp(), loo_k(10), mll_k(10))) {
    expect_equal(results(method, 2^-465), results(method, 1), tolerance = 1e-10)
    expect_equal(results(method, 2^464), results(method, 1), tolerance = 1e-10)
    expect_equal(results(method, 1e139), results(method, 1), tolerance = 1e-4)
  }
  fixed <- function(unit) results(vecchia(10), unit, variance = 0.7 * unit * unit)
  expect_equal(fixed(2^20), fixed(1), tolerance = 1e-10)
})

test_extended("cross-validation refits in a unit of its own", {
  data <- simulated_data(80)
  rmse <- function(unit) {
    data$z <- unit * data$z
    fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(8),
      covariance = cov_exponential())
    vapply(c(TRUE, FALSE), function(refit) cross_validate(fit, rep_len(1:4, 80),
      refit = refit)$scores$rmse, 0) / unit
  }
  expect_equal(rmse(2^100), rmse(1), tolerance = 1e-10)
})

test_that("responses and covariates whose squares are beyond the range of numbers are refused", {
  data <- simulated_data(60)
  data$large <- 1e150 * data$z
  expect_error(neargp(large ~ 1, data, coords = ~ x + y, method = vnngp(6)),
    "vnngp\\(\\) can compute with", class = "neargp_error_scale")
  data$large <- 1e170 * data$z
  for (method in list(vecchia(6), exact_gp(), loo_k(6), mll_k(6))) {
    expect_error(neargp(large ~ 1, data, coords = ~ x + y, method = method),
      "Multiply the response", class = "neargp_error_scale")
  }
  data$positive <- exp(data$z / 10) * 1e170
  for (method in list(vnngp(6), loo_k(6))) {
    for (response in c("large", "positive")) {
      expect_error(neargp(reformulate("1", response), data, coords = ~ x + y, method = method,
        family = if (response == "large") student_t() else Gamma("log")), "Multiply the response",
        class = "neargp_error_scale")
    }
  }
  expect_error(neargp(cbind(z, large) ~ 1, data, coords = ~ x + y, method = vecchia(6)),
    "response `large` varies", class = "neargp_error_scale")
  for (size in 10^c(145, 154)) {
    data$large <- size * data$z
    expect_error(neargp(large ~ 1, data, coords = ~ x + y, method = exact_gp()),
      "can compute with", class = "neargp_error_scale")
  }
  expect_error(neargp(z ~ 1, data, coords = ~ x + y, nugget = 1e300), "at most 1e\\+280",
    class = "neargp_error_argument")
  expect_error(neargp(z ~ 1, data, coords = ~ x + y,
    covariance = cov_exponential(variance = 1e290)), "at most 1e\\+280",
    class = "neargp_error_argument")
  data$small <- 1e-200 * data$height
  expect_error(neargp(z ~ small, data, coords = ~ x + y, method = vecchia(6)),
    "coefficient of small", class = "neargp_error_scale")
})

test_that("standard errors of variances whose squares are beyond the range of numbers are finite", {
  data <- simulated_data(120)
  data$z <- 1e139 * data$z
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(10), covariance = cov_exponential())
  expect_true(all(is.finite(summary(fit)$covariance$std_error)))
})
