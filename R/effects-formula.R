# Random effects, (terms | group), and smooths, s() and t2(), in a formula. They are cut out of it
# before R sees it, since a bar is a logical or in R. The rest is the trend. The grammar of the bars
# is that of lme4: `(x || g)` is `(1 | g) + (0 + x | g)`, and a group `a / b` is `a + a:b`.

# The trend as a formula, and what was cut out: bars as list(lhs, group) and calls of smooths.
effect_terms <- function(formula) {
  env <- environment(formula)
  parts <- cut_summands(formula[[length(formula)]], function(term) is_effect(term, env),
    function(term) contains_effect(term, env), abort_nested_effect)
  formula[[length(formula)]] <- parts$rest %||% 1
  is_bar <- vapply(parts$cut, is_bar_call, NA)
  bars <- unlist(lapply(parts$cut[is_bar], function(bar) expand_bar(bar[[2L]])),
    recursive = FALSE)
  list(trend = formula, bars = as.list(bars),
    smooths = lapply(parts$cut[!is_bar], check_smooth_call))
}

formula_has_effects <- function(formula) {
  contains_effect(formula[[length(formula)]], environment(formula))
}

# The columns of data that the effects are made of.
effect_variables <- function(effects, data) {
  bars <- unlist(lapply(effects$bars, bar_variables))
  intersect(unique(c(bars, unlist(lapply(effects$smooths, all.vars)))), names(data))
}

bar_variables <- function(bar) c(all.vars(bar$lhs), all.vars(bar$group))

# ---- cutting out ---------------------------------------------------------------------------------

formula_operators <- c("+", "-", "*", ":", "^", "/", "%in%", "(")

is_bar_call <- function(term) {
  is.call(term) && identical(term[[1L]], quote(`(`)) && is.call(term[[2L]]) &&
    head_name(term[[2L]]) %in% c("|", "||")
}

# mgcv::s counts as s, and neargp::learner as learner.
head_name <- function(call) {
  head <- call[[1L]]
  if (is.call(head) && identical(head[[1L]], quote(`::`)) &&
      as.character(head[[2L]]) %in% c("mgcv", "neargp")) {
    head <- head[[3L]]
  }
  if (is.name(head)) as.character(head) else ""
}

is_smooth_call <- function(term, env) is_special_call(term, c("s", "t2", "te", "ti"), env)

# Whether a term calls one of these names. A function of that name that the user has written is what
# it is, and one of a package is not meant.
is_special_call <- function(term, names, env) {
  if (!is.call(term) || !head_name(term) %in% names) return(FALSE)
  own <- if (is.name(term[[1L]])) get0(head_name(term), envir = env, mode = "function")
  is.null(own) || isNamespace(environment(own) %||% baseenv())
}

is_effect <- function(term, env) is_bar_call(term) || is_smooth_call(term, env)

contains_effect <- function(term, env) {
  if (!is.call(term)) return(FALSE)
  is_effect(term, env) || head_name(term) %in% formula_operators &&
    any(vapply(as.list(term)[-1L], contains_effect, NA, env = env))
}

contains_special <- function(term, names, env) {
  if (!is.call(term)) return(FALSE)
  is_special_call(term, names, env) ||
    any(vapply(as.list(term)[-1L], contains_special, NA, names = names, env = env))
}

# Cuts the summands of a sum that `is_wanted` out of it: `cut` is a list of them, and `rest` is NULL
# where nothing is left. `refuse` gets a term that `contains` one elsewhere than in a sum.
cut_summands <- function(term, is_wanted, contains, refuse) {
  if (!contains(term)) return(list(rest = term))
  if (is_wanted(term)) return(list(cut = list(term)))
  operator <- head_name(term)
  additive <- operator %in% c("+", "(") || operator == "-" && length(term) == 3L &&
    !contains(term[[3L]])
  if (!additive) refuse(term)
  parts <- lapply(as.list(term)[-1L], cut_summands, is_wanted, contains, refuse)
  rests <- lapply(parts, `[[`, "rest")
  list(rest = if (length(rests) == 1L) rests[[1L]] else join_terms(operator, rests[[1L]],
    rests[[2L]]), cut = unlist(lapply(parts, `[[`, "cut"), recursive = FALSE))
}

# The same of calls of a name, as features().
cut_special <- function(term, name, env, example) {
  cut_summands(term, function(term) is_special_call(term, name, env),
    function(term) contains_special(term, name, env), function(term) {
      abort_neargp("formula", c(sprintf("%s() is a term of a sum.", name),
        x = sprintf("One is inside %s.", deparse1(term)),
        i = sprintf("For example %s.", example)))
    })
}

join_terms <- function(operator, left, right) {
  if (is.null(right)) return(left)
  if (!is.null(left)) return(call(operator, left, right))
  if (operator == "-") call("-", right) else right
}

check_smooth_call <- function(term) {
  if (head_name(term) %in% c("s", "t2")) return(term)
  abort_neargp("formula", c(sprintf("%s is not supported.", deparse1(term)),
    i = "Its penalties overlap, so it is not a sum of random effects: use t2(), which uses the same basis."))
}

abort_nested_effect <- function(term) {
  abort_neargp("formula", c("Random effects and smooths are terms of a sum.",
    x = sprintf("One is inside %s.", deparse1(term)),
    i = "Use (x | group) for slopes that differ by group, s(x, by = group) for smooths."))
}

# A bar without parentheses is a logical or, as of two flags; of other values a group is meant.
check_bare_bars <- function(term, data, env) {
  if (!is.call(term)) return(invisible())
  if (head_name(term) %in% setdiff(formula_operators, "(")) {
    for (part in as.list(term)[-1L]) check_bare_bars(part, data, env)
    return(invisible())
  }
  if (!head_name(term) %in% c("|", "||")) return(invisible())
  is_flag <- function(side) {
    value <- tryCatch(eval(side, data, env), error = function(e) TRUE)
    is.logical(value) || is.numeric(value) && length(value) > 1L && all(value %in% c(0, 1, NA))
  }
  if (is_flag(term[[2L]]) && is_flag(term[[3L]])) return(invisible())
  abort_neargp("formula", c(sprintf("The bar in %s is outside parentheses, where it means a logical or.",
    deparse1(term)), i = sprintf("Write a random effect in parentheses: (%s).", deparse1(term))))
}

# ---- bars ----------------------------------------------------------------------------------------

# A list of bars, each of one group: `lhs`, a one-sided formula's right side, `group`, a call or
# name, and `label`, its name.
expand_bar <- function(bar) {
  groups <- grouping_factors(bar[[3L]])
  sides <- if (head_name(bar) == "||") uncorrelated_terms(bar[[2L]]) else list(bar[[2L]])
  unlist(lapply(groups, function(group) lapply(sides, function(lhs) list(lhs = lhs, group = group,
    label = gsub(" ", "", deparse1(group))))), recursive = FALSE)
}

grouping_factors <- function(group) {
  if (!is.call(group)) return(list(group))
  switch(head_name(group),
    `(` = grouping_factors(group[[2L]]),
    `+` = c(grouping_factors(group[[2L]]), grouping_factors(group[[3L]])),
    `/` = {
      outer <- grouping_factors(group[[2L]])
      within <- lapply(grouping_factors(group[[3L]]),
        function(inner) call(":", outer[[length(outer)]], inner))
      c(outer, within)
    },
    list(group))
}

uncorrelated_terms <- function(lhs) {
  terms <- stats::terms(stats::as.formula(call("~", lhs)))
  labels <- lapply(attr(terms, "term.labels"), function(label) call("+", 0, str2lang(label)))
  c(if (attr(terms, "intercept") == 1L) list(1), labels)
}
