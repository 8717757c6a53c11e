# Without a field a fit is a generalised linear model: the same likelihood and coefficients as those
# of packages that are for these.

family_data <- function(n = 250) {
  withr::with_seed(5, {
    d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
    mu <- exp(0.5 + 0.4 * d$h)
    share <- plogis(0.3 + 0.5 * d$h)
    d$poisson <- qpois(runif(n, dpois(0, mu), 1), mu)
    d$nbinom <- qnbinom(runif(n, dnbinom(0, 2, mu = mu), 1), 2, mu = mu)
    d$tweedie <- rgamma(n, rpois(n, mu^0.5 / 0.4), scale = 0.4 * mu^0.5)
    d$zi_poisson <- rpois(n, mu) * rbinom(n, 1, 0.7)
    d$zi_nbinom <- rnbinom(n, 2, mu = 2 * mu) * rbinom(n, 1, 0.7)
    d$successes <- rbinom(n, 9, rbeta(n, 4 * share, 4 * (1 - share)))
    d$failures <- 9 - d$successes
    d
  })
}

expect_same_model <- function(fit, log_likelihood, coefficients, parameters = NULL,
                              tolerance = 1e-3) {
  expect_equal(as.numeric(stats::logLik(fit)), as.numeric(log_likelihood), tolerance = 1e-6)
  expect_equal(unname(stats::coef(fit)), unname(coefficients), tolerance = tolerance)
  if (!is.null(parameters)) {
    expect_equal(unname(fit$family_parameters), unname(parameters), tolerance = 5 * tolerance)
  }
}

test_extended("truncated counts, Tweedie and beta-binomial responses are those of glmmTMB", {
  skip_if_not_installed("glmmTMB")
  d <- family_data()
  rival <- function(formula, family) {
    suppressWarnings(glmmTMB::glmmTMB(formula, data = d, family = family))
  }
  other <- rival(poisson ~ h, glmmTMB::truncated_poisson())
  expect_same_model(fit_without_field(poisson ~ h, d, truncated_poisson()), stats::logLik(other),
    glmmTMB::fixef(other)$cond)
  other <- rival(nbinom ~ h, glmmTMB::truncated_nbinom2())
  expect_same_model(fit_without_field(nbinom ~ h, d, truncated_nbinom2()), stats::logLik(other),
    glmmTMB::fixef(other)$cond, stats::sigma(other))
  other <- rival(tweedie ~ h, glmmTMB::tweedie())
  expect_same_model(fit_without_field(tweedie ~ h, d, tweedie()), stats::logLik(other),
    glmmTMB::fixef(other)$cond, c(stats::sigma(other), glmmTMB::family_params(other)))
  other <- rival(cbind(successes, failures) ~ h, glmmTMB::betabinomial())
  expect_same_model(fit_without_field(cbind(successes, failures) ~ h, d, betabinomial()),
    stats::logLik(other), glmmTMB::fixef(other)$cond, stats::sigma(other))
})

test_that("zero-inflated counts are those of pscl", {
  skip_if_not_installed("pscl")
  d <- family_data()
  other <- pscl::zeroinfl(zi_poisson ~ h | 1, d)
  expect_same_model(fit_without_field(zi_poisson ~ h, d, zi_poisson()), stats::logLik(other),
    stats::coef(other, "count"), stats::plogis(stats::coef(other, "zero")))
  other <- pscl::zeroinfl(zi_nbinom ~ h | 1, d, dist = "negbin")
  expect_same_model(fit_without_field(zi_nbinom ~ h, d, zi_nbinom2()), stats::logLik(other),
    stats::coef(other, "count"), c(other$theta, stats::plogis(stats::coef(other, "zero"))))
})

test_extended("the density of Tweedie responses is that of mgcv", {
  skip_if_not_installed("mgcv")
  y <- c(0, 1e-4, 0.3, 2, 900)
  for (case in list(c(1, 1.5), c(0.05, 1.1), c(20, 1.9))) {
    for (mu in c(0.2, 3, 500)) {
      expect_equal(response_families$tweedie$density(y, rep(log(mu), 5), list(dispersion = case[1],
        power = case[2]), 1, TRUE), mgcv::ldTweedie(y, mu, case[2], case[1])[, 1],
        tolerance = 1e-9)
    }
  }
})
