# The sum that defines the score, of distribution functions that R has, by trapezoids over the
# linear predictor.
crps_of_counts <- function(y, case, mean, sd, to) {
  x <- 0:to
  given <- function(eta) {
    switch(case$family$family, poisson = ppois(x, exp(eta)),
      negative_binomial = pnbinom(x, case$parameters[["size"]], mu = exp(eta)),
      binomial = pbinom(x, case$trials, case$family$linkinv(eta)),
      truncated_poisson = ifelse(x < 1, 0, ppois(x, exp(eta)) - dpois(0, exp(eta))) /
        -expm1(-exp(eta)),
      truncated_nbinom2 = ifelse(x < 1, 0, cumsum(dnbinom(x, case$parameters[["size"]],
        mu = exp(eta))) - dnbinom(0, case$parameters[["size"]], mu = exp(eta))) /
        (1 - dnbinom(0, case$parameters[["size"]], mu = exp(eta))),
      nbinom1 = pnbinom(x, exp(eta) / case$parameters[["dispersion"]],
        1 / (1 + case$parameters[["dispersion"]])),
      zi_poisson = case$parameters[["zi"]] + (1 - case$parameters[["zi"]]) * ppois(x, exp(eta)),
      zi_nbinom2 = case$parameters[["zi"]] + (1 - case$parameters[["zi"]]) *
        pnbinom(x, case$parameters[["size"]], mu = exp(eta)),
      ordinal = plogis(c(-Inf, 0, 1.2, 1.3, Inf)[x + 1] - eta),
      betabinomial = {
        a <- case$parameters[["precision"]] * plogis(eta)
        b <- case$parameters[["precision"]] * plogis(-eta)
        cumsum(choose(case$trials, x) * exp(lbeta(x + a, case$trials - x + b) - lbeta(a, b)))
      })
  }
  z <- if (sd == 0) 0 else seq(-9, 9, length.out = 201L + ceiling(18 * sd * sqrt(to)))
  weights <- if (sd == 0) 1 else dnorm(z) * (z[2L] - z[1L])
  probability <- Reduce(function(sum, i) sum + weights[i] * given(mean + sd * z[i]), seq_along(z),
    double(length(x)))
  vapply(y, function(y) sum((probability - (x >= y))^2), 0)
}

count_cases <- list(
  poisson = list(family = poisson(), trials = 1),
  negative_binomial = list(family = a_family("negative_binomial", "log"),
    parameters = c(size = 1.5), trials = 1),
  clumped = list(family = a_family("negative_binomial", "log"), parameters = c(size = 0.1),
    trials = 1),
  bernoulli = list(family = binomial(), trials = 1),
  logit = list(family = binomial(), trials = 20),
  probit = list(family = binomial("probit"), trials = 60),
  cloglog = list(family = binomial("cloglog"), trials = 300),
  nbinom1 = list(family = nbinom1(), parameters = c(dispersion = 1.5), trials = 1),
  truncated = list(family = truncated_poisson(), trials = 1),
  truncated_nbinom2 = list(family = truncated_nbinom2(), parameters = c(size = 1.5), trials = 1),
  zi_poisson = list(family = zi_poisson(), parameters = c(zi = 0.3), trials = 1),
  zi_nbinom2 = list(family = zi_nbinom2(), parameters = c(size = 1.5, zi = 0.3), trials = 1),
  betabinomial = list(family = betabinomial(), parameters = c(precision = 5), trials = 20),
  ordinal = list(family = ordinal(), parameters = c(gap_2 = 1.2, gap_3 = 0.1), trials = 4)
)

crps_of_case <- function(y, case, mean, sd) {
  predictive_crps(y, new_mixture(rep(mean, length(y)), sd, case$family, case$parameters,
    case$trials))
}

test_extended("the CRPS of counts is the sum that defines it", {
  for (name in names(count_cases)) {
    case <- count_cases[[name]]
    open <- !grepl("^(beta)?binomial$|ordinal", case$family$family)
    y <- if (open) c(0, 1, 7, 80)[(1 + grepl("truncated", name)):4] else
      unique(pmax(round(case$trials * c(0, 0.3, 1)), name == "ordinal"))
    for (sd in c(0, 0.05, if (open) 0.8 else 1.5)) {
      for (mean in c(-2, 0.6)) {
        expected <- crps_of_counts(y, case, mean, sd,
          if (!open) case$trials else if (name == "clumped") 3000 else 500)
        expect_equal(crps_of_case(y, case, mean, sd), expected, tolerance = 1e-7,
          label = paste(name, sd, mean))
      }
    }
  }
})

test_extended("so it is for large counts, which are integrated", {
  poisson <- count_cases$poisson
  y <- c(0, 2500, 5000, 9000)
  expect_equal(crps_of_case(y, poisson, log(5000), 0.15), crps_of_counts(y, poisson, log(5000),
    0.15, 15000), tolerance = 1e-7)
  expect_equal(crps_of_case(y, poisson, 12, 0), crps_of_counts(y, poisson, 12, 0, 170000),
    tolerance = 1e-7)
  shares <- list(family = binomial(), trials = 9000)
  y <- c(0, 2500, 6000, 9000)
  expect_equal(crps_of_case(y, shares, 0.4, 0.3), crps_of_counts(y, shares, 0.4, 0.3, 9000),
    tolerance = 1e-7)
})

test_that("counts one by one and their integral are the same sums", {
  case <- count_cases$negative_binomial
  for (observed in c(100, 260, 900)) {
    mixture <- new_mixture(c(5, 5.5), c(0.2, 1), case$family, case$parameters)
    observed <- rep(observed, 2L)
    line <- list(rows = c(TRUE, TRUE), from = c(100, 120), to = c(900, 800))
    expect_equal(integrated_squares(mixture, observed, line),
      summed_squares(mixture, observed, line$from, line$to), tolerance = 1e-7)
  }
  mixture <- new_mixture(0.4, 0.5, binomial(), trials = 9000)
  expect_equal(integrated_squares(mixture, 3000, list(rows = TRUE, from = 100, to = 8900)),
    summed_squares(mixture, 3000, 100, 8900), tolerance = 1e-7)
})

test_extended("rows of all sizes are summed together as they are alone", {
  set.seed(3)
  mean <- runif(1200, -4, 10)
  sd <- sample(c(0, 0.1, 1, 2), 1200, TRUE)
  y <- rpois(1200, exp(mean))
  crps <- predictive_crps(y, new_mixture(mean, sd, poisson()))
  some <- sample(1200L, 25L)
  alone <- vapply(some,
    function(i) predictive_crps(y[i], new_mixture(mean[i], sd[i], poisson())), 0)
  expect_equal(crps[some], alone, tolerance = 1e-8)
})

test_extended("so it is for large counts with zeros of another origin", {
  inflated <- count_cases$zi_poisson
  y <- c(0, 2500, 9000)
  expect_equal(crps_of_case(y, inflated, log(5000), 0.15), crps_of_counts(y, inflated, log(5000),
    0.15, 15000), tolerance = 1e-7)
})

test_that("the ratio of the probabilities of neighbouring counts is that of the table", {
  for (name in c("poisson", "negative_binomial", "binomial_logit", "binomial_probit",
      "binomial_cloglog")) {
    entry <- response_families[[name]]
    parameters <- list(size = 1.7)
    eta <- rep(c(-1.5, 0.3, 1), each = 9)
    y <- rep(1:9, 3)
    ratio <- entry$density(y, eta, parameters, 9, FALSE) / entry$density(y - 1, eta, parameters, 9,
      FALSE)
    expect_equal(entry$ratio_in_predictor(eta, parameters) * entry$ratio_in_count(y, parameters, 9),
      ratio, label = name)
  }
  # from 2 on, where there are no zeros or more of them
  for (name in c("truncated_poisson", "truncated_nbinom2", "zi_poisson", "zi_nbinom2")) {
    entry <- response_families[[name]]
    parameters <- list(size = 1.7, zi = 0.4)[entry$parameters]
    ratio <- entry$density(2:9, 0.3, parameters, 1, FALSE) / entry$density(1:8, 0.3, parameters, 1,
      FALSE)
    expect_equal(entry$ratio_in_predictor(0.3, parameters) * entry$ratio_in_count(2:9, parameters,
      1), ratio, label = name)
  }
})

test_that("distribution functions of counts are those of R at whole numbers", {
  eta <- c(-20, -2, 0.5, 6, 20)
  for (y in c(-1, 0, 3, 400)) {
    expect_equal(response_families$poisson$distribution(y, eta, list(), 1), ppois(y, exp(eta)))
    expect_equal(response_families$binomial_logit$distribution(y, eta, list(), 500),
      pbinom(y, 500, plogis(eta)))
    for (size in c(0.1, 3, 1e6)) {
      expect_equal(response_families$negative_binomial$distribution(y, eta, list(size = size), 1),
        pnbinom(y, size, mu = exp(eta)), tolerance = 1e-7)
    }
  }
})
