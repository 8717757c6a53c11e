test_extended("print() shows the names of all scores and the direction in which they are better", {
  fit <- example_fit(60)
  set.seed(1)
  validated <- cross_validate(fit, folds = 4, verbose = FALSE)
  printed <- capture.output(print(validated))
  shown <- setdiff(names(validated$scores), c("setting", "n", "level", "n_missing"))
  rows <- strsplit(trimws(printed[length(printed) - rev(seq_along(shown)) + 1L]), " +")
  expect_identical(vapply(rows, `[`, "", 1L), shown)
  values <- as.numeric(vapply(rows, `[`, "", 2L))
  expect_equal(values, unlist(validated$scores[shown], use.names = FALSE), tolerance = 1e-3)
  better <- stats::setNames(vapply(rows, function(row) paste(row[-(1:2)], collapse = " "), ""),
    shown)
  expect_identical(better[["rmse"]], "lower")
  expect_identical(better[["bias"]], "near 0")
  expect_identical(better[["coverage"]], "near 0.95")
  expect_identical(score_direction("accuracy", NULL), "higher")
})

test_extended("differences of settings have standard errors of the folds", {
  data <- simulated_data(60)
  fit <- neargp(z ~ height, data, coords = ~ x + y, method = vecchia(k = 8))
  other <- update(fit, . ~ 1)
  set.seed(1)
  validated <- cross_validate(list(whole = fit, none = other), folds = 4, verbose = FALSE)
  table <- score_differences(validated, c("crps", "log_score"))
  expect_identical(table$setting, "none")
  expect_identical(attr(table, "best"), "whole")
  rows <- validated$predictions
  crps <- rows$crps %||% crps_gaussian(rows$observed, rows$mean, rows$sd)
  difference <- crps[rows$setting == "none"] - crps[rows$setting == "whole"]
  expect_equal(table$crps, mean(difference))
  fold <- rows$fold[rows$setting == "none"]
  # folds of 15 rows each
  means <- tapply(difference, fold, mean)
  expect_equal(as.vector(table(fold)), rep(15L, 4))
  expect_equal(table[[3L]], stats::sd(means) / 2)
  expect_output(print(validated), "Differences from whole, with the lowest crps")
})

test_that("responses are not compared with each other", {
  fit <- outputs_fit()
  set.seed(1)
  expect_no_match(printed_text(cross_validate(fit, folds = 3, verbose = FALSE)), "Differences")
})
