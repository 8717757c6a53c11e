test_extended("draws at the data and elsewhere have the posterior's mean and spread", {
  data <- vnngp_data(200, seed = 11)
  new <- vnngp_data(4, seed = 12)
  fit <- neargp(poisson ~ h, data, coords = ~ x + y, method = vnngp(k = 15),
    covariance = fixed_exponential, family = poisson())
  for (places in list(new, data[1:4, ])) {
    draws <- as.matrix(simulate(fit, 3000, seed = 5, newdata = places, type = "link"))
    field <- predict(fit, places, type = "link")
    expect_lt(max(abs(rowMeans(draws) - field$mean) / field$sd), 4 / sqrt(3000))
    expect_lt(max(abs(apply(draws, 1, sd) / field$sd - 1)), 4 / sqrt(2 * 3000) + 0.01)
  }
  prior <- as.matrix(simulate(fit, 2000, seed = 6, newdata = new, type = "link",
    conditional = FALSE))
  expect_lt(max(abs(apply(prior, 1, var) - 1)), 0.15)
})

test_that("draws at one location are those of the posterior there", {
  fit <- neargp(poisson ~ 1, vnngp_data(80, seed = 11), coords = ~ x + y, method = vnngp(k = 5),
    covariance = fixed_exponential, family = poisson())
  new <- vnngp_data(1, seed = 12)
  draws <- as.matrix(simulate(fit, 2000, seed = 5, newdata = new))
  expect_length(draws, 2000L)
  expect_lt(abs(mean(draws) - predict(fit, new)$mean) / sd(draws), 4 / sqrt(2000))
})
