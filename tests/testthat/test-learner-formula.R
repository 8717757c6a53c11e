test_that("learner() terms are cut out of any sum", {
  cut <- function(formula) deparse1(learner_terms(formula)$formula)
  expect_identical(cut(z ~ h + learner(lm)), "z ~ h")
  expect_identical(cut(z ~ learner(lm) + h), "z ~ h")
  expect_identical(cut(z ~ learner(lm)), "z ~ 1")
  expect_identical(cut(z ~ learner(lm) - 1), "z ~ -1")
  expect_identical(cut(z ~ . + neargp::learner(lm)), "z ~ .")
  expect_identical(cut(z ~ features(.) + learner(lm) + (1 | g) + s(h)),
    "z ~ features(.) + (1 | g) + s(h)")
  terms <- learner_terms(z ~ (learner(lm) + h) + learner(glm, family = gaussian()))
  expect_identical(terms$calls, list(quote(learner(lm)), quote(learner(glm, family = gaussian()))))
  expect_false(formula_has_learners(z ~ h + log(k)))
  expect_error(learner_terms(z ~ h * learner(lm)), "term of a sum", class = "neargp_error_formula")
  expect_error(learner_terms(z ~ h - learner(lm)), "term of a sum", class = "neargp_error_formula")
})

test_that("a function learner() of the user is a covariate", {
  learner <- function(x) x^2
  expect_false(formula_has_learners(z ~ learner(h)))
  expect_true(formula_has_learners(z ~ neargp::learner(lm)))
})
