test_that("print and plot work", {
  field <- small_field()
  v <- empirical_variogram(field$values, field$coords)
  expect_output(print(v), "classical estimator")
  expect_output(print(v[c("distance", "gamma")]), "gamma")
  expect_drawn(plot(v))
  expect_drawn(plot(empirical_variogram(field$values, field$coords,
    directions = c(0, 45, 90, 135))))
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
