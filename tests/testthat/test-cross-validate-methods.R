test_extended("all plots of a cross-validation are drawn", {
  fit <- example_fit(100)
  one <- cross_validate(fit, folds = 4)
  expect_drawn(plot(one))
  expect_drawn(plot(one, which = c("predictions", "pit", "map", "scores")))
  two <- cross_validate(fit, folds = 4, settings = list(few = list(k = 2), many = list()))
  expect_drawn(plot(two, score = "rmse"))
  expect_drawn(plot(two, which = "map", setting = "few"))
  expect_error(plot(two, which = "maps"), "`which`", class = "neargp_error_argument")
  expect_error(plot(two, setting = "none"), "`setting`", class = "neargp_error_argument")
})

test_extended("the level of scored intervals is chosen by cross_validate(), not by scores() of its result", {
  cv <- cross_validate(example_fit(60), folds = 3, level = 0.8)
  expect_identical(scores(cv)$level, 0.8)
  expect_error(scores(cv, level = 0.5), class = "neargp_error_argument")
})

test_that("scores of a fit are those of its leave-one-out predictions", {
  fit <- example_fit(100)
  loo <- loo_predict(fit)
  expect_equal(scores(fit, level = 0.8), scores(fit$data$y, loo$mean, loo$sd, level = 0.8),
    ignore_attr = "left_out")
})

test_extended("folds have a panel each, and the PIT a mean density of 1", {
  skip_if_not_installed("ggplot2")
  set.seed(16)
  folds <- block_folds(cbind(runif(90), runif(90)), v = 4)
  expect_equal(drawn_panels(ggplot2::autoplot(folds)), 4)
  expect_equal(drawn_panels(ggplot2::autoplot(folds, which = 2)), 1)
  cv <- cross_validate(plotted_fit(), folds = 3)
  for (which in c("scores", "predictions", "pit", "map")) built(ggplot2::autoplot(cv, which))
  pit <- built(ggplot2::autoplot(cv, "pit"))$data[[2]]
  expect_equal(mean(pit$ymax), 1)
  expect_error(ggplot2::autoplot(cv, "maps"), class = "neargp_error_argument")
})
