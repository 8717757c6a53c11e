test_that("locations are numbered in order of appearance", {
  coords <- rbind(c(2, 1), c(1, 1), c(2, 1), c(1, 2), c(1, 1))
  expect_identical(location_index(coords), c(1L, 2L, 1L, 3L, 2L))
  expect_identical(location_index(coords[1, , drop = FALSE]), 1L)
})

test_that("distinct locations count the labels of each class, weights included", {
  data <- list(coords = rbind(c(2, 1), c(1, 1), c(2, 1)), class = c(1L, 2L, 2L),
    weights = c(1, 3, 2))
  labels <- new_labels(data, 2L, location_index(data$coords))
  expect_equal(labels$content, rbind(c(1, 2), c(0, 3)))
  expect_equal(labels$total, c(3, 3))
  expect_equal(label_observations(labels, merge = TRUE)$count, c(1, 3, 2))
})

test_that("observations of one class at one location are merged, or not", {
  data <- list(coords = rbind(c(2, 1), c(2, 1), c(2, 1)), class = c(1L, 1L, 2L),
    weights = c(1, 1, 1))
  labels <- new_labels(data, 2L, location_index(data$coords))
  expect_equal(label_observations(labels, merge = TRUE)[c("row", "count")],
    list(row = c(1L, 3L), count = c(2, 1)))
  expect_identical(label_observations(labels, merge = FALSE)$row, 1:3)
})

test_that("an observation that shares its location is conditioned on the rest of it first", {
  data <- list(coords = cbind(c(0, 0, 1, 3), 0), class = c(1L, 2L, 1L, 2L), weights = rep(1, 4))
  labels <- new_labels(data, 2L, location_index(data$coords))
  component <- list(family = "exponential", variance = 1, range = 1, group = c(1L, 1L),
    anisotropy = double(0), shape = double(0))
  at <- label_observations(labels, FALSE)
  sets <- leave_one_out_sets(labels, at, component, 2L, plain_context(), label_content(labels, at))
  first_of <- function(t) sets$content[sets$neighbors[1L, t], ]
  expect_equal(first_of(1), c(0, 1))
  expect_equal(first_of(2), c(1, 0))
  expect_equal(sets$coords[sets$neighbors[, 1L], 1L], c(0, 1, 3))
  expect_equal(sets$coords[sets$neighbors[, 4L], 1L], c(NA, 1, 0))
})
