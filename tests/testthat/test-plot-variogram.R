test_that("print and plot work", {
  field <- small_field()
  v <- empirical_variogram(field$values, field$coords)
  expect_output(print(v), "classical estimator")
  expect_output(print(v[c("distance", "gamma")]), "gamma")
  expect_drawn(plot(v))
  expect_drawn(plot(empirical_variogram(field$values, field$coords,
    directions = c(0, 45, 90, 135))))
})

test_that("directions have a colour, a symbol and a line each, in the order that they were given", {
  skip_if_not_installed("ggplot2")
  v <- empirical_variogram(plotted_fit(), directions = c(90, 0))
  plot <- ggplot2::autoplot(v, main = "A", xlab = "h", ylab = "g", ylim = c(0, 3))
  drawn <- built(plot)
  points <- drawn$data[[1]]
  own <- match(v$direction, c(90, 0))
  expect_equal(points$y, v$gamma)
  expect_identical(points$colour, direction_colors[own])
  expect_equal(points$shape, c(21, 24)[own])
  expect_setequal(drawn$data[[2]]$linetype, c("solid", "longdash"))
  expect_identical(drawn$plot$scales$get_scales("colour")$get_labels(), direction_labels(c(90, 0)))
  expect_identical(drawn$plot$scales$get_scales("size")$get_labels(),
    format_count(range(v$n_pairs)))
  expect_equal(drawn$layout$coord$limits$y, c(0, 3))
  expect_identical(unlist(plot$labels[c("title", "y")]), c(title = "A", y = "g"))
  expect_identical(plot$scales$get_scales("x")$name, "h")
  expect_error(plot(v, main = 1:2), "`main`", class = "neargp_error_argument")
})

test_that("distances carry their unit", {
  expect_identical(distance_label("km"), "distance (km)")
  expect_identical(distance_label(""), "distance")
  expect_identical(distance_label("ranges"), "distance / range")
})

test_that("the caption says what points and curves are", {
  fit <- plotted_fit()
  expect_match(variogram_caption(empirical_variogram(fit)), "^points: residuals.*; curve: the fit$")
  axes <- empirical_variogram(fit, directions = c(0, 90))
  expect_match(variogram_caption(axes), "curves: the fit$")
  expect_null(variogram_caption(empirical_variogram(runif(50), cbind(runif(50), runif(50)))))
})
