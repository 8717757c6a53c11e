test_that("each fold has a panel with its number of rows", {
  set.seed(14)
  folds <- block_folds(cbind(runif(200), runif(200)), v = 15)
  expect_equal(shown_folds(folds, NULL), 1:12)
  expect_equal(fold_labels(folds, 3), sprintf("Fold 3 of 15: %d rows", sum(folds == 3)))
  expect_error(plot(folds, which = 16), "1 to 15", class = "neargp_error_argument")
  shown <- expect_drawn(plot(folds, which = c(2, 5), cex = 0.5))
  if (has_ggplot2()) {
    expect_identical(levels(shown$data$panel), fold_labels(folds, c(2, 5)))
    expect_identical(nrow(shown$data), sum(folds %in% c(2, 5)))
    expect_equal(nrow(built(shown)$data[[1]]), 2 * length(folds))
  }
  expect_error(plot(random_folds(5, v = 2)), "no locations", class = "neargp_error_argument")
})

test_that("folds on both sides of the date line are drawn in one piece", {
  set.seed(15)
  lonlat <- cbind(lon = runif(60, 170, 190), lat = runif(60, -20, -10))
  lonlat[, 1] <- (lonlat[, 1] + 180) %% 360 - 180
  place <- fold_place(block_folds(lonlat, v = 3, longlat = TRUE))
  expect_lt(diff(range(place$x)), 20)
})
