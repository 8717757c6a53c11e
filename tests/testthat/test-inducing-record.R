test_that("a step that goes much too far is turned back from, and is no sign of the end", {
  record <- new_bound_record(n = 10, report = function(...) NULL, patience = 3L, negligible = 1e-3)
  values <- c(0, 1, -1e204, -Inf, -500, 0.9, 0.95)
  state_at <- function(x) record$at(x, function() list(value = values[x], slope = x))
  of_record <- recorded_loss(record, state_at)
  loss <- of_record$value
  slope <- of_record$slope
  expect_identical(vapply(seq_along(values), loss, 0), c(0, -0.1, 10, 10, 10, -0.09, -0.095))
  expect_identical(c(slope(2), slope(3), slope(4), slope(5)), c(-0.2, 0, 0, 0))
  values[8:9] <- c(1.5, 1.5 + 1e-6)
  expect_identical(loss(8), -0.15)
  loss(3)
  loss(4)
  expect_condition(loss(9), class = "neargp_bound_converged")
})

# optim() divides by the square.
test_that("slopes whose squares are 0 are none", {
  record <- new_bound_record(n = 10, report = function(...) NULL, patience = 3L, negligible = 1e-3)
  slope_at <- function(x) c(1e-170, if (x[1L] > 0) 0.1 else -1e-170, 1e-308)
  state_at <- function(x) record$at(x, function() list(value = 0, slope = slope_at(x)))
  of_record <- recorded_loss(record, state_at)
  expect_identical(of_record$slope(c(0, 0, 0)), c(0, 0, 0))
  expect_identical(of_record$slope(c(1, 0, 0)), c(-1e-171, -0.01, 0))
})

test_that("a search ends when its last evaluations together have gained too little a row, and not before", {
  evaluations <- function(values, patience, negligible) {
    record <- new_bound_record(2, function(...) NULL, patience, negligible)
    try_all <- function() {
      for (i in seq_along(values)) record$at(i, function() list(value = values[i], slope = 0))
    }
    rlang::try_fetch(try_all(), neargp_bound_converged = function(condition) NULL)
    record$evaluations()
  }
  slow <- cumsum(c(0, 4, 2, 2, 0.4, 0.4, 0.4, 0.4))
  expect_identical(evaluations(slow, patience = 3L, negligible = 0.7), 7L)
  expect_identical(evaluations(slow, patience = 3L, negligible = 0.5), 8L)
  expect_identical(evaluations(slow, patience = 7L, negligible = 100), 8L)
})
