# Rows of mixtures like those of a deep sigma point process, and wild ones.
example_mixture <- function(rows = 200L, components = 8L, spread = 1, scale = 10, seed = 2) {
  set.seed(seed)
  weights <- rexp(components)
  new_normal_mixture(matrix(rnorm(rows * components, sd = spread), rows),
    matrix(scale^runif(rows * components, -0.5, 0.5), rows), log(weights / sum(weights)))
}

of_row <- function(mixture, row, f) {
  function(x) vapply(x, function(one) f(one, mixture[row]), 0)
}

test_extended("moments and the distribution are those of its density by quadrature", {
  mixture <- example_mixture(3L, 4L)
  for (row in 1:3) {
    density <- of_row(mixture, row, function(y, m) exp(predictive_log_density(y, m)))
    moment <- function(f) {
      integrate(function(y) f(y) * density(y), -40, 40, rel.tol = 1e-10, subdivisions = 1000L)$value
    }
    mean <- moment(identity)
    expect_equal(predictive_mean(mixture)[row], mean, tolerance = 1e-8)
    expect_equal(predictive_variance(mixture)[row], moment(function(y) (y - mean)^2),
      tolerance = 1e-8)
    expect_equal(predictive_cdf(0.7, mixture)[row],
      integrate(density, -40, 0.7, rel.tol = 1e-10)$value, tolerance = 1e-8)
  }
})

test_that("quantiles are the inverse of the distribution, of wild mixtures and far in the tails, too", {
  mixtures <- list(example_mixture(), example_mixture(spread = 100, scale = 1e4),
    example_mixture(components = 1L), example_mixture(spread = 0))
  for (mixture in mixtures) {
    for (p in c(1e-9, 0.025, 0.5, 0.9, 1 - 1e-7)) {
      q <- predictive_quantile(p, mixture)
      score <- normal_score_at(q, mixture)
      slope <- exp(predictive_log_density(q, mixture) - dnorm(score, log = TRUE))
      # where a jump of the distribution is steeper than numbers are dense, they cannot resolve p
      resolved <- slope * abs(q) * .Machine$double.eps < 1e-9
      expect_gt(mean(resolved), 0.9)
      expect_lt(max(abs(score - qnorm(p))[resolved]), 1e-8)
    }
  }
})

test_that("the CRPS is the integral of squared differences of distributions", {
  mixture <- example_mixture(4L, 3L)
  y <- c(-2, 0.1, 1, 6)
  crps <- predictive_crps(y, mixture)
  for (row in 1:4) {
    below <- of_row(mixture, row, function(x, m) predictive_cdf(x, m)^2)
    above <- of_row(mixture, row, function(x, m) predictive_cdf(x, m, lower = FALSE)^2)
    direct <- integrate(below, -60, y[row], rel.tol = 1e-9)$value + integrate(above, y[row], 60,
      rel.tol = 1e-9)$value
    expect_equal(crps[row], direct, tolerance = 1e-7)
  }
})

test_that("one component is a normal distribution", {
  mixture <- example_mixture(50L, 1L)
  mean <- mixture$mean[, 1L]
  sd <- mixture$sd[, 1L]
  y <- rnorm(50)
  expect_equal(predictive_quantile(0.9, mixture), qnorm(0.9, mean, sd))
  expect_equal(predictive_crps(y, mixture), crps_gaussian(y, mean, sd))
  rows <- score_rows(y, mixture, 0.9)
  expect_equal(rows$log_score, -dnorm(y, mean, sd, log = TRUE))
  expect_equal(summarize_scores(y, rows, 0.9)$coverage, mean(abs(y - mean) <= qnorm(0.95) * sd))
})

test_that("rows that are not known are NA, and draws have the mixture's moments", {
  mixture <- example_mixture(3L, 4L)
  mixture$mean[2L, ] <- NA
  expect_identical(is.na(predictive_quantile(0.3, mixture)), c(FALSE, TRUE, FALSE))
  expect_identical(predictive_quantile(0.3, mixture[2L]), NA_real_)
  expect_length(predictive_quantile(0.3, mixture[0L]), 0L)
  draws <- predictive_draws(20000L, mixture[3L])
  sd <- sqrt(predictive_variance(mixture)[3L])
  expect_lt(abs(mean(draws) - predictive_mean(mixture)[3L]), 4 * sd / sqrt(20000))
  expect_equal(sd(draws), sd, tolerance = 0.05)
})
