test_on_devices("fitted values and leave-one-out predictions are the dense ones", {
  fit <- neargp(z ~ height, simulated_data(50), coords = ~ x + y, method = exact_gp(), nugget = 0.1,
    covariance = cov_exponential(variance = 2, range = 0.2), device = "cpu")
  data <- fit$data
  dense <- dense_krige(data, fit$core_covariance, 0.1, data$coords, data$X)
  expect_equal(fitted(fit, k = 50), dense$mean, tolerance = 1e-9)
  expect_equal(unname(residuals(fit, k = 50)), data$y - dense$mean, tolerance = 1e-9)
  expect_equal(residuals(fit, "pearson", k = 50), residuals(fit, k = 50) / sqrt(0.1))
  left_out <- dense_leave_one_out(data, fit$core_covariance, 0.1)
  expect_equal(unname(residuals(fit, "loo", k = 49)), data$y - left_out$mean, tolerance = 1e-8)
  expect_equal(unname(residuals(fit, "trend")), data$y - drop(data$X %*% coef(fit)))
  expect_equal(residuals(fit, "standardized", k = 49),
    residuals(fit, "loo", k = 49) / loo_predict(fit, k = 49)$sd)
  expect_equal(loo_predict(fit, k = 49)$sd, left_out$sd, tolerance = 1e-8)
})

test_that("exact_gp() leaves one out of all rows, not of the nearest", {
  local_device("cpu")
  data <- transform(simulated_data(90), w = height^2 + 0.1)
  fit <- neargp(z ~ height, data, coords = ~ x + y, weights = w, method = exact_gp(), nugget = 0.3,
    covariance = cov_exponential(variance = 2, range = 0.4))
  expect_equal(loo_predict(fit), loo_predict(fit, k = 89), tolerance = 1e-8)
  expect_false(isTRUE(all.equal(loo_predict(fit), loo_predict(fit, k = 30), tolerance = 1e-4)))
})

test_extended("standardized residuals are standard normal under the model", {
  fit <- neargp(z ~ height, simulated_data(1000, seed = 2), coords = ~ x + y,
    method = vecchia(k = 20), covariance = cov_exponential())
  r <- residuals(fit, "standardized")
  expect_lt(abs(mean(r)), 0.1)
  expect_lt(abs(var(r) - 1), 0.15)
})

test_that("without nugget the fitted values are the data", {
  fit <- neargp(z ~ 1, simulated_data(40), coords = ~ x + y, method = vecchia(k = 5), nugget = 0,
    covariance = cov_exponential(variance = 2, range = 0.2))
  expect_equal(unname(residuals(fit)), rep(0, 40))
  expect_error(residuals(fit, "pearson"), "nugget", class = "neargp_error_argument")
  expect_error(residuals(fit, "deviance"), "`type`", class = "neargp_error_argument")
})

test_that("a row without which the approximate posterior is none has no prediction, and this is reported", {
  data <- latent_data(60)
  fit <- latent_fit(count ~ height, poisson(), data)
  seen <- fit$posterior$variance_at_data - (fit$posterior$variance_given_nodes %||% 0)
  fit$posterior$pseudo_precision[3] <- 2 / seen[3]
  expect_warning(left <- loo_predict(fit), "without row 3", class = "neargp_warning_leverage")
  expect_identical(left$mean[3], NA_real_)
  expect_identical(left$sd[3], Inf)
  expect_true(all(is.finite(left$mean[-3])))
  expect_error(suppressWarnings(scores(fit)), "row 3", class = "neargp_error_missing")
})

test_that("Pearson residuals of means beyond the range of numbers are by the largest numbers", {
  fit <- latent_fit(count ~ height, poisson(), latent_data(60))
  fit$posterior$linear_predictor[1L] <- 1500
  overflow <- "neargp_warning_overflow"
  expect_warning(expect_warning(residual <- residuals(fit, type = "pearson"), "mean",
    class = overflow), "variance", class = overflow)
  expect_true(all(is.finite(residual)))
  expect_equal(unname(residual[1L]), -sqrt(.Machine$double.xmax))
})

test_that("Pearson residuals are NA where a trend separates the responses", {
  set.seed(1)
  data <- data.frame(x = runif(12), y = runif(12), a = rep(c(-1000, 1000), 6) + rnorm(12))
  data$present <- as.integer(data$a > 0)
  fit <- suppressWarnings(neargp(present ~ a, data, coords = ~ x + y, method = vnngp(3),
    family = binomial("probit")))
  expect_warning(found <- residuals(fit, "pearson"), "do not scatter",
    class = "neargp_warning_overflow")
  expect_false(any(is.infinite(found) | is.nan(found)))
})
