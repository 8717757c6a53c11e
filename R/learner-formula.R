# learner() terms of a formula. They are cut out of it before anything else reads it: what is left
# is the formula of the Gaussian process.

# `formula` without the terms, and `calls`, the terms themselves.
learner_terms <- function(formula) {
  parts <- cut_special(formula[[length(formula)]], "learner", environment(formula),
    "y ~ elevation + learner(lm)")
  formula[[length(formula)]] <- parts$rest %||% 1
  list(formula = formula, calls = parts$cut)
}

formula_has_learners <- function(formula) {
  rlang::is_formula(formula) &&
    contains_special(formula[[length(formula)]], "learner", environment(formula))
}
