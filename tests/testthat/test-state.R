test_that("a state has the fields it was made with and no others", {
  state <- new_state("neargp_example", a = 1, b = NULL)
  expect_null(state$b)
  expect_error(state$c, "example does not include the field `c`")
  expect_error(state$c <- 2, "example does not include the field `c`")
  state$b <- 2
  state$a <- NULL
  expect_identical(names(state), c("a", "b"))
  expect_null(state$a)
  expect_identical(state$b, 2)
  state$b <- list(part = 2)
  state$b$part <- 3
  expect_identical(state$b$part, 3)
})

test_that("declared fields can be given, and no others", {
  state <- new_state("neargp_example", a = 1, b = 2)
  expect_identical(unclass(with_fields(state, b = NULL, a = 3)), list(a = 3, b = NULL))
  expect_identical(with_fields(state), state)
  expect_error(with_fields(state, a = 1, c = 2), "example does not include the field `c`")
})

test_extended("all code that reads or writes a problem knows its fields", {
  problem <- pseudo_observation_example("poisson")
  expect_s3_class(problem, "neargp_problem")
  expect_identical(setdiff(fields_of("problem"), names(problem)), character(0))
  expect_identical(setdiff(fields_of("problem$loo"), names(problem$loo)), character(0))
  classes <- example_problem("label", c("a", "b", "c"))$classes
  expect_identical(setdiff(fields_of("problem$classes"), names(classes)), character(0))
})
