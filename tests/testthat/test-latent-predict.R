test_that("the posterior mean at the data is what predictions there give", {
  data <- vnngp_data(300, seed = 5)
  fit <- neargp(poisson ~ h, data, coords = ~ x + y, method = vnngp(k = 10),
    covariance = fixed_exponential, family = poisson())
  link <- predict(fit, data, type = "link")
  expect_equal(link$mean, fit$posterior$linear_predictor, tolerance = 1e-4)
  expect_equal(link$sd^2, fit$posterior$variance_at_data, tolerance = 0.02)
})

test_that("predictions keep to the fit's own pattern where only a wider one takes too much memory",
  {
    skip_unless_extended()
    withr::local_seed(1)
    data <- data.frame(a = runif(600), b = runif(600), c = runif(600), d = runif(600))
    data$y <- rbinom(600, 1, plogis(4 * sin(4 * data$a) + data$b - 2))
    rows <- seq_len(500)
    limited <- neargp(y ~ 1, data[rows, ], coords = ~ a + b + c + d, family = binomial(),
      threads = 1L, method = vnngp(15, factor_memory = 0.002),
      covariance = cov_matern(1.5, variance = 2, range = 1))
    expect_false(limited$posterior$restricted)
    sd_of <- function(...) predict(modifyList(limited, list(...)), data[-rows, ], type = "link")$sd
    exact <- sd_of(posterior = list(exact = TRUE))
    error <- function(sd) sqrt(mean((sd / exact - 1)^2))
    own <- error(sd_of())
    expect_lt(own, 0.01)
    expect_gt(error(sd_of(posterior = list(restricted = TRUE))), 2 * own)
    expect_lt(error(sd_of(method = list(factor_memory = Inf))), own / 2)
  })

test_that("an offset that is not finite is an error in newdata as it is in data", {
  data <- transform(vnngp_data(120), exposure = 1 + x)
  fit <- fit_vnngp_model(list(poisson ~ offset(log(exposure)), poisson()), data, k = 5,
    covariance = fixed_exponential)
  at <- transform(data[1:3, ], exposure = c(1, 0, NA))
  expect_error(predict(fit, at), "offset.*row 2 of", class = "neargp_error_missing_values")
  expect_identical(is.na(predict(fit, at[-2, ])$mean), c(FALSE, TRUE))
})
