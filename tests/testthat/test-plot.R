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
  at_mean <- predict(fit, data.frame(x = drawn$place$x, y = drawn$place$y, elevation = 0),
    type = "link")
  expect_equal(drawn$predictions$mean, at_mean$mean - coef(fit)[["(Intercept)"]])
  given <- map_predictions(fit, data.frame(x = 1:2, y = 1, elevation = 3), NULL, NULL)
  expect_equal(given$title, "Prediction of z")
  expect_equal(given$place$x, c(1, 2))
})

test_extended("newdata may be of any class that predict() takes", {
  fit <- plotted_fit()
  grid <- expand.grid(x = 1:4, y = seq(0, 2, 0.5))
  expect_drawn(plot(fit, which = "map", newdata = grid))
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 4, ncols = 8, xmin = 0, xmax = 4, ymin = 0, ymax = 2, crs = "")
  found <- newdata_map(fit, raster)
  expect_equal(found$predictions$mean,
    predict(fit, as.data.frame(terra::xyFromCell(raster, 1:32)))$mean)
  expect_equal(range(found$place$x), c(0.25, 3.75))
  skip_if_not_installed("sf")
  set.seed(1)
  points <- sf::st_as_sf(data.frame(x = runif(50), y = runif(50), z = rnorm(50)),
    coords = c("x", "y"), crs = 32613)
  spatial <- neargp(z ~ 1, points, method = vecchia(k = 5))
  found <- newdata_map(spatial, points[1:7, ])
  expect_equal(found$place$unit, "m")
  expect_equal(found$place$y, unname(sf::st_coordinates(points)[1:7, 2]))
})

test_extended("every plot is drawn, in colours and limits as asked", {
  fit <- plotted_fit()
  expect_drawn(plot(fit, cells = 400), c("map", "residuals", "qq", "variogram"))
  for (which in c("map", "residuals", "residual_map", "qq", "variogram", "loo"))
    expect_drawn(plot(fit, which = which, cells = 400))
  skip_if_not_installed("ggplot2")
  map <- expect_drawn(plot(fit, which = "map", what = "sd", cells = 400, palette = "Mako",
    limits = c(0, 1)))
  fill <- map$scales$get_scales("fill")
  expect_equal(fill$limits, c(0, 1))
  expect_equal(fill$palette(c(0, 1)), grDevices::hcl.colors(128, "Mako")[c(1, 128)])
  centered <- ggplot2::autoplot(fit, cells = 100, centered = TRUE)
  expect_equal(sum(centered$scales$get_scales("fill")$limits), 0)
  expect_named(ggplot2::autoplot(fit, c("map", "qq"), cells = 100), c("map", "qq"))
})

test_extended("every plot shows the table that it is made of", {
  skip_if_not_installed("ggplot2")
  fit <- plotted_fit()
  map <- built(ggplot2::autoplot(fit, cells = 400))
  drawn <- map_predictions(fit, NULL, 400, NULL)
  scale <- color_scale(drawn$predictions$mean, "viridis")
  expect_equal(map$plot$scales$get_scales("fill")$limits, range(scale$breaks))
  expect_equal(map$data[[1]][c("x", "y")], data.frame(x = drawn$place$x, y = drawn$place$y),
    ignore_attr = TRUE)
  expect_identical(map$plot$labels$title, "Prediction of z")
  sd <- built(ggplot2::autoplot(fit, what = "sd", cells = 100))
  expect_identical(geoms(sd$plot), c("GeomTile", "GeomBlank"))
  expect_match(sd$plot$labels$title, "Standard deviation")
  loo <- loo_table(fit)
  residuals <- built(ggplot2::autoplot(fit, "residuals"))
  expect_equal(residuals$data[[3]][c("x", "y")], loo[c("mean", "z")], ignore_attr = TRUE)
  expect_equal(built(ggplot2::autoplot(fit, "qq"))$data[[3]]$y, sort(loo$z))
  expect_match(ggplot2::autoplot(fit, "loo")$labels$subtitle, "^RMSE .*95% coverage")
  expect_equal(ggplot2::autoplot(fit, "loo")$data[c("mean", "observed")],
    loo[c("mean", "observed")], ignore_attr = TRUE)
  signs <- built(ggplot2::autoplot(fit, "residual_map"))$data[[1]]
  expect_equal(signs$shape, ifelse(loo$z < 0, 25, 24))
  variogram <- ggplot2::autoplot(fit, "variogram", directions = c(0, 90))
  expect_match(variogram$labels$subtitle, "curves: the fit")
  expect_length(unique(built(variogram)$data[[1]]$shape), 2)
  expect_length(unique(built(variogram)$data[[2]]$linetype), 2)
  expect_error(ggplot2::autoplot(fit, "maps"), "`which`", class = "neargp_error_argument")
  expect_error(ggplot2::autoplot(fit, colour = 9), "`colour`", class = "neargp_error_argument")
})

test_that("a curve has the data below it where they are on its scale", {
  skip_if_not_installed("ggplot2")
  data <- simulated_data(60)
  fit <- neargp(z ~ 1, data, coords = ~ x, method = vecchia(k = 5))
  parts <- built(ggplot2::autoplot(fit))$data
  expect_equal(parts[[2]]$y, data$z)
  expect_true(all(parts[[1]]$ymin < parts[[1]]$ymax))
})

test_extended("space-time fits are mapped at one time, one coordinate gives a curve", {
  set.seed(53)
  data <- data.frame(x = runif(150), y = runif(150), day = as.Date("2020-06-01") +
    sample(0:4, 150, TRUE))
  data$z <- sin(5 * data$x) + rnorm(150, sd = 0.2)
  fit <- neargp(z ~ 1, data, coords = ~ x + y, time = ~ day, method = vecchia(k = 8))
  grid <- map_grid(fit, 100, as.Date("2020-06-02"))
  expect_equal(unique(grid[, "day"]), as.numeric(as.Date("2020-06-02")))
  expect_drawn(plot(fit, which = "map", cells = 100))
  pairs <- function(...) sum(empirical_variogram(fit, ...)$n_pairs)
  expect_gt(pairs(time_lag = 1), pairs(time_lag = 0))
  expect_equal(pairs(), pairs(time_lag = coef(fit, what = "covariance")[["range_time"]] / 10))
  line <- neargp(z ~ 1, data, coords = ~ x, method = vecchia(k = 8))
  expect_drawn(plot(line, which = c("map", "variogram")))
})

test_extended("fits of counts are drawn on the scale of the response, without a variogram", {
  data <- latent_data(200)
  fit <- latent_fit(count ~ 1, poisson(), data)
  drawn <- map_predictions(fit, NULL, 100, NULL)
  expected <- predict(fit, data.frame(x = drawn$place$x, y = drawn$place$y))
  expect_equal(drawn$predictions$mean, expected$mean)
  expect_equal(drawn$predictions$sd, expected$sd)
  expect_drawn(plot(fit, cells = 100))
  expect_drawn(plot(fit, which = "loo"))
  along <- neargp(count ~ 1, data, coords = ~ x, method = vnngp(k = 5), family = poisson())
  expect_drawn(plot(along, cells = 100))
  band <- map_predictions(along, NULL, 30, NULL)
  expected <- predict(along, data.frame(x = band$place$x), interval = "prediction")
  expect_equal(band$predictions[c("lower", "upper")], expected[c("lower", "upper")])
  expect_error(plot(fit, which = "variogram"), class = "neargp_error_variogram")
})

test_that("arguments of no plot are errors", {
  fit <- plotted_fit()
  expect_error(plot(fit, wich = "map"), "plot\\(\\) does not accept the argument `wich`.*Did you mean `which`",
    class = "neargp_error_argument")
  for (given in list(list(lwd = 2), list(main = "a"), list(cex = 2), list(directions = 0))) {
    expect_error(do.call(plot, c(list(fit, which = "qq"), given)), names(given),
      class = "neargp_error_argument")
  }
  expect_drawn(plot(fit, "variogram", directions = c(0, 90)))
})

test_extended("along one coordinate a trend in constants and the coordinate is drawn with the data, a spatial effect without them", {
  data <- simulated_data(120)
  with_constant <- neargp(z ~ sin(2 * pi * x), data, coords = ~ x, method = vecchia(k = 5))
  expect_true(map_predictions(with_constant, NULL, 30, NULL)$known)
  with_covariate <- neargp(z + 1000 ~ height, data, coords = ~ x, method = vecchia(k = 5))
  drawn <- map_predictions(with_covariate, NULL, 30, NULL)
  expect_false(drawn$known)
  expect_match(drawn$title, "Spatial effect")
  skip_if_not_installed("ggplot2")
  heights <- function(fit) built(ggplot2::autoplot(fit))$layout$panel_params[[1]]$y.range
  expect_lt(max(abs(heights(with_covariate))), 500)
  expect_lt(heights(with_constant)[1], min(data$z))
})

test_that("dots are where the field keeps more than half of its variance", {
  data <- simulated_data(60)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = exact_gp(), nugget = 0.1,
    covariance = cov_exponential(variance = 1, range = 0.3))
  drawn <- map_predictions(fit, NULL, 400, NULL)
  at <- cbind(drawn$place$x, drawn$place$y)
  # the trend is known: that of an intercept says nothing of one location rather than another
  to <- dense_covariance(at, fit$data$coords, fit$core_covariance)
  S <- dense_noisy(fit$data, fit$core_covariance, fit$nugget)
  left <- 1 - rowSums((to %*% solve(S)) * to)
  expect_equal(drawn$place$dotted, left > 0.5)
  expect_gt(sum(left > 0.5), 0)
  # of the trend together with the field nothing would be known
  with_trend <- predict(fit, data.frame(x = at[, 1], y = at[, 2]), type = "process")$sd^2
  expect_lt(sum(left > 0.5), sum(with_trend > 0.5))
  fit <- plotted_fit()
  drawn <- map_predictions(fit, NULL, 400, NULL)
  expect_match(map_title(drawn, "sd"), "Standard deviation: prediction of z")
})

test_extended("a trend in longitude is drawn at the longitudes that it was made of", {
  set.seed(13)
  data <- data.frame(lon = runif(60, 200, 300), lat = runif(60, 20, 50))
  data$z <- data$lon / 10 + rnorm(60, sd = 0.1)
  fit <- neargp(z ~ lon, data, coords = ~ lon + lat, distance = "chordal", method = vecchia(k = 5))
  drawn <- map_predictions(fit, NULL, 100, NULL)
  expect_true(drawn$known)
  expected <- predict(fit, data.frame(lon = drawn$place$x %% 360, lat = drawn$place$y))
  expect_equal(drawn$predictions$mean, expected$mean)
})

test_that("a variogram is a default plot of up to three coordinates", {
  last_plot <- function(names) {
    data <- as.data.frame(matrix(c(1, 5, 2, 8, 3, 7), 6L, length(names),
      dimnames = list(NULL, names)) + seq_len(6L * length(names))^2)
    fit <- suppressWarnings(neargp(1:6 ~ 1, data, coords = names, method = exact_gp(),
      nugget = 0.1, covariance = cov_exponential(variance = 1, range = 2)))
    utils::tail(default_plots(fit), 1L)
  }
  expect_identical(last_plot(c("a", "b", "c")), "variogram")
  expect_identical(last_plot(c("a", "b", "c", "d")), "loo")
})
