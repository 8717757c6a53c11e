# Several responses, each with a formula, a family and data of its own. Lists of these become a call
# of neargp() for each response. The fits of these calls are the parts of the joint fit: they read
# rows, know their families and predict. The joint fit gives them another field (joint-fit.R).

# Whether the arguments of neargp() describe several responses that share fields, other than those
# of a model of coregionalisation of Gaussian ones.
is_joint_model <- function(formula, family, data) {
  if (is_list_of(formula, "formula") || formula_has_common(formula)) return(TRUE)
  if (is_multinomial(family)) return(TRUE)
  if (!rlang::is_formula(formula) || length(formula) != 3L || is.null(family)) return(FALSE)
  if (is_list_of(family, "family")) return(TRUE)
  takes_matrix <- c("gaussian", "binomial", "betabinomial", "censored_gaussian", "categorical")
  !as_family(family)$family %in% takes_matrix && length(response_columns_of(formula, data)) > 1L
}

# A plain list of such objects; formulas and families are of these classes themselves.
is_list_of <- function(x, class) is.list(x) && !inherits(x, class) && !is.data.frame(x)

# The expressions of the columns of a response matrix, named by their outputs: those in cbind(), or
# of a column of the data that is a matrix.
response_columns_of <- function(formula, data) {
  response <- formula[[2L]]
  if (is.call(response) && identical(response[[1L]], quote(cbind))) {
    columns <- as.list(response)[-1L]
    names <- names(columns) %||% rep("", length(columns))
    return(stats::setNames(columns, ifelse(nzchar(names), names, vapply(columns, deparse1, ""))))
  }
  values <- if (is.name(response) && is.data.frame(data)) data[[as.character(response)]]
  if (!is.matrix(values) || is.null(colnames(values))) return(NULL)
  lapply(rlang::set_names(colnames(values)), function(name) call("[", response, quote(expr = ),
    name))
}

# The responses of a joint fit: a formula and a family for each, and the call of neargp() with the
# frame that its arguments are evaluated in.
joint_responses <- function(call, formula, family, data, frame) {
  formulas <- joint_formulas(formula, data)
  structure(list(call = call, frame = frame, formulas = formulas,
    families = joint_families(family, names(formulas))), class = "neargp_responses")
}

# Compositions have methods of these generics (composition.R).

# The structures of the fields.
joint_fields <- function(responses, covariance) UseMethod("joint_fields")

#' @export
joint_fields.default <- function(responses, covariance) {
  joint_structures(covariance, names(responses$formulas))
}

# The fits of single responses with the locations of the joint fit, and the structures that depend
# on these locations.
located_parts <- function(responses, parts) UseMethod("located_parts")

#' @export
located_parts.default <- function(responses, parts) parts

located_fields <- function(responses, structures, parts) UseMethod("located_fields")

#' @export
located_fields.default <- function(responses, structures, parts) structures

# The fit as neargp() returns it.
finished_joint_fit <- function(responses, object) UseMethod("finished_joint_fit")

#' @export
finished_joint_fit.default <- function(responses, object) object

# ---- the arguments of each response --------------------------------------------------------------

# Arguments of neargp() that joint fits do not take, and what to do instead.
refused_of_joint <- c(prior = "Leave it out.",
  fixed = "Give values to the families and the covariance, for example cov_matern(range = 10).",
  transform = "Transform a response in its formula.",
  measurement_variance = "Leave it out, or give `weights`.",
  cluster = "Leave it out: a joint fit runs in one process, on all of its `threads`.", time = NA)

check_joint_call <- function(call) {
  given <- intersect(names(call), names(refused_of_joint)[!is.na(refused_of_joint)])
  given <- Filter(function(name) !is.null(call[[name]]), given)
  if (!length(given)) return(invisible())
  refuse_of_joint(sprintf("`%s`", given[1L]), refused_of_joint[[given[1L]]])
}

refuse_of_joint <- function(what, remedy) {
  abort_neargp("argument",
    c(sprintf("%s is not for several responses with formulas or families of their own.", what),
      i = remedy))
}

# The data of the first response, the first chunk of a source.
data_of_first_response <- function(data) {
  is_single <- is.data.frame(data) || !is.list(data) || is_row_source(data)
  first <- if (is_single) data else data[[1L]]
  if (is_row_source(first)) first_chunk(first) else first
}

# The formulas of the responses, by name.
joint_formulas <- function(formula, data) {
  if (is_list_of(formula, "formula")) {
    check_joint_formulas(formula)
    given <- names(formula) %||% rep("", length(formula))
    left <- vapply(formula, function(f) deparse1(f[[2L]]), "")
    outputs <- ifelse(nzchar(given), given, left)
  } else {
    columns <- response_columns_of(formula, data)
    if (length(columns) < 2L) refuse_single_formula(formula)
    outputs <- names(columns)
    formula <- lapply(columns, function(column) {
      formula[[2L]] <- column
      formula
    })
  }
  if (anyDuplicated(outputs)) {
    abort_neargp("argument", c(sprintf("Two formulas are of the response `%s`.",
      outputs[anyDuplicated(outputs)]), i = "Name them: list(first = y ~ 1, second = y ~ 1)."))
  }
  stats::setNames(formula, outputs)
}

refuse_single_formula <- function(formula) {
  if (formula_has_common(formula)) {
    abort_neargp("formula", c("common() is for several responses, and the formula is of one response.",
      i = "Leave common() out, or give a list of formulas."))
  }
  abort_argument("family", "one family for one response", "a list")
}

check_joint_formulas <- function(formula) {
  if (length(formula) < 2L) {
    abort_neargp("argument", c(sprintf("`formula` is a list of %d. Joint models are of two or more responses.",
      length(formula)), i = "For one response, give the formula and its family without list()."))
  }
  for (element in formula) {
    if (!rlang::is_formula(element) || length(element) != 3L) {
      abort_argument("formula", "a list of two-sided formulas, response ~ trend", element)
    }
  }
}

# An element of a list for each response, or the same value for all. `what`: the argument.
for_each_response <- function(value, outputs, what) {
  names <- names(value)
  if (length(value) != length(outputs)) {
    abort_argument(what, sprintf("one for all responses, or a list with one for each of %s",
      format_some(outputs)), sprintf("a list of %d", length(value)))
  }
  if (is.null(names)) return(stats::setNames(value, outputs))
  unknown <- setdiff(names, outputs)
  if (!all(nzchar(names))) {
    abort_argument(what, "a list with names for all of its elements, or for none", names)
  }
  if (length(unknown)) {
    abort_argument(what, sprintf("a list with the names of the responses (%s)%s",
      format_some(outputs), nearest_name_hint(unknown[1L], outputs)), unknown[1L])
  }
  value[outputs]
}

nearest_name_hint <- function(name, names) {
  nearest <- nearest_name(name, names)
  if (is.null(nearest)) "" else sprintf("; did you mean %s", nearest)
}

# The expression of an argument for each response: elements of list() in the call, elements of a
# list that is its value, or the expression itself. NULL without one.
expressions_of_responses <- function(call, name, outputs, frame) {
  expression <- call[[name]]
  if (is.null(expression)) return(NULL)
  if (rlang::is_call(expression, "list")) {
    return(for_each_response(as.list(expression)[-1L], outputs, name))
  }
  # expressions of columns of the data cannot be evaluated here
  value <- tryCatch(eval(expression, frame), error = function(e) NULL)
  if (!is.list(value) || is.data.frame(value) || is_row_source(value)) {
    return(stats::setNames(rep(list(expression), length(outputs)), outputs))
  }
  numbers <- stats::setNames(seq_along(value), names(value))
  lapply(for_each_response(as.list(numbers), outputs, name), function(i) call("[[", expression, i))
}

# The families by name of the response.
joint_families <- function(family, outputs) {
  if (!is_list_of(family, "family")) family <- list(family %||% stats::gaussian())
  if (length(family) == 1L) family <- rep(unname(family), length(outputs))
  families <- lapply(for_each_response(family, outputs, "family"), as_family)
  several <- outputs[vapply(families, function(family) is_categorical(family) ||
    is_multinomial(family), NA)]
  if (length(several)) refuse_categories(several)
  families
}

refuse_categories <- function(outputs, parent = NULL) {
  abort_neargp("family", c(
    sprintf("Categories of three levels or more cannot share fields with other responses (%s).",
      format_some(outputs)),
    i = "Use ordinal() for ordered categories, or a response of two levels with binomial().",
    i = "Fit the categories alone by family = multinomial()."),
    parent = parent)
}
