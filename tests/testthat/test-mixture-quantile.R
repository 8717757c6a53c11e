test_extended("quantiles of continuous responses invert the distribution function", {
  p <- c(1e-4, 0.025, 0.5, 0.9, 0.975, 0.9999)
  for (name in c("gaussian", "student_t", "heavy_t", "gamma", "sharp_gamma", "beta", "u_beta",
      "tweedie", "low_tweedie")) {
    case <- mixture_cases[[name]]
    grid <- expand.grid(p = p, mean = c(-4, 0, 2), sd = c(0.01, 0.7, 5))
    mixture <- new_mixture(grid$mean, grid$sd, case$family, case$parameters)
    quantile <- predictive_quantile(grid$p, mixture)
    # Shares next to 1 are rounded to 16 digits and those next to 0 underflow, where beta
    # distributions may have much of their mass.
    inner <- (quantile < 1 - 1e-6 & quantile > 1e-250) | !name %in% c("beta", "u_beta")
    # Up to its own probability all quantiles are 0.
    atom <- quantile == 0 & grepl("tweedie", name)
    expect_true(all(predictive_cdf(0, mixture)[atom] >= (grid$p - 1e-9)[atom]))
    inner <- inner & !atom
    expect_gt(mean(inner), 0.3)
    expect_lt(max((abs(predictive_cdf(quantile, mixture) - grid$p) / pmin(grid$p,
      1 - grid$p))[inner]), 1e-6, label = name)
  }
})

test_that("closed forms of quantiles are met to 1e-7", {
  p <- c(0.001, 0.3, 0.975)
  known <- function(case, mean) new_mixture(rep(mean, 3), 0, case$family, case$parameters)
  expect_equal(predictive_quantile(p, known(mixture_cases$gamma, 1)),
    qgamma(p, 2, scale = exp(1) / 2),
    tolerance = 1e-7)
  expect_equal(predictive_quantile(p, known(mixture_cases$student_t, 1)), 1 + 0.3 * qt(p, 3),
    tolerance = 1e-7)
  expect_equal(predictive_quantile(p, known(mixture_cases$beta, 0)), qbeta(p, 2.5, 2.5),
    tolerance = 1e-7)
  # A gamma response with next to no noise of its own is log-normal.
  lognormal <- new_mixture(rep(2, 3), 1.5, Gamma("log"), c(shape = 1e9))
  expect_equal(predictive_quantile(p, lognormal), qlnorm(p, 2, 1.5), tolerance = 1e-7)
})

test_extended("quantiles of counts are the smallest that reach the probability", {
  p <- c(1e-4, 0.025, 0.5, 0.9, 0.975, 0.9999)
  for (name in c("bernoulli", "logit", "many_trials", "probit", "cloglog", "poisson",
      "negative_binomial", "clumped", "truncated", "truncated_nbinom2", "zi_poisson", "zi_nbinom2",
      "betabinomial", "sharp_betabinomial", "ordinal", "probit_ordinal")) {
    case <- mixture_cases[[name]]
    grid <- expand.grid(p = p, mean = c(-40, -4, 0, 2, 12), sd = c(0.01, 0.7, 5))
    mixture <- new_mixture(grid$mean, grid$sd, case$family, case$parameters, case$trials)
    quantile <- predictive_quantile(grid$p, mixture)
    expect_identical(quantile, round(quantile))
    # Those beyond 13 digits cannot be distinguished from their neighbours.
    exact <- quantile < 1e12
    expect_true(all((predictive_cdf(quantile, mixture) >= grid$p - 1e-9)[exact]),
      label = name)
    expect_true(all((predictive_cdf(quantile - 1, mixture) < grid$p)[exact]), label = name)
  }
})

test_that("a probability that is met exactly is reached", {
  expect_equal(predictive_quantile(0.5, new_mixture(c(0, 0), c(0, 3), binomial())), c(0, 0))
  expect_equal(predictive_quantile(ppois(4, 3), new_mixture(log(3), 0, poisson())), 4)
})

test_extended("with a log link and a wide linear predictor quantiles are those of its exponential, or the largest number with a warning", {
  wide <- new_mixture(c(0, 2), c(30, 100), poisson())
  expect_equal(log(predictive_quantile(0.975, wide)), c(30, 100) * qnorm(0.975) + c(0, 2),
    tolerance = 1e-9)
  expect_equal(predictive_cdf(exp(150), wide), pnorm(150, c(0, 2), c(30, 100)),
    tolerance = 1e-9)
  negative <- new_mixture(0, 100, negative_binomial(), c(size = 1e6))
  expect_equal(log(predictive_quantile(0.9, negative)), 100 * qnorm(0.9), tolerance = 1e-6)
  for (variance in c(1e12, 1e200)) for (family in list(poisson(), Gamma("log"),
      negative_binomial())) {
    far <- new_mixture(c(0, 0), c(1, sqrt(variance)), family, c(shape = 2, size = 2))
    expect_warning(high <- predictive_quantile(0.9, far), "row 2",
      class = "neargp_warning_overflow")
    expect_identical(high[2], .Machine$double.xmax)
    expect_lt(high[1], 10)
    expect_lt(predictive_quantile(0.1, far)[2], 1e-300)
    expect_warning(expect_identical(predictive_mean(far)[2], .Machine$double.xmax),
      class = "neargp_warning_overflow")
    expect_warning(expect_identical(predictive_variance(far)[2], .Machine$double.xmax),
      class = "neargp_warning_overflow")
    expect_equal(predictive_cdf(10, far, lower = FALSE)[2], 0.5, tolerance = 1e-4)
  }
  expect_silent(predictive_quantile(0.9, new_mixture(0, 1e100, binomial(), trials = 20)))
  expect_silent(predictive_mean(new_mixture(0, 1e100, binomial(), trials = 20)))
})
