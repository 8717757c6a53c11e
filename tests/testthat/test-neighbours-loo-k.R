test_on_devices("the objective is the dense leave-one-out score, also with k = n - 1", {
  data <- simulated_data(40)
  for (k in c(6L, 39L)) {
    fit <- neargp(z ~ 0, data, coords = ~ x + y, method = loo_k(k = k), nugget = 0.1,
      covariance = cov_matern(1.5, variance = 2, range = 0.1))
    distance <- as.matrix(dist(data[c("x", "y")]))
    sets <- lapply(1:40, function(i) order(distance[i, ])[2:(k + 1)])
    expect_equal(c(logLik(fit)), dense_conditional_score(fit$data, fit$core_covariance, 0.1,
      double(0), sets), tolerance = 1e-10)
  }
})

test_on_devices("the trend is the generalised least squares one, with its standard errors", {
  fit <- neargp(z ~ height, simulated_data(60), coords = ~ x + y, method = loo_k(k = 59),
    covariance = cov_exponential())
  dense <- dense_fit(fit$data, fit$core_covariance, fit$nugget)
  expect_equal(unname(coef(fit)), unname(dense$beta), tolerance = 1e-7)
  expect_equal(unname(vcov(fit)), unname(dense$vcov), tolerance = 1e-7)
})

test_that("neighbours are those of the final metric", {
  data <- simulated_data(300)
  data$x <- data$x * 50
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = loo_k(k = 10),
    covariance = cov_matern(1.5, ard = TRUE))
  expect_true(fit$convergence$converged)
  again <- update(fit, data = data, start = fit)
  expect_equal(c(logLik(again)), c(logLik(fit)), tolerance = 1e-3)
})

test_that("settings are checked and shown", {
  expect_error(loo_k(k = -1), "`k`", class = "neargp_error_argument")
  expect_error(loo_k(optimizer = "sgd"), "`optimizer`", class = "neargp_error_argument")
  expect_error(loo_k(batch_size = 0), "`batch_size`", class = "neargp_error_argument")
  expect_error(loo_k(learning_rate = 0), "`learning_rate`", class = "neargp_error_argument")
  expect_output(print(loo_k(optimizer = "adam")), "batch_size")
})

test_that("the trend by the score is where the dense score has no slope, in fits and in folds", {
  data <- simulated_data(60)
  new <- data.frame(x = c(0.2, 0.7), y = c(0.4, 0.9), height = c(-1, 1))
  fit <- function(...) {
    neargp(z ~ height, data, coords = ~ x + y, method = loo_k(k = 7, ...),
      covariance = cov_matern(1.5), threads = 1L)
  }
  kept <- c(1:40, 51:60)
  slopes <- function(fit) {
    distance <- as.matrix(dist(fit$data$coords))
    sets <- lapply(seq_along(fit$data$y), function(i) order(distance[i, ])[2:8])
    score <- function(beta) {
      dense_conditional_score(fit$data, fit$core_covariance, fit$nugget, beta, sets)
    }
    max(abs(vapply(1:2, function(j) {
      step <- replace(c(0, 0), j, 1e-4)
      (score(coef(fit) + step) - score(coef(fit) - step)) / 2e-4
    }, 0)))
  }
  by_score <- fit(trend = "score")
  by_default <- fit()
  expect_lt(slopes(by_score), 1e-6)
  expect_gt(slopes(by_default), 0.1)
  expect_lt(slopes(restrict_rows(by_score$method, by_score, kept, plain_context())), 1e-6)
  expect_identical(logLik(by_score), logLik(by_default))
  expect_identical(vcov(by_score), vcov(by_default))
  trend <- function(data) drop(cbind(1, data$height) %*% coef(by_score))
  field <- dense_covariance(as.matrix(new[1:2]), by_score$data$coords, by_score$core_covariance) %*%
    solve(dense_noisy(by_score$data, by_score$core_covariance, by_score$nugget),
      data$z - trend(data))
  expect_equal(predict(by_score, new, k = 60)$mean, trend(new) + drop(field), tolerance = 1e-8)
  constant <- neargp(z ~ 1, data, coords = ~ x + y, method = by_score$method, threads = 1L)
  expect_identical(predict(constant, new), predict(constant, new, local_mean = FALSE))
})

test_that("the trend by the score is of one Gaussian response without random effects", {
  data <- cbind(simulated_data(40), w = rnorm(40), count = rpois(40, 3), side = gl(2, 20))
  refused <- function(code) expect_error(code, "trend", class = "neargp_error_argument")
  refused(loo_k(trend = "score", leave_out = "row"))
  fit <- function(formula, ...) {
    neargp(formula, data, coords = ~ x + y, method = loo_k(k = 5, trend = "score"), ...)
  }
  refused(fit(cbind(z, w) ~ 1))
  refused(fit(count ~ 1, family = poisson()))
  refused(fit(side ~ 1))
  refused(fit(z ~ (1 | side)))
})
