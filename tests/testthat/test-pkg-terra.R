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
