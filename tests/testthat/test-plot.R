plotted_fit <- function(n = 120, seed = 51, formula = z ~ 1, ...) {
  set.seed(seed)
  data <- data.frame(x = runif(n, 0, 4), y = runif(n, 0, 2), elevation = rnorm(n))
  data$z <- sin(2 * data$x) + data$y + rnorm(n, sd = 0.2)
  neargp(formula, data, coords = ~ x + y, method = vecchia(k = 10), ...)
}

test_that("the map grid is square, of the size asked, and inside the hull of the data", {
  fit <- plotted_fit()
  grid <- map_grid(fit, cells = 2000)
  found <- as_grid(grid[, 1], grid[, 2])
  expect_equal(found$step[1], found$step[2], tolerance = 1e-6)
  expect_lt(nrow(grid), 2100)
  expect_gt(nrow(grid), 1200)
  expect_true(all(inside_hull(fit$data$coords, fit$data$coords, margin = 1.001)))
  expect_equal(inside_hull(rbind(c(0.5, 0.5), c(2, 0.5), c(-0.1, 0.1)), cbind(c(0, 1, 1, 0), c(0, 0, 1, 1)), 1), c(TRUE, FALSE, FALSE))
})

test_that("data on a lattice are mapped on that lattice", {
  lattice <- as.matrix(expand.grid(seq(0, 3, 0.25), seq(0, 2, 0.5)))
  some <- lattice[-c(2, 9, 30), ]
  expect_equal(unname(data_lattice(some, 1000)), unname(lattice))
  expect_equal(sort(unique(data_lattice(some, 16)[, 1])), seq(0, 3, 0.5))
  expect_null(data_lattice(cbind(sqrt(1:9), exp((1:9) / 3)), 100))
})

test_that("original coordinates are those that were given", {
  set.seed(52)
  lonlat <- data.frame(lon = runif(60, 178, 182), lat = runif(60, -40, -36), z = rnorm(60))
  fit <- neargp(z ~ 1, lonlat, coords = ~ lon + lat, distance = "chordal", method = vecchia(k = 5))
  found <- original_coords(fit)
  expect_lt(max(abs((found[, "lon"] - lonlat$lon + 180) %% 360 - 180)), 1e-9)
  expect_lt(max(abs(found[, "lat"] - lonlat$lat)), 1e-9)
  # In one piece across the date line.
  expect_lt(diff(range(found[, "lon"])), 4)
  expect_true(is_longlat_fit(fit))
  planar <- plotted_fit()
  expect_equal(colnames(original_coords(planar)), c("x", "y"))
  expect_false(is_longlat_fit(planar))
})

test_that("the map shows predictions of predict()", {
  fit <- plotted_fit(formula = z ~ y)
  drawn <- map_predictions(fit, NULL, 300, NULL)
  expect_equal(drawn$title, "Prediction of z")
  expected <- predict(fit, data.frame(x = drawn$place$x, y = drawn$place$y))
  expect_equal(drawn$predictions$mean, expected$mean)
  expect_equal(drawn$predictions$sd, expected$sd)
})

test_that("with covariates unknown on the grid, the map shows the spatial effect", {
  fit <- plotted_fit(formula = z ~ elevation)
  drawn <- map_predictions(fit, NULL, 300, NULL)
  expect_equal(drawn$title, "Spatial effect on z")
  at_mean <- predict(fit, data.frame(x = drawn$place$x, y = drawn$place$y, elevation = 0), type = "link")
  expect_equal(drawn$predictions$mean, at_mean$mean - coef(fit)[["(Intercept)"]])
  given <- map_predictions(fit, data.frame(x = 1:2, y = 1, elevation = 3), NULL, NULL)
  expect_equal(given$title, "Prediction of z")
  expect_equal(given$place$x, c(1, 2))
})

test_that("newdata may be of any class that predict() takes", {
  withr::local_pdf(NULL)
  fit <- plotted_fit()
  grid <- expand.grid(x = 1:4, y = seq(0, 2, 0.5))
  expect_invisible(plot(fit, which = "map", newdata = grid))
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 4, ncols = 8, xmin = 0, xmax = 4, ymin = 0, ymax = 2, crs = "")
  found <- newdata_map(fit, raster)
  expect_equal(found$predictions$mean, predict(fit, as.data.frame(terra::xyFromCell(raster, 1:32)))$mean)
  expect_equal(range(found$place$x), c(0.25, 3.75))
  skip_if_not_installed("sf")
  set.seed(1)
  points <- sf::st_as_sf(data.frame(x = runif(50), y = runif(50), z = rnorm(50)), coords = c("x", "y"), crs = 32613)
  spatial <- neargp(z ~ 1, points, method = vecchia(k = 5))
  found <- newdata_map(spatial, points[1:7, ])
  expect_equal(found$place$unit, "m")
  expect_equal(found$place$y, unname(sf::st_coordinates(points)[1:7, 2]))
})

test_that("the fitted variogram curve is nugget + sill - covariance, in each direction", {
  fit <- plotted_fit(covariance = cov_exponential(anisotropy = TRUE))
  v <- empirical_variogram(fit)
  curve <- attr(v, "curve")
  parameters <- coef(fit, what = "covariance")
  axes <- c(parameters[["anisotropy_angle"]], (parameters[["anisotropy_angle"]] + 90) %% 180)
  expect_equal(unique(v$direction), axes)
  ranges <- parameters[["range"]] * c(1, parameters[["anisotropy_ratio"]])
  for (i in 1:2) {
    own <- curve[curve$direction == axes[i], ]
    expect_equal(own$gamma, parameters[["nugget"]] + parameters[["variance"]] * (1 - exp(-own$distance / ranges[i])), tolerance = 1e-8)
  }
  expect_equal(empirical_variogram(fit, directions = NULL, cutoff = 1)$n_pairs > 0, rep(TRUE, nrow(empirical_variogram(fit, cutoff = 1))))
})

test_that("the variogram of a fit is that of its residuals from the trend", {
  fit <- plotted_fit(formula = z ~ y)
  expect_equal(as.data.frame(empirical_variogram(fit))$gamma,
    as.data.frame(empirical_variogram(residuals(fit, "trend"), fit$data$coords))$gamma)
})

test_that("with one range for each coordinate, distances are in ranges", {
  fit <- plotted_fit(n = 400, covariance = cov_exponential(ard = TRUE))
  v <- empirical_variogram(fit)
  expect_equal(attr(v, "unit"), "ranges")
  curve <- attr(v, "curve")
  parameters <- coef(fit, what = "covariance")
  expect_equal(curve$gamma, parameters[["nugget"]] + parameters[["variance"]] * (1 - exp(-curve$distance)), tolerance = 1e-8)
})

test_that("every plot is drawn, and parameters are put back", {
  withr::local_pdf(NULL)
  before <- graphics::par("mar", "mgp", "las", "mfrow")
  fit <- plotted_fit()
  expect_invisible(plot(fit, cells = 400))
  for (which in c("map", "residuals", "residual_map", "qq", "variogram", "loo")) expect_invisible(plot(fit, which = which, cells = 400))
  expect_invisible(plot(fit, which = "map", what = "sd", cells = 400, palette = "Mako", limits = c(0, 1), title = "K"))
  expect_equal(graphics::par("mar", "mgp", "las", "mfrow"), before)
  graphics::par(mfrow = c(1, 2))
  plot(fit, which = c("qq", "loo"))
  expect_equal(graphics::par("mfrow"), c(1, 2))
})

test_that("space-time fits are mapped at one time, one coordinate gives a curve", {
  withr::local_pdf(NULL)
  set.seed(53)
  data <- data.frame(x = runif(150), y = runif(150), day = as.Date("2020-06-01") + sample(0:4, 150, TRUE))
  data$z <- sin(5 * data$x) + rnorm(150, sd = 0.2)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, time = ~ day, method = vecchia(k = 8))
  grid <- map_grid(fit, 100, as.Date("2020-06-02"))
  expect_equal(unique(grid[, "day"]), as.numeric(as.Date("2020-06-02")))
  expect_invisible(plot(fit, which = "map", cells = 100))
  expect_gt(sum(empirical_variogram(fit, time_lag = 1)$n_pairs), sum(empirical_variogram(fit)$n_pairs))
  line <- neargp(z ~ 1, data, coords = ~ x, method = vecchia(k = 8))
  expect_invisible(plot(line, which = c("map", "variogram")))
})

test_that("three coordinates have diagnostics but no map", {
  withr::local_pdf(NULL)
  set.seed(54)
  data <- data.frame(a = runif(100), b = runif(100), c = runif(100))
  data$z <- sin(5 * data$a) + rnorm(100, sd = 0.2)
  fit <- neargp(z ~ 1, data, coords = ~ ., method = vecchia(k = 8))
  expect_invisible(plot(fit))
  expect_error(plot(fit, which = "map"), "this fit has 3", class = "neargp_error_plot")
  expect_error(plot(fit, which = "residual_map"), "there are 3", class = "neargp_error_plot")
  expect_error(plot(cross_validate(fit, folds = 3), which = "map"), "there are 3", class = "neargp_error_plot")
  expect_error(plot(fit, which = "maps"), "`which`", class = "neargp_error_argument")
})

test_that("ggplot2 draws map and variogram", {
  skip_if_not_installed("ggplot2")
  withr::local_pdf(NULL)
  fit <- plotted_fit()
  for (plot in list(ggplot2::autoplot(fit, cells = 100), ggplot2::autoplot(fit, which = "variogram"),
                    ggplot2::autoplot(fit, what = "sd", cells = 100))) {
    expect_s3_class(plot, "ggplot")
    expect_no_error(ggplot2::ggplot_build(plot))
  }
})
