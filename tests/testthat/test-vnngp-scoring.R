# Six coordinates, two of which matter.
many_ranges <- function(family, n) {
  set.seed(7)
  d <- as.data.frame(matrix(runif(6L * n), n))
  eta <- 2 * sin(5 * d$V1) + 2 * cos(4 * d$V2)
  d$y <- switch(family, gaussian = eta + rnorm(n, sd = 0.3), binomial = rbinom(n, 1L, plogis(eta)))
  d
}

fit_many <- function(family, method = vnngp(20), variance = NULL, n = 500L) {
  neargp(y ~ 1, many_ranges(family, n), coords = ~ V1 + V2 + V3 + V4 + V5 + V6, covariance = cov_matern(2.5, variance, ard = TRUE),
    family = match.fun(family)(), method = method, threads = 1L, verbose = FALSE)
}

test_that("a range for each coordinate is found by the response's information", {
  fit <- fit_many("gaussian")
  ranges <- coef(fit, what = "covariance")[paste0("range_V", 1:6)]
  expect_lt(max(ranges[1:2]), min(ranges[3:6]))
  by_vecchia <- fit_many("gaussian", vecchia(20))
  expect_equal(fit$nugget, by_vecchia$nugget, tolerance = 0.2)
})

# All rows are neighbours, so that nothing but the parameters differs.
test_that("a fixed variance leads nowhere higher", {
  for (family in c("gaussian", "binomial")) {
    fit <- fit_many(family, vnngp(149), n = 150L)
    variance <- coef(fit, what = "covariance")[["variance"]]
    for (factor in c(0.5, 2)) {
      other <- suppressWarnings(fit_many(family, vnngp(149), factor * variance, n = 150L))
      expect_lt(other$log_likelihood, fit$log_likelihood)
    }
  }
})

test_that("a model without a trend is predicted by all posteriors", {
  set.seed(1)
  d <- data.frame(x = runif(100))
  d$y <- sin(6 * d$x) + rnorm(100, sd = 0.3)
  for (posterior in c("sparse", "laplace", "mean-field")) {
    fit <- neargp(y ~ 0, d, coords = ~ x, method = vnngp(5, posterior = posterior), threads = 1L, verbose = FALSE)
    expect_equal(predict(fit, data.frame(x = 0.25), type = "link")$mean, 1, tolerance = 0.3)
  }
})

# All rows are neighbours, which do not change then.
test_that("with many ranges a fit of binary responses goes on from the estimates of an earlier one", {
  set.seed(8)
  d <- as.data.frame(matrix(runif(9L * 150L), 150L))
  d$y <- rbinom(150L, 1L, plogis(3 * sin(5 * d$V1) + 2 * cos(4 * d$V2)))
  fit <- neargp(y ~ 1, d, coords = ~ V1 + V2 + V3 + V4 + V5 + V6 + V7 + V8 + V9, covariance = cov_matern(2.5, ard = TRUE),
    family = binomial(), method = vnngp(149), control = neargp_control(tolerance = 0.01), threads = 1L, verbose = FALSE)
  continued <- suppressWarnings(update(fit, start = fit, control = neargp_control(max_iterations = 1L)))
  expect_gt(continued$log_likelihood, fit$log_likelihood - 0.01)
})
