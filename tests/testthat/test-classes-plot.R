test_that("plots of a fit to classes are drawn", {
  fit <- fixed_class_fit(class_data(80), k = 10L)
  expect_drawn(plot(fit), c("calibration", "confusion"))
  two <- class_data(80, c("a", "b"))
  expect_drawn(plot(fixed_class_fit(two[1:60, ], k = 10L), "calibration", newdata = two[61:80, ]))
  expect_error(plot(fit, "qq"), class = "neargp_error_argument")
})

test_that("the confusion table names every class beside it and below, and its numbers", {
  skip_if_not_installed("ggplot2")
  classes <- c("spruce", "lodgepole", "ponderosa", "willow", "aspen", "douglas", "krummholz")
  observed <- factor(classes, classes)
  drawn <- built(ggplot_confusion(table(observed, predicted = observed), "leave one out"))
  axes <- drawn$layout$panel_params[[1]]
  expect_identical(unname(axes$x$get_labels()), classes)
  expect_identical(axes$y$get_labels(), rev(classes))
  numbers <- drawn$data[[2]]
  expect_identical(as.integer(numbers$x) == 8L - as.integer(numbers$y), numbers$label == 1)
})

test_extended("fits to classes have map, calibration and confusion", {
  skip_if_not_installed("ggplot2")
  fit <- fixed_class_fit(class_data(80), k = 10L, formula = class ~ 1)
  map <- built(ggplot2::autoplot(fit, cells = 100))
  expect_true(all(map$data[[1]]$fill %in% class_scale(fit$classifier$levels)$colors))
  counts <- confusion_table(fit)
  confusion <- built(ggplot2::autoplot(fit, "confusion"))
  expect_equal(sum(as.numeric(confusion$data[[2]]$label)), sum(counts))
  drawn <- built(ggplot2::autoplot(fit, "calibration"))$data
  curve <- calibration_curve(fit)
  expect_equal(drawn[[5]]$y, curve$observed)
  expect_lt(min(curve$n), 5L)
  expect_equal(drawn[[4]]$y, curve$observed[curve$n >= 5L])
})
