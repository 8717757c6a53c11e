test_extended("positive responses have the same fit in any unit, also where R's own logarithmic link ends", {
  data <- simulated_data(120)
  data$amount <- exp(data$z / 4)
  slopes <- function(method, unit) {
    data$amount <- unit * data$amount
    fit <- neargp(amount ~ height, data, coords = ~ x + y, method = method, family = Gamma("log"),
      covariance = cov_exponential())
    c(coef(fit) - c(log(unit), 0), fit$log_likelihood + 120 * log(unit))
  }
  for (method in list(vnngp(8), loo_k(8))) expect_equal(slopes(method, 1e-22), slopes(method, 1),
    tolerance = 1e-3)
})

test_that("counts beyond what a family can compute with are refused", {
  data <- data.frame(x = c(0.1, 0.5, 0.7, 0.9), y = c(3, 1e300, 3, 1))
  for (family in list(poisson(), negative_binomial(size = 1e-5), zi_poisson())) {
    expect_error(suppressMessages(neargp(y ~ 1, data, coords = ~x, method = vnngp(3),
      family = family)), "from 1 to 1e\\+300", class = "neargp_error_scale")
  }
})
