test_that("print and plot work", {
  field <- small_field()
  v <- empirical_variogram(field$values, field$coords)
  expect_output(print(v), "classical estimator")
  expect_output(print(v[c("distance", "gamma")]), "gamma")
  withr::local_pdf(NULL)
  expect_invisible(plot(v))
  expect_invisible(plot(empirical_variogram(field$values, field$coords,
    directions = c(0, 45, 90, 135))))
})

test_that("distances carry their unit", {
  expect_identical(distance_label("km"), "distance (km)")
  expect_identical(distance_label(""), "distance")
  expect_identical(distance_label("ranges"), "distance / range")
})
