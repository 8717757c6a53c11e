test_extended("the trend's covariance is that of dense generalised least squares on the pseudo-observations of rows, repeated locations or not", {
  for (name in c("poisson", "successes", "gamma")) {
    for (repeated in c(0L, 12L)) {
      data <- pseudo_observation_data(50, repeated = repeated)
      fit <- pseudo_observation_fit(name, data, k = 49L - repeated)
      S <- dense_covariance(fit$data$coords, fit$data$coords, fit$core_covariance) +
        diag(1 / fit$pseudo_observations$of_rows$precision)
      expect_equal(vcov(fit), solve(crossprod(fit$data$X, solve(S, fit$data$X))), tolerance = 1e-7)
    }
  }
})

test_extended("a covariate that varies at each location alike is as certain as its rows make it", {
  withr::local_seed(5)
  stations <- data.frame(x = runif(20), y = runif(20))
  data <- cbind(stations[rep(1:20, each = 8), ], year = rep(1:8, 20))
  data$count <- rpois(160, exp(0.5 + 0.1 * data$year + sin(5 * data$x)))
  fit <- neargp(count ~ year, data, coords = ~ x + y, family = poisson(),
    covariance = cov_exponential(), method = loo_k(15L))
  alone <- summary(glm(count ~ year + factor(x), poisson(),
    data))$coefficients["year", "Std. Error"]
  expect_equal(sqrt(vcov(fit)["year", "year"]), alone, tolerance = 0.1)
  expect_lt(max(predict(fit, cbind(stations, year = 4), type = "link")$sd), 0.5)
})

test_extended("without a field the trend is as certain as that of a generalised linear model, whatever the nugget", {
  for (seed in c(1, 2, 4)) {
    data <- withr::with_seed(seed, {
      data <- data.frame(x = runif(40), y = runif(40), h = rnorm(40))
      transform(data, count = rpois(40, exp(1 + 0.3 * h)), number = h + rnorm(40))
    })
    alone <- glm(count ~ h, poisson(), data)
    for (nugget in list(NULL, 1, 500)) {
      fit <- suppressWarnings(neargp(count ~ h, data, coords = ~ x + y, family = poisson(),
        method = loo_k(), nugget = nugget,
        covariance = cov_matern(variance = 1e-6, range = 0.01)))
      expect_equal(sqrt(diag(vcov(fit))), sqrt(diag(vcov(alone))), tolerance = 0.1)
      link <- predict(fit, data, type = "link")
      expect_equal(link$sd, unname(predict(alone, data, se.fit = TRUE)$se.fit), tolerance = 0.1)
      left <- cavity_moments(fit$method, fit)
      expect_lt(max(left$variance), 9 * max(link$sd)^2)
    }
  }
})

test_extended("weights count equal observations, or divide the dispersion", {
  data <- pseudo_observation_data(50)
  weight <- rep(1:2, 25)
  fit <- function(data, ...) {
    neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = loo_k(10L), nugget = 1,
      threads = 1L, covariance = cov_matern(1.5, variance = 1, range = 0.2), ...)
  }
  expect_warning(weighted <- fit(data, weights = weight), "67%", class = "neargp_warning_weights")
  repeated <- fit(data[rep(1:50, weight), ])
  expect_equal(coef(weighted), coef(repeated), tolerance = 1e-5)
  expect_equal(c(logLik(weighted)), c(logLik(repeated)), tolerance = 1e-7)
  repeated <- given_trend(repeated, weighted$beta, weighted$beta_vcov)
  repeated$pseudo_observations$bias <- weighted$pseudo_observations$bias
  expect_equal(loo_predict(weighted), loo_predict(repeated)[!duplicated(rep(1:50, weight)), ],
    tolerance = 1e-6, ignore_attr = TRUE)
  expect_error(pseudo_observation_fit("poisson", data, weights = rep(1.5, 50)), "whole",
    class = "neargp_error_weights")
  expect_s3_class(pseudo_observation_fit("gamma", data, weights = rep(1.5, 50)), "neargp")
})

test_extended("an exposure in the offset scales the counts", {
  data <- pseudo_observation_data(80)
  plain <- pseudo_observation_fit("poisson", data)
  data$exposure <- 10
  exposed <- pseudo_observation_fit("poisson", data, formula = count ~ h + offset(log(exposure)))
  expect_equal(coef(exposed)[[1L]], coef(plain)[[1L]] - log(10), tolerance = 1e-4)
  expect_equal(predict(exposed, data[1:5, ])$mean, predict(plain, data[1:5, ])$mean,
    tolerance = 1e-3)
})

test_extended("Adam comes near quasi-Newton", {
  data <- pseudo_observation_data(300)
  best <- pseudo_observation_fit("negative_binomial", data)
  expect_true(best$convergence$converged)
  withr::local_seed(1)
  adam <- neargp(count ~ h, data, coords = ~ x + y, family = negative_binomial(),
    covariance = cov_exponential(), threads = 1L,
    method = loo_k(10L, optimizer = "adam", steps = 600L))
  expect_gt(c(logLik(adam)), c(logLik(best)) - 3)
  expect_equal(coef(adam)[["h"]], coef(best)[["h"]], tolerance = 0.2)
})

test_extended("parameters can be fixed, and fits be started from earlier ones", {
  data <- pseudo_observation_data(80)
  fit <- neargp(count ~ 1, data, coords = ~ x + y, family = negative_binomial(size = 3), nugget = 1,
    covariance = cov_exponential(), method = loo_k(10L), threads = 1L)
  expect_equal(coef(fit, "covariance")[c("nugget", "size")], c(nugget = 1, size = 3))
  again <- update(fit, start = fit)
  expect_equal(c(logLik(again)), c(logLik(fit)), tolerance = 1e-5)
})

test_extended("what cannot be fitted is refused", {
  data <- pseudo_observation_data(30)
  fit <- function(formula, family, ...) {
    neargp(formula, data, coords = ~ x + y, family = family, covariance = cov_exponential(),
      threads = 1L, ...)
  }
  expect_error(fit(I(count - 5) ~ 1, poisson(), method = loo_k(5L)), "at least 0",
    class = "neargp_error_response")
  expect_error(fit(cbind(successes, trials - successes - 3) ~ 1, binomial(), method = loo_k(5L)),
    "negative", class = "neargp_error_response")
  expect_error(fit(I(0 * count) ~ 1, poisson(), method = loo_k(5L)), "constant",
    class = "neargp_error_constant_response")
  expect_error(fit(count ~ 1, poisson(), method = loo_k(5L, "label")), "one estimator",
    class = "neargp_error_argument")
  expect_error(fit(count ~ 1, poisson(), method = loo_k(5L), nugget = 0), "greater than 0",
    class = "neargp_error_argument")
  expect_error(fit(count ~ 1, poisson("sqrt"), method = loo_k(5L)), class = "neargp_error_family")
  expect_error(student_t(df = 0), class = "neargp_error_argument")
  expect_error(pseudo_observation_fit("poisson", data[rep(1:4, 7), ], k = 5L), "distinct locations",
    class = "neargp_error_k")
})

test_extended("predictions of a simulated field are calibrated, and nearly as good as those of the true model", {
  withr::local_seed(8)
  n <- 1200
  data <- data.frame(x = runif(n), y = runif(n))
  component <- given_covariance(1, 0.15)
  field <- drop(crossprod(chol(dense_covariance(as.matrix(data), as.matrix(data), component) +
    diag(1e-9, n)), rnorm(n)))
  data$count <- rpois(n, exp(0.5 + field))
  data$successes <- rbinom(n, 5, plogis(field))
  data$number <- field + 0.2 * rt(n, 3)
  train <- seq_len(700)
  for (case in list(list(count ~ 1, poisson()), list(cbind(successes, 5 - successes) ~ 1,
      binomial()), list(number ~ 1, student_t()))) {
    fit <- function(method) {
      neargp(case[[1L]], data[train, ], coords = ~ x + y, family = case[[2L]],
        covariance = cov_exponential(), method = method, threads = 1L)
    }
    near <- fit(loo_k(20L))
    scored <- scores(near, newdata = data[-train, ])
    # the 1% point of Kolmogorov's statistic
    expect_lt(scored$pit_deviation, 1.63 / sqrt(500))
    expect_lt(scored$log_score, scores(fit(vnngp(15L)), newdata = data[-train, ])$log_score + 0.03)
    link <- predict(near, data[-train, ], type = "link", interval = "confidence")
    truth <- field[-train] + if (case[[2L]]$family == "poisson") 0.5 else 0
    expect_gt(mean(truth >= link$lower & truth <= link$upper), 0.88)
  }
})

test_extended("a fit does not depend on whether the formula has an intercept or a coefficient for each level", {
  set.seed(3)
  data <- data.frame(x = runif(120), y = runif(120),
    soil = factor(rep(c("clay", "loam", "sand"), 40)), one = 1)
  data$count <- rpois(120, exp(1 + sin(5 * data$x) + 0.5 * (data$soil == "clay")))
  fitted_to <- function(formula) {
    neargp(formula, data, coords = ~ x + y, family = poisson(), method = loo_k(k = 15))
  }
  contrasts <- fitted_to(count ~ soil)
  levels <- fitted_to(count ~ 0 + soil)
  expect_equal(c(logLik(levels)), c(logLik(contrasts)), tolerance = 1e-6)
  expect_equal(levels$pseudo_observations$bias, contrasts$pseudo_observations$bias,
    tolerance = 1e-3)
  expect_equal(unname(coef(levels)), unname(coef(contrasts)[1L] + c(0, coef(contrasts)[-1L])),
    tolerance = 1e-3)
  expect_equal(unname(coef(fitted_to(count ~ 0 + one))), unname(coef(fitted_to(count ~ 1))),
    tolerance = 1e-6)
  X <- cbind(year = 2000 + data$x)
  expect_identical(orthogonal_design(X)$intercept, integer(0))
  design <- orthogonal_design(model.matrix(~ 0 + soil, data))
  expect_equal(design$X[, 1L], rep(1, 120), ignore_attr = TRUE)
  expect_equal(crossprod(design$X), 120 * diag(3), ignore_attr = TRUE)
})

test_extended("the linear predictor is no more certain than responses can tell", {
  for (seed in 3:4) {
    set.seed(seed)
    n <- 350
    data <- data.frame(x = runif(n), y = runif(n))
    h <- as.matrix(dist(data)) / 0.15
    eta <- drop(crossprod(chol(0.6 * (1 + h) * exp(-h) + 1e-8 * diag(n)), rnorm(n)))
    data$amount <- rgamma(n, 2, 2 / exp(eta))
    new <- 251:350
    fit <- neargp(amount ~ 1, data[-new, ], coords = ~ x + y, family = Gamma("log"),
      method = loo_k(k = 30))
    expect_gte(fit$nugget, 1)
    predicted <- predict(fit, data[new, ], type = "link")
    # of 95% intervals; with a nugget near 0 less than a tenth
    expect_gt(mean(abs(eta[new] - predicted$mean) < 1.96 * predicted$sd), 0.85)
  }
})

test_extended("a family's parameter is at the best of the scores, each with the pseudo-observations of its own value", {
  set.seed(1)
  data <- data.frame(x = runif(400), y = runif(400))
  field <- drop(crossprod(chol(5 * exp(-as.matrix(dist(data)) / 0.08)), rnorm(400)))
  data$count <- rnbinom(400, mu = exp(0.5 + field), size = 1)
  fit <- function(size = NULL) {
    neargp(count ~ 1, data, coords = ~ x + y, family = negative_binomial(size),
      method = loo_k(k = 15L), covariance = cov_exponential())
  }
  free <- fit()
  expect_lt(abs(log(coef(free, what = "covariance")[["size"]])), 0.5)
  for (size in c(0.5, 1, 2, 100)) expect_gt(c(logLik(free)), c(logLik(fit(size))) - 0.1)
})

test_that("a nugget that is greater than its bound of 1 is not at the bound", {
  set.seed(2)
  data <- data.frame(x = runif(300), y = runif(300), count = rpois(300, 3))
  fit <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = loo_k(k = 10L),
    covariance = cov_matern(1.5, variance = 4, range = 0.5))
  nugget <- fit$parameters[fit$parameters$name == "nugget", ]
  expect_gt(nugget$estimate, 1.2)
  expect_false(nugget$at_boundary)
})

test_extended("values of the family's parameter whose pseudo-observations fail are turned back from, once there is a score", {
  problem_of <- function(fit) {
    problem <- pseudo_observation_example("negative_binomial")
    problem$loo$scoring$refresh <- fit
    problem
  }
  own <- which(pseudo_observation_example("negative_binomial")$layout$kind == "family")
  begin <- pseudo_observation_example("negative_binomial")$loo$reference
  free <- maximize_pseudo_observation_score(loo_k(7L, optimizer = "bfgs"),
    pseudo_observation_example("negative_binomial"), begin)
  barrier <- mean(c(begin[own], free$theta[own]))
  beyond <- function(theta) abs(theta[own] - begin[own]) > abs(barrier - begin[own])
  fails <- list(quadrature = function(problem, theta) {
    if (beyond(theta)) abort_neargp("quadrature", "It cannot be integrated.")
    with_pseudo_observations(problem, theta)
  }, cholesky = function(problem, theta) {
    problem <- with_pseudo_observations(problem, theta)
    if (beyond(theta)) problem$loo$distinct_locations$content[] <- NaN
    problem
  })
  for (fail in fails) {
    bounded <- maximize_pseudo_observation_score(loo_k(7L, optimizer = "bfgs"), problem_of(fail),
      begin)
    expect_false(beyond(bounded$theta))
    # the maximum of what can be computed is at the barrier, and the optimiser's tolerance is 0.05
    expect_lt(abs(bounded$theta[own] - barrier), 0.2)
  }
  always <- function(problem, theta) abort_neargp("quadrature", "It cannot be integrated.")
  expect_error(maximize_pseudo_observation_score(loo_k(7L, optimizer = "bfgs"), problem_of(always),
    begin), class = "neargp_error_quadrature")
})

test_extended("pseudo-observations that cannot be renewed at the estimates are left, and the fit says so", {
  problem <- pseudo_observation_example("student_t")
  calls <- 0L
  problem$loo$scoring$refresh <- function(problem, theta) {
    calls <<- calls + 1L
    if (calls > 1L) abort_neargp("quadrature", "It cannot be integrated.")
    with_pseudo_observations(problem, theta)
  }
  state <- maximize_score(loo_k(7L, optimizer = "bfgs"), problem, problem$loo$reference)
  expect_identical(calls, 2L)
  expect_false(state$convergence$converged)
  expect_match(state$convergence$message, "cannot be renewed")
  expect_false(is.null(state$problem$loo$pseudo_observations))
  calls <- 0L
  adam <- maximize_score(loo_k(7L, optimizer = "adam", steps = 40L), problem, problem$loo$reference)
  expect_match(adam$convergence$message, "could not always be renewed")
  expect_false(is.null(adam$problem$loo$pseudo_observations))
})

test_that("a maximum is bracketed uphill, within the bounds, with one evaluation a place", {
  for (best in c(-30, -7.5, -0.2, 0, 0.4, 0.9, 3, 20, 90)) {
    seen <- double(0)
    bracket <- bracket_maximum(function(x) {
      seen <<- c(seen, x)
      -(x - best)^2
    }, 0, -40, 50)
    inside <- min(max(best, -40), 50)
    expect_lte(bracket[1L], inside)
    expect_gte(bracket[2L], inside)
    expect_true(all(abs(seen) <= 50) && !anyDuplicated(seen) && length(seen) < 9L)
  }
  expect_identical(bracket_maximum(function(x) -x, 0, 0, 5), c(0, 1))
  expect_identical(bracket_maximum(function(x) x, 5, 0, 5), c(4, 5))
  expect_identical(bracket_maximum(function(x) -x, 7, 0, 5)[1L], 0)
  expect_identical(bracket_maximum(function(x) x, 7, 0, 5), c(4, 5))
  calls <- 0
  warmer <- function(x) x + (calls <<- calls + 1)
  bracket <- bracket_maximum(warmer, 5, 0, 5)
  expect_lt(bracket[1L], bracket[2L])
  expect_identical(bracket_maximum(function(x) if (x > 2) -1e100 else x, 0, -5, 5), c(0, 3))
})

test_that("a nugget of pseudo-observations at its lower bound is not near 0", {
  fit <- pseudo_observation_fit("poisson", pseudo_observation_data())
  fit$parameters$at_boundary <- fit$parameters$name == "nugget"
  expect_output(print(fit), "At a limit of its search interval: nugget", fixed = TRUE)
  fit$parameters$at_boundary <- fit$parameters$name == "variance"
  fit$parameters$working[fit$parameters$at_boundary] <- fit$bounds$lower[["variance"]]
  expect_output(print(fit), "or indistinguishable from 0: variance", fixed = TRUE)
})

test_extended("a power of 2, the bound of the powered exponential, is the Gaussian covariance for every family and either optimiser", {
  data <- pseudo_observation_data(80)
  estimates <- function(name, covariance, optimizer) {
    withr::local_seed(2)
    case <- pseudo_observation_families()[[name]]
    fit <- suppressWarnings(neargp(case$formula, data, coords = ~ x + y, family = case$family,
      covariance = covariance, method = loo_k(10, optimizer = optimizer, steps = 30)))
    coef(fit, what = "covariance")
  }
  cases <- rbind(data.frame(name = names(pseudo_observation_families()), optimizer = "bfgs"),
    data.frame(name = c("student_t", "poisson"), optimizer = "adam"))
  for (i in seq_len(nrow(cases))) {
    smooth <- estimates(cases$name[i], cov_gaussian(), cases$optimizer[i])
    powered <- estimates(cases$name[i], cov_powered_exponential(power = 2), cases$optimizer[i])
    expect_equal(powered[names(smooth)], smooth, tolerance = 1e-5, label = cases$name[i])
  }
})
