# The reference is the dense model of all rows in plain R, see helper-location-means.R.

# The sum of log densities of rows given all others, at these coefficients.
dense_row_score <- function(data, beta, nugget = 2) {
  Q <- solve(dense_exponential(data, data) + diag(nugget / data$w))
  r <- data$z - data$o - drop(model.matrix(~ year, data) %*% beta)
  sum(dnorm(drop(Q %*% r) / diag(Q), 0, 1 / sqrt(diag(Q)), log = TRUE))
}

test_that("the score of single rows is given the rest of their locations and k other locations", {
  data <- repeated_rows()
  for (method in list(loo_k(15, leave_out = "row"), loo_k(60, leave_out = "row"))) {
    fit <- fit_held(data, method)
    best <- optim(unname(coef(fit)), function(beta) -dense_row_score(data, beta), method = "BFGS",
      control = list(reltol = 1e-15))
    expect_equal(fit$log_likelihood, -best$value, tolerance = 1e-8)
    expect_identical(nobs(fit), nrow(data))
    expect_equal(unname(coef(fit)), unname(dense_model(data, data)$beta), tolerance = 1e-9)
  }
  expect_false(isTRUE(all.equal(fit$log_likelihood, fit_held(data, loo_k(15))$log_likelihood)))
})

test_that("its estimates maximise it, by mini-batches as well", {
  data <- repeated_rows()
  estimated <- function(method) suppressMessages(neargp(z ~ year + offset(o), data,
    coords = ~ x + y, weights = w, covariance = cov_exponential(range = 0.3), nugget = 2,
    method = method, threads = 1L, verbose = FALSE))
  fit <- estimated(loo_k(15, leave_out = "row"))
  score <- function(variance) {
    scaled <- transform(data, z = z / sqrt(variance), o = o / sqrt(variance))
    best <- optim(rep(0, 3), function(beta) -dense_row_score(scaled, beta, 2 / variance),
      method = "BFGS", control = list(reltol = 1e-15))
    -best$value - nrow(data) * log(variance) / 2
  }
  best <- optimize(function(log_variance) score(exp(log_variance)), c(-3, 3), maximum = TRUE,
    tol = 1e-6)
  expect_equal(fit$log_likelihood, best$objective, tolerance = 1e-6)
  expect_equal(unname(coef(fit, what = "covariance")["variance"]), exp(best$maximum),
    tolerance = 1e-2)
  set.seed(1)
  adam <- estimated(loo_k(15, leave_out = "row", optimizer = "adam", batch_size = 80, steps = 200))
  expect_equal(adam$log_likelihood, best$objective, tolerance = 1e-3)
})

test_that("random effects are columns of the score", {
  data <- repeated_rows()
  set.seed(4)
  data$group <- factor(sample(8L, nrow(data), TRUE))
  by_group <- function(leave_out) suppressMessages(neargp(z ~ (1 | group), data, coords = ~ x + y,
    weights = w, method = loo_k(15, leave_out = leave_out), covariance = held_covariance,
    nugget = 2, threads = 1L, verbose = FALSE))
  fit <- by_group("row")
  expect_true(is.finite(fit$log_likelihood))
  expect_gt(fit$log_likelihood, by_group("location")$log_likelihood)
})

test_that("rows that share no location have one score", {
  data <- simulated_data(60L)
  fit <- function(leave_out) neargp(z ~ 1, data, coords = ~ x + y, threads = 1L,
    method = loo_k(10, leave_out = leave_out), covariance = cov_exponential())
  expect_identical(fit("row")$log_likelihood, fit("location")$log_likelihood)
})
