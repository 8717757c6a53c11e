test_that("every error is of its own class and of the common one", {
  expect_error(abort_neargp("thing", "Wrong."), class = "neargp_error_thing")
  expect_error(abort_neargp("thing", "Wrong."), class = "neargp_error")
  expect_warning(warn_neargp("thing", "Odd."), class = "neargp_warning_thing")
})

test_that("rows are named, but never by the thousand", {
  expect_identical(format_rows(3), "row 3")
  expect_identical(format_rows(c(3, 5)), "rows 3 and 5")
  expect_identical(format_rows(1:8), "rows 1, 2, 3, 4, 5 and 3 more")
})
