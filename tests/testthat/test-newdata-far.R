test_that("newdata in km for a fit in m is reported to be far from the data", {
  data <- simulated_data(60)
  data[c("x", "y")] <- 1e5 + 1e4 * data[c("x", "y")]
  data$count <- rpois(60, 3)
  data$level <- factor(data$z > 3)
  km <- transform(data[1:3, ], x = x / 1000, y = y / 1000)
  covariance <- cov_exponential(1, 2000)
  gaussian <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(5), covariance = covariance,
    nugget = 0.1)
  fits <- list(gaussian, neargp(count ~ 1, data, coords = ~ x + y, method = vnngp(5),
    covariance = covariance, family = poisson()), neargp(level ~ 1, data, coords = ~ x + y,
    method = loo_k(5), covariance = covariance, family = binomial()), neargp(cbind(z, count) ~ 1,
    data, coords = ~ x + y, method = vecchia(5), covariance = cov_exponential(range = 2000),
    control = neargp_control(max_iterations = 2)) |> suppressWarnings())
  for (fit in fits) {
    expect_message(predict(fit, km), "All 3 locations of `newdata`.*x is 1.* in the data",
      class = "neargp_message_far")
    expect_no_message(predict(fit, data[1:3, ]), class = "neargp_message_far")
  }
  expect_no_message(predict(gaussian, rbind(km, data[1L, ])), class = "neargp_message_far")
  expect_no_message(predict(gaussian, km, type = "trend"), class = "neargp_message_far")
  expect_message(predict(gaussian, km[1L, ]), "The location of", class = "neargp_message_far")
})

test_that("forecasts after the last time of the data are not reported to be far", {
  data <- simulated_data(60)
  data$day <- rep(1:20, 3)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, time = ~ day, method = vecchia(5),
    covariance = cov_exponential(1, c(0.3, 2)), nugget = 0.1)
  expect_no_message(predict(fit, transform(data[1:3, ], day = 100)), class = "neargp_message_far")
  expect_message(predict(fit, transform(data[1:3, ], x = x + 100)), class = "neargp_message_far")
})
