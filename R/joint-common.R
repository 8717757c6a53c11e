# common(x) in the formulas of several responses: one coefficient for all responses with the term.
# The parts are fitted with the term as one of their own. The joint fit merges its columns.
#
# Let Z be the block diagonal design of all parts in the columns of the core. Their coefficients are
# b = B (a + gamma), see trend-basis.R. Equal coefficients are b = K c, with a matrix K of zeros and
# ones. With B^-1 K = QR and delta = R c - Q'a it follows that
#
#   gamma = Q delta - e,   e = (I - QQ')a.
#
# The core sees the columns ZQ and the offset -Z e. From its delta, with covariance matrix V, follow
# gamma with Q V Q'. Fields that respond to delta by H respond to gamma by H Q'. All predictions use
# gamma, as without common coefficients.

# ---- formulas ------------------------------------------------------------------------------------

formula_has_common <- function(formula) {
  rlang::is_formula(formula) && contains_special(formula[[length(formula)]], "common",
    environment(formula))
}

# The formulas without the calls of common(), whose terms stay, and the labels of these terms.
cut_common <- function(formulas) {
  parts <- lapply(formulas, common_terms)
  labels <- lapply(parts, `[[`, "labels")
  counts <- table(unlist(labels))
  single <- names(counts)[counts == 1L]
  if (length(single)) {
    term <- if (single[1L] == "(Intercept)") "1" else single[1L]
    abort_neargp("formula", c(sprintf("common(%s) is in the formula of one response only.", term),
      i = "Put it into the formula of each response that shares the coefficient."))
  }
  list(formulas = lapply(parts, `[[`, "formula"), labels = labels)
}

common_terms <- function(formula) {
  env <- environment(formula)
  parts <- cut_special(formula[[3L]], "common", env, "y ~ common(x) + z")
  if (!length(parts$cut)) return(list(formula = formula, labels = character(0)))
  labels <- unlist(lapply(parts$cut, function(call) common_labels(common_argument(call, env))))
  others <- if (is.null(parts$rest)) character(0) else
    trend_labels(effect_terms(call_formula(parts$rest, env))$trend)
  twice <- c(labels[duplicated(labels)], intersect(labels, others))
  if (length(twice)) {
    abort_neargp("formula", c(sprintf("`%s` is twice in a formula.", twice[1L]),
      i = "Write it once, inside common() if responses share its coefficient."))
  }
  formula[[3L]] <- without_common(formula[[3L]], env)
  list(formula = formula, labels = labels)
}

call_formula <- function(right, env) stats::as.formula(call("~", right), env = env)

trend_labels <- function(formula) {
  attr(stats::terms(formula, allowDotAsName = TRUE), "term.labels")
}

# The terms of a sum, where each call of common() is replaced by its argument.
without_common <- function(term, env) {
  if (!contains_special(term, "common", env)) return(term)
  if (is_special_call(term, "common", env)) return(common_argument(term, env))
  as.call(c(term[[1L]], lapply(as.list(term)[-1L], without_common, env)))
}

# The argument of a call of common(), in parentheses unless it is a single term.
common_argument <- function(call, env) {
  argument <- if (length(call) == 2L) call[[2L]]
  if (is.null(argument) || contains_effect(argument, env) || "." %in% all.names(argument)) {
    abort_neargp("formula", c(sprintf("%s cannot be common to responses.", deparse1(call)),
      x = if (!is.null(argument)) "Random effects, smooths and the dot belong to one response.",
      i = "common() takes terms of the trend: common(depth), common(depth + gear), common(1)."))
  }
  if (is.call(argument) && head_name(argument) %in% formula_operators) call("(", argument) else
    argument
}

common_labels <- function(argument) {
  terms <- stats::terms(call_formula(argument, globalenv()))
  if (!is.null(attr(terms, "offset"))) {
    abort_neargp("formula", "common() does not take an offset, because no coefficient belongs to it.")
  }
  # formulas imply an intercept, which is common only where it is written
  labels <- c(if ("1" %in% summands(argument)) "(Intercept)", attr(terms, "term.labels"))
  if (length(labels)) return(labels)
  abort_neargp("formula", c(sprintf("common(%s) is without a term.", deparse1(argument)),
    i = "common() takes terms of the trend: common(depth), common(depth + gear), common(1)."))
}

# ---- columns -------------------------------------------------------------------------------------

# The fits of single responses with the labels of their common terms.
with_common_terms <- function(parts, labels) {
  if (!any(lengths(labels))) return(parts)
  parts <- Map(function(part, own) {
    part$common <- own
    part
  }, parts, labels)
  check_common_terms(parts)
  parts
}

# The names of the columns of a common term.
common_columns <- function(part, label) {
  coding <- design_coding(part)
  labels <- c("(Intercept)", attr(part$terms, "term.labels"))
  alike <- vapply(labels, function(other) setequal(variables_of_term(other),
    variables_of_term(label)), NA)
  colnames(coding)[attr(coding, "assign") == which(alike)[1L] - 1L]
}

# All responses need the same columns of a term, computed in the same way.
check_common_terms <- function(parts) {
  for (label in unique(unlist(lapply(parts, `[[`, "common")))) {
    own <- Filter(function(part) label %in% part$common, parts)
    columns <- lapply(own, common_columns, label)
    empty <- names(own)[lengths(columns) == 0L]
    if (length(empty)) {
      abort_neargp("formula", c(sprintf("The formula of `%s` is without an intercept.", empty[1L]),
        i = "Leave common(1) out, or the part that removes the intercept."))
    }
    coded <- lapply(own, coding_of_factors, label)
    computed <- lapply(own, function(part) safe_variables(part$terms, label))
    if (length(unique(columns)) > 1L) {
      abort_neargp("formula", c(
        sprintf("The columns of common(%s) differ between the responses.", label),
        stats::setNames(sprintf("%s: %s", names(own), vapply(columns, format_some, "")),
          rep("x", length(own))),
        i = "All responses need the same levels of its factors and the same kind of intercept."))
    }
    if (length(unique(coded)) > 1L) {
      abort_neargp("formula", c(
        sprintf("The factors of common(%s) differ between the responses.", label),
        stats::setNames(sprintf("%s: %s", names(own), vapply(coded, function(known)
          format_some(unlist(lapply(known, `[[`, "levels"))), "")), rep("x", length(own))),
        i = "All responses need the same levels in the same order, and the same contrasts."))
    }
    if (length(unique(computed)) > 1L) {
      abort_neargp("formula", c(
        sprintf("The columns of common(%s) depend on the observations of each response.", label),
        i = "Compute them in the data, before the call."))
    }
  }
}

variables_of_term <- function(label) strsplit(label, ":", fixed = TRUE)[[1L]]

# Columns of the same names can be of other levels: the polynomials of ordered factors.
coding_of_factors <- function(part, label) {
  lapply(rlang::set_names(variables_of_term(label)), function(name) {
    list(levels = part$xlevels[[name]], contrasts = part$contrasts[[name]])
  })
}

# The variables of a term as they are computed for new rows: scale(x) with its numbers.
safe_variables <- function(terms, label) {
  variables <- vapply(as.list(attr(terms, "variables"))[-1L], deparse1, "")
  used <- match(variables_of_term(label), variables)
  as.list(attr(terms, "predvars"))[-1L][used[!is.na(used)]]
}

# For each coefficient of the trends of all parts, the number of the coefficient of the joint fit.
coefficient_groups <- function(parts) {
  keys <- unlist(lapply(seq_along(parts), function(m) {
    part <- parts[[m]]
    columns <- colnames(part$data$X)
    shared <- columns %in% unlist(lapply(part$common, common_columns, part = part))
    ifelse(shared, paste("common", columns), paste(m, columns))
  }))
  match(keys, unique(keys))
}

# The responses that coefficients belong to, and their names.
coefficient_owners <- function(parts) {
  groups <- coefficient_groups(parts)
  owner <- rep(names(parts), vapply(parts, function(part) ncol(part$data$X), 0L))
  first <- !duplicated(groups)
  owner <- ifelse(groups %in% groups[duplicated(groups)], "(common)", owner)
  term <- unlist(lapply(parts, function(part) colnames(part$data$X)), use.names = FALSE)
  list(first = which(first), owner = owner[first], term = term[first],
    name = ifelse(owner == "(common)", sprintf("common(%s)", term), sprintf("%s:%s", owner,
      term))[first])
}

# Q and e for the trends and the random effects of all parts, NULL without common coefficients.
common_map <- function(parts) {
  groups <- coefficient_groups(parts)
  if (!anyDuplicated(groups)) return(NULL)
  back <- diagonal_blocks(lapply(parts, function(part) part$data$basis$back))
  at <- unlist(lapply(parts, function(part) part$data$basis$at), use.names = FALSE)
  merged <- outer(groups, seq_len(max(groups)), "==") * 1
  Q <- qr.Q(qr(solve(back, merged, tol = 0), tol = 0))
  effects <- sum(vapply(parts, function(part) count_effects(part$data), 0L))
  list(Q = diagonal_blocks(list(Q, diag(1, effects))), e = c(at - drop(Q %*% crossprod(Q, at)),
    double(effects)))
}

# ---- between the core and the parts --------------------------------------------------------------

# Offset and design of the core.
merged_rows <- function(data, map) {
  if (is.null(map)) return(data)
  data$offset <- data$offset - drop(data$design %*% map$e)
  data$design <- data$design %*% map$Q
  data
}

# A state of the core with the coefficients of the parts.
coefficients_of_parts <- function(state, map) {
  if (is.null(map)) return(state)
  state$beta <- drop(map$Q %*% state$beta) - map$e
  if (!is.null(state$beta_vcov)) {
    state$beta_vcov <- map$Q %*% state$beta_vcov %*% t(map$Q)
    state$field_response <- state$field_response %*% t(map$Q)
  }
  state
}

# The core's coefficients from those of the parts.
merged_coefficients <- function(beta, map) {
  if (is.null(map)) beta else drop(crossprod(map$Q, beta))
}
