# The mean over radii of predictions from all neighbours within, by predict() of the nearest 1 to k.
radial_mean <- function(fit, places, k, ...) {
  scaled <- core_scale(rbind(as.matrix(places), fit$data$coords), metric_component(
    fit$core_covariance))
  distance <- as.matrix(stats::dist(scaled))[seq_len(nrow(places)), -seq_len(nrow(places))]
  distance <- unname(t(apply(distance, 1, sort)))[, seq_len(k + 1)]
  from <- ceiling(k / 2)
  weights <- (distance[, from:k + 1] - distance[, from:k]) / (distance[, k + 1] - distance[, from])
  parts <- lapply(from:k, function(m) predict(fit, places, k = m, sectors = 0, type = "link", ...))
  list(mean = rowSums(weights * vapply(parts, `[[`, places$x, "mean")),
    variance = rowSums(weights * vapply(parts, function(part) part$sd^2, places$x)))
}

test_that("smooth predictions are means over radii of predictions from the neighbours within", {
  fit <- neargp(z ~ 1, simulated_data(150), coords = ~ x + y, method = vecchia(k = 8),
    covariance = cov_matern(nu = 1.5, variance = 1, range = 0.3), nugget = 0.1)
  set.seed(21)
  places <- data.frame(x = runif(20), y = runif(20))
  # Simple kriging about a known mean: what varies with m is linear in the neighbours' weights.
  fit$beta_vcov[] <- 0
  fit$core_trend$beta_vcov[] <- 0
  for (local_mean in c(FALSE, TRUE)) {
    expected <- radial_mean(fit, places, 12, local_mean = local_mean)
    found <- predict(fit, places, k = 12, smooth = TRUE, type = "link", local_mean = local_mean)
    expect_equal(found$mean, expected$mean, tolerance = 1e-8)
    expect_equal(found$sd^2, expected$variance, tolerance = 1e-8)
  }
})

test_extended("there are no jumps where the neighbours change", {
  fit <- neargp(z ~ 1, simulated_data(150), coords = ~ x + y, method = vecchia(k = 8),
    covariance = cov_exponential(variance = 1, range = 0.3), nugget = 0.1)
  largest_step <- function(n, ...) {
    line <- data.frame(x = seq(0.3, 0.6, length.out = n), y = 0.5)
    max(abs(diff(predict(fit, line, k = 6, sectors = 0, ...)$mean)))
  }
  # A hundred times as fine a line has steps a hundred times as small, but for jumps.
  expect_lt(largest_step(20001, smooth = TRUE) / largest_step(201, smooth = TRUE), 0.05)
  expect_gt(largest_step(20001) / largest_step(201), 0.5)
})

test_that("tapers fall from 1 to 0 at the first neighbour that is left out, with ties together", {
  taper <- smooth_taper(rbind(c(1, 2, 3, 4, 5), c(1, 1, 1, 1, 1), c(1, 2, 2, 3, 3)))
  expect_equal(taper, rbind(c(1, 1, 2 / 3, 1 / 3), c(1, 1, 0, 0), c(1, 1, 1, 0)))
})

test_that("what has no edges is as without, and what has others is refused", {
  data <- simulated_data(60)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp())
  places <- data.frame(x = runif(3), y = runif(3))
  expect_identical(predict(fit, places, smooth = TRUE), predict(fit, places,
    parameters = "plug-in"))
  near <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 5))
  expect_error(predict(near, places, smooth = TRUE, sectors = 4), "`sectors`",
    class = "neargp_error_argument")
  expect_error(with_smooth(list(), list(method = svgp(10)), TRUE, NULL),
    "Gaussian responses predicted from their nearest observations", class = "neargp_error_argument")
  expect_error(predict(near, places, smooth = TRUE, joint = TRUE), "joint",
    class = "neargp_error_argument")
  expect_error(predict(near, places, smooth = NA), "`smooth`", class = "neargp_error_argument")
  expect_false(any(vapply(list(vnngp(), svgp(), odvgp(), ppgpr(), dspp(), vecchia(inducing = 20)),
    has_ability, NA, "nearest_observations")))
})
