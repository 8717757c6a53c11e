# learner() terms of a formula. They are cut out of it before anything else reads it: what is left
# is the formula of the Gaussian process.

# `formula` without the terms, and `calls`, the terms themselves.
learner_terms <- function(formula) {
  env <- environment(formula)
  parts <- cut_learners(formula[[length(formula)]], env)
  formula[[length(formula)]] <- parts$rest %||% 1
  list(formula = formula, calls = parts$calls)
}

formula_has_learners <- function(formula) {
  rlang::is_formula(formula) &&
    contains_learner(formula[[length(formula)]], environment(formula))
}

# A function of that name that the user has written is what it is.
is_learner_call <- function(term, env) {
  if (!is.call(term)) return(FALSE)
  head <- deparse1(term[[1L]])
  if (head == "neargp::learner") return(TRUE)
  if (head != "learner") return(FALSE)
  own <- get0("learner", envir = env, mode = "function")
  is.null(own) || isNamespace(environment(own) %||% baseenv())
}

contains_learner <- function(term, env) {
  if (!is.call(term)) return(FALSE)
  is_learner_call(term, env) || any(vapply(as.list(term)[-1L], contains_learner, NA, env = env))
}

# `rest` is NULL where nothing is left.
cut_learners <- function(term, env) {
  if (!contains_learner(term, env)) return(list(rest = term))
  if (is_learner_call(term, env)) return(list(calls = list(term)))
  operator <- head_name(term)
  additive <- operator %in% c("+", "(") || operator == "-" && length(term) == 3L &&
    !contains_learner(term[[3L]], env)
  if (!additive) abort_nested_learner(term)
  parts <- lapply(as.list(term)[-1L], cut_learners, env = env)
  rests <- lapply(parts, `[[`, "rest")
  list(rest = if (length(rests) == 1L) rests[[1L]] else join_terms(operator, rests[[1L]],
    rests[[2L]]), calls = unlist(lapply(parts, `[[`, "calls"), recursive = FALSE))
}

abort_nested_learner <- function(term) {
  abort_neargp("formula", c("learner() is a term of a sum.",
    x = sprintf("There is one inside %s.", deparse1(term)),
    i = "For example y ~ elevation + learner(lm)."))
}
