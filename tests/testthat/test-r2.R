test_extended("R-squared is that of predictions from the others, and the share of the trend", {
  data <- simulated_data(80)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(), nugget = 0.1,
    covariance = cov_exponential(variance = 2, range = 0.2))
  r2 <- r2.neargp(fit)
  loo <- dense_leave_one_out(fit$data, fit$core_covariance, fit$nugget)
  expect_equal(r2$R2_loo, 1 - mean((data$z - loo$mean)^2) / mean((data$z - mean(data$z))^2),
    tolerance = 1e-6)
  explained <- coef(fit)[["height"]]^2 * mean((data$height - mean(data$height))^2)
  expect_equal(r2$R2_trend, explained / (explained + 2 + 0.1))
  expect_output(print(r2),
    "from the other rows: +0\\.[0-9]{3}\nR2 of the trend alone: +0\\.[0-9]{3}")
})

test_extended("effects and local standard deviations are in the variance that trends leave", {
  skip_if_not_installed("mgcv")
  data <- effects_data()
  fit <- neargp(z ~ a + (a | site) + s(depth, k = 5), data, coords = ~ x + y, method = exact_gp(),
    nugget = 0.1, covariance = cov_exponential(variance = 0.5, range = 0.2))
  share <- function(fit, variance) {
    trend <- drop(fit$data$X %*% coef(fit))
    explained <- mean((trend - mean(trend))^2)
    explained / (explained + variance)
  }
  G <- VarCorr(fit)$site
  of_sites <- mean(G[1, 1] + 2 * G[1, 2] * data$a + G[2, 2] * data$a^2)
  sd <- coef(fit, what = "covariance")[["sd_s(depth)"]]
  Z <- fit$data$effects$Z[, -(1:16)]
  expect_equal(ncol(Z), 3L)
  of_smooth <- sd^2 * mean(rowSums(Z^2))
  expect_equal(r2.neargp(fit)$R2_trend, share(fit, 0.5 + 0.1 + of_sites + of_smooth))
  local <- neargp(z ~ a, data, coords = ~ x + y, method = exact_gp(), nugget = 0.1,
    covariance = cov_exponential(variance = 0.5, range = 0.2, sd = ~ depth) +
      cov_exponential(variance = 0.3, range = 0.2))
  expect_equal(r2.neargp(local)$R2_trend,
    share(local, mean(local_scales(local)$sd^2) + 0.3 + 0.1))
})

test_that("a field without nugget has no R-squared of 1, and white noise none at all", {
  withr::local_seed(2)
  data <- transform(simulated_data(80), noise = rnorm(80))
  smooth <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 20), nugget = 0,
    covariance = cov_exponential())
  expect_lt(r2.neargp(smooth)$R2_loo, 0.9)
  expect_equal(r2.neargp(smooth)$R2_trend, 0)
  noise <- neargp(noise ~ 1, data, coords = ~ x + y, method = vecchia(k = 20),
    covariance = cov_exponential(variance = 1e-6, range = 0.1))
  expect_lt(r2.neargp(noise)$R2_loo, 0.05)
})

test_that("counts have one on the scales of response and linear predictor; classes and outputs are refused", {
  data <- latent_data(120)
  counts <- r2.neargp(latent_fit(count ~ height, poisson(), data))
  expect_gt(counts$R2_loo, 0.2)
  expect_lt(counts$R2_trend, 1)
  classes <- neargp(class ~ 1, data, coords = ~ x + y, method = loo_k(k = 10), family = binomial())
  expect_error(r2.neargp_classifier(classes), "scores\\(\\)", class = "neargp_error_argument")
  outputs <- structure(list(), class = c("neargp_outputs", "neargp"))
  expect_error(r2.neargp_outputs(outputs), "scores\\(\\)", class = "neargp_error_argument")
})

test_that("performance::r2() finds the methods", {
  skip_if_not_installed("performance")
  fit <- neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = vecchia(k = 10))
  expect_s3_class(performance::r2(fit), "neargp_r2")
})
