raster_of_height <- function() {
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 12, ncols = 10, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "")
  terra::values(raster) <- sin(seq_len(120))
  names(raster) <- "height"
  raster[c(5, 77)] <- NA
  raster
}

test_extended("a raster of covariates in, a raster of predictions out", {
  raster <- raster_of_height()
  fit <- neargp(z ~ height, simulated_data(120), coords = ~ x + y, method = vecchia(k = 15))
  prediction <- predict(fit, raster, interval = "prediction")
  expect_s4_class(prediction, "SpatRaster")
  expect_identical(names(prediction), c("mean", "sd", "lower", "upper"))
  cells <- data.frame(terra::xyFromCell(raster, 1:120), height = terra::values(raster)[, 1])
  rows <- predict(fit, cells, interval = "prediction")
  expect_equal(terra::values(prediction)[, "mean"], rows$mean)
  expect_equal(terra::values(prediction)[, "upper"], rows$upper)
  expect_identical(which(is.na(terra::values(prediction)[, "sd"])), c(5L, 77L))
  expect_equal(terra::values(predict(fit, raster, chunk_size = 25)),
    terra::values(predict(fit, raster)))
  draws <- simulate(fit, 2, seed = 1, newdata = raster)
  expect_identical(names(draws), c("sim_1", "sim_2"))
})

test_extended("a template without values serves a trend without covariates, and NA cells are a mask", {
  raster <- raster_of_height()
  fit <- neargp(z ~ 1, simulated_data(80), coords = ~ x + y, method = vecchia(k = 10))
  template <- terra::rast(raster)
  expect_false(anyNA(terra::values(predict(fit, template))))
  expect_identical(which(is.na(terra::values(predict(fit, raster))[, 1])), c(5L, 77L))
})

test_extended("a raster with gaps is data, and its gaps are predicted", {
  skip_if_not_installed("sf")
  image <- raster_of_height()
  names(image) <- "z"
  fit <- neargp(z ~ 1, image, distance = "euclidean", method = vecchia(k = 10))
  cells <- terra::as.data.frame(image, xy = TRUE, na.rm = FALSE)
  seen <- cells[!is.na(cells$z), ]
  plain <- neargp(z ~ 1, seen, coords = ~ x + y, method = vecchia(k = 10))
  expect_equal(coef(fit, what = "covariance"), coef(plain, what = "covariance"))
  expect_output(print(fit), "118 (2 dropped", fixed = TRUE)
  expected <- predict(plain, cells)
  filled <- predict(fit, image)
  expect_equal(terra::values(filled), as.matrix(expected), ignore_attr = TRUE)
  expect_false(anyNA(terra::values(filled)))
  expect_false(anyNA(terra::values(simulate(fit, 1, seed = 1, newdata = image))))
  expect_identical(nrow(rows_of_grid(fit, image)), 120L)
  # a mask in another layer, and a covariate, stay ones
  masked <- c(image, image > 2)
  names(masked)[2L] <- "mask"
  expect_identical(which(is.na(terra::values(predict(fit, masked))[, 1])), c(5L, 77L))
  areas <- predict(plain, terra::aggregate(image, 2, "mean", na.rm = FALSE))
  expect_false(anyNA(terra::values(areas)[, "mean"]))
})

test_that("rasters for sf fits need the same CRS", {
  raster <- raster_of_height()
  points <- simulated_sf(80, scale = 1)
  fit <- neargp(z ~ height, points, method = vecchia(k = 10))
  expect_error(predict(fit, raster), "newdata: none.*terra::project", class = "neargp_error_crs")
  terra::crs(raster) <- "EPSG:32633"
  prediction <- predict(fit, raster)
  cells <- sf::st_as_sf(data.frame(terra::xyFromCell(raster, 1:120),
    height = terra::values(raster)[, 1]), coords = c("x", "y"), crs = 32633)
  expect_equal(terra::values(prediction)[, "mean"], predict(fit, cells)$mean)
})

test_that("what a raster cannot give is a classed error", {
  raster <- raster_of_height()
  fit <- neargp(z ~ height + group, simulated_data(60), coords = ~ x + y, method = vecchia(k = 10))
  expect_error(predict(fit, raster), "group", class = "neargp_error_newdata")
  scaled <- neargp(z ~ height, simulated_data(60), coords = ~ I(x * 2) + y,
    method = vecchia(k = 10))
  expect_error(predict(scaled, raster), "plain columns", class = "neargp_error_newdata")
  expect_error(predict(scaled, raster, joint = TRUE), "`joint`", class = "neargp_error_argument")
})

test_extended("a raster with a CRS for data without one is refused as sf points are", {
  skip_if_not_installed("sf")
  raster <- raster_of_height()
  fit <- neargp(z ~ height, simulated_data(80), coords = ~ x + y, method = vecchia(k = 10))
  points <- sf::st_as_sf(data.frame(x = 0.5, y = 0.5, height = 0), coords = c("x", "y"),
    crs = 32633)
  expect_error(predict(fit, points), "Training data: none", class = "neargp_error_crs")
  terra::crs(raster) <- "EPSG:32633"
  expect_error(predict(fit, raster), "Training data: none.*terra::crs\\(newdata\\) <-",
    class = "neargp_error_crs")
  expect_error(simulate(fit, newdata = raster), class = "neargp_error_crs")
  classes <- neargp(group ~ 1, simulated_data(60), coords = ~ x + y, method = loo_k(k = 5),
    family = categorical())
  expect_error(predict(classes, raster), class = "neargp_error_crs")
})

test_that("a fit of a raster says what its locations are when newdata is a plain data frame", {
  skip_if_not_installed("sf")
  fit <- neargp(height ~ 1, raster_of_height(), method = exact_gp(), nugget = 0.1,
    covariance = cov_exponential(variance = 1, range = 0.2), distance = "euclidean",
    verbose = FALSE)
  expect_error(predict(fit, data.frame(x = 0.5, y = 0.5)),
    "fitted to geometries, of sf data or a raster, but `newdata` is a plain data frame",
    class = "neargp_error_newdata")
})

# ---- vectors of terra, and package raster --------------------------------------------------------

test_extended("a SpatVector is data and newdata, as its sf points are", {
  skip_if_not_installed("terra")
  points <- simulated_sf(90)
  vector <- terra::vect(points)
  fit <- neargp(z ~ height, vector, method = vecchia(k = 10))
  own <- neargp(z ~ height, points, method = vecchia(k = 10))
  expect_equal(coef(fit), coef(own))
  predicted <- predict(fit, vector[1:5], interval = "prediction")
  expect_s4_class(predicted, "SpatVector")
  expect_equal(as.data.frame(predicted),
    sf::st_drop_geometry(predict(own, points[1:5, ], interval = "prediction")), ignore_attr = TRUE)
  drawn <- simulate(fit, nsim = 2, seed = 1, newdata = vector[1:5])
  expect_equal(as.data.frame(drawn),
    sf::st_drop_geometry(simulate(own, nsim = 2, seed = 1, newdata = points[1:5, ])),
    ignore_attr = TRUE)
  augmented <- augment(fit, newdata = vector[1:5])
  expect_s4_class(augmented, "SpatVector")
  expect_equal(as.data.frame(augmented),
    sf::st_drop_geometry(augment(own, newdata = points[1:5, ])), ignore_attr = TRUE)
  # the data of the call are found again
  expect_equal(coef(update(fit, . ~ 1)), coef(update(own, . ~ 1)))
  squares <- sf::st_buffer(points[1:2, "height"], 100)
  expect_equal(as.data.frame(predict(own, terra::vect(squares)))$mean, predict(own, squares)$mean)
})

test_that("terra::interpolate() predicts by the coordinates of cells", {
  skip_if_not_installed("terra")
  data <- simulated_data(90)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 10))
  raster <- terra::rast(nrows = 6, ncols = 7, xmin = 0, xmax = 1, ymin = 0, ymax = 1,
    crs = "local")
  raster$height <- seq_len(42) / 42
  interpolated <- terra::interpolate(raster, fit, index = 1:2)
  expect_equal(terra::values(interpolated), terra::values(predict(fit, raster)),
    ignore_attr = TRUE)
})

test_extended("layers of package raster are data and newdata", {
  skip_if_not_installed("terra")
  skip_if_not_installed("raster")
  raster <- terra::rast(nrows = 8, ncols = 9, xmin = 0, xmax = 9, ymin = 0, ymax = 8,
    crs = "EPSG:32633")
  raster$height <- sin(seq_len(72))
  raster$z <- raster$height + terra::init(raster[[1L]], "x") / 3 + cos(7 * seq_len(72)) / 9
  fit <- neargp(z ~ height, raster, method = vecchia(k = 10))
  old <- raster::stack(raster)
  again <- neargp(z ~ height, old, method = vecchia(k = 10))
  expect_equal(coef(again), coef(fit))
  predicted <- predict(again, old)
  expect_s4_class(predicted, "RasterBrick")
  expect_equal(raster::values(predicted), terra::values(predict(fit, raster)))
  expect_identical(names(predicted), c("mean", "sd"))
})
