# Points that stand for areas, and weights within them.

fit_of_points <- function(...) {
  data <- area_data(40L)
  neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(), nugget = 0.1,
    covariance = cov_exponential(variance = 0.8, range = 0.4), ...)
}

unit_raster <- function(across, values) {
  terra::rast(nrows = across, ncols = across, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "local",
    vals = values)
}

test_extended("points lie in their area, not in its holes, and are as many as the range asks for", {
  skip_if_not_installed("sf")
  outer <- cbind(c(0, 2, 2, 0, 0), c(0, 0, 1, 1, 0))
  hole <- cbind(c(0.5, 0.5, 1.5, 1.5, 0.5), c(0.25, 0.75, 0.75, 0.25, 0.25))
  island <- cbind(c(3, 4, 4, 3, 3), c(0, 0, 1, 1, 0))
  geometry <- sf::st_sfc(sf::st_multipolygon(list(list(outer, hole), list(island))),
    sf::st_polygon(list(0.01 * island)), sf::st_polygon(list(cbind(c(0, 5, 5), c(0, 0, 1e-9))[
      c(1:3, 1L), ])))
  fit <- fit_of_points()
  points <- area_points(geometry, fit, NULL)
  expect_false(is.unsorted(points$area))
  first <- points$xy[points$area == 1L, ]
  expect_false(any(first[, 1L] > 0.5 & first[, 1L] < 1.5 & first[, 2L] > 0.25 & first[, 2L] < 0.75))
  expect_false(any(first[, 1L] > 2 & first[, 1L] < 3))
  # an area of 2.5; the correlation of 0.75 at -0.4 log(0.75), and 40 data in a half of it, whose
  # noise is an eighth of the field's variance
  at <- fit$data$coords
  in_area <- sum(!(at[, 1L] > 0.5 & at[, 2L] > 0.25 & at[, 2L] < 0.75))
  apart <- sqrt(2.5 / in_area)
  step <- min(-0.4 * log(0.75), 0.35 * apart * (1 + 0.4 / (8 * 0.23 * apart))^(1 / 3))
  # the grid has whole cells over a box of 4 x 1
  expect_gt(nrow(first), 0.95 * 2.5 / step^2)
  expect_lt(nrow(first), 1.05 * 2.5 / 4 * (4 / step + 1) * (1 / step + 1))
  expect_equal(sum(points$area == 2L), 25L)
  expect_lte(sum(points$area == 3L), 4000L)
  expect_message(area_points(geometry * 100, fit_of_points(), NULL), "more than 4,000 points",
    class = "neargp_message_spacing")
  expect_equal(sum(area_points(geometry, fit_of_points(), 0.25)$area == 1L), 40L)
  # between the centres of its grid
  expect_equal(area_points(geometry[3L] + c(0, 0.1), fit_of_points(), 10)$area, 1L)
})

test_extended("standard deviations by the default are those of many more points, where data are dense, too", {
  skip_if_not_installed("sf")
  block <- function(side) {
    sf::st_sf(geometry = sf::st_sfc(sf::st_polygon(list(50 + side * cbind(c(-1, 1, 1, -1, -1),
      c(-1, -1, 1, 1, -1)) / 2))))
  }
  long <- cov_exponential(variance = 1, range = 18.4, anisotropy = c(angle = 30, ratio = 0.54))
  smooth <- cov_matern(nu = 1.5, variance = 1, range = 10)
  for (case in list(list(60, long, 33), list(250, long, 10), list(250, smooth, 33),
    list(800, smooth, 10))) {
    set.seed(3)
    data <- data.frame(x = stats::runif(case[[1L]], 0, 100), y = stats::runif(case[[1L]], 0, 100))
    data$z <- stats::rnorm(nrow(data))
    fit <- neargp(z ~ 1, data, coords = ~ x + y, method = exact_gp(), covariance = case[[2L]],
      nugget = 0.01, threads = 1L)
    default <- expect_no_message(predict(fit, block(case[[3L]])))
    fine <- predict(fit, block(case[[3L]]), spacing = case[[3L]] / 40)
    expect_equal(default$sd, fine$sd, tolerance = 0.025)
    expect_lt(default$points, 1600 / 4)
  }
})

test_that("means over a sphere are by area", {
  skip_if_not_installed("sf")
  set.seed(1)
  data <- data.frame(lon = stats::runif(40, -20, 20), lat = stats::runif(40, 0, 80))
  data$z <- stats::rnorm(40)
  fit <- neargp(z ~ lat, data, coords = ~ lon + lat, crs = 4326, method = exact_gp(), nugget = 0.1,
    covariance = cov_exponential(variance = 1, range = 500))
  # between two parallels, whose edges sf follows in steps
  band <- cbind(c(seq(-5, 5), seq(5, -5), -5), c(rep(10, 11L), rep(70, 11L), 10))
  cap <- sf::st_sfc(sf::st_polygon(list(band)), crs = 4326)
  # E lat = the integral of lat cos(lat) over that of cos(lat), in degrees
  parallel <- c(10, 70) * pi / 180
  expected <- diff(parallel * sin(parallel) + cos(parallel)) / diff(sin(parallel)) * 180 / pi
  trend <- predict(fit, cap, type = "trend", spacing = 50)
  expect_equal(trend$mean, sum(coef(fit) * c(1, expected)), tolerance = 2e-3)
  expect_equal(predict(fit, cap, fun = "sum", type = "trend", spacing = 50)$mean / trend$mean,
    as.numeric(sf::st_area(cap)) / 1e6, tolerance = 1e-10)
})

test_extended("weights of a raster are those of the cells, whole or in part, whatever the spacing", {
  skip_if_not_installed("terra")
  people <- unit_raster(30L, (1:900) %% 7)
  # edges at multiples of 1/4 cut cells of the side 1/30
  squares <- unit_squares(4L)
  fit <- fit_of_points()
  inside <- function(from, cell) pmax(pmin(from + 0.25, cell / 30) - pmax(from, (cell - 1) / 30), 0)
  by_hand <- vapply(0:15, function(square) {
    rows <- inside((square %/% 4) / 4, 30:1)
    sum(outer(inside((square %% 4) / 4, 1:30), rows) * matrix((1:900) %% 7, 30)) * 900
  }, 0)
  for (spacing in c(0.05, 0.2)) {
    mean <- predict(fit, squares, weights = people, spacing = spacing)
    total <- predict(fit, squares, weights = people, fun = "sum", spacing = spacing)
    expect_equal(total$mean, by_hand * mean$mean, tolerance = 1e-8)
    expect_equal(total$sd, by_hand * mean$sd, tolerance = 1e-8)
  }
  # all in one cell: the field there
  one <- people
  terra::values(one) <- replace(double(900), 30 * 10 + 6, 50)
  centre <- terra::xyFromCell(one, 30 * 10 + 6)
  found <- predict(fit, unit_squares(1L), weights = one, fun = "sum", spacing = 1 / 30)
  at <- predict(fit, data.frame(x = centre[1L], y = centre[2L]), type = "link")
  expect_equal(c(found$mean, found$sd), 50 * c(at$mean, at$sd), tolerance = 1e-8)
  none <- predict(fit, squares, weights = one, fun = "sum")
  expect_equal(none$mean[1L], 0)
  expect_true(is.na(predict(fit, squares, weights = one)$mean[1L]))
  expect_match(terra::crs(one), "Cartesian")
})

test_that("weights of a column are what totals are multiplied by", {
  fit <- fit_of_points()
  polygons <- sf::st_sf(people = c(1:8, NA), geometry = unit_squares())
  mean <- predict(fit, polygons)
  expect_equal(predict(fit, polygons, fun = "sum", weights = "people")$mean,
    mean$mean * polygons$people)
  expect_equal(predict(fit, polygons, fun = "sum", weights = ~ people)$sd, mean$sd *
    polygons$people)
  expect_equal(predict(fit, polygons, fun = "sum", weights = 2)$mean, 2 * mean$mean)
})

test_extended("cells of a raster are areas", {
  skip_if_not_installed("terra")
  fit <- fit_of_points()
  cells <- unit_raster(3L, c(1:8, NA))
  names(cells) <- "height"
  found <- predict_areas(fit, cells, spacing = 1 / 12)
  expect_s4_class(found, "SpatRaster")
  # rows of a raster run from the north
  polygons <- predict(fit, unit_squares()[c(7:9, 4:6, 1:3)], spacing = 1 / 12)
  expect_equal(terra::values(found)[-9L, "mean"], polygons$mean[-9L], tolerance = 1e-10)
  expect_true(is.na(terra::values(found)[9L, "mean"]))
})

test_extended("covariates of a raster are those at the points, and what it lacks is left out", {
  skip_if_not_installed("terra")
  data <- area_data(60L)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(), nugget = 0.1,
    covariance = cov_exponential(variance = 0.8, range = 0.4))
  layer <- unit_raster(12L, sin(1:144))
  names(layer) <- "height"
  points <- square_points()
  height <- terra::extract(layer, as.matrix(points[c("x", "y")]))$height
  dense <- dense_gaussian_at(fit, as.matrix(points[c("x", "y")]), cbind(1, height))
  found <- predict(fit, unit_squares(), covariates = layer, spacing = 1 / 12)
  expect_equal(found$mean, drop(averaging(points$area) %*% dense$mean), tolerance = 1e-8)
  # of the first area a quarter, and the whole of the second
  lost <- replace(terra::values(layer)[, 1L], terra::cellFromXY(layer, as.matrix(points[
    c(1:4, 17:32), c("x", "y")])), NA)
  terra::values(layer) <- lost
  expect_message(partly <- predict(fit, unit_squares(), covariates = layer, spacing = 1 / 12,
    fun = "sum"), "4 points of 1 area[.]", class = "neargp_message_coverage")
  expect_equal(partly$points[1:3], c(12L, 0L, 16L))
  expect_equal(partly$mean[1:2], c(mean(dense$mean[5:16]) * 12 / 16 / 9, NA), tolerance = 1e-8)
})

test_that("areas without a covariate are an error, also where a function has its name", {
  skip_if_not_installed("sf")
  data <- withr::with_seed(1, data.frame(x = runif(60, 0, 1000), y = runif(60, 0, 1000),
    dist = runif(60)))
  data$z <- data$dist + sin(data$x / 200)
  points <- sf::st_as_sf(data, coords = c("x", "y"), crs = 32631)
  fit <- neargp(z ~ dist, points, method = vecchia(10), nugget = 0.01)
  square <- sf::st_polygon(list(100 * rbind(c(1, 1), c(5, 1), c(5, 5), c(1, 5), c(1, 1))))
  area <- sf::st_sf(geometry = sf::st_sfc(square, crs = 32631))
  expect_error(predict(fit, area), "dist", class = "neargp_error_newdata")
})
