small_counts <- function(n = 45) {
  withr::with_seed(2, {
    d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
    mu <- exp(0.5 + sin(6 * d$x))
    d$positive <- 1 + rpois(n, mu)
    d$zeros <- rbinom(n, 1, 0.7) * rpois(n, mu)
    d$amount <- rgamma(n, rpois(n, mu), 1)
    d$successes <- rbinom(n, 6, rbeta(n, 3, 2))
    d
  })
}

count_models <- list(
  list(positive ~ h, truncated_poisson()), list(positive ~ h, truncated_nbinom2()),
  list(amount ~ h, tweedie()), list(zeros ~ h, zi_poisson()), list(zeros ~ h, zi_nbinom2(size = 5)),
  list(cbind(successes, 6 - successes) ~ h, betabinomial())
)

fit_counts <- function(formula, family, data = small_counts(), method = vnngp(k = 3), ...) {
  neargp(formula, data, coords = ~ x + y, family = family, method = method,
    covariance = cov_exponential(variance = 0.4, range = 0.3), verbose = FALSE, ...)
}

# The mean and the probability of more than 2 against an average over the linear predictor.
test_extended("predictions of every method are averages over the linear predictor", {
  d <- small_counts()
  z <- seq(-8, 8, length.out = 401)
  for (model in count_models) {
    for (method in list(vnngp(k = 3), loo_k(k = 4), svgp(inducing = 8))) {
      fit <- fit_counts(model[[1]], model[[2]], d, method)
      link <- predict(fit, d[5, ], type = "link")
      entry <- response_family(fit$family)
      eta <- link$mean + link$sd * z
      average <- function(value) sum(value * dnorm(z)) * (z[2] - z[1])
      own <- as.list(fit$family_parameters)
      given <- predict(fit, d[5, ], threshold = 2)
      expect_equal(given$mean, average(entry$mean(eta, own, 1)), tolerance = 1e-6)
      # one trial is never more than 2
      expect_equal(given$p_exceed, 1 - average(entry$distribution(rep(2, 401), eta, own, 1)),
        tolerance = 1e-5)
    }
    expect_true(is.finite(scores(fit)$log_score))
  }
})

test_that("the mean exceeds a threshold where the linear predictor does", {
  d <- small_counts()
  for (model in count_models[c(1, 2, 4)]) {
    fit <- fit_counts(model[[1]], model[[2]], d)
    link <- predict(fit, d[5, ], type = "link")
    entry <- response_family(fit$family)
    own <- as.list(fit$family_parameters)
    at <- uniroot(function(eta) entry$mean(eta, own, 1) - 2.5, c(-5, 5), tol = 1e-10)$root
    expect_equal(predict(fit, d[5, ], threshold = 2.5, threshold_of = "mean")$p_mean_exceed,
      pnorm(at, link$mean, link$sd, lower.tail = FALSE), tolerance = 1e-6)
  }
  fit <- fit_counts(positive ~ h, truncated_poisson(), d)
  expect_equal(predict(fit, d[5, ], threshold = 0.5, threshold_of = "mean")$p_mean_exceed, 1)
})

test_that("responses that a family cannot have are refused, and others advised", {
  d <- small_counts()
  d$positive[7] <- 0
  expect_error(fit_counts(positive ~ h, truncated_poisson(), d), "row 7",
    class = "neargp_error_response")
  expect_error(fit_counts(I(positive / 2) ~ h, truncated_nbinom2(), d), "at least 1",
    class = "neargp_error_response")
  expect_error(fit_counts(as.character(positive) ~ h, truncated_poisson(), d), "character",
    class = "neargp_error_response")
  expect_error(fit_counts(as.character(amount) ~ h, tweedie(), d), "character",
    class = "neargp_error_response")
  d$amount[3] <- -1
  expect_error(fit_counts(amount ~ h, tweedie(), d), "row 3", class = "neargp_error_response")
  expect_error(fit_counts(I(0 * zeros) ~ h, zi_poisson(), d), class =
    "neargp_error_constant_response")
  expect_error(fit_counts(I(h - 5) ~ 1, zi_nbinom2(), d), class = "neargp_error_response")
  expect_error(fit_counts(cbind(zeros > 0, zeros == 0) + 0 ~ h, betabinomial(), d), "binomial",
    class = "neargp_error_response")
  expect_error(fit_counts(factor(zeros > 0) ~ h, betabinomial(), d), "factor",
    class = "neargp_error_response")
  expect_message(fit_counts(I(abs(amount) + 0.1) ~ h, tweedie(), d), "Gamma",
    class = "neargp_message_family")
  expect_message(fit_counts(I(zeros + 1) ~ h, zi_poisson(), d), "lower limit",
    class = "neargp_message_family")
})

test_that("far below all counts but zero have, a positive count is 1", {
  for (name in c("truncated_poisson", "truncated_nbinom2")) {
    entry <- response_families[[name]]
    parameters <- if (length(entry$parameters)) list(size = 2)
    for (eta in c(-50, -500, -800, -1e5)) {
      expect_equal(entry$mean(eta, parameters, 1), 1, info = name)
      expect_equal(entry$variance(eta, parameters, 1), 0, info = name)
      expect_equal(entry$distribution(c(0, 1, 2), rep(eta, 3), parameters, 1), c(0, 1, 1))
      expect_equal(entry$density(c(1, 2), rep(eta, 2), parameters, 1), c(1, 0), info = name)
      expect_equal(entry$quantile(c(0.1, 0.9), rep(eta, 2), parameters, 1), c(1, 1), info = name)
    }
  }
})

test_that("truncated counts are distributed as pnbinom() says, for sizes up to a million", {
  entry <- response_families$truncated_nbinom2
  for (size in c(0.1, 1, 1e3, 1e5, 1e6)) {
    for (mean in size * c(0.5, 0.9, 2)) {
      q <- pmax(round(mean * c(0.9, 1, 1.001, 1.1)), 1)
      none <- stats::dnbinom(0, size = size, mu = mean)
      expect_equal(entry$distribution(q, rep(log(mean), 4L), list(size = size), 1),
        (stats::pnbinom(q, size = size, mu = mean) - none) / (1 - none), tolerance = 1e-8)
    }
  }
  expect_silent(far <- entry$distribution(15, log(20000), list(size = 1e6), 1))
  expect_equal(far, 0)
})
