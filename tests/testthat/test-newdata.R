test_that("the response is not needed, further columns are ignored, row names and class are kept", {
  fit <- fit_once()
  new <- simulated_data(4, seed = 2)
  rownames(new) <- letters[1:4]
  plain <- predict(fit, new)
  expect_identical(rownames(plain), letters[1:4])
  expect_equal(predict(fit, new[c("y", "x", "group", "height")]), plain)
  skip_if_not_installed("tibble")
  expect_s3_class(predict(fit, tibble::as_tibble(new)), "tbl_df")
})

test_that("rows with missing values keep their place and are NA", {
  fit <- fit_once()
  new <- simulated_data(6, seed = 2)
  whole <- predict(fit, new)
  new$height[2] <- NA
  new$group[3] <- NA
  new$x[5] <- NaN
  partial <- predict(fit, new, interval = "prediction")
  expect_identical(is.na(partial$mean), c(FALSE, TRUE, TRUE, FALSE, TRUE, FALSE))
  expect_equal(partial$mean[c(1, 4, 6)], whole$mean[c(1, 4, 6)])
  expect_true(all(is.na(predict(fit, new[2, ])$sd)))
})
