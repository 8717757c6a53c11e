# Generalised gamma responses contain gamma and Weibull responses, and the log-normal ones as a
# limit.

positive_rows <- function(n = 300L) {
  set.seed(8)
  d <- data.frame(x = runif(n), y = runif(n), a = rnorm(n))
  d$amount <- exp(0.5 + 0.4 * d$a) * stats::rgamma(n, 2)^0.7
  d
}

fit_positive <- function(family, ...) {
  suppressMessages(neargp(amount ~ a, positive_rows(), family = family, ...))
}

test_that("power 1 is a gamma response, shape 1 a Weibull response", {
  gamma <- fit_positive(stats::Gamma("log"), covariance = cov_none())
  same <- fit_positive(gengamma(power = 1), covariance = cov_none())
  expect_equal(c(logLik(same)), c(logLik(gamma)), tolerance = 1e-7)
  expect_equal(coef(same), coef(gamma), tolerance = 1e-4)
  expect_equal(same$family_parameters[["shape"]], gamma$family_parameters[["shape"]],
    tolerance = 1e-3)
  weibull <- fit_positive(gengamma(shape = 1), covariance = cov_none())
  d <- positive_rows()
  minus <- function(theta) {
    power <- exp(theta[3L])
    scale <- exp(theta[1L] + theta[2L] * d$a) / base::gamma(1 + 1 / power)
    -sum(stats::dweibull(d$amount, power, scale, log = TRUE))
  }
  best <- suppressWarnings(stats::optim(c(0, 0, 0), minus, method = "BFGS",
    control = list(reltol = 1e-14)))
  expect_equal(c(logLik(weibull)), -best$value, tolerance = 1e-6)
  expect_equal(unname(coef(weibull)), best$par[1:2], tolerance = 1e-3)
  both <- fit_positive(gengamma(), covariance = cov_none())
  expect_gte(c(logLik(both)), max(c(logLik(gamma)), c(logLik(weibull))) - 1e-4)
})

test_that("density, distribution and moments agree", {
  entry <- response_families$gengamma
  parameters <- list(shape = 1.7, power = 0.8)
  density <- function(y) entry$density(y, rep(0.4, length(y)), parameters, 1)
  integral <- function(f, to = Inf) stats::integrate(f, 0, to, rel.tol = 1e-9)$value
  expect_equal(integral(density), 1, tolerance = 1e-7)
  expect_equal(integral(function(y) y * density(y)), exp(0.4), tolerance = 1e-6)
  expect_equal(integral(function(y) (y - exp(0.4))^2 * density(y)),
    entry$variance(0.4, parameters), tolerance = 1e-6)
  expect_equal(entry$distribution(2, 0.4, parameters), integral(density, 2), tolerance = 1e-7)
  expect_equal(entry$distribution(entry$quantile(0.3, 0.4, parameters), 0.4, parameters), 0.3)
  set.seed(1)
  expect_equal(mean(entry$random(1e5, 0.4, parameters)), exp(0.4), tolerance = 0.02)
})

test_that("gengamma() fits a process, and predicts", {
  fit <- fit_positive(gengamma(), coords = ~ x + y, method = vnngp(k = 8))
  found <- predict(fit, positive_rows()[1:3, ], interval = "prediction")
  expect_true(all(found$lower < found$mean & found$mean < found$upper))
})

test_that("lognormal() is a Gaussian response with logarithms", {
  named <- fit_positive(lognormal(), coords = ~ x + y, covariance = cov_exponential())
  by_transform <- suppressMessages(neargp(amount ~ a, positive_rows(), coords = ~ x + y,
    covariance = cov_exponential(), transform = "log"))
  expect_equal(logLik(named), logLik(by_transform))
  new <- positive_rows()[1:3, ]
  expect_equal(predict(named, new), predict(by_transform, new))
  alone <- fit_positive("lognormal", covariance = cov_none())
  d <- positive_rows()
  by_lm <- stats::lm(log(amount) ~ a, d)
  expect_equal(c(logLik(alone)), c(logLik(by_lm)) - sum(log(d$amount)), tolerance = 1e-5)
  expect_error(fit_positive(lognormal(), transform = "sqrt", coords = ~ x + y), "lognormal",
    class = "neargp_error_argument")
})
