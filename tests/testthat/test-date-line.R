# Areas across the date line against the same areas elsewhere: a field on the sphere does not know
# where longitude 180 is.

ring <- function(west, east, south, north) {
  list(cbind(c(west, east, east, west, west), c(south, south, north, north, south)))
}

# Rectangles of these longitudes, some of them beyond 180: as polygons whose edges cross the line,
# or cut at it. At another `line` they have corners there, as polygons have where they are cut.
rectangles_of <- function(west, east, south, north, cut = FALSE, line = 180) {
  skip_if_not_installed("sf")
  back <- function(x) ifelse(x > 180, x - 360, x)
  sf::st_sfc(Map(function(west, east, south, north) {
    if (cut && west < line && east > line) {
      if (line < 180) return(sf::st_polygon(list(cbind(c(west, line, east, east, line, west, west),
        c(south, south, south, north, north, north, south)))))
      return(sf::st_multipolygon(list(ring(west, 180, south, north), ring(-180, east - 360, south,
        north))))
    }
    sf::st_polygon(ring(back(west), back(east), south, north))
  }, west, east, south, north), crs = 4326)
}

moved_data <- function(by, n = 80L) {
  set.seed(4)
  data <- data.frame(lon = stats::runif(n, 120, 160), lat = stats::runif(n, -10, 20))
  data$z <- sin(data$lon / 4) + cos(data$lat / 3) + stats::rnorm(n, sd = 0.1)
  data$lon <- data$lon + by
  data
}

test_extended("longitudes of polygons go on across the line, and of no others", {
  across <- rectangles_of(175, 185, 0, 10)
  expect_equal(unbroken_boxes(across)[, 1L], c(175, 0, 185, 10))
  expect_equal(unbroken_boxes(rectangles_of(175, 185, 0, 10, cut = TRUE))[, 1L], c(175, 0, 185, 10))
  hole <- sf::st_sfc(sf::st_polygon(c(ring(175, -175, 0, 10), ring(-179, -177, 2, 4))), crs = 4326)
  expect_equal(range(unbroken_polygons(hole)[[1L]][[2L]][, 1L]), c(181, 183))
  pole <- sf::st_polygon(list(cbind(c(-170, -50, 70, 170, -170), 70)))
  expect_equal(unbroken_boxes(sf::st_sfc(pole, crs = 4326))[, 1L], c(-170, 70, 190, 90))
  annulus <- sf::st_sfc(sf::st_polygon(list(cbind(c(-170, -50, 70, 170, -170), -70),
    cbind(c(100, -140, -20, 100), -80))), crs = 4326)
  expect_identical(unbroken_boxes(annulus), polygon_boxes(annulus))
  everywhere <- sf::st_sfc(sf::st_polygon(ring(-180, 180, -60, 60)), crs = 4326)
  expect_identical(unbroken_boxes(everywhere), polygon_boxes(everywhere))
  plane <- sf::st_set_crs(across, NA)
  expect_identical(unbroken_polygons(plane), plane)
  expect_equal(mean_longitude(c(179, -178, -179), c(2, 1, 1)), -179.75)
})

test_extended("predictions of areas across the date line are those of the same areas elsewhere", {
  predicted <- function(by, ...) {
    data <- moved_data(by)
    fit <- neargp(z ~ 1, data, coords = ~ lon + lat, crs = 4326, method = exact_gp(),
      covariance = cov_exponential(variance = 1, range = 1000), nugget = 0.01, threads = 1L)
    areas <- rectangles_of(c(130, 137, 138.5) + by, c(135, 140, 138.6) + by, c(0, 5, -5),
      c(5, 8, 5), ...)
    predict_areas(fit, areas, spacing = 60)
  }
  for (cut in c(FALSE, TRUE)) {
    here <- predicted(0, cut = cut, line = 138.6)
    there <- predicted(41.4, cut = cut)
    expect_identical(there$points, here$points)
    expect_equal(there$mean, here$mean, tolerance = 1e-10)
    expect_equal(there$sd, here$sd, tolerance = 1e-10)
  }
})

test_extended("rows that are areas across the date line are those of the same areas elsewhere", {
  fitted_to <- function(by, ...) {
    data <- moved_data(by)
    areas <- sf::st_sf(z = data$z, geometry = rectangles_of(data$lon, data$lon + 1.5, data$lat,
      data$lat + 1.5, ...))
    neargp(z ~ 1, areas, method = vecchia(k = 8), support = block_support(9), threads = 1L,
      covariance = cov_exponential(variance = 1, range = 1000), nugget = 0.01)
  }
  for (cut in c(FALSE, TRUE)) {
    here <- fitted_to(0, cut = cut, line = 138.6)
    there <- fitted_to(41.4, cut = cut)
    expect_equal(c(logLik(there)), c(logLik(here)), tolerance = 1e-10)
    expect_equal(loo_predict(there)$mean, loo_predict(here)$mean, tolerance = 1e-10)
  }
})

test_extended("weights of a raster are those on either side of the line", {
  skip_if_not_installed("terra")
  fit <- neargp(z ~ 1, moved_data(41.4), coords = ~ lon + lat, crs = 4326, threads = 1L,
    method = exact_gp(), covariance = cov_exponential(variance = 1, range = 1000), nugget = 0.01)
  people <- terra::rast(ncols = 72, nrows = 36, vals = 1, crs = "EPSG:4326")
  for (cut in c(FALSE, TRUE)) {
    areas <- rectangles_of(c(175, 165), c(185, 170), 0, 10, cut)
    means <- predict_areas(fit, areas, weights = people, spacing = 200)
    totals <- predict_areas(fit, areas, fun = "sum", weights = people, spacing = 200)
    expect_equal(totals$mean / means$mean, c(4, 2), tolerance = 1e-8)
  }
})

test_extended("a cap around a pole is predicted as the mean over all of it", {
  set.seed(2)
  data <- data.frame(lon = stats::runif(80, -180, 180), lat = stats::runif(80, 70, 90))
  data$z <- data$lat / 10 + sin(data$lon * pi / 180) + stats::rnorm(80, sd = 0.1)
  fit <- neargp(z ~ 1, data, coords = ~ lon + lat, crs = 4326, method = exact_gp(), nugget = 0.01,
    covariance = cov_exponential(variance = 1, range = 2000), threads = 1L)
  # to parallel 80, which edges of one degree follow
  cap <- sf::st_sfc(sf::st_polygon(list(cbind(c(-180:179, -180), 80))), crs = 4326)
  found <- predict_areas(fit, cap, spacing = 100)
  places <- expand.grid(lon = seq(-175, 175, 10), lat = seq(80.25, 89.75, 0.5))
  weight <- cos(places$lat * pi / 180)
  expect_equal(found$mean, stats::weighted.mean(predict(fit, places)$mean, weight),
    tolerance = 2e-3)
  expect_gt(found$points, 100)
  skip_if_not_installed("terra")
  people <- terra::rast(ncols = 72, nrows = 36, vals = 1, crs = "EPSG:4326")
  total <- predict_areas(fit, cap, fun = "sum", weights = people, spacing = 200)
  mean <- predict_areas(fit, cap, weights = people, spacing = 200)
  expect_equal(total$mean / mean$mean, 144, tolerance = 1e-8)
})
