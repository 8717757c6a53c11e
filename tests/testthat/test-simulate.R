small_fit <- function() {
  neargp(z ~ height, simulated_data(80), coords = ~ x + y, method = vecchia(k = 15), nugget = 0.1,
    covariance = cov_exponential(variance = 2, range = 0.2))
}

# Draws whitened by their exact distribution are independent standard normal numbers. The standard
# deviation of their mean square over m locations and N draws is sqrt(2 / (N m)). A covariance that
# is wrong anywhere moves the mean square.
expect_standard_normal <- function(draws, dense) {
  white <- forwardsolve(t(chol(dense$covariance)), t(draws) - dense$mean)
  expect_lt(abs(mean(white^2) - 1), 5 * sqrt(2 / length(white)))
  expect_lt(max(abs(rowMeans(white))), 5 / sqrt(ncol(white)))
  expect_lt(max(abs(tcrossprod(white) / ncol(white) - diag(nrow(white)))),
    6.5 * sqrt(2 / ncol(white)))
}

test_on_devices("draws have the joint distribution of dense universal kriging", {
  fit <- small_fit()
  fit[c("beta", "beta_vcov")] <- dense_fit(fit$data, fit$core_covariance,
    fit$nugget)[c("beta", "vcov")]
  new <- simulated_data(6, seed = 2)
  dense <- dense_krige(fit$data, fit$core_covariance, fit$nugget, as.matrix(new[c("x", "y")]),
    cbind(1, new$height))
  draws <- function(...) t(as.matrix(simulate(fit, 4000, seed = 1, newdata = new, k = 80, ...)))
  expect_standard_normal(draws(type = "link"), dense)
  dense$covariance <- dense$covariance + diag(fit$nugget, 6L)
  expect_standard_normal(draws(), dense)
})

test_extended("without noise the field is the data where there are some, and kriging elsewhere", {
  data <- simulated_data(60)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 59), nugget = 0,
    covariance = cov_exponential(variance = 2, range = 0.2))
  new <- rbind(data[7:8, ], simulated_data(4, seed = 2), data[7, ])
  draws <- t(as.matrix(simulate(fit, 20000, seed = 1, newdata = new, k = 60)))
  expect_equal(draws[1:5, c(1, 2, 7)], matrix(data$z[c(7, 8, 7)], 5L, 3L, byrow = TRUE),
    ignore_attr = TRUE)
  dense <- dense_krige(fit$data, fit$core_covariance, 0, as.matrix(new[3:6, c("x", "y")]),
    cbind(1, new$height[3:6]))
  expect_lt(max(abs(colMeans(draws[, 3:6]) - dense$mean) / sqrt(dense$variance / 20000)), 4.5)
  expect_equal(unname(cov(draws[, 3:6])), unname(dense$covariance), tolerance = 0.05)
  expect_equal(simulate(fit, 1, seed = 1)$sim_1, data$z)
})

test_that("exact_gp() draws from the dense conditional distribution, however many places there are",
  {
    skip_unless_extended()
    fit <- neargp(z ~ height, simulated_data(120), coords = ~ x + y, method = exact_gp(),
      nugget = 0.1, covariance = cov_matern(nu = 1.5, variance = 2, range = 0.5))
    new <- simulated_data(250, seed = 2)
    coords <- as.matrix(new[c("x", "y")])
    draws <- t(as.matrix(simulate(fit, 1000, seed = 1, newdata = new, type = "link")))
    expect_standard_normal(draws, dense_krige(fit$data, fit$core_covariance, fit$nugget, coords,
      cbind(1, new$height)))
    free <- t(as.matrix(simulate(fit, 1000, seed = 1, newdata = new, type = "link",
      conditional = FALSE)))
    expect_standard_normal(free, list(mean = drop(cbind(1, new$height) %*% fit$beta),
      covariance = dense_covariance(coords, coords,
        fit$core_covariance)))
  })

test_extended("few places are drawn from the dense conditional distribution by the other methods, too, unless k is given", {
  new <- simulated_data(150, seed = 2)
  coords <- as.matrix(new[c("x", "y")])
  for (method in list(vecchia(k = 20), loo_k(k = 20))) {
    fit <- neargp(z ~ height, simulated_data(250), coords = ~ x + y, method = method, nugget = 1,
      covariance = cov_matern(nu = 2.5, variance = 2, range = 0.12))
    dense <- dense_krige(fit$data, fit$core_covariance, fit$nugget, coords, cbind(1, new$height))
    trend <- dense_fit(fit$data, fit$core_covariance, fit$nugget)
    fit <- given_trend(fit, trend$beta, trend$vcov)
    expect_standard_normal(
      t(as.matrix(simulate(fit, 1000, seed = 1, newdata = new, type = "link"))), dense)
    near <- rowMeans(as.matrix(simulate(fit, 1000, seed = 1, newdata = new, type = "link", k = 40)))
    expect_gt(max(abs(near - dense$mean) / sqrt(dense$variance / 1000)), 5)
  }
})

test_that("exact_gp() says when it draws with neighbours, which is beyond max_rows", {
  fit <- neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = exact_gp(max_rows = 100),
    nugget = 0.1, covariance = cov_exponential(variance = 2, range = 0.2))
  expect_silent(simulate(fit, 1, seed = 1, newdata = simulated_data(40, seed = 2)))
  expect_message(simulate(fit, 1, seed = 1, newdata = simulated_data(41, seed = 2)),
    "101 .* max_rows = 100", class = "neargp_message_neighbors")
  expect_silent(simulate(fit, 1, seed = 1, newdata = simulated_data(41, seed = 2), k = 20))
})

smooth_covariances <- function() {
  list(
    gaussian = cov_gaussian(variance = 2, range = 0.6),
    cauchy = cov_cauchy(variance = 2, range = 3, shape = 20),
    power = cov_powered_exponential(variance = 2, range = 0.6, power = 2),
    sum = cov_gaussian(variance = 1, range = 1) + cov_gaussian(variance = 1, range = 0.5),
    anisotropic = cov_gaussian(variance = 2, range = 0.6, anisotropy = c(angle = 30, ratio = 0.5))
  )
}

test_extended("smooth fields are drawn on a fine grid, and what is added to the diagonal is reported", {
  data <- simulated_data(60)
  grid <- expand.grid(x = seq(0, 1, length.out = 40), y = seq(0, 1, length.out = 40))
  looked_at <- seq(7, 1600, by = 63)
  coords <- as.matrix(grid[looked_at, ])
  for (name in names(smooth_covariances())) {
    fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 20), nugget = 1,
      covariance = smooth_covariances()[[name]])
    expect_message(draws <- simulate(fit, 300, seed = 1, newdata = grid, type = "link"),
      "^1e-(10|08|06) of the field", class = "neargp_message_jitter")
    draws <- t(as.matrix(draws))[, looked_at]
    fit[c("beta", "beta_vcov")] <- dense_fit(fit$data, fit$core_covariance,
      fit$nugget)[c("beta", "vcov")]
    dense <- dense_krige(fit$data, fit$core_covariance, fit$nugget, coords,
      matrix(1, length(looked_at)))
    expect_lt(max(abs(colMeans(draws) - dense$mean) / sqrt(dense$variance)), 0.5)
    expect_lt(max(abs(log(apply(draws, 2, var) / dense$variance))), 0.4)
  }
})

test_extended("smooth fields are drawn densely and by vnngp(), too", {
  data <- simulated_data(60)
  grid <- expand.grid(x = seq(0, 1, length.out = 40), y = seq(0, 1, length.out = 40))
  smooth <- cov_gaussian(variance = 2, range = 0.6)
  exact <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(), nugget = 1,
    covariance = smooth)
  expect_message(dense <- simulate(exact, 2, seed = 1, newdata = grid),
    class = "neargp_message_jitter")
  expect_true(all(is.finite(as.matrix(dense))))
  data$count <- stats::rpois(60, exp(data$z / 3))
  counts <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 10),
    covariance = smooth)
  expect_message(drawn <- simulate(counts, 2, seed = 1, newdata = grid),
    class = "neargp_message_jitter")
  expect_true(all(as.matrix(drawn) >= 0))
})

test_that("the seed convention is that of stats::simulate()", {
  fit <- small_fit()
  new <- simulated_data(5, seed = 2)
  withr::local_seed(3)
  before <- .Random.seed
  a <- simulate(fit, 2, seed = 1, newdata = new)
  expect_identical(.Random.seed, before)
  expect_identical(simulate(fit, 2, seed = 1, newdata = new), a)
  b <- simulate(fit, 2, newdata = new)
  expect_false(identical(.Random.seed, before))
  set.seed(3)
  expect_equal(simulate(fit, 2, newdata = new)$sim_1, b$sim_1)
  expect_equal(simulate(fit, 2, seed = 1, newdata = new, threads = 2)$sim_2,
    simulate(fit, 2, seed = 1, newdata = new, threads = 1)$sim_2)
})

test_that("class, names and missing rows of newdata are kept", {
  fit <- small_fit()
  new <- simulated_data(5, seed = 2)
  new$height[2] <- NA
  draws <- simulate(fit, 3, seed = 1, newdata = new)
  expect_named(draws, c("sim_1", "sim_2", "sim_3"))
  expect_identical(is.na(draws$sim_1), c(FALSE, TRUE, FALSE, FALSE, FALSE))
  expect_identical(nrow(simulate(fit, 1, seed = 1)), 80L)
  expect_error(simulate(fit, 0, newdata = new), "`nsim`", class = "neargp_error_argument")
})

test_extended("unconditional draws have the covariance of the model", {
  fit <- small_fit()
  new <- data.frame(x = c(0, 0.1, 1), y = 0, height = 0)
  draws <- t(as.matrix(simulate(fit, 20000, seed = 1, newdata = new, type = "link",
    conditional = FALSE)))
  expect_equal(unname(cov(draws)), dense_covariance(as.matrix(new[1:2]), as.matrix(new[1:2]),
    fit$core_covariance), tolerance = 0.05, ignore_attr = TRUE)
})

test_that("the field has one value at a location, however often it is asked for", {
  data <- data.frame(x = seq(0, 1, length.out = 30), y = rep(c(0, 1), 15))
  data$z <- sin(4 * data$x) + data$y
  fit <- neargp(z ~ 1, data, coords = ~ x + y, covariance = cov_exponential(variance = 1,
    range = 1), nugget = 0.1, method = vecchia(k = 10))
  places <- data.frame(x = c(0.3, 0.7, 0.3, 0.3, 0.7), y = 0.5)
  draws <- simulate(fit, 20, seed = 1, newdata = places, type = "link")
  values <- as.matrix(draws[paste0("sim_", 1:20)])
  expect_identical(values[c(3, 4), ], values[c(1, 1), ], ignore_attr = TRUE)
  expect_identical(values[5, ], values[2, ])
  expect_gt(stats::sd(values[1, ] - values[2, ]), 0.01)
  noisy <- as.matrix(simulate(fit, 20, seed = 1, newdata = places,
    type = "response")[paste0("sim_", 1:20)])
  expect_gt(min(abs(noisy[1, ] - noisy[3, ])), 0)
})

test_that("locations are told apart when there are very many", {
  n <- 50000L
  coords <- cbind(seq_len(n), rev(seq_len(n)), rep(1:2, n / 2))
  expect_equal(location_index(coords), seq_len(n))
  expect_equal(location_index(rbind(coords, coords[7:8, ])), c(seq_len(n), 7L, 8L))
})

test_extended("binomial responses are drawn with the trials that are asked for, by default those of the data", {
  data <- latent_data(150)
  data$trials <- 1 + data$count
  fit <- latent_fit(cbind(count, trials - count) ~ 1, binomial(), data)
  place <- data.frame(x = c(0.2, 0.5, 0.8), y = 0.5)
  draws <- as.matrix(simulate(fit, 400, seed = 1, newdata = place, trials = c(1, 20, 400)))
  expected <- predict(fit, place, trials = c(1, 20, 400))
  expect_true(all(abs(rowMeans(draws) - expected$mean) < 4 * expected$sd / sqrt(400)))
  expect_lte(max(simulate(fit, 50, newdata = place)), 1)
  at_data <- as.matrix(simulate(fit, 20, seed = 1))
  expect_true(all(at_data <= data$trials))
  expect_gt(max(at_data), 1)
  expect_error(simulate(fit, newdata = place, trials = 1:2), class = "neargp_error_argument")
})

test_extended("new observations at training rows have the noise of their weights", {
  data <- simulated_data(60)
  data$w <- rep(c(1, 100), 30)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 15), nugget = 4, weights = w,
    covariance = cov_exponential(variance = 0.5, range = 0.2))
  spread <- function(...) apply(as.matrix(simulate(fit, 2000, seed = 1, ...)), 1, var)
  expect_equal(mean((spread() - spread(type = "link"))[data$w == 1]), 4, tolerance = 0.05)
  expect_equal(mean((spread() - spread(type = "link"))[data$w == 100]), 0.04, tolerance = 0.3)

  data$z <- exp(data$z / 4)
  amounts <- neargp(z ~ 1, data, coords = ~ x + y, method = vnngp(k = 10), family = Gamma("log"),
    weights = w, covariance = cov_exponential(variance = 1e-4, range = 0.2))
  relative <- apply(as.matrix(simulate(amounts, 2000, seed = 1)), 1, function(x) var(x) / mean(x)^2)
  expect_equal(mean(relative[data$w == 1]) / mean(relative[data$w == 100]), 100, tolerance = 0.15)
})

test_that("more draws than a table can hold are refused", {
  fit <- example_fit(60)
  expect_error(simulate(fit, nsim = 2^30), "GiB", class = "neargp_error_size")
  expect_error(simulate(fit, nsim = 2^30, newdata = simulated_data(5)[0, ]), "GiB",
    class = "neargp_error_size")
})

test_extended("draws beyond the range of numbers are the largest number, with a warning", {
  data <- simulated_data(30)
  data$count <- round(exp(data$z))
  data$amount <- exp(data$z)
  for (case in list(list(count ~ 1, poisson()), list(amount ~ 1, Gamma("log"))))
    for (method in list(vnngp(5), svgp(5))) {
      fit <- suppressWarnings(neargp(case[[1L]], data, coords = ~ x + y, family = case[[2L]],
        method = method, covariance = cov_exponential(variance = 1e8, range = 0.1)))
      expect_warning(draws <- simulate(fit, nsim = 20, seed = 1,
        newdata = data.frame(x = 50, y = 50)), "beyond the range of numbers",
        class = "neargp_warning_overflow")
      expect_true(all(is.finite(as.matrix(as.data.frame(draws)[grep("^sim_", names(draws))]))))
    }
})
