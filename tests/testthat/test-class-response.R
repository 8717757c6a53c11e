frame_of <- function(y) structure(data.frame(class = I(y)), row.names = as.character(seq_along(y) + 10L))

test_that("classes are numbered in the order of their levels", {
  expect_equal(class_response(factor(c("v", "u", "v"), c("v", "u")), categorical(), frame_of(1:3)), list(y = c(1, 2, 1), levels = c("v", "u")))
  expect_equal(class_response(c(TRUE, FALSE), binomial(), frame_of(1:2)), list(y = c(1, 0), levels = c("FALSE", "TRUE")))
  expect_equal(class_response(c(0, 1, 1), binomial(), frame_of(1:3)), list(y = c(0, 1, 1), levels = c("0", "1")))
  expect_equal(class_response(factor(c("no", "yes")), binomial(), frame_of(1:2))$y, c(0, 1))
})

test_that("levels without rows are no classes", {
  y <- factor(c("a", "b", "a"), levels = c("a", "b", "c"))
  expect_identical(class_response(y, categorical(), frame_of(1:3))$levels, c("a", "b"))
  data <- class_data(60)
  fit <- neargp(class ~ 1, data, coords = ~ x + y, family = categorical(), method = loo_k(8L, "label"), subset = class != "b",
    threads = 1L)
  expect_named(predict(fit, data[1:2, ]), c("prob_a", "prob_c"))
})

test_that("other responses are refused", {
  refused <- function(y, family, text) expect_error(class_response(y, family, frame_of(seq_along(y))), text, class = "neargp_error_response")
  refused(c(1, 1), binomial(), "only one class")
  refused(factor(c("a", "a")), categorical(), "only one class")
  refused(factor(c("a", "b", "c")), binomial(), "categorical")
  refused(c(0, 1, 2), binomial(), "row 13")
  refused(c(1, 2, 3), categorical(), "factor\\(\\)")
})
