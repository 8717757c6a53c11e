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
  withr::local_pdf(NULL)
  expect_silent(plot(fit, "range"))
  expect_silent(plot(fit, "range", what = "sd"))
  expect_silent(plot(fit, "sd", newdata = data))
  stationary <- update(fit, covariance = cov_matern(1.5))
  expect_error(plot(stationary, "range"), "`range = ~`", class = "neargp_error_local")
  expect_error(plot(stationary, "sd"), "what = \"sd\"", class = "neargp_error_local")
  expect_silent(plot(stationary, "map", what = "sd"))
})
