# 10 x 12 cells of a plane at three times, with a covariate.
covariate_grid <- function(crs = NA, times = NULL) {
  skip_if_not_installed("stars")
  grid <- stars::st_as_stars(sf::st_bbox(c(xmin = 0, xmax = 1, ymin = 0, ymax = 1),
    crs = sf::st_crs(crs)), nx = 10, ny = 12)
  names(grid) <- "height"
  grid$height[] <- sin(seq_len(120))
  if (!is.null(times)) grid <- c(grid, grid, grid, along = list(day = times))
  grid
}

test_that("a grid in, a grid of predictions out", {
  grid <- covariate_grid()
  grid$height[c(5, 77)] <- NA
  fit <- neargp(z ~ height, simulated_data(100), coords = ~ x + y, method = vecchia(k = 15),
    covariance = cov_exponential())
  result <- predict(fit, grid, interval = "prediction", chunk_size = 25)
  expect_s3_class(result, "stars")
  expect_identical(names(result), c("mean", "sd", "lower", "upper"))
  expect_identical(stars::st_dimensions(result), stars::st_dimensions(grid))
  rows <- predict(fit, as.data.frame(grid), interval = "prediction")
  expect_equal(as.data.frame(result)[names(rows)], rows)
  expect_identical(which(is.na(result$sd)), c(5L, 77L))
  draws <- simulate(fit, 2, seed = 1, newdata = grid)
  expect_identical(as.vector(draws$sim_2), simulate(fit, 2, seed = 1,
    newdata = as.data.frame(grid))$sim_2)
})

test_extended("a grid's gaps in the response are predicted, and those of other attributes a mask", {
  grid <- covariate_grid()
  names(grid) <- "z"
  grid$z[c(5, 77)] <- NA
  fit <- neargp(z ~ 1, grid, distance = "euclidean", method = vecchia(k = 10))
  expect_false(anyNA(predict(fit, grid)$mean))
  expect_identical(nrow(rows_of_grid(fit, grid)), 120L)
  names(grid) <- "mask"
  expect_identical(which(is.na(predict(fit, grid)$mean)), c(5L, 77L))
})

test_extended("the dimension of time is that of the fit", {
  days <- as.Date("2026-03-01") + 0:2
  data <- transform(simulated_data(90), day = rep(days, 30))
  fit <- neargp(z ~ height, data, coords = ~ x + y, time = ~ day, method = vecchia(k = 10),
    covariance = cov_exponential())
  grid <- covariate_grid(times = days)
  result <- predict(fit, grid)
  expect_identical(dim(result), dim(grid))
  expect_equal(as.vector(result$mean), predict(fit, as.data.frame(grid))$mean)
  expect_error(predict(fit, covariate_grid()), "day.*st_set_dimensions",
    class = "neargp_error_newdata")
})

test_extended("classes and several outputs are attributes, too", {
  grid <- covariate_grid()
  classes <- neargp(group ~ height, simulated_data(80), coords = ~ x + y, method = loo_k(k = 8),
    family = categorical())
  cells <- as.data.frame(grid)
  result <- predict(classes, grid, type = "class")
  expect_identical(as.character(result$class), as.character(predict(classes, cells,
    type = "class")$class))
  several <- neargp(cbind(z, group == "a") ~ height, simulated_data(80), coords = ~ x + y,
    method = vecchia(k = 5), covariance = cov_exponential())
  expect_equal(as.vector(predict(several, grid)$mean_z), predict(several, cells)$mean_z)
})

test_extended("a grid of another reference system, or of none, is refused as sf points are", {
  fit <- neargp(z ~ height, simulated_sf(60, scale = 1), method = vecchia(k = 10))
  expect_error(predict(fit, covariate_grid()), "newdata: none", class = "neargp_error_crs")
  expect_error(predict(fit, covariate_grid(3857)), "sf::st_transform", class = "neargp_error_crs")
  grid <- covariate_grid(32633)
  points <- sf::st_as_sf(as.data.frame(grid), coords = c("x", "y"), crs = 32633)
  expect_equal(as.vector(predict(fit, grid)$mean), predict(fit, points)$mean)
  plain <- neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = vecchia(k = 10))
  expect_error(predict(plain, grid), "Training data: none", class = "neargp_error_crs")
})

test_extended("a grid is fitted as its cells' centres", {
  grid <- covariate_grid(32633)
  fields <- as.data.frame(grid)
  grid$z <- array(cos(5 * fields$x) + fields$y^2 + 0.1 * sin(7 * seq_len(120)), dim(grid))
  fields$z <- as.vector(grid$z)
  fit <- neargp(z ~ height, grid, method = vecchia(k = 10), covariance = cov_exponential())
  same <- neargp(z ~ height, fields, coords = ~ x + y, crs = 32633, method = vecchia(k = 10),
    covariance = cov_exponential())
  expect_equal(logLik(fit), logLik(same))
  expect_equal(predict(fit, grid)$mean, predict(same, grid)$mean)
  expect_identical(nrow(model.frame(fit)), 120L)
  expect_equal(augment(fit)$z, fields$z)
})

test_that("proxies and grids that are none are refused", {
  fit <- neargp(z ~ 1, simulated_data(60), coords = ~ x + y, method = vecchia(k = 10))
  skip_if_not_installed("stars")
  proxy <- stars::read_stars(system.file("tif/L7_ETMs.tif", package = "stars"), proxy = TRUE)
  expect_error(predict(fit, proxy), "proxy", class = "neargp_error_geometry")
  rotated <- covariate_grid()
  attr(attr(rotated, "dimensions"), "raster")$affine <- c(0.1, 0.1)
  expect_error(predict(fit, rotated), "rotated", class = "neargp_error_geometry")
  expect_error(neargp(height ~ 1, rotated), "rotated", class = "neargp_error_geometry")
})

test_that("bands of predictors are attributes, or an error that says how they become so", {
  band <- covariate_grid()
  fit <- neargp(z ~ height, simulated_data(100), coords = ~ x + y, method = vecchia(k = 15),
    covariance = cov_exponential())
  both <- c(band, stats::setNames(band * 1000, "depth"))
  right <- predict(fit, both)
  bands <- merge(both, name = "band")
  for (name in c("height", "file.tif")) {
    names(bands) <- name
    found <- predict(fit, bands)
    expect_equal(dim(found), dim(band))
    expect_identical(found$mean, right$mean)
  }
  expect_equal(nrow(rows_of_grid(fit, bands)), 120L)
  unnamed <- stars::st_set_dimensions(stats::setNames(bands, "height"), "band", values = 1:2)
  expect_error(predict(fit, unnamed), "band \\(1 and 2\\).*split\\(newdata",
    class = "neargp_error_geometry")
  expect_error(plot(fit, newdata = unnamed), "band", class = "neargp_error_geometry")
})

test_extended("bands of the data are attributes, and a dimension of the model stays one", {
  grid <- covariate_grid(32633)
  grid$z <- array(sin(seq_len(120) / 9) + 0.1 * cos(7 * seq_len(120)), dim(grid))
  fitted_to <- function(data, ...) neargp(z ~ height, data, method = vecchia(k = 10),
    covariance = cov_exponential(), ...)
  expect_equal(logLik(fitted_to(merge(grid, name = "band"))), logLik(fitted_to(grid)))
  levels <- c(grid, grid + 0.1, along = list(depth = c(1, 5)))
  expect_error(fitted_to(levels), "depth \\(1 and 5\\)", class = "neargp_error_geometry")
  fit <- neargp(z ~ height + depth, levels, method = vecchia(k = 10), nugget = 0.01,
    covariance = cov_exponential(variance = 1, range = 0.2))
  expect_identical(nobs(fit), 240L)
  expect_equal(dim(predict(fit, levels)), dim(levels))
})
