test_extended("Legendre's rule integrates polynomials of degree 2n - 1", {
  for (n in c(2L, 5L, 40L)) {
    rule <- gauss_legendre(n)
    for (degree in 0:(2 * n - 1)) {
      expect_equal(sum(rule$weights * rule$nodes^degree),
        if (degree %% 2 == 0) 2 / (degree + 1) else 0, tolerance = 1e-12)
    }
  }
  rule <- gauss_legendre(2L)
  expect_gt(abs(sum(rule$weights * rule$nodes^4) - 2 / 5), 0.1)
})

test_that("a step is integrated wherever it lies and however narrow it is", {
  at <- rep(c(-9, -2, 0.1, 5), 3)
  width <- rep(c(1e-6, 0.1, 30), each = 4)
  # E P(eta + width N <= at) for eta ~ N(1, 4).
  value <- normal_expectation(function(eta, rows) pnorm((at[rows] - eta) / width[rows]),
    at - 8 * width, at + 8 * width, rep(1, 12), rep(2, 12))
  expect_equal(value, pnorm((at - 1) / sqrt(4 + width^2)), tolerance = 1e-10)
})

test_that("an integral is found on any scale and in any place", {
  center <- c(-500, 0, 3, 800)
  sd <- c(1e-3, 1, 0.2, 5)
  value <- log_integral(function(z) dnorm(z, center, sd, log = TRUE) - 1000, rep(-1000, 4),
    rep(1000, 4), rep(1, 4))
  expect_equal(value, rep(-1000, 4), tolerance = 1e-12)
})

test_extended("the log density of the largest count has its step resolved by a wide predictor", {
  z <- seq(-9, 9, length.out = 1e5 + 1)
  by_sum <- function(log_probability, mean, sd) {
    -log(sum(exp(log_probability(mean + sd * z)) * dnorm(z)) * (z[2L] - z[1L]))
  }
  for (sd in c(1, 3, 20)) for (trials in c(200, 1e6)) for (mean in c(-2, 0, 3)) {
    expect_equal(log_score_mixture(trials, mean, sd, binomial("cloglog"), trials = trials),
      by_sum(function(eta) trials * log1p(-exp(-exp(eta))), mean, sd), tolerance = 1e-5)
    expect_equal(log_score_mixture(0, mean, sd, binomial("probit"), trials = trials),
      by_sum(function(eta) trials * pnorm(-eta, log.p = TRUE), mean, sd), tolerance = 1e-5)
  }
})
