rsample_fit <- function(data, method = vecchia(k = 8), covariance = cov_exponential(), ...) {
  skip_if_not_installed("rsample")
  neargp(z ~ height, data, coords = ~ x + y, method = method, covariance = covariance, ...)
}

test_extended("splits of rsample are folds", {
  data <- simulated_data(60)
  fit <- rsample_fit(data)
  set.seed(1)
  splits <- rsample::vfold_cv(data, v = 4)
  result <- cross_validate(fit, splits)
  fold <- integer(60)
  for (i in 1:4) fold[rsample::complement(splits$splits[[i]])] <- i
  expected <- cross_validate(fit, fold)
  expect_equal(result$scores, expected$scores)
  expect_equal(result$predictions$mean, expected$predictions$mean)
  expect_identical(unique(result$fold_scores$fold), paste0("Fold", 1:4))
  grouped <- rsample::group_vfold_cv(data, group = "group")
  expect_identical(nrow(cross_validate(fit, grouped)$fold_scores), 3L)
})

test_extended("one split holds its assessment out, and predicts from its analysis alone", {
  data <- simulated_data(60)
  fit <- rsample_fit(data, exact_gp())
  split <- rsample::make_splits(list(analysis = 1:30, assessment = 51:60), data)
  result <- cross_validate(fit, split, parameters = "plug-in")
  expect_identical(result$predictions$row, 51:60)
  # with the covariance of all rows
  estimated <- as.list(coef(fit, "covariance")[c("variance", "range")])
  known <- rsample_fit(data[1:30, ], exact_gp(), do.call(cov_exponential, estimated),
    nugget = fit$nugget)
  expect_equal(result$predictions$mean, predict(known, data[51:60, ])$mean,
    tolerance = 1e-6)
})

test_extended("rows that were not fitted are left out of the splits of all", {
  data <- simulated_data(60)
  data$z[c(2, 40)] <- NA
  fit <- rsample_fit(data)
  set.seed(1)
  splits <- rsample::vfold_cv(data, v = 3)
  result <- cross_validate(fit, splits)
  expect_identical(nrow(result$predictions), 58L)
  held <- rsample::complement(splits$splits[[1L]])
  expect_identical(sort(result$predictions$observed[result$predictions$fold == "Fold1"]),
    sort(data$z[setdiff(held, c(2, 40))]))
})

test_that("splits that are no folds of these data are refused", {
  data <- simulated_data(60)
  fit <- rsample_fit(data)
  set.seed(1)
  for (splits in list(rsample::vfold_cv(data, v = 2, repeats = 2), rsample::bootstraps(data, 3))) {
    expect_error(cross_validate(fit, splits), "more than once", class = "neargp_error_folds")
  }
  expect_error(cross_validate(fit, rsample::vfold_cv(data[1:50, ], v = 2)), "of 50 rows",
    class = "neargp_error_folds")
})
