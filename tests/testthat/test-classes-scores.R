observed <- factor(c("a", "b", "c", "a"), levels = c("a", "b", "c"))
prob <- rbind(c(0.7, 0.2, 0.1), c(0.3, 0.6, 0.1), c(0.5, 0.3, 0.2), c(0.2, 0.5, 0.3))
colnames(prob) <- c("a", "b", "c")

test_that("scores are those of their definitions", {
  scored <- scores(observed, prob = prob)
  expect_equal(scored$n, 4)
  expect_equal(scored$accuracy, 0.5)
  expect_equal(scored$log_loss, -mean(log(c(0.7, 0.6, 0.2, 0.2))))
  expect_equal(scored$brier,
    0.5 * mean(c(0.3^2 + 0.2^2 + 0.1^2, 0.3^2 + 0.4^2 + 0.1^2, 0.5^2 + 0.3^2 + 0.8^2,
      0.8^2 + 0.5^2 + 0.3^2)))
  # Bins of width 1/15: 0.7 and 0.6 are alone, 0.5 twice.
  expect_equal(scored$calibration_error, (0.3 + 0.4 + 2 * 0.5) / 4)
})

test_that("two classes have the area under the ROC curve, ties counting half", {
  two <- factor(c("n", "y", "y", "n", "y"), levels = c("n", "y"))
  probability <- c(0.4, 0.4, 0.9, 0.2, 0.1)
  pairs <- outer(probability[two == "y"], probability[two == "n"], "-")
  expect_equal(scores(two, prob = probability)$auc, mean((pairs > 0) + 0.5 * (pairs == 0)))
  expect_null(scores(observed, prob = prob)$auc)
})

test_that("columns are found by name, with or without prefix, in any order", {
  shuffled <- as.data.frame(prob[, c(3, 1, 2)])
  expect_equal(scores(observed, prob = shuffled), scores(observed, prob = prob))
  names(shuffled) <- paste0("prob_", names(shuffled))
  expect_equal(scores(observed, prob = shuffled), scores(observed, prob = prob))
})

test_that("the confusion table counts observed by predicted", {
  counts <- confusion_table(observed, prob = prob)
  expect_equal(unclass(counts)[, ], rbind(a = c(a = 1, b = 1, c = 0), b = c(0, 1, 0),
    c = c(1, 0, 0)), ignore_attr = "dimnames")
})

test_that("the calibration curve of two classes is that of the second", {
  two <- factor(c("n", "y", "y", "n"))
  p <- c(0.1, 0.15, 0.9, 1)
  curve <- calibration_curve(two, prob = cbind(n = 1 - p, y = p), bins = 5L)
  expect_equal(curve$n, c(2, 2))
  expect_equal(curve$predicted, c(0.125, 0.95))
  expect_equal(curve$observed, c(0.5, 0.5))
  expect_equal(curve$lower, c(0, 0.8))
})

test_that("perfectly calibrated probabilities have a small calibration error", {
  withr::local_seed(1)
  p <- runif(20000)
  drawn <- factor(ifelse(runif(20000) < p, "y", "n"), levels = c("n", "y"))
  expect_lt(scores(drawn, prob = cbind(n = 1 - p, y = p))$calibration_error, 0.02)
  expect_gt(scores(drawn, prob = cbind(n = 1 - p^3, y = p^3))$calibration_error, 0.05)
})

test_that("missing values, unknown classes and impossible probabilities are reported", {
  holes <- prob
  holes[2, 1] <- NA
  expect_error(scores(observed, prob = holes), "row 2", class = "neargp_error_missing")
  expect_equal(scores(observed, prob = holes, na.rm = TRUE)$n, 3)
  expect_error(scores(factor(c("a", "z", "c", "a")), prob = prob), "z",
    class = "neargp_error_factor_level")
  expect_error(scores(observed, prob = prob * 1.1), "sum to 1", class = "neargp_error_probability")
  expect_error(scores(observed, prob = prob[1:2, ]), class = "neargp_error_length")
  expect_error(scores(observed, prob = unname(prob)), "named column",
    class = "neargp_error_argument")
})

test_that("fits are scored on their rows or on new ones", {
  data <- class_data(120)
  fit <- fixed_class_fit(data[1:80, ], k = 10L)
  loo <- loo_predict(fit)
  expect_equal(scores(fit), scores(data$class[1:80], prob = loo[1:3]))
  held_out <- data[81:120, ]
  expect_equal(scores(fit, newdata = held_out),
    scores(held_out$class, prob = predict(fit, held_out)))
  expect_equal(scores(fit, newdata = held_out, observed = "class"), scores(fit, newdata = held_out))
  held_out$class <- factor("new")
  expect_error(scores(fit, newdata = held_out), "new", class = "neargp_error_factor_level")
})

test_that("probabilities that were not given are asked for", {
  observed <- factor(c("a", "b"))
  for (judge in list(scores, calibration_curve, confusion_table)) expect_error(judge(observed),
    "`prob` is missing", class = "neargp_error_argument")
})
