box_cox_data <- function(n = 70) {
  set.seed(8)
  d <- data.frame(x = runif(n), y = runif(n))
  d$z <- (1 + 0.3 * (3 + sin(5 * d$x) + rnorm(n, sd = 0.3)))^(1 / 0.3)
  d
}

box_cox_fit <- function(d, lambda) {
  neargp(z ~ 1, d, coords = ~ x + y, method = exact_gp(), transform = box_cox(lambda),
    covariance = cov_exponential())
}

test_extended("the estimated power has the largest likelihood", {
  d <- box_cox_data()
  fit <- box_cox_fit(d, NULL)
  lambda <- family(fit)$transform$lambda
  likelihood <- function(step) logLik(box_cox_fit(d, lambda + step))
  expect_equal(c(likelihood(0)), c(logLik(fit)), tolerance = 1e-6)
  for (step in c(-0.05, 0.05)) expect_gte(logLik(fit), likelihood(step) - 1e-3)
  for (step in c(-0.3, 0.3)) expect_gt(logLik(fit), likelihood(step) + 0.05)
  expect_equal(attr(logLik(fit), "df"), attr(likelihood(0), "df") + 1)
  expect_output(print(fit), "lambda estimated")
})

test_extended("a power at an end of its range is told, and mll_k() estimates none", {
  set.seed(1)
  d <- data.frame(x = runif(60), y = runif(60))
  d$z <- (6 - 5 * runif(60)^2)^-0.2
  expect_warning(box_cox_fit(d, NULL), class = "neargp_warning_boundary")
  expect_error(neargp(z ~ 1, d, coords = ~ x + y, method = mll_k(5), transform = box_cox()),
    class = "neargp_error_transform")
})
