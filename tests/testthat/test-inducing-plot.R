test_that("inducing points are drawn over the rows, on a map in one piece", {
  skip_if_not_installed("ggplot2")
  set.seed(21)
  data <- data.frame(lon = runif(60, 160, 200), lat = runif(60, -60, -40))
  data$lon <- (data$lon + 180) %% 360 - 180
  data$z <- rnorm(60)
  fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ lon + lat, distance = "chordal",
    method = svgp(10, move = FALSE), control = neargp_control(max_iterations = 2L)))
  drawn <- built(ggplot2::autoplot(fit, "inducing"))
  expect_equal(drawn$data[[1]]$x, data$lon %% 360)
  points <- drawn$data[[2]]
  expect_equal(points$x, fit$inducing$lon %% 360)
  expect_equal(points$y, fit$inducing$lat)
  expect_identical(drawn$plot$labels$title, "10 inducing points")
  expect_s3_class(drawn$layout$coord, "CoordQuickmap")
})

test_that("of one coordinate inducing points are below the responses", {
  data <- simulated_data(60)
  fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x, method = svgp(5, move = FALSE),
    control = neargp_control(max_iterations = 2L)))
  drawn <- inducing_places(fit)
  expect_equal(drawn$rows, data.frame(x = data$x, y = data$z))
  expect_equal(drawn$points, data.frame(x = fit$inducing$x, y = min(data$z)), ignore_attr = TRUE)
  expect_false(drawn$is_map)
})
