mlr3_task <- function(data, target, ...) {
  skip_if_not_installed("mlr3")
  data <- data[c("x", "y", "height", target)]
  if (is.factor(data[[target]])) mlr3::as_task_classif(data, target = target, ...) else
    mlr3::as_task_regr(data, target = target)
}

mlr3_data <- function() {
  transform(simulated_data(90), high = factor(ifelse(z > 3, "above 3", "below")))
}

test_that("a regression learner predicts what the fit predicts", {
  data <- mlr3_data()
  task <- mlr3_task(data, "z")
  learner <- mlr3::lrn("regr.neargp", coords = ~ x + y, neighbors = 15, predict_type = "se")
  learner$train(task, 1:70)
  own <- neargp(z ~ height, data[1:70, ], coords = ~ x + y, method = vecchia(k = 15))
  predicted <- learner$predict(task, 71:90)
  expected <- predict(own, data[71:90, ])
  expect_equal(predicted$response, expected$mean)
  expect_equal(predicted$se, expected$sd)
  learner$predict_type <- "quantiles"
  learner$quantiles <- c(0.1, 0.5)
  learner$quantile_response <- 0.5
  quantiles <- learner$predict(task, 71:90)$quantiles
  expect_equal(unname(quantiles[, 1:2]), unname(as.matrix(predict(own, data[71:90, ],
    type = "quantile", probs = c(0.1, 0.5)))), ignore_attr = TRUE)
})

test_that("a classification learner predicts classes, whichever is the positive one", {
  data <- mlr3_data()
  for (family in list(NULL, binomial())) {
    own <- suppressMessages(neargp(high ~ height, data[1:70, ], coords = ~ x + y,
      family = family))
    share <- predict(own, data[71:90, ])
    share <- share[["prob_above 3"]] %||% (1 - share$mean)
    for (positive in levels(data$high)) {
      task <- mlr3_task(data, "high", positive = positive)
      learner <- mlr3::lrn("classif.neargp", coords = ~ x + y, predict_type = "prob")
      learner$param_set$values$family <- family
      suppressMessages(learner$train(task, 1:70))
      predicted <- learner$predict(task, 71:90)
      # another level as the second is a fit of its own, up to rounding
      expect_equal(unname(predicted$prob[, "above 3"]), share, tolerance = 1e-3)
      expect_identical(as.character(predicted$response),
        ifelse(predicted$prob[, "above 3"] > 0.5, "above 3", "below"))
    }
  }
})

test_that("learners are resampled, with a formula of their own", {
  data <- mlr3_data()
  task <- mlr3_task(data, "z")
  learner <- mlr3::lrn("regr.neargp", coords = ~ x + y, formula = z ~ 1, method = vecchia(k = 10))
  folds <- mlr3::rsmp("custom")
  folds$instantiate(task, list(1:60), list(61:90))
  found <- mlr3::resample(task, learner, folds)$aggregate(mlr3::msr("regr.rmse"))
  own <- neargp(z ~ 1, data[1:60, ], coords = ~ x + y, method = vecchia(k = 10))
  expect_equal(unname(found), sqrt(mean((data$z - predict(own, data)$mean)[61:90]^2)))
})
