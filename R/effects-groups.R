# The columns of groups, (x | g): d for each of m levels in turn.

group_recipe <- function(bar, data, env) {
  recipe <- list(kind = "group", label = bar$label, group = bar$group, env = env,
    lhs = stats::as.formula(call("~", bar$lhs), env))
  levels <- group_levels(recipe, data)
  recipe$levels <- sort_levels(levels, recipe, data)
  frame <- in_data("the formula", stats::model.frame(recipe$lhs, data, na.action = stats::na.pass,
    drop.unused.levels = TRUE))
  recipe$terms <- attr(frame, "terms")
  recipe$time_kinds <- time_kinds(frame)
  attr(recipe$terms, ".Environment") <- env
  design <- in_data("the formula", stats::model.matrix(recipe$terms, frame))
  recipe$contrasts <- attr(design, "contrasts")
  recipe$xlevels <- stats::.getXlevels(recipe$terms, frame)
  recipe$names <- colnames(design)
  check_group(recipe, design)
  recipe
}

# Level of each row, NA where a part of it is.
group_levels <- function(recipe, data) {
  of <- function(group) {
    if (is.call(group) && identical(group[[1L]], quote(`:`))) {
      outer <- of(group[[2L]])
      inner <- of(group[[3L]])
      return(ifelse(is.na(outer) | is.na(inner), NA, paste(outer, inner, sep = ":")))
    }
    as.character(in_data("the formula", eval(group, data, recipe$env)))
  }
  levels <- of(recipe$group)
  if (length(levels) != nrow(data)) {
    abort_neargp("formula", c(sprintf("The number of values of the groups %s must be the number of rows.",
      recipe$label), x = sprintf("There are %s for %s rows.", format_count(length(levels)),
        format_count(nrow(data)))))
  }
  levels
}

# Levels of a factor in its order, others by value.
sort_levels <- function(levels, recipe, data) {
  value <- if (is.name(recipe$group)) data[[as.character(recipe$group)]]
  check_encoding(levels, recipe$label, "data")
  known <- if (is.factor(value)) levels(value) else if (is.numeric(value))
    as.character(sort(unique(value))) else sort(unique(levels), method = "radix")
  intersect(known, levels)
}

check_group <- function(recipe, design) {
  if (!ncol(design)) {
    abort_neargp("formula", sprintf("The random effect of %s lacks terms before its bar.",
      recipe$label))
  }
  if (!all(is.finite(design))) {
    abort_neargp("missing_values",
      c(sprintf("The random effect of %s has missing or infinite values.", recipe$label),
        i = "Remove such rows by `subset`, or missing values by na.action = na.omit."))
  }
  if (length(recipe$levels) > 1L) return(invisible())
  abort_neargp("formula", c(
    sprintf("The level of the groups %s is the same in all rows.", recipe$label),
    i = "To estimate the variance between groups use at least two, and better ten."))
}

# A level for each row, and nothing but an intercept, is the noise.
check_not_noise <- function(recipes, data) {
  for (recipe in recipes) {
    if (recipe$kind != "group" || length(recipe$levels) < length(data$y)) next
    abort_neargp("formula", c(
      sprintf("Each row is a group of its own in %s: their variance cannot be distinguished from the nugget.",
        recipe$label), i = "Leave the term out."))
  }
}

# Levels of some rows by number, and their terms. Level 0 is none. If new levels are `pooled`, the
# last level stands for them. If they are `unknown`, -1 does, which is without a column.
group_entries <- function(recipe, data) {
  if (isTRUE(recipe$left_out)) {
    return(list(level = integer(nrow(data)), design = matrix(0, nrow(data), length(recipe$names))))
  }
  frame <- as_fitted_frame(new_rows_frame(recipe$terms, data),
    attr(recipe$terms, "dataClasses"), recipe$time_kinds, recipe$xlevels)
  design <- stats::model.matrix(recipe$terms, frame, contrasts.arg = recipe$contrasts)
  given <- group_levels(recipe, data)
  level <- match(given, recipe$levels, nomatch = if (isTRUE(recipe$unknown)) -1L else
    if (isTRUE(recipe$pooled)) length(recipe$levels) else NA)
  if (anyNA(level)) abort_unknown_levels(recipe, unique(given[is.na(level)]))
  list(level = level, design = design)
}

group_columns <- function(entries, levels) {
  d <- ncol(entries$design)
  columns <- matrix(0, length(entries$level), d * levels)
  known <- which(entries$level > 0L)
  for (j in seq_len(d)) {
    columns[cbind(known, d * (entries$level[known] - 1L) + j)] <- entries$design[known, j]
  }
  columns
}

abort_unknown_levels <- function(recipe, unknown) {
  one <- length(unknown) == 1L
  abort_neargp("levels", c(
    sprintf("`newdata` has %s of %s that the fit does not know: %s.", if (one) "a level" else
      "levels", recipe$label, format_some(unknown)),
    i = "allow.new.levels = TRUE predicts them with an effect of mean 0 and the variance between levels.",
    i = "re.form = NA leaves the effects of groups out."))
}
