dense_of <- function(fit, new, X0) {
  dense_krige(fit$data, fit$core_covariance, fit$nugget, as.matrix(new[c("x", "y")]), X0)
}

test_on_devices("with all rows as neighbours predictions are universal kriging", {
  data <- simulated_data(60)
  new <- simulated_data(25, seed = 2)
  X0 <- cbind(1, new$height)
  for (method in list(exact_gp(), vecchia(k = 30))) {
    fit <- neargp(z ~ height, data, coords = ~ x + y, method = method,
      covariance = cov_matern(1.5, anisotropy = TRUE),
      control = neargp_control(tolerance = 0.1), device = device_of(method))
    if (inherits(method, "neargp_vecchia")) {
      trend <- dense_fit(fit$data, fit$core_covariance, fit$nugget)
      fit <- given_trend(fit, trend$beta, trend$vcov)
    }
    dense <- dense_of(fit, new, X0)
    predict_new <- function(...) {
      predict(fit, new, k = if (inherits(method, "neargp_vecchia")) 60, device = device_of(method),
        parameters = "plug-in", ...)
    }
    latent <- predict_new(type = "link")
    expect_equal(latent$mean, dense$mean, tolerance = 1e-9)
    expect_equal(latent$sd^2, dense$variance, tolerance = 1e-8)
    observed <- predict_new()
    expect_equal(observed$mean, latent$mean)
    expect_equal(observed$sd^2, latent$sd^2 + fit$nugget, tolerance = 1e-10)
    joint <- predict_new(type = "link", joint = TRUE)
    expect_equal(attr(joint, "covariance"), dense$covariance, tolerance = 1e-8, ignore_attr = TRUE)
    expect_equal(joint$mean, dense$mean, tolerance = 1e-9)
  }
})

test_that("intervals are for the field or for an observation, at any level", {
  fit <- fit_once()
  new <- simulated_data(10, seed = 2)
  field <- predict(fit, new, interval = "confidence", level = 0.8)
  observation <- predict(fit, new, interval = "prediction", level = 0.8)
  expect_equal(field$upper - field$mean, qnorm(0.9) * field$sd)
  expect_equal(observation$mean - observation$lower, qnorm(0.9) * observation$sd)
  expect_equal(observation$sd^2 - field$sd^2, rep(fit$nugget, 10))
  expect_named(field, c("mean", "sd", "lower", "upper"))
})

test_on_devices("each row's prediction depends on that row alone, in any order and chunk", {
  fit <- fit_once()
  new <- simulated_data(30, seed = 2)
  whole <- predict(fit, new)
  expect_equal(predict(fit, new[30:1, ])$mean, rev(whole$mean), tolerance = 1e-12)
  expect_equal(predict(fit, new[7, ])$mean, whole$mean[7], tolerance = 1e-12)
  expect_equal(predict(fit, new, chunk_size = 7), whole, tolerance = 1e-12)
  expect_identical(nrow(predict(fit, new[0, ])), 0L)
})

test_on_devices(
  "at k = n a local mean and sectors change little; far away a local mean is less sure", {
    fit <- fit_once()
    new <- simulated_data(10, seed = 2)
    expect_equal(predict(fit, new, local_mean = TRUE, k = 150)$mean,
      predict(fit, new, k = 150)$mean, tolerance = 0.05)
    expect_equal(predict(fit, new, sectors = 8, k = 64)$mean, predict(fit, new)$mean,
      tolerance = 0.05)
    far <- data.frame(x = 30, y = 30, height = 0, group = "a")
    expect_gt(predict(fit, far, local_mean = TRUE, type = "link")$sd,
      predict(fit, far, type = "link")$sd)
  })

test_that("far from the data the prediction is the trend, with the variance of process and trend", {
  fit <- fit_once()
  far <- data.frame(x = 1e4, y = 1e4, height = 1, group = "b")
  x0 <- c(1, 1, 1, 0)
  prediction <- predict(fit, far, type = "link")
  expect_equal(prediction$mean, sum(x0 * coef(fit)), tolerance = 1e-8)
  expect_equal(prediction$sd^2, coef(fit, "covariance")[["variance"]] +
    drop(x0 %*% vcov(fit) %*% x0), tolerance = 1e-8)
})

test_that("standard deviations of forecasts grow with their horizon, up to that of the process about its mean", {
  set.seed(3)
  data <- data.frame(day = 1:60, z = as.numeric(stats::arima.sim(list(ar = 0.8), 60)))
  fit <- neargp(z ~ 1, data, coords = ~ day, method = exact_gp(), covariance = cov_exponential())
  ahead <- predict(fit, data.frame(day = 60 + 2^(0:5)), interval = "prediction",
    parameters = "plug-in")
  expect_gt(min(diff(ahead$sd)), 0)
  expect_gt(min(diff(ahead$upper - ahead$lower)), 0)
  limit <- sum(coef(fit, "covariance")[c("variance", "nugget")]) + vcov(fit)[1L, 1L]
  expect_lt(max(ahead$sd), sqrt(limit))
  expect_equal(predict(fit, data.frame(day = 1e4), interval = "prediction",
    parameters = "plug-in")$sd, sqrt(limit),
    tolerance = 1e-6)
})

test_extended("predictions are calibrated and beat the trend on simulated data", {
  data <- simulated_data(1200, seed = 5)
  fit <- neargp(z ~ height, data[1:1000, ], coords = ~ x + y, method = vecchia(k = 20),
    covariance = cov_exponential())
  held <- data[1001:1200, ]
  prediction <- predict(fit, held, interval = "prediction")
  covered <- mean(held$z >= prediction$lower & held$z <= prediction$upper)
  expect_gt(covered, 0.90)
  expect_lt(covered, 0.99)
  expect_lt(sqrt(mean((held$z - prediction$mean)^2)), 0.6 * sd(held$z - 1.5 * held$height))
})

test_extended("what cannot be predicted is a classed error", {
  fit <- fit_once()
  new <- simulated_data(4, seed = 2)
  expect_error(predict(fit), "fitted\\(\\)", class = "neargp_error_newdata")
  expect_error(predict(fit, as.matrix(new[1:3])), "newdata", class = "neargp_error_newdata")
  expect_error(predict(fit, new[c("x", "y", "group")]), "height", class = "neargp_error_newdata")
  expect_error(predict(fit, new[c("x", "height", "group")]), "y", class = "neargp_error_newdata")
  height <- new$height
  expect_error(predict(fit, new[c("x", "y", "group")]), "height", class = "neargp_error_newdata")
  expect_error(predict(fit, transform(new, group = "z")), "group",
    class = "neargp_error_factor_level")
  expect_error(predict(fit, transform(new, height = Inf)), "infinite",
    class = "neargp_error_missing_values")
  expect_error(predict(fit, new, type = "prob"), "`type`", class = "neargp_error_argument")
  expect_error(predict(fit, new, level = 95), "`level`", class = "neargp_error_argument")
  expect_error(predict(fit, new, threshold_of = "mean"), "`threshold_of` must be left out without",
    class = "neargp_error_argument")
  expect_error(predict(fit, new, overwrite = TRUE), "`overwrite` must be left out without",
    class = "neargp_error_argument")
  expect_error(predict(fit, new, k = 151), "more than", class = "neargp_error_k")
  expect_error(predict(fit, new, k = 0), "`k`", class = "neargp_error_argument")
  expect_error(predict(fit, new, joint = TRUE, local_mean = TRUE), "`local_mean`",
    class = "neargp_error_argument")
  expect_error(predict(fit, new, probs = 0.5), "left out unless", class = "neargp_error_argument")
  expect_error(predict(fit, new, se.fit = TRUE), class = "neargp_error_argument")
})
