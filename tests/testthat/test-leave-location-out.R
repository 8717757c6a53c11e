# The reference is the dense model of all rows in plain R, see helper-location-means.R.

location_of <- function(data) match(paste(data$x, data$y), unique(paste(data$x, data$y)))

expect_locations_left_out <- function(fit, data, tolerance = 1e-8, ...) {
  left <- loo_predict(fit, leave_out = "location")
  location <- location_of(data)
  for (one in unique(location)) {
    out <- which(location == one)
    right <- dense_without_rows(data, out, ...)
    testthat::expect_equal(left$mean[out], right$mean, tolerance = tolerance)
    testthat::expect_equal(left$sd[out], right$sd, tolerance = tolerance)
  }
}

test_extended("a location is predicted as if all its rows had been deleted, trend included", {
  data <- repeated_rows()
  for (method in list(exact_gp(), vecchia(k = 15), loo_k(15), mll_k(15),
    vecchia(k = 15, inducing = 5))) {
    expect_locations_left_out(fit_held(data, method), data)
  }
})

test_extended("one location with many rows, and rows of equal response, are left out alike", {
  data <- repeated_rows(c(1, 1, 3, 90))
  data$z[location_of(data) == 3L] <- 1
  expect_locations_left_out(fit_held(data, exact_gp()), data)
})

test_that("25 stations of 80 rows have the dense model's values without a station", {
  set.seed(1)
  stations <- data.frame(x = runif(25), y = runif(25))
  data <- stations[rep(1:25, 80), ]
  data$z <- rnorm(25)[rep(1:25, 80)] + rnorm(2000, sd = 2)
  fit <- suppressMessages(neargp(z ~ 1, data, coords = ~ x + y, verbose = FALSE,
    method = vecchia(), covariance = held_covariance, nugget = 4))
  left <- loo_predict(fit, leave_out = "location")
  expect_equal(left$mean[1:2], c(0.24757443, 0.088358914), tolerance = 1e-7)
  expect_equal(left$mean[26:27], left$mean[1:2])
  expect_equal(sqrt(left$sd[1:2]^2 - 4), c(0.6099933, 0.78398362), tolerance = 1e-7)
})

test_that("a level that one location alone has cannot be predicted without it", {
  data <- repeated_rows()
  location <- location_of(data)
  own <- which(location == location[which(tabulate(location)[location] > 2L)[1L]])
  data$year <- factor(ifelse(seq_len(nrow(data)) %in% own, "own", as.character(data$year)))
  fit <- fit_held(data, exact_gp())
  expect_warning(left <- loo_predict(fit, leave_out = "location"), "location",
    class = "neargp_warning_leverage")
  expect_identical(which(is.na(left$mean)), own)
  expect_identical(which(is.infinite(left$sd)), own)
  expect_no_warning(by_row <- loo_predict(fit))
  expect_false(anyNA(by_row$mean))
  other <- which(!seq_len(nrow(data)) %in% own)[1L]
  out <- which(location == location[other])
  right <- dense_without_rows(data, out)
  expect_equal(left$mean[out], right$mean, tolerance = 1e-8)
})

test_that("random effects are estimated without the location as well", {
  data <- repeated_rows()
  set.seed(4)
  data$group <- factor(sample(8L, nrow(data), TRUE))
  fit <- suppressMessages(neargp(z ~ year + offset(o) + (1 | group), data, coords = ~ x + y,
    weights = w, method = exact_gp(), covariance = held_covariance, nugget = 2, threads = 1L,
    verbose = FALSE))
  left <- loo_predict(fit, leave_out = "location")
  effect <- coef(fit, what = "covariance")
  sd <- effect[[grep("group", names(effect))]]
  Z <- model.matrix(~ group - 1, data)
  S <- dense_exponential(data, data) + sd^2 * tcrossprod(Z)
  X <- model.matrix(~ year, data)
  location <- location_of(data)
  for (one in c(2L, 4L)) {
    out <- which(location == one)
    Q <- solve(S[-out, -out] + diag(2 / data$w[-out]))
    beta <- solve(t(X[-out, ]) %*% Q %*% X[-out, ], t(X[-out, ]) %*% Q %*% (data$z - data$o)[-out])
    right <- data$o[out] + X[out, , drop = FALSE] %*% beta + S[out, -out, drop = FALSE] %*% Q %*%
      ((data$z - data$o)[-out] - X[-out, ] %*% beta)
    expect_equal(left$mean[out], drop(right), tolerance = 1e-8, ignore_attr = TRUE)
  }
})

test_that("noise of a model is that of each row", {
  data <- repeated_rows()
  fit <- suppressMessages(neargp(z ~ year + offset(o), data, coords = ~ x + y, nugget = ~ w,
    covariance = held_covariance, method = vecchia(k = 15), threads = 1L, verbose = FALSE))
  # noise_of_rows() is nugget / weights
  expect_locations_left_out(fit, transform(data, w = fit$data$weights), nugget = fit$nugget)
})

test_that("where no location repeats it is the row", {
  data <- simulated_data(40L)
  fit <- neargp(z ~ height, data, coords = ~ x + y, covariance = held_covariance, nugget = 0.5)
  expect_identical(loo_predict(fit, leave_out = "location")$mean, loo_predict(fit)$mean)
  counts <- data.frame(data, count = rpois(40L, 2))
  latent <- function(data) suppressMessages(neargp(count ~ 1, data, coords = ~ x + y,
    family = poisson(), covariance = held_covariance, method = vnngp()))
  fit <- latent(counts)
  expect_identical(loo_predict(fit, leave_out = "location")$mean, loo_predict(fit)$mean)
  expect_error(loo_predict(latent(counts[c(1:40, 1:3), ]), leave_out = "location"),
    class = "neargp_error_method")
})

test_that("it is said what was left out", {
  data <- repeated_rows()
  fit <- fit_held(data, exact_gp())
  expect_output(print(loo_predict(fit)), "rows, each from the other rows")
  expect_output(print(loo_predict(fit, leave_out = "location")), "from the other locations")
  expect_output(print(scores(fit)), "each row from the others")
  by_location <- scores(fit, leave_out = "location")
  expect_output(print(by_location), "each location from the others")
  left <- loo_predict(fit, leave_out = "location")
  expect_equal(by_location$rmse, sqrt(mean((data$z - left$mean)^2)))
  expect_error(loo_predict(fit, leave_out = "station"), class = "neargp_error_argument")
})

test_that("fits by inducing points leave locations out", {
  data <- repeated_rows()
  fit <- suppressMessages(neargp(z ~ year + offset(o), data, coords = ~ x + y, weights = w,
    method = svgp(10L), covariance = held_covariance, nugget = 2, threads = 1L, verbose = FALSE))
  left <- loo_predict(fit, leave_out = "location")
  at <- data.frame(fit$svgp$positions)
  names(at) <- c("x", "y")
  K <- dense_exponential(at, at)
  cross <- dense_exponential(at, data)
  low <- t(cross) %*% solve(K, cross)
  X <- model.matrix(~ year, data)
  y <- data$z - data$o
  location <- location_of(data)
  for (one in c(3L, 4L)) {
    out <- which(location == one)
    Q <- solve(low[-out, -out] + diag(2 / data$w[-out]))
    V <- solve(t(X[-out, ]) %*% Q %*% X[-out, ])
    beta <- V %*% t(X[-out, ]) %*% Q %*% y[-out]
    unseen <- X[out, , drop = FALSE] - low[out, -out, drop = FALSE] %*% Q %*% X[-out, ]
    mean <- data$o[out] + X[out, , drop = FALSE] %*% beta +
      low[out, -out, drop = FALSE] %*% Q %*% (y[-out] - X[-out, ] %*% beta)
    expect_equal(left$mean[out], drop(mean), tolerance = 1e-5, ignore_attr = TRUE)
    variance <- 1 - diag(low[out, -out, drop = FALSE] %*% Q %*% low[-out, out, drop = FALSE]) +
      diag(unseen %*% V %*% t(unseen)) + 2 / data$w[out]
    expect_equal(left$sd[out], sqrt(variance), tolerance = 1e-5, ignore_attr = TRUE)
  }
})
