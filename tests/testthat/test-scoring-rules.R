integrated_crps <- function(y, cdf) {
  below <- stats::integrate(function(x) cdf(x)^2, -Inf, y, rel.tol = 1e-10)$value
  above <- stats::integrate(function(x) (1 - cdf(x))^2, y, Inf, rel.tol = 1e-10)$value
  below + above
}

test_that("the Gaussian CRPS is the integral that defines it", {
  cases <- expand.grid(y = c(-3, 0.2, 1, 4), mean = c(-1, 0.5), sd = c(0.4, 1, 3))
  expected <- mapply(function(y, mean, sd) integrated_crps(y, function(x) pnorm(x, mean, sd)),
                     cases$y, cases$mean, cases$sd)
  expect_equal(crps_gaussian(cases$y, cases$mean, cases$sd), expected, tolerance = 1e-7)
})

test_that("the CRPS of a certain prediction is its absolute error", {
  expect_equal(crps_gaussian(c(1, 2, NA), mean = 3, sd = 0), c(2, 1, NA))
  expect_equal(crps_gaussian(c(1, 2), c(1, 1), c(0, 1)), c(0, crps_gaussian(2, 1, 1)))
})

test_that("the CRPS of draws is that of their empirical distribution", {
  set.seed(1)
  draws <- matrix(rnorm(60), 5)
  y <- rnorm(5)
  by_definition <- vapply(1:5, function(i) {
    mean(abs(draws[i, ] - y[i])) - mean(abs(outer(draws[i, ], draws[i, ], "-"))) / 2
  }, 0)
  expect_equal(crps_sample(y, draws), by_definition, tolerance = 1e-12)
  expect_equal(crps_sample(0.4, c(1, 2, 5)), crps_sample(0.4, t(c(1, 2, 5))))
})

test_that("the fair CRPS of draws is unbiased for the distribution behind them", {
  set.seed(2)
  draws <- matrix(rnorm(40000 * 3), 40000)
  score <- crps_sample(rep(0.7, 40000), draws, fair = TRUE)
  expect_lt(abs(mean(score) - crps_gaussian(0.7, 0, 1)) / (sd(score) / 200), 4)
  expect_gt(mean(crps_sample(rep(0.7, 40000), draws)), crps_gaussian(0.7, 0, 1) + 0.05)
})

test_that("missing draws and observations give missing scores, in their own row only", {
  draws <- matrix(1:6 + 0, 3)
  draws[2, 1] <- NA
  expect_equal(is.na(crps_sample(c(1, 2, NA), draws)), c(FALSE, TRUE, TRUE))
})

test_that("the log score is the negative log density", {
  expect_equal(log_score_gaussian(1.3, 0.2, 2), 0.5 * log(2 * pi * 4) + (1.1 / 2)^2 / 2)
})

test_that("the interval score penalises each side by 2 / alpha", {
  expect_equal(interval_score(c(0, -1.5, 3), -1, 1, level = 0.8), c(2, 2 + 10 * 0.5, 2 + 10 * 2))
})

test_that("proper scores are least, on average, for the true distribution", {
  nodes <- qnorm(((1:4000) - 0.5) / 4000)
  expected <- function(mean, sd, score) mean(score(nodes, mean, sd))
  interval <- function(y, mean, sd) interval_score(y, mean - 1.96 * sd, mean + 1.96 * sd)
  for (score in list(crps_gaussian, log_score_gaussian, interval)) {
    best <- expected(0, 1, score)
    for (other in list(c(0.3, 1), c(0, 0.7), c(0, 1.4))) {
      expect_lt(best, expected(other[1], other[2], score))
    }
  }
})

test_that("the scores are those of scoringRules", {
  # Not among the suggested packages, so it is named by a variable.
  reference <- "scoringRules"
  skip_if_not_installed(reference)
  theirs <- function(name) getExportedValue(reference, name)
  set.seed(3)
  y <- rnorm(50)
  mean <- rnorm(50)
  sd <- rexp(50) + 0.1
  draws <- matrix(rnorm(50 * 20), 50)
  expect_equal(crps_gaussian(y, mean, sd), theirs("crps_norm")(y, mean, sd))
  expect_equal(log_score_gaussian(y, mean, sd), theirs("logs_norm")(y, mean, sd))
  expect_equal(crps_sample(y, draws), theirs("crps_sample")(y, draws))
})

test_that("draws and levels of a wrong shape are refused", {
  expect_error(crps_sample(1:3, matrix(0, 2, 5)),
    "It is 2 by 5 \\(double\\); there are 3 observations", class = "neargp_error_draws")
  expect_error(crps_sample(1:3, 1:5), "without rows and columns", class = "neargp_error_draws")
  expect_error(crps_sample(1, matrix(0), fair = TRUE), "at least two draws",
    class = "neargp_error_draws")
  expect_error(interval_score(1, 0, 2, level = 95), "`level`", class = "neargp_error_argument")
  expect_error(interval_score(1, 0, 2, level = 1), "between 0 and 1",
    class = "neargp_error_argument")
})

test_that("values that cannot be scored are refused", {
  expect_error(crps_gaussian("a", 0, 1), "`observed` must be numeric",
    class = "neargp_error_length")
  expect_error(log_score_gaussian(1:3, 1:2, 1), "`mean` must be numeric, of length 1",
    class = "neargp_error_length")
  expect_error(crps_gaussian(1, 0, c(1, -1)), "must not be negative; it is in row 2",
    class = "neargp_error_sd")
  expect_error(interval_score(1, c(0, 2), 1), "above `upper`; it is in row 2",
    class = "neargp_error_argument")
})

test_extended("what is no number is refused by name", {
  for (observed in list("a", factor("u"), Sys.time(), list(1), mean)) {
    expect_error(crps_sample(observed, matrix(1:3, 1)), "`observed`", class = "neargp_error_length")
    expect_error(crps_mixture(observed, 0, 1, poisson()), "`observed`",
      class = "neargp_error_length")
  }
  for (fair in list(NA, NULL, c(TRUE, FALSE), "yes")) expect_error(crps_sample(1, matrix(1:3, 1),
    fair), "`fair`", class = "neargp_error_argument")
  for (draws in list(NULL, mean, ~x)) expect_error(crps_sample(1, draws), "`draws`",
    class = "neargp_error_draws")
  expect_error(pit_mixture(1, 0, 1, mean), "`family`", class = "neargp_error_argument")
})
