# The reference is the dense model of all rows in plain R, see helper-location-means.R.

fit_in_shards <- function(data, method, shards, ...) {
  suppressMessages(neargp(z ~ year + offset(o), data, coords = ~ x + y, weights = w,
    covariance = held_covariance, nugget = 2, method = method, threads = 1L, verbose = FALSE,
    control = neargp_control(shards = shards), ...))
}

test_that("with all other locations for neighbours fits in shards are the dense model", {
  data <- repeated_rows()
  new <- data.frame(x = c(0.5, 0.1), y = c(0.5, 0.9), o = 0,
    year = factor(c(2002, 2004), levels(data$year)))
  right <- dense_model(data, new)
  for (shards in 1:3) {
    for (method in list(vecchia(k = 15), vecchia(k = 60), mll_k(15))) {
      fit <- fit_in_shards(data, method, shards)
      expect_equal(fit$log_likelihood, right$value, tolerance = 1e-10)
      expect_equal(unname(coef(fit)), unname(right$beta), tolerance = 1e-9)
      expect_equal(unname(vcov(fit)), unname(right$vcov), tolerance = 1e-9)
      expect_identical(nobs(fit), nrow(data))
    }
    restricted <- fit_in_shards(data, vecchia(k = 15, estimation = "REML"), shards)
    expect_equal(restricted$log_likelihood, right$restricted, tolerance = 1e-10)
    link <- predict(fit, new, type = "link")
    expect_equal(link$mean, right$mean, tolerance = 1e-9)
    expect_equal(link$sd, sqrt(diag(right$covariance)), tolerance = 1e-9)
  }
})

test_that("scores and their trend are those without shards", {
  data <- repeated_rows()
  whole <- fit_held(data, loo_k(15))
  parts <- fit_in_shards(data, loo_k(15), 2L)
  expect_equal(parts$log_likelihood, whole$log_likelihood, tolerance = 1e-10)
  expect_equal(coef(parts), coef(whole), tolerance = 1e-9)
  expect_equal(vcov(parts), vcov(whole), tolerance = 1e-9)
  near <- fit_held(data, mll_k(6))
  expect_equal(fit_in_shards(data, mll_k(6), 3L)$log_likelihood, near$log_likelihood,
    tolerance = 1e-10)
})

test_that("estimates are those without shards, also of random effects", {
  data <- repeated_rows()
  set.seed(4)
  data$group <- factor(sample(8L, nrow(data), TRUE))
  estimated <- function(shards) suppressMessages(neargp(z ~ year + (1 | group), data,
    coords = ~ x + y, weights = w, covariance = cov_exponential(range = 0.3), threads = 1L,
    method = vecchia(k = 15), verbose = FALSE, control = neargp_control(shards = shards)))
  whole <- estimated(NULL)
  parts <- estimated(2L)
  expect_equal(parts$log_likelihood, whole$log_likelihood, tolerance = 1e-6)
  expect_equal(coef(parts, what = "covariance"), coef(whole, what = "covariance"),
    tolerance = 1e-4)
  expect_equal(parts$k, whole$k)
})

test_that("shards are counted in locations", {
  data <- repeated_rows()
  expect_error(fit_in_shards(data, vecchia(5), 12L), "16 rows of different locations",
    class = "neargp_error_cluster")
  # single rows are left out of rows
  expect_true(is.finite(fit_in_shards(data, loo_k(5, leave_out = "row"), 2L)$log_likelihood))
})

test_that("shards that read their rows hold the means of their locations", {
  data <- repeated_rows()
  parts <- unname(split(data, rep(1:4, each = 20L)))
  source <- row_source(function(i) if (i <= length(parts)) parts[[i]])
  new <- data.frame(x = c(0.5, 0.1, data$x[1L]), y = c(0.5, 0.9, data$y[1L]), o = 0,
    year = factor(c(2002, 2004, 2002), levels(data$year)))
  right <- dense_model(data, new)
  for (method in list(vecchia(k = 15), vecchia(k = 40), mll_k(15))) {
    fit <- fit_in_shards(source, method, 2L)
    expect_equal(fit$log_likelihood, right$value, tolerance = 1e-9)
    expect_equal(unname(coef(fit)), unname(right$beta), tolerance = 1e-8)
    expect_equal(unname(vcov(fit)), unname(right$vcov), tolerance = 1e-8)
    expect_identical(nobs(fit), nrow(data))
    link <- predict(fit, new, type = "link", k = 16)
    expect_equal(link$mean, right$mean, tolerance = 1e-8)
    expect_equal(link$sd, sqrt(diag(right$covariance)), tolerance = 1e-8)
  }
  expect_equal(fit_in_shards(source, loo_k(15), 2L)$log_likelihood,
    fit_held(data, loo_k(15))$log_likelihood, tolerance = 1e-9)
})

test_that("shards keep rows where their noise follows a model", {
  data <- repeated_rows()
  fit <- function(data, shards, ...) suppressMessages(neargp(z ~ year + offset(o), data,
    coords = ~ x + y, covariance = held_covariance, method = vecchia(...), nugget = 2,
    measurement_variance = w^2, threads = 1L, verbose = FALSE,
    control = neargp_control(shards = shards)))
  whole <- fit(data, NULL)
  parts <- fit(data, 2L)
  # the default counts locations in one and rows in the other
  expect_identical(c(whole$k, parts$k), c(15L, 30L))
  parts <- fit(data, 2L, k = 79)
  expect_equal(parts$log_likelihood, whole$log_likelihood, tolerance = 1e-10)
  expect_equal(coef(parts), coef(whole), tolerance = 1e-8)
  expect_error(fit(data, 41L), "80 rows", class = "neargp_error_cluster")
})

test_that("shards hold points of locations, and means beside many random effects", {
  data <- repeated_rows(c(4, 8), 16L)
  data$group <- factor(rep_len(seq_len(70L), nrow(data)))
  fit <- function(method, shards = NULL, formula = z ~ year, covariance = held_covariance, ...) {
    suppressMessages(neargp(formula, data, coords = ~ x + y, weights = w, method = method,
      covariance = covariance, nugget = 2, threads = 1L, verbose = FALSE,
      control = neargp_control(shards = shards), ...))
  }
  varying <- held_covariance + cov_exponential(by = ~ o, variance = 0.5, range = 0.4)
  right <- fit(exact_gp(), covariance = varying)
  parts <- fit(vecchia(k = 31), 2L, covariance = varying)
  expect_equal(parts$log_likelihood, right$log_likelihood, tolerance = 1e-10)
  expect_equal(vcov(parts), vcov(right), tolerance = 1e-9)
  grouped <- z ~ year + (1 | group)
  right <- fit(exact_gp(), formula = grouped)
  parts <- fit(vecchia(k = 15), 2L, grouped)
  expect_equal(parts$log_likelihood, right$log_likelihood, tolerance = 1e-6)
  expect_equal(vcov(parts), vcov(right), tolerance = 1e-3)
})
