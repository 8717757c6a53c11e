# Counts whose variance is linear in the mean: the density, and the fit without a process by
# maximising the likelihood of stats::dnbinom().

linear_counts <- function(n = 300L) {
  set.seed(6)
  d <- data.frame(x = runif(n), y = runif(n), a = rnorm(n))
  mean <- exp(1 + 0.4 * d$a)
  d$count <- stats::rnbinom(n, size = mean / 2, mu = mean)
  d
}

test_that("a fit without a process maximises the likelihood", {
  d <- linear_counts()
  fit <- suppressMessages(neargp(count ~ a, d, family = nbinom1(), covariance = cov_none()))
  minus <- function(theta) {
    mean <- exp(theta[1L] + theta[2L] * d$a)
    -sum(stats::dnbinom(d$count, size = mean / exp(theta[3L]), mu = mean, log = TRUE))
  }
  best <- stats::optim(c(1, 0.4, 0), minus, method = "BFGS", control = list(reltol = 1e-14))
  expect_equal(c(logLik(fit)), -best$value, tolerance = 1e-7)
  expect_equal(unname(coef(fit)), best$par[1:2], tolerance = 1e-3)
  expect_equal(unname(fit$family_parameters), exp(best$par[3L]), tolerance = 1e-3)
  fixed <- suppressMessages(neargp(count ~ a, d, family = nbinom1(dispersion = 2),
    covariance = cov_none()))
  expect_equal(c(logLik(fixed)), -minus(c(coef(fixed), log(2))), tolerance = 1e-7)
})

test_that("mean, variance and quantiles are those of draws", {
  entry <- response_families$nbinom1
  parameters <- list(dispersion = 3)
  counts <- 0:4000
  p <- entry$density(counts, rep(log(7), 4001), parameters, 1)
  expect_equal(sum(p), 1, tolerance = 1e-10)
  expect_equal(sum(counts * p), entry$mean(log(7), parameters), tolerance = 1e-8)
  expect_equal(sum((counts - 7)^2 * p), entry$variance(log(7), parameters), tolerance = 1e-8)
  expect_equal(entry$distribution(5, log(7), parameters), sum(p[1:6]), tolerance = 1e-10)
  expect_equal(entry$quantile(0.9, log(7), parameters), counts[which(cumsum(p) >= 0.9)[1L]])
})

test_that("predictions with a process are the integrals", {
  fit <- suppressMessages(neargp(count ~ a, linear_counts(120L), coords = ~ x + y,
    family = nbinom1(), method = vnngp(k = 8)))
  new <- data.frame(x = 0.4, y = 0.6, a = 0.3)
  link <- predict(fit, new, type = "link", parameters = "plug-in")
  response <- predict(fit, new, parameters = "plug-in")
  dispersion <- fit$family_parameters
  moment <- function(f) {
    stats::integrate(function(eta) f(exp(eta)) * stats::dnorm(eta, link$mean, link$sd),
      link$mean - 9 * link$sd, link$mean + 9 * link$sd, rel.tol = 1e-10)$value
  }
  mean <- moment(function(m) m)
  expect_equal(response$mean, mean, tolerance = 1e-6)
  expect_equal(response$sd^2, moment(function(m) m^2 + (1 + dispersion) * m) - mean^2,
    tolerance = 1e-6, ignore_attr = TRUE)
})
