# Means and totals over areas, against universal kriging at the points in plain R.

covariance_of_areas <- cov_exponential(variance = 0.8, range = 0.2)

test_extended("means, their joint covariance and totals over polygons are those of dense kriging", {
  data <- area_data()
  points <- square_points()
  A <- averaging(points$area)
  polygons <- sf::st_sf(height = sin(1:9), geometry = unit_squares())
  X <- cbind(1, polygons$height[points$area])
  for (method in list(exact_gp(), vecchia(k = 119))) {
    fit <- neargp(z ~ height, data, coords = ~ x + y, method = method, weights = precision,
      covariance = covariance_of_areas, nugget = 0.1)
    dense <- dense_krige(fit$data, fit$core_covariance, fit$nugget, as.matrix(points[c("x", "y")]),
      X)
    means <- predict(fit, polygons, spacing = 1 / 12, joint = TRUE)
    expect_s3_class(means, "sf")
    expect_equal(means$points, rep(16L, 9L))
    expect_equal(means$mean, drop(A %*% dense$mean), tolerance = 1e-10)
    expect_equal(attr(means, "covariance"), A %*% dense$covariance %*% t(A), tolerance = 1e-8)
    expect_equal(means$sd^2, diag(attr(means, "covariance")), tolerance = 1e-10)
    alone <- predict(fit, polygons, spacing = 1 / 12, interval = "confidence", level = 0.9)
    expect_equal(alone$sd, means$sd, tolerance = 1e-8)
    expect_equal(alone$upper, means$mean + stats::qnorm(0.95) * means$sd, tolerance = 1e-8)
    total <- predict(fit, polygons, fun = "sum", spacing = 1 / 12, joint = TRUE, threshold = 0.6)
    expect_equal(total$mean, means$mean / 9, tolerance = 1e-12)
    expect_equal(attr(total, "covariance"), attr(means, "covariance") / 81, tolerance = 1e-10)
    expect_equal(total$p_exceed, 1 - stats::pnorm(0.6, total$mean, total$sd), tolerance = 1e-10)
  }
})

test_extended("they are those of gstat", {
  skip_if_not_installed("gstat")
  skip_if_not_installed("sp")
  data <- sf::st_as_sf(area_data(70L), coords = c("x", "y"), crs = 32633)
  polygons <- sf::st_sf(height = cos(1:9), geometry = unit_squares(crs = 32633))
  model <- gstat::gstat(formula = z ~ height, data = as(data, "Spatial"),
    model = gstat::vgm(0.8, "Exp", 0.2, add.to = gstat::vgm(0.1, "Err", 0)))
  theirs <- predict(model, as(polygons, "Spatial"), debug.level = 0,
    sps.args = list(n = 16, type = "regular", offset = c(0.5, 0.5)))
  for (method in list(exact_gp(), vecchia(k = 69))) {
    fit <- neargp(z ~ height, data, method = method, covariance = covariance_of_areas, nugget = 0.1)
    ours <- predict(fit, polygons, spacing = 1 / 12)
    expect_equal(ours$mean, theirs$var1.pred, tolerance = 1e-8)
    expect_equal(ours$sd^2, theirs$var1.var, tolerance = 1e-8)
  }
})

test_extended("the sparse posterior is the dense one where each node sees all others", {
  data <- area_data()
  points <- square_points()
  A <- averaging(points$area)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 20), nugget = 0.1,
    covariance = cov_matern(variance = 0.6, range = 0.2) + cov_exponential(variance = 0.3,
      range = 0.05))
  polygons <- sf::st_sf(height = sin(1:9), geometry = unit_squares())
  dense <- dense_gaussian_at(fit, as.matrix(points[c("x", "y")]),
    cbind(1, polygons$height[points$area]), jitter = 0.9e-6)
  covariance <- A %*% dense$covariance %*% t(A)
  means <- predict(fit, polygons, spacing = 1 / 12, joint = TRUE, k = 500)
  expect_equal(means$mean, drop(A %*% dense$mean), tolerance = 1e-8)
  expect_equal(attr(means, "covariance"), covariance, tolerance = 1e-7)
  expect_equal(predict(fit, polygons, spacing = 1 / 12, k = 500)$sd, sqrt(diag(covariance)),
    tolerance = 1e-7)
  # by the factor, whose paths end early
  support <- list(weight = rep(1 / 16, 144), area = points$area, target = list(
    coords = as.matrix(points[c("x", "y")])))
  settings <- list(k = 500L, context = plain_context(2L))
  latent <- latent_of_areas(area_observations(fit$method, fit), support, settings, 0L)
  support$node <- latent$node_of_point
  field <- covariance - A %*% (dense$covariance - dense_gaussian_at(given_trend(fit, coef(fit),
    0 * vcov(fit)), as.matrix(points[c("x", "y")]), cbind(1, 0 * points$x),
    jitter = 0.9e-6)$covariance) %*% t(A)
  expect_equal(latent_area_variances(latent, support, settings, most_numbers = 0), diag(field),
    tolerance = 1e-3)
  blocks <- latent_area_blocks(latent, support, c(2L, 7L), settings)
  expect_equal(vapply(blocks, mean, 0), diag(field)[c(2L, 7L)], tolerance = 1e-3)
})

test_extended("with 60 neighbours means are within two hundredths of their standard deviation", {
  data <- area_data(400L)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 20), nugget = 0.1,
    covariance = cov_matern(nu = 1.5, variance = 0.8, range = 0.1))
  exact <- predict(fit, unit_squares(), joint = TRUE)
  sparse <- predict(fit, unit_squares(), joint = TRUE, k = 60)
  expect_lt(max(abs(sparse$mean - exact$mean) / exact$sd), 0.02)
  expect_equal(sparse$sd, exact$sd, tolerance = 0.01)
  expect_lt(max(abs(stats::cov2cor(attr(sparse, "covariance")) -
    stats::cov2cor(attr(exact, "covariance")))), 0.02)
})

test_extended("a tiny area is its point, whatever the coordinates, the covariance and the method", {
  set.seed(4)
  data <- data.frame(lon = stats::runif(90, 5, 15), lat = stats::runif(90, 45, 52),
    day = stats::runif(90, 0, 20), altitude = stats::rnorm(90))
  data$z <- sin(data$lon) + data$altitude + stats::rnorm(90, sd = 0.2)
  fit <- neargp(z ~ altitude + lat, data, coords = ~ lon + lat, time = ~ day, crs = 4326,
    method = exact_gp(), covariance = cov_exponential(variance = 1, range = c(300, 10)),
    nugget = 0.05)
  places <- sf::st_as_sf(data.frame(lon = c(7, 12), lat = c(47, 50)), coords = 1:2, crs = 4326)
  tiny <- suppressWarnings(sf::st_buffer(places, 1))
  tiny$day <- c(3, 12)
  tiny$altitude <- c(0.5, -1)
  point <- data.frame(lon = c(7, 12), lat = c(47, 50), day = tiny$day, altitude = tiny$altitude)
  for (type in c("link", "process", "trend")) {
    expect_equal(as.list(predict(fit, tiny, type = type))[c("mean", "sd")],
      as.list(predict(fit, point, type = type)), tolerance = 1e-4)
  }
  turned <- neargp(z ~ 1, data, coords = ~ lon + lat, method = vecchia(k = 89), nugget = 0.05,
    covariance = cov_matern(variance = 1, range = 3, anisotropy = c(angle = 30, ratio = 0.4)))
  square <- sf::st_buffer(sf::st_sfc(sf::st_point(c(8, 48))), 1e-6)
  expect_equal(unlist(sf::st_drop_geometry(predict(turned, square))[c("mean", "sd")]),
    unlist(predict(turned, data.frame(lon = 8, lat = 48), type = "link", sectors = 0,
      local_mean = FALSE)), tolerance = 1e-6)
})

test_extended("a fit on inducing points has its own posterior", {
  data <- area_data(200L)
  points <- square_points()
  A <- averaging(points$area)
  for (model in list(list(z ~ 1, gaussian()), list(count ~ 1, poisson()))) {
    fit <- neargp(model[[1L]], data, coords = ~ x + y, family = model[[2L]],
      method = svgp(inducing = 20))
    at <- predict(fit, points, type = "link", joint = TRUE)
    means <- predict(fit, unit_squares(), type = "link", spacing = 1 / 12, joint = TRUE)
    expect_equal(means$mean, drop(A %*% at$mean), tolerance = 1e-8)
    expect_equal(attr(means, "covariance"), A %*% attr(at, "covariance") %*% t(A),
      tolerance = 1e-8)
    expect_equal(predict(fit, unit_squares(), type = "link", spacing = 1 / 12,
      parameters = "plug-in")$sd, means$sd, tolerance = 1e-8)
  }
})

test_that("areas beyond the reach of the data are told, and have the trend and its variance", {
  data <- area_data(60L)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10), nugget = 0.1,
    covariance = covariance_of_areas)
  expect_message(far <- predict(fit, c(unit_squares(1L), unit_squares(1L) + c(20, 0))),
    "1 of 2 areas.*area 2", class = "neargp_message_far")
  expect_equal(far$mean[2L], coef(fit)[[1L]], tolerance = 1e-10)
  expect_message(none <- predict_areas(fit, unit_squares(1L)[0L]), NA)
  expect_equal(dim(none), c(0L, 4L))
})

test_extended("what cannot be predicted is an error that says what can", {
  data <- area_data(60L)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 10), nugget = 0.1,
    covariance = covariance_of_areas)
  polygons <- sf::st_sf(height = sin(1:9), geometry = unit_squares())
  expect_error(predict(fit, unit_squares()), "height", class = "neargp_error_newdata")
  expect_error(predict(fit, sf::st_set_crs(polygons, 4326)), "Training data: none",
    class = "neargp_error_crs")
  expect_error(predict_areas(fit, data), "sf polygons", class = "neargp_error_newdata")
  expect_error(predict_areas(fit, sf::st_centroid(sf::st_geometry(polygons))), "not POINT",
    class = "neargp_error_geometry")
  empty <- polygons
  sf::st_geometry(empty)[4] <- sf::st_polygon()
  expect_error(predict(fit, empty), "row 4", class = "neargp_error_geometry")
  crossed <- sf::st_sfc(sf::st_polygon(list(cbind(c(0, 1, 0, 1, 0), c(0, 1, 1, 0, 0)))))
  expect_error(predict(fit, sf::st_sf(height = 1, geometry = crossed)), "st_make_valid",
    class = "neargp_error_geometry")
  expect_error(predict(fit, polygons, smooth = TRUE), "smooth", class = "neargp_error_argument")
  expect_error(predict(fit, polygons, interval = "prediction"), "confidence",
    class = "neargp_error_argument")
  expect_error(predict(fit, polygons, spacing = 1e-7), "spacing", class = "neargp_error_size")
  expect_error(predict(fit, polygons, weights = "people"), "people", class = "neargp_error_newdata")
  expect_error(predict(fit, polygons, weights = -1), "weights", class = "neargp_error_argument")
  deep <- neargp(z ~ 1, data, coords = ~ x + y, method = dgp(inducing = 5, epochs = 2))
  expect_error(predict(deep, polygons), "vecchia", class = "neargp_error_method")
  outputs <- neargp(cbind(z, height) ~ 1, data, coords = ~ x + y, method = vecchia(k = 5))
  expect_error(predict_areas(outputs, polygons), "one response", class = "neargp_error_method")
  expect_error(predict(outputs, polygons), "one response", class = "neargp_error_method")
  classes <- neargp(factor(height > 0) ~ 1, data, coords = ~ x + y, method = loo_k(k = 5))
  expect_error(predict(classes, polygons), "not for categories", class = "neargp_error_method")
})

test_extended("solves of many columns together are those of each alone", {
  data <- simulated_data(200)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 10),
    covariance = cov_exponential(variance = 1, range = 0.3), nugget = 0.2)
  given <- area_observations(fit$method, fit)
  places <- point_support(fit, transform(data[1:11, ], x = x + 0.01), "candidates")
  latent <- latent_of_areas(given, places, list(context = new_context(1L)), most_exact = 0L)
  set.seed(1)
  columns <- matrix(rnorm(11 * latent$count), ncol = 11L)
  solve <- function(h) core_latent_solve(latent$pointer, h, new_context(1L))
  alone <- apply(columns, 2L, function(h) solve(as.matrix(h)))
  expect_equal(solve(columns), alone, tolerance = 1e-9)
})

test_that("polygons beyond longitude and latitude are refused, as data and as areas", {
  skip_if_not_installed("sf")
  square <- function(x, y) {
    sf::st_polygon(list(cbind(x + c(0, 1, 1, 0, 0), y + c(0, 0, 1, 1, 0))))
  }
  fields <- function(x, y) {
    sf::st_sf(z = sin(seq_along(x)), geometry = sf::st_sfc(Map(square, x, y), crs = 4326))
  }
  x <- rep(c(0, 2, 4, 6), 3)
  y <- rep(c(40, 42, 44), each = 4)
  expect_error(neargp(z ~ 1, fields(replace(x, 5, 1e299), y), verbose = FALSE),
    "`data` has geometries beyond .* \\(row 5\\)", class = "neargp_error_coordinates")
  points <- sf::st_as_sf(data.frame(x, y, z = sin(1:12)), coords = 1:2, crs = 4326)
  fit <- neargp(z ~ 1, points, method = exact_gp(), verbose = FALSE, nugget = 0.1,
    covariance = cov_exponential(variance = 1, range = 200))
  expect_error(predict(fit, fields(x, replace(y, 2, 90))),
    "`areas` has geometries beyond .* \\(row 2\\)", class = "neargp_error_coordinates")
  expect_true(all(is.finite(predict(fit, fields(c(359, 5), c(89, 40)))$mean)))
})
