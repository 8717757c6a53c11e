test_that("categorical() is a family that prints like the others", {
  expect_s3_class(categorical(), "family")
  expect_output(print(categorical()), "softmax")
})
