settings_for <- function(type = "response", interval = "none", level = 0.9, ...) {
  list(type = type, interval = interval, level = level, ...)
}

test_that("the link is what it was, the response is the mixture", {
  mu <- c(0.2, NA, 1)
  s2 <- c(0.3, NA, 0.5)
  link <- columns_of_response(mu, s2, poisson(), NULL, 1,
    settings_for("link", "confidence"))
  expect_equal(link$mean, mu)
  expect_equal(link$sd, sqrt(s2))
  expect_equal(link$upper, mu + qnorm(0.95) * sqrt(s2))
  response <- columns_of_response(mu, s2, poisson(), NULL, 1,
    settings_for("response", "confidence"))
  expect_named(response, c("mean", "sd", "lower", "upper"))
  expect_equal(response$mean, exp(mu + s2 / 2))
  expect_equal(response$sd, sqrt(exp(mu + s2 / 2) + exp(2 * mu + s2) * (exp(s2) - 1)))
  expect_equal(response$lower, exp(link$lower))
})

test_that("prediction intervals hold new observations, not means", {
  set.seed(4)
  mixture <- new_mixture(rep(1.5, 20000), 0.4, mixture_cases$negative_binomial$family, c(size = 3))
  y <- mixture_random(1L, mixture)[, 1]
  columns <- columns_of_response(1.5, 0.16, mixture_cases$negative_binomial$family,
    c(size = 3), 1, settings_for(interval = "prediction", level = 0.8))
  share <- mean(y >= columns$lower & y <= columns$upper)
  expect_gt(share, 0.79)
  expect_lt(mean(y > columns$lower & y < columns$upper), 0.8)
  expect_lt(abs(columns$mean - mean(y)), 4 * sd(y) / sqrt(20000))
  expect_equal(columns$sd, sd(y), tolerance = 0.05)
})

test_that("one trial is predicted by its probability, more by their successes", {
  one <- columns_of_response(0.7, 1, binomial(), NULL, 1, settings_for())
  expect_equal(one$sd, sqrt(one$mean * (1 - one$mean)))
  probit <- columns_of_response(0.7, 1, binomial("probit"), NULL, 1, settings_for())
  expect_equal(probit$mean, pnorm(0.7 / sqrt(2)))
  many <- columns_of_response(c(0.7, 0.7), c(1, 1), binomial(), NULL, c(1, 12),
    settings_for("response", "confidence"))
  expect_equal(many$mean, one$mean * c(1, 12))
  expect_equal(many$upper[2], 12 * plogis(0.7 + qnorm(0.95)))
})

test_that("gaussian responses have the columns of kriging", {
  columns <- columns_of_response(2, 0.5, gaussian(), c(variance = 0.3), 1,
    settings_for(interval = "prediction"))
  expect_equal(columns, data.frame(mean = 2, sd = sqrt(0.8), lower = qnorm(0.05, 2, sqrt(0.8)),
    upper = qnorm(0.95, 2, sqrt(0.8))))
})

test_that("quantiles and exceedances are columns named by what they are of", {
  columns <- columns_of_response(c(0, 1), c(1, 1), poisson(), NULL, 1,
    settings_for("quantile", probs = c(0.1, 0.975)))
  expect_named(columns, c("q0.1", "q0.975"))
  mixture <- new_mixture(c(0, 1), 1, poisson())
  expect_equal(columns$q0.975, predictive_quantile(0.975, mixture))
  one <- columns_of_response(c(0, 1), c(1, 1), poisson(), NULL, 1,
    settings_for(threshold = 3))
  expect_equal(one$p_exceed, 1 - predictive_cdf(3, mixture))
  two <- columns_of_response(c(0, 1), c(1, 1), poisson(), NULL, 1,
    settings_for(threshold = c(3, 4.5)))
  expect_named(two, c("mean", "sd", "p_exceed_3", "p_exceed_4.5"))
  expect_equal(two$p_exceed_3, one$p_exceed)
})

test_that("probabilities and thresholds are checked", {
  expect_equal(check_probs(c(0.1, 0.9)), c(0.1, 0.9))
  expect_null(check_threshold(NULL))
  for (wrong in list(0, 1, NA_real_, "a", numeric(0), c(0.5, 0.5))) {
    expect_error(check_probs(wrong), "`probs`", class = "neargp_error_argument")
  }
  for (wrong in list(Inf, "a", c(1, 1 + 1e-9))) expect_error(check_threshold(wrong), "`threshold`",
    class = "neargp_error_argument")
})

test_that("the mean exceeds a threshold as often as its link exceeds that of the threshold", {
  withr::local_seed(4)
  eta <- rnorm(2e5, 0.4, 0.7)
  exceed <- function(family, threshold, trials = 1, ...) {
    settings <- settings_for(threshold = threshold, threshold_of = "mean")
    columns_of_response(0.4, 0.7^2, family, list(...)[[1]], trials, settings)$p_mean_exceed
  }
  expect_equal(exceed(poisson(), 2, 1, NULL), mean(exp(eta) > 2), tolerance = 0.01)
  expect_equal(exceed(binomial(), 6, 10, NULL), mean(10 * plogis(eta) > 6), tolerance = 0.01)
  expect_equal(exceed(binomial("cloglog"), 0.6, 1, NULL), mean(1 - exp(-exp(eta)) > 0.6),
    tolerance = 0.01)
  expect_equal(exceed(gaussian(), 1, 1, c(variance = 9)), mean(eta > 1), tolerance = 0.01)
  expect_identical(c(exceed(poisson(), -1, 1, NULL), exceed(poisson(), 0, 1, NULL),
    exceed(binomial(), 1, 1, NULL)), c(1, 1, 0))
  both <- columns_of_response(0.4, 0.49, poisson(), NULL, 1,
    settings_for(threshold = c(1, 2), threshold_of = "mean"))
  expect_named(both, c("mean", "sd", "p_mean_exceed_1", "p_mean_exceed_2"))
})
