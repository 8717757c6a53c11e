# Means and totals of responses whose link bends, against the normal linear predictors at the points
# in plain R.

count_fit <- function(method = vnngp(k = 20), n = 100L) {
  neargp(count ~ height, area_data(n), coords = ~ x + y, family = poisson(), method = method,
    covariance = cov_exponential(variance = 0.7, range = 0.3))
}

test_extended("totals of counts have the moments of sums of log-normal variables", {
  fit <- count_fit()
  points <- square_points()
  A <- averaging(points$area)
  polygons <- sf::st_sf(height = sin(1:9), geometry = unit_squares())
  precision <- fit$posterior$pseudo_precision
  observed <- fit$posterior$linear_predictor + fit$posterior$slope / precision
  eta <- dense_field_at(fit, as.matrix(points[c("x", "y")]),
    cbind(1, polygons$height[points$area]), precision, observed, jitter = 0.7e-6)
  link <- predict(fit, polygons, type = "link", spacing = 1 / 12, k = 500)
  expect_equal(link$mean, drop(A %*% eta$mean), tolerance = 1e-6)
  expect_equal(link$sd, sqrt(diag(A %*% eta$covariance %*% t(A))), tolerance = 1e-6)
  expected <- exp(eta$mean + diag(eta$covariance) / 2)
  covariance <- A %*% (outer(expected, expected) * expm1(eta$covariance)) %*% t(A)
  means <- predict(fit, polygons, spacing = 1 / 12, k = 500, seed = 1, draws = 20)
  expect_equal(means$mean, drop(A %*% expected), tolerance = 1e-6)
  expect_equal(means$sd, sqrt(diag(covariance)), tolerance = 1e-5)
  # by the factor, and with the default neighbours, both are nearly so
  near <- predict(fit, polygons, spacing = 1 / 12, draws = 20)
  expect_equal(near$sd, means$sd, tolerance = 0.01)

  # Quantiles of 4,000 draws, whose standard error is 3% of the standard deviation or less.
  set.seed(5)
  drawn <- A %*% exp(eta$mean + t(chol(eta$covariance)) %*% matrix(stats::rnorm(144 * 4000), 144))
  interval <- predict(fit, polygons, spacing = 1 / 12, k = 500, seed = 2, draws = 4000,
    interval = "confidence", threshold = 3)
  expect_lt(max(abs(interval$lower - apply(drawn, 1L, stats::quantile, 0.025)) / means$sd), 0.12)
  expect_lt(max(abs(interval$upper - apply(drawn, 1L, stats::quantile, 0.975)) / means$sd), 0.35)
  expect_lt(max(abs(interval$p_exceed - rowMeans(drawn > 3))), 0.05)

  # Jointly, by draws of all points together.
  joint <- predict(fit, polygons, spacing = 1 / 12, k = 500, seed = 3, draws = 2000, joint = TRUE)
  expect_lt(max(abs(joint$mean - means$mean) / means$sd), 0.1)
  expect_lt(max(abs(stats::cov2cor(attr(joint, "covariance")) - stats::cov2cor(covariance))), 0.1)
  expect_equal(joint$sd, means$sd, tolerance = 0.1)
})

test_that("a fit without any trend is drawn jointly, too", {
  data <- area_data(50L)
  fit <- neargp(count ~ 0, data, coords = ~ x + y, family = poisson(), method = vnngp(k = 10),
    covariance = cov_exponential(variance = 0.7, range = 0.3))
  alone <- predict(fit, unit_squares(2L), draws = 500, seed = 1)
  joint <- predict(fit, unit_squares(2L), draws = 500, seed = 1, joint = TRUE)
  expect_lt(max(abs(joint$mean - alone$mean) / alone$sd), 0.2)
})

test_extended("points are as dense as data ask for: means are those of many more, totals those of counts", {
  set.seed(1)
  data <- data.frame(x = runif(150), y = runif(150))
  data$z <- exp(sin(7 * data$x) * cos(6 * data$y) + rnorm(150, sd = 0.1))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, transform = "log", method = exact_gp(),
    nugget = 0.01, covariance = cov_matern(nu = 1.5, variance = 1, range = 0.3))
  means <- predict(fit, unit_squares(), draws = 20, seed = 1)
  fine <- predict(fit, unit_squares(), draws = 20, seed = 1, spacing = 1 / 45)
  expect_true(all(means$points >= 36 & means$points <= 121))
  expect_lt(max(abs(means$mean - fine$mean) / fine$sd), 0.15)
  cells <- expand.grid(x = (1:12 - 0.5) / 12, y = (1:12 - 0.5) / 12)
  cells$count <- rpois(144, exp(1 + 1.5 * sin(7 * cells$x) * cos(6 * cells$y)))
  counts <- neargp(count ~ 1, cells, coords = ~ x + y, family = poisson(), method = vnngp(k = 10),
    covariance = cov_matern(nu = 1.5, variance = 1, range = 0.5))
  total <- predict(counts, unit_squares(1L), fun = "sum", draws = 20, seed = 1)
  at_cells <- mean(predict(counts, cells)$mean)
  expect_lt(abs(total$mean - at_cells) / total$sd, 0.05)
})

test_that("draws are governed by the seed, which leaves R's generator as it was", {
  fit <- count_fit(n = 60L)
  set.seed(9)
  before <- .Random.seed
  first <- predict(fit, sf::st_sf(height = 0, geometry = unit_squares(2L)), interval = "confidence",
    seed = 4, draws = 50)
  expect_identical(.Random.seed, before)
  expect_identical(predict(fit, sf::st_sf(height = 0, geometry = unit_squares(2L)),
    interval = "confidence", seed = 4, draws = 50), first)
})

test_that("limits for a total of counts add the scatter of these", {
  fit <- count_fit(n = 60L)
  square <- sf::st_sf(height = 0, people = 0.05, geometry = unit_squares(1L))
  counts <- predict(fit, square, fun = "sum", weights = "people", interval = "prediction", seed = 1)
  expect_identical(counts$lower, round(counts$lower))
  # a few hundredths: nearly always none
  expect_equal(c(counts$lower, counts$mean < 0.5), c(0, 1))
  expect_error(predict(fit, square, interval = "prediction"), "fun = \"sum\"",
    class = "neargp_error_argument")
  expect_error(predict(fit, square, fun = "sum", type = "link"), "scale of the link",
    class = "neargp_error_argument")
})

test_extended("a tiny area has the expected response of its point", {
  points <- data.frame(x = c(0.3, 0.6), y = c(0.4, 0.8), height = c(0, 1))
  tiny <- sf::st_buffer(sf::st_as_sf(points, coords = c("x", "y")), 1e-5)
  binary <- area_data(150L)
  binary$yes <- as.numeric(binary$count > 1)
  fits <- list(count_fit(vnngp(k = 30, factor = "exact")), count_fit(svgp(inducing = 25)),
    count_fit(loo_k(k = 99)),
    neargp(yes ~ height, binary, coords = ~ x + y, family = binomial("probit"),
      method = vnngp(k = 30, factor = "exact"), covariance = cov_exponential(range = 0.3)))
  for (fit in fits) {
    areas <- predict(fit, tiny, interval = "confidence", seed = 1, draws = 16000,
      parameters = "plug-in")
    at <- predict(fit, points, interval = "confidence")
    expect_equal(areas$mean, at$mean, tolerance = 2e-3)
    # quantiles of 16,000 draws
    expect_lt(max(abs(areas$lower - at$lower) / (at$upper - at$lower)), 0.03)
    expect_lt(max(abs(areas$upper - at$upper) / (at$upper - at$lower)), 0.06)
  }
})

test_extended("means of a transformed response are of the response", {
  data <- area_data(100L)
  data$amount <- exp(0.5 * data$z)
  points <- square_points()
  A <- averaging(points$area)
  fit <- neargp(amount ~ 1, data, coords = ~ x + y, method = exact_gp(), transform = "log",
    covariance = cov_exponential(variance = 0.3, range = 0.3), nugget = 0.02)
  field <- dense_gaussian_at(fit, as.matrix(points[c("x", "y")]))
  expected <- exp(field$mean + diag(field$covariance) / 2 + 0.01)
  means <- predict(fit, unit_squares(), spacing = 1 / 12, seed = 1)
  expect_equal(means$mean, drop(A %*% expected), tolerance = 1e-8)
  sd <- sqrt(diag(A %*% (outer(expected, expected) * expm1(field$covariance)) %*% t(A)))
  expect_equal(means$sd, sd, tolerance = 0.1)
  expect_equal(predict(fit, unit_squares(), spacing = 1 / 12, type = "link")$mean,
    drop(A %*% field$mean), tolerance = 1e-8)
})

test_extended("a large area beside a short range has the points that it needs, drawn together", {
  skip_if_not_installed("sf")
  withr::local_seed(1)
  data <- data.frame(x = runif(600, 0, 10), y = runif(600, 0, 10))
  data$z <- rpois(600, 3)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, family = poisson(),
    covariance = cov_exponential(variance = 1, range = 0.4))
  square <- sf::st_sf(geometry = sf::st_sfc(sf::st_polygon(list(10 * cbind(c(0, 1, 1, 0, 0),
    c(0, 0, 1, 1, 0))))))
  total <- predict(fit, square, fun = "sum", seed = 1)
  expect_gt(total$points, 1600)
  cells <- expand.grid(x = seq(0.1, 9.9, 0.2), y = seq(0.1, 9.9, 0.2))
  draws <- colSums(0.04 * exp(as.matrix(simulate(fit, 1000, seed = 2, newdata = cells,
    type = "link"))))
  expect_lt(abs(total$mean - mean(draws)), 0.15 * total$sd)
  expect_lt(abs(total$sd / stats::sd(draws) - 1), 0.1)
})

test_extended("a response without a mean has none over areas", {
  fit <- neargp(z ~ 1, area_data(40L), coords = ~ x + y, method = vnngp(k = 5),
    family = student_t(df = 1), covariance = cov_exponential(range = 0.3), verbose = FALSE)
  polygons <- sf::st_sf(geometry = unit_squares())
  expect_error(predict(fit, polygons), "does not exist", class = "neargp_error_family")
  expect_true(all(is.finite(predict(fit, polygons, type = "link")$mean)))
})
