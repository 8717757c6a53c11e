test_that("colours of local maps are logarithmic, with ticks in units of the values", {
  scale <- log_color_scale(c(2, 200), "viridis")
  expect_equal(range(scale$breaks), log(c(2, 200)))
  expect_equal(scale$labels, vapply(exp(scale$ticks), plain_labels, ""))
  expect_true(all(c("5", "10", "100") %in% scale$labels))
  expect_true(all(diff(exp(log_color_scale(c(1, 2), "viridis")$ticks)) > 0))
  expect_equal(diff(range(log_color_scale(c(7, 7 + 1e-9), "viridis")$breaks)), 0.01)
  expect_equal(range(log_color_scale(5, "viridis", limits = c(1, 100))$breaks), log(c(1, 100)))
  expect_error(log_color_scale(5, "viridis", limits = c(0, 1)), class = "neargp_error_argument")
})

test_extended("local maps say what they show", {
  data <- local_data(40)
  sum <- local_fit(cov_exponential(sd = ~ x) + cov_matern(1.5, range = ~ bumps(2)), vecchia(k = 5),
    data)
  expect_equal(local_title(sum, "range", FALSE), "Local range, component 2 (Matern)")
  expect_equal(local_title(sum, "sd", TRUE),
    "Standard error of the local log standard deviation, component 1 (Exponential)")
  around <- transform(data, lon = 30 * x, lat = 20 * y)
  sphere <- suppressWarnings(neargp(z ~ 1, around, coords = ~ lon + lat, distance = "chordal",
    method = vecchia(k = 5), covariance = cov_exponential(range = ~ bumps(2)),
    control = neargp_control(max_iterations = 2L)))
  drawn <- local_scale_places(sphere, "range", around, 100L, NULL)
  expect_equal(drawn$unit, "km")
  expect_equal(drawn$value, local_scales(sphere)$range)
  expect_equal(attr(empirical_variogram(sphere), "note"),
    "model where covariates are at their mean")
  stationary <- suppressWarnings(update(sphere, covariance = cov_exponential()))
  expect_null(attr(empirical_variogram(stationary), "note"))
})

test_extended("local fields along one coordinate are curves, and stationary fits have none", {
  data <- local_data(60)
  fit <- neargp(z ~ 1, data, coords = ~ x, method = vecchia(k = 8),
    covariance = cov_matern(1.5, range = ~ x, sd = ~ wet))
  expect_drawn(plot(fit, "range"))
  expect_drawn(plot(fit, "range", what = "sd"))
  expect_drawn(plot(fit, "sd", newdata = data))
  stationary <- update(fit, covariance = cov_matern(1.5))
  expect_error(plot(stationary, "range"), "`range = ~`", class = "neargp_error_local")
  expect_error(plot(stationary, "sd"), "what = \"sd\"", class = "neargp_error_local")
  expect_drawn(plot(stationary, "map", what = "sd"))
})

test_extended("local fields, warps and inducing points are drawn", {
  skip_if_not_installed("ggplot2")
  data <- simulated_data(150)
  local <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 8),
    covariance = cov_exponential(range = ~ bumps(3)))
  drawn <- local_scale_map(local, "range", "mean", NULL, 100, NULL)
  map <- ggplot2::autoplot(local, "range", cells = 100)
  expect_equal(map$data$value, log(drawn$value))
  expect_error(ggplot2::autoplot(local, "sd"), class = "neargp_error_local")
  warped <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 8),
    covariance = cov_exponential(warp = expand(2, ~ bumps(3))))
  maps <- ggplot2::autoplot(warped, "warp", cells = 100)
  expect_length(maps, 2)
  expect_identical(maps[[1]]$scales$get_scales("fill")$limits,
    maps[[2]]$scales$get_scales("fill")$limits)
  expect_identical(maps[[2]]$labels$title, "Further coordinate 2")
  monotone <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 8),
    covariance = cov_exponential(warp = monotone(~ x)))
  expect_identical(geoms(ggplot2::autoplot(monotone, "warp")), c("GeomRibbon", "GeomLine",
    "GeomLine"))
  sparse <- neargp(z ~ 1, data, coords = ~ x + y, method = svgp(20))
  expect_equal(nrow(built(ggplot2::autoplot(sparse, "inducing"))$data[[2]]), 20)
})
