test_that("an outlier counts little among its neighbours", {
  withr::local_seed(2)
  coords <- cbind(runif(30), runif(30))
  values <- sin(4 * coords[, 1L])
  values[7L] <- 20
  known <- list(covariance = as_specified(given_covariance()),
    component = given_covariance()$components[[1L]], nugget = 0.01, family = c(0.1, 3),
    beta = double(0))
  data <- list(coords = coords, y = values, X = matrix(0, 30L, 0L), offset = rep(0, 30),
    weights = rep(1, 30))
  omega <- row_gamma_variables(data, known, 10L, plain_context())
  expect_lt(omega[7L], 1e-3)
  expect_gt(min(omega[-7L]), 10 * omega[7L])
  sets <- core_gamma_variables(coords, values, rep(1, 30), matrix(c(7L, 1:6), 7L), known$covariance,
    0.01, 0.1, 3, plain_context())
  expect_lt(sets[1L], 1e-3)
})

test_that("variables of a set are the dense ones, and absent neighbours have none", {
  withr::local_seed(6)
  coords <- cbind(runif(8), runif(8))
  z <- rnorm(8)
  neighbors <- matrix(c(2L, 5L, NA, 3L), 4L)
  omega <- drop(core_gamma_variables(coords, z, 1:8 / 4, neighbors,
    as_specified(given_covariance()), 0.3, 0.5, 4, plain_context()))
  rows <- c(2L, 5L, 3L)
  K <- dense_covariance(coords[rows, ], coords[rows, ], given_covariance())
  expected <- dense_omega(K, z[rows], 0.3 * rows / 4, 0.25 * rows / 4, 4)
  expect_equal(omega[c(1, 2, 4)], expected, tolerance = 1e-8)
  expect_identical(omega[3L], 1)
})

test_that("a gamma variable is that with which the posterior mean is right", {
  at <- function(residual, variance, weight = 1) {
    core_matched_omega(residual, variance, weight, 0.5, 3)
  }
  for (residual in c(0.1, 1, 4)) for (variance in c(0.01, 0.3, 2)) {
    expect_equal(at(residual, variance, 2), matched_omega(residual, variance, 0.125, 3),
      tolerance = 1e-8)
  }
  # without variance, and where the field may be anywhere
  expect_equal(at(0.7, 0), 4 / (3 + 0.49 / 0.25), tolerance = 1e-8)
  expect_equal(at(1, 1e8), 1 / integrate(function(g) dgamma(g, 1.5, 1.5) / g, 0, Inf)$value,
    tolerance = 1e-3)
})

test_extended("the unit in which a response of Student's t comes does not matter", {
  data <- pseudo_observation_data(80)
  for (optimizer in c("bfgs", "adam")) {
    fit_in <- function(unit) {
      data$number <- unit * data$number
      withr::local_seed(1)
      neargp(number ~ h, data, coords = ~ x + y, family = student_t(4),
        covariance = cov_exponential(), threads = 1L,
        method = loo_k(10L, optimizer = optimizer, steps = 100L))
    }
    fit <- fit_in(1)
    for (unit in c(1e-9, 1e4)) {
      other <- fit_in(unit)
      expect_equal(c(logLik(other)) + 80 * log(unit), c(logLik(fit)), tolerance = 1e-4)
      expect_equal(coef(other) / unit, coef(fit), tolerance = 1e-3)
      expect_equal(predict(other, data[1:5, ])$mean / unit, predict(fit, data[1:5, ])$mean,
        tolerance = 1e-3)
    }
  }
})

test_extended("the linear predictor of Student's t is no more certain than responses can tell", {
  # seeds with which a nugget separate from the scale ended near 0, and intervals covered next to
  # nothing
  for (seed in c(1L, 7L, 8L)) {
    withr::local_seed(seed)
    n <- 300
    data <- data.frame(x = runif(n), y = runif(n))
    h <- as.matrix(stats::dist(data)) / 0.1
    field <- drop(crossprod(chol((1 + h) * exp(-h) + diag(1e-9, n)), rnorm(n)))
    data$number <- field + 0.4 * rt(n, 4)
    new <- 201:300
    fit <- neargp(number ~ 1, data[-new, ], coords = ~ x + y, family = student_t(),
      covariance = cov_matern(nu = 1.5), method = loo_k(20L), threads = 1L)
    expect_gte(fit$nugget, 1)
    link <- predict(fit, data[new, ], type = "link", interval = "confidence")
    expect_gt(mean(link$lower <= field[new] & field[new] <= link$upper), 0.85)
  }
})

test_that("predictions are conditioned on locations, with the weights of their gamma variables", {
  withr::local_seed(4)
  places <- data.frame(x = runif(15), y = runif(15))
  data <- places[rep(1:15, rep(c(1, 6), length.out = 15)), ]
  data$h <- rnorm(nrow(data))
  data$number <- sin(4 * data$x) + data$h + 0.4 * rt(nrow(data), 4)
  fit <- neargp(number ~ h, data, coords = ~ x + y, family = student_t(), method = loo_k(14L),
    covariance = cov_exponential(range = 0.4), threads = 1L, verbose = FALSE)
  expect_identical(length(fit$pseudo_observations$data$y), 15L)
  new <- data.frame(x = c(0.5, places$x[2L]), y = c(0.5, places$y[2L]), h = 0:1)
  at <- as.matrix(new[1:2])
  X0 <- cbind(1, new$h)
  K <- dense_covariance(fit$data$coords, fit$data$coords, fit$core_covariance)
  cross <- dense_covariance(at, fit$data$coords, fit$core_covariance)
  weights <- fit$pseudo_observations$row_weights
  S <- K + diag(known_parameters(fit)$nugget / weights)
  unseen <- X0 - cross %*% solve(S, fit$data$X)
  link <- predict(fit, new, type = "link", k = 15)
  expect_equal(link$mean, drop(X0 %*% fit$beta + cross %*% solve(S, fit$data$y -
    drop(fit$data$X %*% fit$beta))) + fit$pseudo_observations$bias, tolerance = 1e-8)
  expect_equal(link$sd^2, diag(dense_covariance(at, at, fit$core_covariance)) -
    rowSums(t(solve(S, t(cross))) * cross) + rowSums((unseen %*% vcov(fit)) * unseen),
    tolerance = 1e-7)
  # the trend uses the noise of the responses, whatever discounts neighbours
  noise <- trend_noise(fit$family, unname(fit$family_parameters)) / weights
  expect_equal(unname(vcov(fit)), unname(solve(crossprod(fit$data$X, solve(K + diag(noise),
    fit$data$X)))), tolerance = 1e-8)
  expect_length(loo_predict(fit)$mean, nrow(data))
})
