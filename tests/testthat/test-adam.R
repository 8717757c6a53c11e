test_extended("Adam comes near the quasi-Newton optimum and follows R's seed", {
  data <- simulated_data(400, seed = 4)
  method <- loo_k(k = 15, optimizer = "adam", steps = 400)
  fit <- function() {
    neargp(z ~ height, data, coords = ~ x + y, method = method, covariance = cov_exponential())
  }
  withr::local_seed(1)
  adam <- fit()
  best <- neargp(z ~ height, data, coords = ~ x + y, method = loo_k(k = 15),
    covariance = cov_exponential())
  expect_gt(c(logLik(adam)), c(logLik(best)) - 3)
  expect_true(is.na(adam$convergence$converged))
  expect_output(print(adam), "no test of convergence")
  set.seed(1)
  expect_identical(coef(fit(), "covariance"), coef(adam, "covariance"))
})

test_that("the learning rate is cut by 5 at the quarters", {
  method <- loo_k(optimizer = "adam", steps = 100)
  expect_equal(vapply(c(1, 25, 26, 51, 76, 100) / 100, adam_rate, 0, method = method),
    0.03 / 5^c(0, 0, 1, 2, 3, 3))
})

test_that("a step is that of the published algorithm", {
  moments <- list(first = c(0, 0), second = c(0, 0))
  updated <- adam_step(c(1, 1), c(2, -3), moments, 1L, 0.1)
  expect_equal(updated$working, c(1.1, 0.9), tolerance = 1e-6)
})
