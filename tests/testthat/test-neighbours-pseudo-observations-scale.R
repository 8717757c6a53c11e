test_extended("the scale of an ordinal response by loo_k() does not drift off", {
  withr::local_seed(1)
  n <- 300
  data <- data_with_field(n, 0.5)
  latent <- 1 + 3 * data$a + data$field + rlogis(n)
  data$grade <- cut(latent, c(-Inf, 0, 1.2, 2.5, 4, Inf), ordered_result = TRUE)
  fit <- function(method, covariance = cov_matern(1.5)) suppressMessages(neargp(grade ~ a, data,
    coords = ~ x + y, family = ordinal(), method = method, covariance = covariance))
  found <- fit(loo_k())
  expect_equal(coef(found)[["a"]], coef(fit(vnngp()))[["a"]], tolerance = 0.15)
  expect_lt(coef(found, "covariance")[["variance"]], 3)
  # the score that is reported is without the prior
  held <- fit(loo_k(), cov_matern(1.5, variance = coef(found, "covariance")[["variance"]]))
  expect_equal(c(logLik(held)), c(logLik(found)), tolerance = 1e-3)
})

test_that("the prior of the scale is exponential, of estimated variances and families without a scale", {
  problem <- list(layout = data.frame(kind = c("variance", "range", "variance")),
    free = c(TRUE, TRUE, FALSE), family = binomial("probit"))
  working <- log(c(4, 1, 9))
  expect_equal(scale_penalty(problem, working), 2)
  step <- 1e-6
  expect_equal(scale_penalty_slope(problem, working),
    vapply(1:3, function(i) (scale_penalty(problem, replace(working, i, working[i] + step)) -
      scale_penalty(problem, replace(working, i, working[i] - step))) / (2 * step), 0),
    tolerance = 1e-6)
  problem$family <- poisson()
  expect_identical(scale_penalty(problem, working), 0)
  expect_identical(scale_penalty_slope(problem, working), c(0, 0, 0))
})
