test_that("the covariance of outputs has the variances of the columns and is positive", {
  fit <- outputs_fit()
  predicted <- predict(fit, new_places(), covariance = TRUE)
  covariance <- attr(predicted, "covariance")
  expect_equal(sqrt(covariance[, "lead", "lead"]), predicted$sd_lead)
  for (i in 1:3) expect_true(all(eigen(covariance[i, , ])$values > 0))
})

test_that("an output without noise is known at its data, uncorrelated with the others there", {
  skip_unless_extended()
  data <- simulated_outputs(60)
  data$zinc[1L] <- NA
  for (formula in list(cbind(zinc, lead) ~ height, cbind(zinc, lead) ~ 0)) {
    fit <- neargp(formula, data, coords = ~ x + y, method = loo_k(k = 10),
      covariance = known_outputs(), nugget = c(0.2, 0))
    expect_no_warning(predicted <- predict(fit, data[1:20, ], type = "link", covariance = TRUE))
    covariance <- attr(predicted, "covariance")
    known <- which(!is.na(data$lead[1:20]))
    expect_gt(length(known), 10L)
    expect_equal(covariance[known, 1L, 2L], rep(0, length(known)))
    expect_equal(covariance, aperm(covariance, c(1L, 3L, 2L)), ignore_attr = TRUE)
    expect_equal(covariance[known, 1L, 1L], predicted$sd_zinc[known]^2, ignore_attr = TRUE)
    expect_no_error(scores(fit, data[known, ], na.rm = TRUE))
  }
  expect_identical(joint_log_score(c(0.5, 1), diag(c(0, 1))), Inf)
  expect_equal(joint_log_score(c(0.5, 1), matrix(c(2, 0.3, 0.3, 1), 2)),
    log(2 * pi) + 0.5 * log(1.91) + 0.5 * drop(c(0.5, 1) %*% solve(matrix(c(2, 0.3, 0.3, 1), 2)) %*%
      c(0.5, 1)))
})
