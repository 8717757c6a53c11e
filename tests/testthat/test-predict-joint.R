test_that("the diagonal of the joint covariance is that of predictions row by row", {
  fit <- fit_once()
  new <- simulated_data(12, seed = 2)
  joint <- predict(fit, new, joint = TRUE, k = 150)
  single <- predict(fit, new, k = 150)
  expect_equal(joint$mean, single$mean, tolerance = 1e-8)
  expect_equal(sqrt(diag(attr(joint, "covariance"))), single$sd, tolerance = 1e-8)
  latent <- attr(predict(fit, new, joint = TRUE, k = 150, type = "link"), "covariance")
  expect_equal(attr(joint, "covariance") - latent, diag(fit$nugget, 12), tolerance = 1e-8)
})

test_that("incomplete rows are NA, and too many neighbours are refused with the remedy", {
  fit <- fit_once()
  new <- simulated_data(4, seed = 2)
  new$height[2] <- NA
  covariance <- attr(predict(fit, new, joint = TRUE), "covariance")
  expect_identical(is.na(covariance),
    outer(c(FALSE, TRUE, FALSE, FALSE), c(FALSE, TRUE, FALSE, FALSE), "|"))
  target <- new_target(fit, simulated_data(4, seed = 2))
  settings <- predict_settings(fit, joint = TRUE)
  expect_error(check_union(joint_rows(fit, target, settings), max_union = 5L), "simulate\\(\\)",
    class = "neargp_error_size")
})
