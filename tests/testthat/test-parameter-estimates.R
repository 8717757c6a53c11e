test_that("standard errors follow from the information by the delta method", {
  fit <- neargp(z ~ height, simulated_data(400), coords = ~ x + y, method = vecchia(k = 15), covariance = cov_exponential())
  working_vcov <- solve(fit$information)
  estimate <- coef(fit, "covariance")
  expect_equal(fit$parameters$std_error, unname(estimate * sqrt(diag(working_vcov))), tolerance = 1e-8)
  expect_equal(sqrt(diag(vcov(fit, "covariance"))), stats::setNames(fit$parameters$std_error, names(estimate)))
})

test_that("fixed parameters, those at a bound and all of a singular information have no standard error", {
  information <- diag(c(4, 1, 2))
  covariance <- working_covariance(information, c(TRUE, FALSE, TRUE))
  expect_equal(diag(covariance), c(1 / 4, NA, 1 / 2))
  expect_true(all(is.na(working_covariance(matrix(1, 2, 2), c(TRUE, TRUE)))))
  expect_true(all(is.na(working_covariance(NULL, c(TRUE, TRUE)))))
})
