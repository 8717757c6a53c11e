test_that("categorical() is a family that prints like the others", {
  expect_s3_class(categorical(), "family")
  expect_output(print(categorical()), "softmax")
})

test_that("classes without a trend have an empty table of it", {
  set.seed(4)
  data <- data.frame(x = runif(60), y = runif(60))
  data$class <- factor(sample(c("a", "b", "c"), 60, TRUE))
  fit <- neargp(class ~ 0, data, coords = ~ x + y, family = categorical(), method = loo_k(k = 5))
  expect_identical(nrow(tidy(fit, effects = "trend")), 0L)
})
