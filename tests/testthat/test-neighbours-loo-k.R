test_on_devices("the objective is the dense leave-one-out score, also with k = n - 1", {
  data <- simulated_data(40)
  for (k in c(6L, 39L)) {
    fit <- neargp(z ~ 0, data, coords = ~ x + y, method = loo_k(k = k), nugget = 0.1,
      covariance = cov_matern(1.5, variance = 2, range = 0.1))
    distance <- as.matrix(dist(data[c("x", "y")]))
    sets <- lapply(1:40, function(i) order(distance[i, ])[2:(k + 1)])
    expect_equal(c(logLik(fit)), dense_conditional_score(fit$data, fit$core_covariance, 0.1,
      double(0), sets), tolerance = 1e-10)
  }
})

test_on_devices("the trend is the generalised least squares one, with its standard errors", {
  fit <- neargp(z ~ height, simulated_data(60), coords = ~ x + y, method = loo_k(k = 59),
    covariance = cov_exponential())
  dense <- dense_fit(fit$data, fit$core_covariance, fit$nugget)
  expect_equal(unname(coef(fit)), unname(dense$beta), tolerance = 1e-7)
  expect_equal(unname(vcov(fit)), unname(dense$vcov), tolerance = 1e-7)
})

test_that("neighbours are those of the final metric", {
  data <- simulated_data(300)
  data$x <- data$x * 50
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = loo_k(k = 10),
    covariance = cov_matern(1.5, ard = TRUE))
  expect_true(fit$convergence$converged)
  again <- update(fit, data = data, start = fit)
  expect_equal(c(logLik(again)), c(logLik(fit)), tolerance = 1e-3)
})

test_that("settings are checked and shown", {
  expect_error(loo_k(k = -1), "`k`", class = "neargp_error_argument")
  expect_error(loo_k(optimizer = "sgd"), "`optimizer`", class = "neargp_error_argument")
  expect_error(loo_k(batch_size = 0), "`batch_size`", class = "neargp_error_argument")
  expect_error(loo_k(learning_rate = 0), "`learning_rate`", class = "neargp_error_argument")
  expect_output(print(loo_k(optimizer = "adam")), "batch_size")
})
