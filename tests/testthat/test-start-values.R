test_extended("starting values are near the truth on simulated data", {
  data <- simulated_data(2000, seed = 6)
  fit <- suppressWarnings(neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_exponential(), control = neargp_control(max_iterations = 1)))
  expect_lt(abs(log(coef(fit, "covariance")[["nugget"]] / 0.1)), 1.5)
})

test_that("R's generator is left alone and the order of rows does not matter much", {
  data <- simulated_data(200)
  withr::local_seed(1)
  before <- .Random.seed
  neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 10))
  expect_identical(.Random.seed, before)
})

test_that("values given by the user are where the optimiser starts", {
  data <- simulated_data(100)
  fit <- function(covariance, ...) {
    suppressWarnings(neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 10),
      covariance = covariance, control = neargp_control(max_iterations = 1, max_step = 1e-6,
        coarse_k = 0), ...))
  }
  by_settings <- fit(cov_exponential(start = list(variance = 1.5, range = 0.3)))
  expect_equal(coef(by_settings, "covariance")[c("variance", "range")],
    c(variance = 1.5, range = 0.3), tolerance = 1e-4)
  by_argument <- fit(cov_exponential(anisotropy = TRUE),
    start = c(range = 0.3, anisotropy_ratio = 0.5, anisotropy_angle = 60, nugget = 0.2))
  expect_equal(coef(by_argument, "covariance")[-1],
    c(range = 0.3, anisotropy_ratio = 0.5, anisotropy_angle = 60, nugget = 0.2), tolerance = 1e-4)
})

test_that("neighbours exclude the row itself, also among many duplicates", {
  expect_identical(without_self(matrix(c(1L, 5L, 6L, 7L, 2L, 8L, 9L, 10L, 11L), 3), c(1L, 2L, 3L)),
    matrix(c(5L, 6L, 7L, 8L, 9L, 10L), 2))
})

test_extended("bounds hold the estimates of every family", {
  data <- simulated_data(100, family = "gaussian", nugget = 0.001)
  for (covariance in list(cov_matern(NULL), cov_powered_exponential(), cov_cauchy())) {
    fit <- suppressWarnings(neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 10),
      covariance = covariance))
    expect_true(all(is.finite(coef(fit, "covariance"))))
  }
})

test_extended("a few rows of hardly any weight, or of very much, do not keep the estimates from where they belong", {
  data <- simulated_data(200)
  data$other <- data$z + simulated_data(200, seed = 9)$z
  estimates <- function(weights, rows = 1:200, formula = z ~ height, method = vecchia(k = 20)) {
    data$w <- weights
    coef(neargp(formula, data[rows, ], coords = ~ x + y, weights = w, method = method,
      covariance = cov_exponential()), "covariance")
  }
  light <- replace(rep(1, 200), 1:3, 1e-6)
  heavy <- function(weight) replace(rep(1, 200), 1L, weight)
  for (method in list(vecchia(k = 20), vnngp(k = 20))) {
    # what is left of three rows is that their noise is less than so little weight says
    expect_equal(estimates(light, method = method), estimates(light, 4:200, method = method),
      tolerance = 0.1)
    expect_equal(estimates(heavy(1e10), method = method), estimates(heavy(1e4), method = method),
      tolerance = 0.02)
  }
  both <- cbind(z, other) ~ height
  expect_equal(estimates(light, formula = both), estimates(light, 4:200, formula = both),
    tolerance = 0.1)
})

test_extended("a trend that leaves no degrees of freedom has starting values", {
  data <- data.frame(x = c(0.1, 0.5, 0.8), y = c(0.9, 0.2, 0.4), group = c("a", "b", "c"),
    count = c(1, 0, 3))
  for (method in list(loo_k(2), vnngp(2), svgp(2), ppgpr(2), swsgp(1, inducing = 2, epochs = 1L))) {
    fit <- suppressWarnings(neargp(count ~ group, data, coords = ~ x + y, family = poisson(),
      method = method))
    expect_true(all(is.finite(c(coef(fit), coef(fit, "covariance")))))
  }
})

test_that("correlations that hardly fall have starting values", {
  data <- simulated_data(40)
  for (covariance in list(cov_cauchy(1e-6), cov_powered_exponential(1e-5))) {
    fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, covariance = covariance,
      method = vecchia(k = 5)))
    expect_true(is.finite(fit$log_likelihood))
    expect_false(any(grepl("Inf|NaN", capture.output(print(fit)))))
  }
})

test_extended("what of a fit given as `start` is not taken is said, and nothing at all is an error", {
  data <- simulated_data(60)
  fit <- function(covariance = cov_exponential(), method = vecchia(8), formula = z ~ height, ...) {
    neargp(formula, data, coords = ~ x + y, method = method, covariance = covariance, threads = 1L,
      ...)
  }
  exponential <- fit()
  expect_no_message(fit(start = exponential), class = "neargp_message_start")
  expect_no_message(fit(start = exponential, method = exact_gp()), class = "neargp_message_start")
  expect_message(matern <- fit(cov_matern(NULL), start = exponential), "`start` lacks smoothness",
    class = "neargp_message_start")
  expect_message(fit(start = matern), "not include smoothness, which `start` names",
    class = "neargp_message_start")
  expect_error(fit(cov_matern(NULL, variance = 1, range = 0.3), nugget = 0.1, start = exponential),
    "no parameter that the model estimates", class = "neargp_error_argument")
})

test_extended("a fit that is not continued says in what it differs", {
  data <- simulated_data(60)
  fit <- function(rows = data, method = svgp(10, move = FALSE), formula = z ~ height, ...) {
    suppressWarnings(neargp(formula, rows, coords = ~ x + y, method = method,
      covariance = cov_exponential(), threads = 1L, ...))
  }
  first <- fit()
  expect_no_message(fit(start = first), class = "neargp_message_start")
  expect_message(fit(formula = z ~ 1, start = first),
    "differs in its trend from this call: its parameters alone", class = "neargp_message_start")
  expect_message(fit(data[-1L, ], start = first), "differs in its rows",
    class = "neargp_message_start")
  expect_message(fit(within(data, z <- rev(z)), start = first), "differs in its response",
    class = "neargp_message_start")
  expect_message(more <- fit(method = svgp(20, move = FALSE), start = first),
    "The 10 inducing points of `start` are kept", class = "neargp_message_start")
  expect_identical(more$svgp$positions, first$svgp$positions)
  # takes all that it can use
  expect_no_message(fit(method = vecchia(8), start = first), class = "neargp_message_start")
})
