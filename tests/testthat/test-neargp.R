test_extended("with k = n - 1 the Vecchia and the exact log-likelihood are the dense one, for every covariance", {
  data <- simulated_data(60)
  covariances <- list(
    cov_exponential(), cov_matern(1.5), cov_matern(2.5), cov_matern(0.8), cov_gaussian(),
    cov_powered_exponential(1.3), cov_cauchy(0.7), cov_matern(1.5, ard = TRUE),
    cov_matern(1.5, anisotropy = TRUE), cov_exponential() + cov_gaussian()
  )
  for (covariance in covariances) {
    fit <- neargp(z ~ height + group, data, coords = ~ x + y, method = vecchia(k = 59),
      covariance = covariance)
    dense <- dense_fit(fit$data, fit$core_covariance, fit$nugget)
    expect_equal(c(logLik(fit)), dense$value, tolerance = 1e-10)
    expect_equal(unname(coef(fit)), unname(dense$beta), tolerance = 1e-8)
    expect_equal(unname(vcov(fit)), unname(dense$vcov), tolerance = 1e-8)
    exact <- neargp(z ~ height + group, data, coords = ~ x + y, method = exact_gp(),
      covariance = covariance, start = fit, control = neargp_control(tolerance = 1e-3),
      device = "cpu")
    expect_equal(c(logLik(exact)), dense_fit(exact$data, exact$core_covariance, exact$nugget)$value,
      tolerance = 1e-10)
  }
})

test_extended("the optimum is one: no small change of the free parameters raises the log-likelihood", {
  data <- simulated_data(300)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 20),
    covariance = cov_exponential(), control = neargp_control(tolerance = 1e-8))
  expect_true(fit$convergence$converged)
  moved <- function(...) {
    at <- utils::modifyList(as.list(coef(fit, what = "covariance")), list(...))
    other <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 20),
      nugget = at$nugget, covariance = cov_exponential(variance = at$variance, range = at$range))
    c(logLik(other))
  }
  best <- coef(fit, what = "covariance")
  expect_equal(moved(), c(logLik(fit)), tolerance = 1e-12)
  for (factor in c(0.97, 1.03)) {
    expect_lt(moved(variance = best[["variance"]] * factor), c(logLik(fit)))
    expect_lt(moved(range = best[["range"]] * factor), c(logLik(fit)))
    expect_lt(moved(nugget = best[["nugget"]] * factor), c(logLik(fit)))
  }
})

test_extended("shifting, scaling and permuting the locations changes nothing but the range", {
  data <- simulated_data(200)
  fit <- function(data) {
    neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 15),
      covariance = cov_matern(1.5))
  }
  reference <- fit(data)
  shifted <- fit(transform(data, x = x + 64, y = y - 32))
  expect_equal(coef(shifted, "covariance"), coef(reference, "covariance"), tolerance = 1e-6)
  scaled <- fit(transform(data, x = x * 1024, y = y * 1024))
  expect_equal(coef(scaled, "covariance")[["range"]],
    1024 * coef(reference, "covariance")[["range"]], tolerance = 1e-6)
  expect_equal(c(logLik(scaled)), c(logLik(reference)), tolerance = 1e-9)
  permuted <- fit(data[200:1, ])
  expect_equal(c(logLik(permuted)), c(logLik(reference)), tolerance = 1e-4)
})

test_extended("results do not depend on the number of threads", {
  data <- simulated_data(300)
  one <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(), threads = 1)
  two <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(), threads = 2)
  expect_identical(coef(one, "covariance"), coef(two, "covariance"))
  expect_identical(predict(one, data[1:20, ], threads = 1), predict(one, data[1:20, ], threads = 2))
})

test_extended("known parameters are recovered, by every method", {
  data <- simulated_data(1500, seed = 3)
  for (method in list(vecchia(k = 20), loo_k(k = 20), mll_k(k = 20))) {
    fit <- neargp(z ~ height, data, coords = ~ x + y, method = method,
      covariance = cov_exponential())
    found <- coef(fit, what = "covariance")
    expect_lt(abs(log(found[["nugget"]] / 0.1)), 0.5)
    expect_lt(abs(log(found[["variance"]] / found[["range"]] / 10)), 0.5)
    expect_lt(abs(coef(fit)[["height"]] - 1.5), 4 * sqrt(vcov(fit)["height", "height"]))
  }
})

test_extended("confidence intervals of Fisher scoring cover the truth at several seeds", {
  covered <- vapply(1:8, function(seed) {
    fit <- neargp(z ~ height, simulated_data(500, seed = seed, range = 0.05, nugget = 1),
      coords = ~ x + y, method = vecchia(k = 15), covariance = cov_exponential())
    limits <- confint(fit, what = "covariance")
    truth <- c(2, 0.05, 1)
    all(limits[, 1L] <= truth & truth <= limits[, 2L])
  }, NA)
  expect_gte(sum(covered), 5)
})

test_extended("offsets, subset and weights do as in lm", {
  data <- transform(simulated_data(150), w = 2, keep = x < 0.8)
  data$shifted <- data$z + 5 * data$height
  method <- vecchia(k = 15)
  covariance <- cov_exponential()
  plain <- neargp(z ~ 1, data, coords = ~ x + y, method = method, covariance = covariance)
  inside <- neargp(shifted ~ 1 + offset(5 * height), data, coords = ~ x + y, method = method,
    covariance = covariance)
  expect_equal(c(logLik(inside)), c(logLik(plain)), tolerance = 1e-8)
  outside <- neargp(shifted ~ 1, data, coords = ~ x + y, method = method, covariance = covariance,
    offset = 5 * height)
  expect_equal(c(logLik(outside)), c(logLik(plain)), tolerance = 1e-8)
  expect_equal(predict(outside, data[1:3, ])$mean, predict(plain, data[1:3, ])$mean +
    5 * data$height[1:3], tolerance = 1e-6)
  weighted <- neargp(z ~ 1, data, coords = ~ x + y, method = method, covariance = covariance,
    weights = w)
  expect_equal(coef(weighted, "covariance")[["nugget"]], 2 * coef(plain, "covariance")[["nugget"]],
    tolerance = 1e-3)
  part <- neargp(z ~ 1, data, coords = ~ x + y, method = method, covariance = covariance,
    subset = keep)
  expect_identical(nobs(part), sum(data$keep))
})

test_that("known error variances enter by weights and a nugget of 1", {
  data <- transform(simulated_data(80), s2 = rep(c(0.05, 0.2), 40))
  fit <- neargp(z ~ height, data, coords = ~ x + y, weights = 1 / s2, nugget = 1,
    method = vecchia(k = 79), covariance = cov_exponential())
  expect_identical(fit$nugget, 1)
  expect_true(fit$parameters$fixed[fit$parameters$name == "nugget"])
  expect_equal(diag(dense_noisy(fit$data, fit$core_covariance, 1)),
    coef(fit, "covariance")[["variance"]] + data$s2)
  expect_equal(c(logLik(fit)), dense_fit(fit$data, fit$core_covariance, 1)$value, tolerance = 1e-10)
})

test_that("with all parameters fixed there is nothing to optimise", {
  fit <- neargp(z ~ 1, simulated_data(50), coords = ~ x + y, method = vecchia(k = 49), nugget = 0.1,
    covariance = cov_exponential(variance = 2, range = 0.2))
  expect_equal(unname(coef(fit, "covariance")), c(2, 0.2, 0.1))
  expect_true(fit$convergence$converged)
  expect_true(all(is.na(vcov(fit, "covariance"))))
})

test_that("a trend without columns works", {
  fit <- neargp(z ~ 0, simulated_data(100), coords = ~ x + y, method = vecchia(k = 10))
  expect_length(coef(fit), 0L)
  expect_output(print(fit), "Converged")
  expect_length(predict(fit, data.frame(x = 0.5, y = 0.5))$mean, 1L)
})

test_extended("a fit that stops early says so and stays usable", {
  expect_warning(
    fit <- neargp(z ~ 1, simulated_data(200), coords = ~ x + y, method = vecchia(k = 15),
      start = c(range = 5, variance = 0.1, nugget = 5), control = neargp_control(max_iterations = 1,
        coarse_k = 0)),
    class = "neargp_warning_convergence"
  )
  expect_false(fit$convergence$converged)
  expect_output(print(fit), "NOT CONVERGED")
  expect_true(is.finite(predict(fit, data.frame(x = 0.5, y = 0.5))$mean))
  continued <- update(fit, data = simulated_data(200), start = fit, control = neargp_control())
  expect_true(continued$convergence$converged)
})

test_that("a nugget that runs to zero is marked as being at the boundary", {
  data <- simulated_data(200, nugget = 0, family = "matern", shape = 1.5)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 15),
    covariance = cov_matern(1.5))
  expect_true(fit$convergence$converged)
  expect_true(fit$parameters$at_boundary[fit$parameters$name == "nugget"] ||
    coef(fit, "covariance")[["nugget"]] < 1e-3)
})

test_extended("duplicated locations are fine with a nugget", {
  data <- simulated_data(100)
  data <- rbind(data, transform(data, z = z + rep(c(-0.3, 0.3), 50)))
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 20),
    covariance = cov_exponential())
  expect_true(fit$convergence$converged)
  expect_equal(c(logLik(neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 199),
    covariance = cov_exponential()))), dense_fit(fit$data, fit$core_covariance, fit$nugget)$value,
    tolerance = 1e-2)
})

test_extended("a fit is read in a new process and predicts the same", {
  skip_if_not_installed("callr")
  data <- simulated_data(100)
  fit <- neargp(z ~ height + group, data, coords = ~ x + y, method = vecchia(k = 15))
  file <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fit, file)
  elsewhere <- callr::r(function(file, new, paths) {
    .libPaths(paths)
    loadNamespace("neargp")
    stats::predict(readRDS(file), new, interval = "prediction", device = "cpu")
  }, list(file, data[1:5, ], .libPaths()))
  expect_identical(elsewhere, predict(fit, data[1:5, ], interval = "prediction", device = "cpu"))
})

test_that("noise of the size of rounding in the data changes nothing beyond rounding", {
  set.seed(5)
  data <- simulated_data(150)[c("x", "y", "height", "z")]
  jittered <- as.data.frame(lapply(data,
    function(values) values * (1 + .Machine$double.eps * rnorm(150))))
  fit <- function(data) {
    neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 10),
      covariance = cov_exponential())
  }
  plain <- fit(data)
  other <- fit(jittered)
  expect_equal(coef(other), coef(plain), tolerance = 1e-10)
  expect_equal(coef(other, "covariance"), coef(plain, "covariance"), tolerance = 1e-6)
  new <- simulated_data(20, seed = 2)
  expect_equal(predict(other, new), predict(plain, new), tolerance = 1e-6)
})
