test_extended("a buffer keeps near rows out of the conditioning", {
  fit <- example_fit()
  folds <- block_folds(fit, v = 4, size = 0.25, buffer = 0.1)
  splits <- fold_splits(folds, fit)
  for (split in splits) {
    distance <- sqrt(outer(fit$data$coords[split$held, 1], fit$data$coords[, 1], "-")^2 +
      outer(fit$data$coords[split$held, 2], fit$data$coords[, 2], "-")^2)
    near <- which(apply(distance, 2, min) < 0.1)
    expect_identical(split$kept, setdiff(seq_len(250), near))
  }
  wide <- cross_validate(fit, folds = folds)
  attr(folds, "buffer") <- 0
  # Without the near rows the predictions are less certain, all of them.
  expect_true(all(wide$predictions$sd > cross_validate(fit, folds = folds)$predictions$sd))
})

test_extended("values of a held-out fold cannot reach its own predictions", {
  fit <- example_fit()
  folds <- rep_len(1:5, 250)
  before <- cross_validate(fit, folds = folds)$predictions
  fit$data$y[folds == 2] <- 1000
  after <- cross_validate(fit, folds = folds)$predictions
  expect_identical(after$mean[after$fold == 2], before$mean[before$fold == 2])
  expect_false(identical(after$mean[after$fold == 1], before$mean[before$fold == 1]))
})

test_that("rows without a fold are conditioned on but never held out", {
  fit <- example_fit()
  folds <- rep_len(c(1, 2, NA), 250)
  cv <- cross_validate(fit, folds = folds)
  expect_identical(cv$predictions$row, which(!is.na(folds)))
  expect_output(print(cv), "167 rows in 2 folds")
  expect_identical(fold_splits(folds, fit)[[1]]$kept, which(!folds %in% 1))
  one <- cross_validate(fit, folds = replace(rep(NA, 250), 11:30, 1))
  expect_identical(one$predictions$row, 11:30)
})

test_that("a trend that a fold takes away is an error that speaks of the fold", {
  set.seed(5)
  data <- data.frame(x = runif(60), y = runif(60), year = factor(rep(1:3, 20)))
  data$z <- sin(6 * data$x) + as.integer(data$year) + rnorm(60, sd = 0.1)
  data$count <- rpois(60, exp(data$z / 3))
  fit <- neargp(z ~ year, data, coords = ~ x + y, method = vecchia(k = 8))
  expect_error(cross_validate(fit, folds = data$year, refit = TRUE), "one of the folds",
    class = "neargp_error_rank")
  counts <- neargp(count ~ year, data, coords = ~ x + y, method = vnngp(k = 8), family = poisson())
  expect_error(cross_validate(counts, folds = data$year), "one of the folds",
    class = "neargp_error_rank")
})

test_that("a nugget that was fixed stays so in refits, of whatever response", {
  data <- transform(simulated_data(60), count = withr::with_seed(1, rpois(60, 3)))
  fit <- neargp(count ~ 1, data, coords = ~ x + y, method = loo_k(k = 5), family = poisson(),
    nugget = 1.5, covariance = cov_exponential())
  layout <- fold_problem(fit, 1:40, plain_context())$layout
  expect_identical(unlist(layout[layout$kind == "nugget", c("value", "fixed")], use.names = FALSE),
    c(1.5, 1))
})
