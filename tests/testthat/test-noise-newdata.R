test_extended("predictions, leave-one-out, joint predictions and draws have the noise of their rows", {
  data <- noisy_data(40)
  new <- noisy_data(6, seed = 5)
  for (method in list(vecchia(k = 39L), exact_gp(), loo_k(k = 39L), mll_k(k = 39L))) {
    fit <- suppressWarnings(noisy_fit(data, method, measurement_variance = se^2, weights = w,
      control = still))
    parameters <- coef(fit, what = "covariance")
    v <- dense_noise(data, parameters, data, data$se^2, data$w)
    noisy <- with_noise(fit$data, v)
    expected <- dense_krige(noisy, fit$core_covariance, 1, new_target(fit, new)$coords,
      cbind(1, new$height))
    k <- if (is.null(method$k)) NULL else nrow(data)
    field <- predict(fit, new[c("x", "y", "height")], type = "link", k = k)
    expect_equal(field$mean, expected$mean, tolerance = 1e-6)
    expect_equal(field$sd^2, expected$variance, tolerance = 1e-6)
    observed <- predict(fit, new, k = k, interval = "prediction")
    v_new <- dense_noise(new, parameters, data, new$se^2)
    expect_equal(observed$sd^2, expected$variance + v_new, tolerance = 1e-6)
    expect_equal(observed$upper - observed$mean, stats::qnorm(0.975) * observed$sd,
      tolerance = 1e-8)
  }
  fit <- suppressWarnings(noisy_fit(data, exact_gp(), measurement_variance = se^2, control = still))
  parameters <- coef(fit, what = "covariance")
  noisy <- with_noise(fit$data, dense_noise(data, parameters, data, data$se^2))
  left <- dense_leave_one_out(noisy, fit$core_covariance, 1)
  expect_equal(loo_predict(fit)$mean, left$mean, tolerance = 1e-8)
  expect_equal(loo_predict(fit)$sd, left$sd, tolerance = 1e-8)
  joint <- attr(predict(fit, new, joint = TRUE), "covariance")
  field <- attr(predict(fit, new, joint = TRUE, type = "link"), "covariance")
  v_new <- dense_noise(new, parameters, data, new$se^2)
  expect_equal(joint - field, diag(v_new), tolerance = 1e-8)
  pearson <- unname(residuals(fit, "pearson"))
  expect_equal(pearson, (data$z - fitted(fit)) /
    sqrt(dense_noise(data, parameters, data, data$se^2)), tolerance = 1e-8)
  scored <- scores(fit, new)
  predicted <- predict(fit, new)
  expect_equal(unclass(scored)[["log_score"]],
    unclass(scores(new$z, predicted$mean, predicted$sd))[["log_score"]], tolerance = 1e-8)
  draws <- function(type) {
    as.matrix(simulate(fit, nsim = 4000L, seed = 1, newdata = new, type = type))
  }
  spread <- apply(draws("response") - draws("link"), 1L, stats::var)
  expect_lt(max(abs(spread / v_new - 1)), 0.15)
})

test_extended("rows with missing covariates are dropped, and not predicted", {
  data <- noisy_data(60)
  data$depth[3] <- NA
  data$se[5] <- NA
  fit <- noisy_fit(data, measurement_variance = se^2)
  expect_identical(nobs(fit), 58L)
  expect_equal(coef(fit, "covariance"),
    coef(noisy_fit(data[-c(3, 5), ], measurement_variance = se^2), "covariance"))
  new <- noisy_data(4, seed = 5)
  new$depth[2] <- NA
  new$kind[3] <- NA
  missing <- c(FALSE, TRUE, TRUE, FALSE)
  predicted <- predict(fit, new, interval = "prediction")
  expect_identical(is.na(predicted$mean), missing)
  expect_identical(is.na(predicted$sd), missing)
  expect_identical(is.na(predicted$lower), missing)
  expect_false(anyNA(predict(fit, new, type = "link")))
  expect_error(predict(fit, new[c("x", "y", "height", "se")]), "depth and kind",
    class = "neargp_error_newdata")
  new$kind <- "older"
  expect_error(predict(fit, new), "older", class = "neargp_error_factor_level")
  new <- noisy_data(4, seed = 5)
  expect_message(without <- predict(fit, new[setdiff(names(new), "se")]), "measurement_variance",
    class = "neargp_message_noise")
  expect_equal(without$sd^2 + new$se^2, predict(fit, new)$sd^2)
})

test_that("what newdata does not have of the measurement variance is told", {
  withr::local_seed(3)
  data <- data.frame(x = stats::runif(30), y = stats::runif(30), se = stats::runif(30, 0.1, 0.5))
  data$v <- stats::rnorm(30)
  s2 <- 0.04
  fit <- function(...) suppressWarnings(neargp(v ~ 1, data, coords = ~ x + y, method = exact_gp(),
    covariance = cov_exponential(1, 0.3), nugget = 0.1, threads = 1L, ...))
  expect_message(predict(fit(measurement_variance = data$se^2), data), "Give newdata data",
    class = "neargp_message_noise")
  expect_no_message(predict(fit(measurement_variance = s2), data))
  expect_equal(predict(fit(measurement_variance = s2), data)$sd^2,
    predict(fit(measurement_variance = 0.04), data)$sd^2, tolerance = 1e-12)
})
