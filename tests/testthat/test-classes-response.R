frame_of <- function(y) {
  structure(data.frame(class = I(y)), row.names = as.character(seq_along(y) + 10L))
}

respond <- function(y, family) {
  response <- model_response(loo_k(), y, family, rep(1, NROW(y)), frame_of(seq_len(NROW(y))))
  response[names(response) != "binomial"]
}

test_that("classes are numbered in the order of their levels", {
  expect_equal(respond(factor(c("v", "u", "v"), c("v", "u")), categorical()),
    list(y = c(1, 2, 1), levels = c("v", "u")))
  expect_equal(respond(c(TRUE, FALSE), binomial()), list(y = c(1, 0), levels = c("FALSE", "TRUE")))
  expect_equal(respond(c(0, 1, 1), binomial()), list(y = c(0, 1, 1), levels = c("0", "1")))
  expect_equal(respond(factor(c("no", "yes")), binomial())$y, c(0, 1))
})

test_that("levels without rows are no classes", {
  y <- factor(c("a", "b", "a"), levels = c("a", "b", "c"))
  expect_identical(respond(y, categorical())$levels, c("a", "b"))
  data <- class_data(60)
  fit <- neargp(class ~ 1, data, coords = ~ x + y, family = categorical(),
    method = loo_k(8L, "label"), subset = class != "b", threads = 1L)
  expect_named(predict(fit, data[1:2, ]), c("prob_a", "prob_c"))
})

test_that("successes among trials, and links but the logit, are counts and no classes", {
  frame <- frame_of(1:2)
  is_class <- function(y, family) is_class_data(model_response(loo_k(), y, family, c(1, 1), frame))
  expect_true(is_class(c(0, 1), binomial()))
  expect_false(is_class(cbind(c(1, 2), c(3, 0)), binomial()))
  expect_false(is_class(c(0, 1), binomial("probit")))
})

test_that("other responses are refused", {
  refused <- function(y, family, text, class = "neargp_error_response") {
    expect_error(respond(y, family), text, class = class)
  }
  refused(c(1, 1), binomial(), "constant", "neargp_error_constant_response")
  refused(factor(c("a", "a")), binomial(), "1 level")
  refused(factor(c("a", "a")), categorical(), "only one class")
  refused(factor(c("a", "b", "c")), binomial(), "3 levels")
  refused(c(0, 1, 2), binomial(), "row 13")
  refused(c(1, 2, 3), categorical(), "factor\\(\\)")
})
