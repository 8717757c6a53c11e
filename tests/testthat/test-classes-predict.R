test_that("a new location is predicted as a training row is from the others", {
  data <- class_data(50)
  fit <- fixed_class_fit(data, k = 49L)
  short <- fixed_class_fit(data[-7, ], k = 49L - 1L)
  short$classifier[c("slope", "trend", "bias")] <- fit$classifier[c("slope", "trend", "bias")]
  expect_equal(unlist(predict(short, data[7, ], k = 49L)), unlist(loo_predict(fit)[7, 1:3]),
    tolerance = 1e-10)
})

test_that("probabilities, classes and the response agree, in the order of newdata", {
  data <- class_data(80, c("no", "yes"))
  fit <- fixed_class_fit(data, k = 10L)
  new <- class_data(25, c("no", "yes"), seed = 8)
  prob <- predict(fit, new)
  expect_named(prob, c("prob_no", "prob_yes"))
  expect_equal(predict(fit, new[25:1, ])$prob_yes, rev(prob$prob_yes))
  expect_equal(predict(fit, new, chunk_size = 4L), prob)
  expect_identical(predict(fit, new, type = "class")$class,
    factor(ifelse(prob$prob_yes > prob$prob_no, "yes", "no"), c("no", "yes")))
  response <- predict(fit, new, type = "response")
  expect_equal(response$mean, prob$prob_yes)
  expect_equal(response$sd, sqrt(prob$prob_yes * prob$prob_no))
})

test_extended("incomplete rows get NA and sf objects stay sf", {
  data <- class_data(60)
  fit <- fixed_class_fit(data, k = 8L)
  new <- data[1:3, ]
  new$h[2] <- NA
  expect_identical(is.na(predict(fit, new)$prob_b), c(FALSE, TRUE, FALSE))
  expect_identical(is.na(predict(fit, new, type = "class")$class), c(FALSE, TRUE, FALSE))
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(data, coords = c("x", "y"), crs = 32633)
  map <- predict(neargp(class ~ 1, points, family = categorical(), method = loo_k(8L, "label"),
    threads = 1L), points[1:4, ])
  expect_s3_class(map, "sf")
  expect_equal(rowSums(sf::st_drop_geometry(map)), rep(1, 4), ignore_attr = TRUE)
})

test_extended("rasters get a layer for each class", {
  skip_if_not_installed("terra")
  fit <- fixed_class_fit(class_data(60), k = 8L, formula = class ~ 1)
  grid <- terra::rast(nrows = 4, ncols = 5, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "")
  map <- predict(fit, grid)
  expect_identical(names(map), c("prob_a", "prob_b", "prob_c"))
  centres <- as.data.frame(terra::xyFromCell(grid, 1:20))
  expect_equal(unname(terra::values(map)), unname(as.matrix(predict(fit, centres))),
    ignore_attr = TRUE)
})

test_that("numbers of threads change nothing", {
  data <- class_data(700)
  fit <- fixed_class_fit(data, "own-class", k = 10L)
  expect_identical(predict(fit, data, threads = 1L), predict(fit, data, threads = 4L))
})

test_that("bad arguments are refused", {
  data <- class_data(30)
  fit <- fixed_class_fit(data, k = 5L)
  expect_error(predict(fit), "newdata", class = "neargp_error_newdata")
  expect_error(predict(fit, data, type = "response"), "more than two",
    class = "neargp_error_argument")
  expect_error(predict(fit, data, type = "quantile"), "type", class = "neargp_error_argument")
  expect_error(predict(fit, data, k = 31L), "distinct locations", class = "neargp_error_k")
  expect_error(predict(fit, data, interval = "prediction"), class = "neargp_error_argument")
})

test_that("leave-one-out predictions of some rows are those among all", {
  for (estimator in c("label", "own-class", "polya-gamma")) {
    data <- class_data(60, repeated = if (estimator == "polya-gamma") 0L else 10L)
    withr::local_seed(1)
    fit <- neargp(class ~ 0, data, coords = ~ x + y, family = categorical(),
      method = loo_k(8L, estimator, "adam", steps = 4L), threads = 1L)
    rows <- c(3L, 13L, 40L)
    expect_equal(left_out_classes(fit, NULL, 1L, rows), left_out_classes(fit, NULL, 1L)[rows],
      tolerance = 1e-12)
  }
})
