globe_data <- function(n = 400, seed = 1) {
  set.seed(seed)
  data <- data.frame(lon = runif(n, -180, 180), lat = asin(runif(n, -1, 1)) * 180 / pi)
  transform(data, z = cos(lat * pi / 90) + sin(lon * pi / 180) * cos(lat * pi / 180) +
    rnorm(n, sd = 0.1))
}

fit_globe <- function(data = globe_data(), ...) {
  neargp(z ~ 1, data, coords = ~ lon + lat, distance = "chordal", method = vecchia(k = 10),
    covariance = cov_exponential(), ...)
}

# Clockwise from north, by spherical trigonometry.
azimuth <- function(from, to) {
  radian <- pi / 180
  turned <- (to$lon - from$lon) * radian
  atan2(sin(turned) * cos(to$lat * radian), cos(from$lat * radian) * sin(to$lat * radian) -
    sin(from$lat * radian) * cos(to$lat * radian) * cos(turned))
}

test_extended("without a trend and in two coordinates the neighbours lie in eight sectors and have a mean of their own", {
  new <- simulated_data(20, seed = 2)
  plane <- neargp(z ~ 1, simulated_data(150), coords = ~ x + y, method = vecchia(k = 15),
    covariance = cov_exponential())
  for (case in list(list(plane, new), list(fit_globe(), globe_data(20, seed = 2)))) {
    predict_new <- function(...) predict(case[[1]], case[[2]], interval = "prediction", ...)
    expect_identical(predict_new(), predict_new(k = 96, sectors = 8, local_mean = TRUE))
    expect_identical(predict_new(k = 30), predict_new(k = 30, sectors = 0, local_mean = TRUE))
    expect_identical(predict_new(local_mean = FALSE),
      predict_new(k = 96, sectors = 8, local_mean = FALSE))
    expect_identical(predict_new(sectors = 0), predict_new(k = 96, sectors = 0, local_mean = TRUE))
    expect_false(identical(predict_new(), predict_new(sectors = 0)))
    expect_false(identical(predict_new(), predict_new(local_mean = FALSE)))
  }
})

test_extended("a trend keeps its mean everywhere, with neighbours in sectors", {
  data <- simulated_data(150)
  new <- simulated_data(20, seed = 2)
  for (trend in list(z ~ height + group, z ~ 0, z ~ 0 + height)) {
    fit <- neargp(trend, data, coords = ~ x + y, method = vecchia(k = 15),
      covariance = cov_exponential())
    expect_identical(predict(fit, new), predict(fit, new, k = 96, sectors = 8, local_mean = FALSE))
  }
})

test_extended("several places at once, further coordinates and latent models have the nearest neighbours", {
  data <- simulated_data(150)
  new <- simulated_data(8, seed = 2)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 15),
    covariance = cov_exponential())
  expect_identical(predict(fit, new, joint = TRUE), predict(fit, new, joint = TRUE, k = 60,
    local_mean = FALSE, sectors = 0))
  in_time <- update(fit, time = ~ height)
  expect_identical(predict(in_time, new), predict(in_time, new, k = 96, sectors = 0,
    local_mean = TRUE))
  deep <- update(fit, coords = ~ x + y + height, distance = "euclidean")
  expect_identical(predict(deep, new), predict(deep, new, k = 96, sectors = 0, local_mean = FALSE))
  data$count <- stats::rpois(150, exp(data$z / 4))
  for (method in list(vnngp(8), loo_k(8))) {
    counts <- neargp(count ~ 1, data, coords = ~ x + y, family = poisson(), method = method)
    k <- if (inherits(method, "neargp_vnngp")) 60 else 8
    expect_identical(predict(counts, new), predict(counts, new, k = k, sectors = 0,
      local_mean = FALSE))
  }
})

test_that("an exact fit predicts from every observation unless neighbours are asked for", {
  data <- simulated_data(120)
  new <- simulated_data(10, seed = 2)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(), covariance = cov_exponential())
  dense <- dense_krige(fit$data, fit$core_covariance, fit$nugget, as.matrix(new[c("x", "y")]),
    matrix(1, 10, 1))
  expect_equal(predict(fit, new, type = "link")$mean, dense$mean, tolerance = 1e-9)
  expect_equal(predict(fit, new, type = "link")$sd^2, dense$variance, tolerance = 1e-8)
  expect_identical(predict(fit, new, sectors = 0, local_mean = FALSE), predict(fit, new))
  expect_identical(predict(fit, new, sectors = 8), predict(fit, new, sectors = 8, k = 96,
    local_mean = TRUE))
})

test_that("on a sphere the neighbours are those between the azimuths of great circles, and their kriging is ordinary kriging", {
  data <- globe_data()
  fit <- fit_globe(data)
  places <- data.frame(lon = c(10, 180, -75), lat = c(50, -3, 80))
  chord <- function(a, b) {
    unit <- function(p) {
      with(p * pi / 180, cbind(cos(lat) * cos(lon), cos(lat) * sin(lon), sin(lat)))
    }
    6371.0088 * sqrt(pmax(2 - 2 * unit(a) %*% t(unit(b)), 0))
  }
  estimate <- coef(fit, "covariance")
  covariance <- function(a, b) estimate[["variance"]] * exp(-chord(a, b) / estimate[["range"]])
  ordinary <- function(place) {
    sector <- floor((azimuth(place, data) %% (2 * pi)) / (pi / 2))
    near <- unlist(tapply(seq_len(nrow(data)), sector,
      function(rows) rows[order(chord(place, data[rows, ]))[1:5]]))
    own <- data[near, ]
    noisy <- covariance(own, own)
    diag(noisy) <- estimate[["variance"]] + estimate[["nugget"]]
    system <- rbind(cbind(noisy, 1), c(rep(1, 20), 0))
    right <- c(covariance(own, place), 1)
    weights <- solve(system, right)
    c(mean = sum(weights[1:20] * own$z), variance = estimate[["variance"]] - sum(weights * right))
  }
  predicted <- predict(fit, places, k = 20, sectors = 4, local_mean = TRUE, type = "link")
  expected <- vapply(1:3, function(i) ordinary(places[i, ]), c(mean = 0, variance = 0))
  expect_equal(predicted$mean, expected["mean", ], tolerance = 1e-6)
  expect_equal(predicted$sd^2, expected["variance", ], tolerance = 1e-6)
})

test_extended("sectors are refused where there is no direction", {
  set.seed(1)
  line <- data.frame(x = runif(60))
  line$z <- sin(6 * line$x) + rnorm(60, sd = 0.1)
  fit <- neargp(z ~ 1, line, coords = ~ x, method = vecchia(k = 10))
  expect_error(predict(fit, line[1:2, , drop = FALSE], sectors = 4), "two coordinates in space",
    class = "neargp_error_argument")
  expect_identical(predict(fit, line[1:2, , drop = FALSE]), predict(fit, line[1:2, , drop = FALSE],
    sectors = 0, local_mean = TRUE))
})

test_extended("where all rows are neighbours none is left out for the sake of sectors", {
  fit <- neargp(z ~ 1, simulated_data(20), coords = ~ x + y, method = vecchia(19), nugget = 0.1,
    covariance = cov_exponential(variance = 1, range = 0.3))
  new <- simulated_data(5, seed = 2)
  expect_identical(predict(fit, new), predict(fit, new, k = 20, sectors = 0))
  by_sectors <- predict(fit, new, k = 20, sectors = 8)
  expect_gt(max(abs(predict(fit, new)$mean - by_sectors$mean)), 1e-6)
})
