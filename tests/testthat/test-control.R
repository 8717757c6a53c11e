test_that("settings of the optimisation are checked, each by its name", {
  for (name in names(formals(neargp_control))) {
    expect_error(do.call(neargp_control, stats::setNames(list(-1), name)), paste0("`", name, "`"),
      class = "neargp_error_argument")
  }
  expect_identical(neargp_control(tolerance = 1e-6)$tolerance, 1e-6)
})
