test_extended("the distribution function of every family is the expectation of that given the predictor", {
  for (name in names(mixture_cases)) {
    case <- mixture_cases[[name]]
    grid <- mixture_grid(case)
    expected <- expected_given(case, grid$table, "distribution")
    # 1e-6 is promised; the reference is as good as that where the family's step spans many of its
    # points.
    expect_lt(max(abs(predictive_cdf(grid$table$y, grid$mixture) - expected)), 1e-7,
      label = name)
  }
})

test_extended("the density of every family is the expectation of that given the predictor", {
  for (name in names(mixture_cases)) {
    case <- mixture_cases[[name]]
    grid <- mixture_grid(case)
    expected <- expected_given(case, grid$table, "density")
    seen <- expected > 1e-20
    expect_gt(sum(seen), 5)
    # no reference for a kink, which test-family-asymmetric-laplace.R integrates on both sides
    expect_equal(exp(predictive_log_density(grid$table$y, grid$mixture))[seen], expected[seen],
      tolerance = if (has_mark(case$family, "kink")) 1e-4 else 1e-6, label = name)
    expect_equal(exp(predictive_log_density(grid$table$y, grid$mixture)),
      exp(predictive_log_density(grid$table$y, grid$mixture)))
  }
})

test_extended("mean and variance are those of the two stages together", {
  for (name in setdiff(names(mixture_cases), "heavy_t")) {
    case <- mixture_cases[[name]]
    grid <- mixture_grid(case, sd = c(0.05, 0.7, 3))
    family <- response_family(case$family)
    parameters <- as.list(case$parameters)
    given <- function(what) {
      function(eta, i) rep_len(family[[what]](eta, parameters, case$trials), length(eta))
    }
    mean <- trapezoid_expectation(given("mean"), grid$table$mean, grid$table$sd)
    variance <- trapezoid_expectation(function(eta, i) given("variance")(eta, i) +
      (given("mean")(eta, i) - mean[i])^2, grid$table$mean, grid$table$sd)
    expect_equal(predictive_mean(grid$mixture), mean, tolerance = 1e-8, label = name)
    expect_equal(predictive_variance(grid$mixture), variance, tolerance = 1e-7, label = name)
  }
})

test_extended("a known predictor leaves the family's own distribution", {
  mean <- c(-1, 0.4, 2)
  for (case in mixture_cases) {
    mixture <- new_mixture(mean, 0, case$family, case$parameters, case$trials)
    family <- response_family(case$family)
    y <- rep(case$y[2L], 3)
    given <- function(what, ...) family[[what]](y, mean, as.list(case$parameters), case$trials, ...)
    expect_equal(predictive_cdf(y, mixture), given("distribution"))
    expect_equal(exp(predictive_log_density(y, mixture)), given("density"))
    expect_equal(predictive_mean(mixture), family$mean(mean, as.list(case$parameters), case$trials))
  }
})

test_extended("separated predictors give neither NaN nor warnings", {
  mean <- rep(c(-700, -300, -40, 40, 300), each = 3)
  sd <- rep(c(0, 1, 5), 5)
  for (name in c("bernoulli", "logit", "probit", "cloglog", "poisson", "negative_binomial",
      "gamma", "truncated", "truncated_nbinom2", "tweedie", "zi_poisson", "zi_nbinom2",
      "betabinomial")) {
    case <- mixture_cases[[name]]
    mixture <- new_mixture(mean, sd, case$family, case$parameters, case$trials)
    expect_no_warning({
      probability <- predictive_cdf(case$y[1L], mixture)
      density <- predictive_log_density(case$y[1L], mixture)
    })
    expect_true(all(probability >= 0 & probability <= 1), label = name)
    expect_false(anyNA(density), label = name)
  }
  # The log score of a miss grows with the predictor instead of becoming infinite: E plogis(eta) =
  # exp(mean + sd^2 / 2) far to the left.
  missed <- new_mixture(c(-40, -600), c(1, 1), binomial())
  expect_equal(predictive_log_density(1, missed), c(-39.5, -599.5), tolerance = 1e-8)
})

test_extended("random predictors of any size leave nothing undefined", {
  set.seed(17)
  mean <- c(rnorm(15, 0, 5), runif(15, -100, 100))
  sd <- sample(c(0, 1e-8, runif(13), rexp(15, 1 / 3)))
  for (name in names(mixture_cases)) {
    case <- mixture_cases[[name]]
    mixture <- new_mixture(mean, sd, case$family, case$parameters, case$trials)
    expect_no_warning({
      y <- predictive_quantile(runif(30, 0.001, 0.999), mixture)
      scored <- if (mixture_rule(mixture)$scale == "log") which(sd <= 6) else seq_along(sd)
      results <- c(y, predictive_cdf(y, mixture), predictive_log_density(y, mixture),
        predictive_crps(y[scored], mixture[scored]))
    })
    expect_false(anyNA(results), label = name)
  }
})

test_that("outside the support there is no probability, beyond it all of it", {
  counts <- new_mixture(c(0, 0, 0), 1, poisson())
  expect_equal(predictive_cdf(c(-1, -0.5, Inf), counts), c(0, 0, 1))
  expect_equal(predictive_cdf(c(2, 2.7, 2.999999), counts),
    rep(predictive_cdf(2, counts)[1L], 3))
  trials <- new_mixture(c(0, 0), 1, binomial(), trials = c(3, 4))
  expect_equal(predictive_cdf(3, trials)[1L], 1)
  expect_lt(predictive_cdf(3, trials)[2L], 1)
  expect_equal(predictive_cdf(c(-0.1, 0), new_mixture(c(0, 0), 1, Gamma("log"),
    c(shape = 2))), c(0, 0))
  expect_equal(predictive_cdf(c(0, 1), new_mixture(c(0, 0), 1, mixture_cases$beta$family,
    c(precision = 2))), c(0, 1))
})

test_that("exceedance and distribution add up", {
  grid <- mixture_grid(mixture_cases$poisson)
  expect_equal(predictive_cdf(2, grid$mixture, lower = FALSE) + predictive_cdf(2, grid$mixture),
    rep(1, nrow(grid$table)))
})

test_that("draws follow the distribution", {
  set.seed(5)
  for (name in c("poisson", "gamma", "logit", "student_t")) {
    case <- mixture_cases[[name]]
    mixture <- new_mixture(c(0.3, NA, 1), 0.6, case$family, case$parameters, case$trials)
    draws <- mixture_random(40000L, mixture)
    expect_identical(is.na(draws[, 1]), c(FALSE, TRUE, FALSE))
    q <- predictive_quantile(0.7, mixture)
    share <- rowMeans(draws <= q)
    probability <- predictive_cdf(q, mixture)
    expect_lt(max(abs(share - probability)[-2] / sqrt(probability * (1 - probability) / 40000)[-2]),
      4, label = name)
  }
})

test_that("rows without moments stay without results, whatever the chunks", {
  mean <- rep(c(0.5, NA, -1), 40)
  mixture <- new_mixture(mean, rep(c(1, 1, NA, 0.5), 30), poisson())
  value <- predictive_cdf(1, mixture)
  expect_identical(is.na(value), is.na(mean) | rep(c(FALSE, FALSE, TRUE, FALSE), 30))
  by_seven <- over_rows(mixture, 1, function(part, q) mixture_rule(part)$distribution(part, q),
    rows_at_once = 7L)
  expect_equal(by_seven, value, tolerance = 1e-14)
})

test_that("weights divide the dispersion of families that have one", {
  weighted <- new_mixture(c(0, 0), 1, gaussian(), c(variance = 2), weights = c(1, 4))
  expect_equal(predictive_variance(weighted), c(3, 1.5))
  scaled <- new_mixture(c(0, 0), 1, mixture_cases$student_t$family, c(scale = 2, df = 4),
    weights = c(1, 4))
  expect_equal(predictive_variance(scaled), c(9, 3))
  # given eta the variance of a gamma response is mean^2 / shape, that of a beta response
  # [mean - mean^2] / [1 + precision]
  expect_equal(predictive_variance(new_mixture(c(0, 0), 0, Gamma("log"), c(shape = 2),
    weights = c(1, 4))), 1 / c(2, 8))
  expect_equal(predictive_variance(new_mixture(c(0, 0), 0, beta_response(), c(precision = 3),
    weights = c(1, 4))), 0.25 / c(4, 13))
  expect_equal(predictive_cdf(0.5, new_mixture(c(0, 0), 0, Gamma("log"), c(shape = 2),
    weights = c(1, 4))), pgamma(0.5, c(2, 8), c(2, 8)))
  expect_equal(predictive_variance(new_mixture(0, 0, poisson(), weights = 4)), 1)
})

test_that("parameters that are missing and families that are unknown are named", {
  expect_error(new_mixture(0, 1, Gamma("log")), "parameter shape", class = "neargp_error_argument")
  expect_error(new_mixture(0, 1, Gamma()), "inverse link", class = "neargp_error_family")
  expect_error(new_mixture(c(0, 1), c(1, -1), poisson()), "row 2", class = "neargp_error_sd")
})

test_that("a mean beyond the range of numbers is told where the field is given, too", {
  expect_warning(limit <- mean_given_field(c(2, 800), named_mixture("poisson", c(2, 800), 3,
    list())), "confidence limit", class = "neargp_warning_overflow")
  expect_equal(limit, c(exp(2), .Machine$double.xmax))
})
