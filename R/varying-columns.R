# Components that are multiplied by a column, `by` of a covariance. With x the column and C the
# component, the covariance of rows i and j is x_i x_j C(s_i, s_j). The component is then the
# deviation of the coefficient of x from its mean (Gelfand, Kim, Sirmans and Banerjee 2003). The
# column is one of those that follow the coordinates (local-recipes.R), without coefficients. The
# core uses it in units of its root mean square over the rows of the fit. Variances are then
# comparable with each other, with their bounds and with the jitter.

by_label <- function(component) deparse1(component$local$by[[2L]])

has_varying_coefficients <- function(fit) length(by_recipes(fit$locations)) > 0L

by_recipes <- function(locations) {
  Filter(function(recipe) recipe$kind == "by", locations$local)
}

# The name of the covariate that multiplies a component, by the number of its column among the
# coordinates, "" for none. A column of lengths, as of cov_linear() and features(), is its number.
by_name <- function(locations, column) {
  if (!length(column)) return("")
  recipe <- Find(function(recipe) recipe$columns == column, by_recipes(locations))
  if (is.null(recipe)) as.character(column) else recipe$names
}

new_by_recipe <- function(formula, table, locations, row_names) {
  what <- "`by` of the covariance"
  shown <- deparse1(formula[[2L]])
  model <- local_model(formula, table, locations, what)
  check_by_column(model, shown)
  inform_whole_numbers(model$frame, shown)
  check_local_finite(model$design, what, row_names)
  largest <- max(abs(model$design))
  if (largest == 0) {
    abort_neargp("local", c(sprintf("`%s` is 0 in all rows, so its coefficient cannot be estimated.", shown),
      i = "Leave the component out."))
  }
  complete_recipe(model, shown, 0, largest * sqrt(mean((model$design / largest)^2)), table, what)
}

check_by_column <- function(model, shown) {
  grouping <- names(Filter(function(x) is.factor(x) || is.character(x), model$frame))
  if (length(grouping)) {
    level <- as.character(stats::na.omit(model$frame[[grouping[1L]]])[1L])
    abort_neargp("local",
      c(sprintf("`by` of a covariance is here a formula of the factor `%s`.", grouping[1L]),
        i = sprintf("A process for each level with the same parameters is by = ~ %s, the factor alone.",
          grouping[1L]),
        i = sprintf("For parameters of its own type a component for each level: cov_matern(by = ~ I(%s == \"%s\")) + ...",
          grouping[1L], level)))
  }
  if (ncol(model$design) == 1L) return(invisible())
  terms <- attr(model$terms, "term.labels")
  abort_neargp("local",
    c(sprintf("`by` of a covariance must be one column, and `%s` makes %d.", shown,
      ncol(model$design)),
      i = if (length(terms) > 1L) paste("Type a component for each:",
        paste(sprintf("cov_matern(by = ~ %s)", terms), collapse = " + ")) else
        if (!length(terms)) "Without `by` a component is multiplied by 1." else
        "Make each column of it one of `data`, and type a component for each."))
}

# Numbers of groups, such as years, are columns to multiply by as well.
inform_whole_numbers <- function(frame, shown, most = 20L) {
  x <- frame[[1L]]
  if (!is.numeric(x) || !is.null(dim(x))) return(invisible())
  values <- unique(x[!is.na(x)])
  # two values are those of an indicator
  few <- length(values) > 2L && length(values) <= min(most, length(x) / 5)
  if (!few || any(values != round(values))) return(invisible())
  inform_neargp("by", c(
    sprintf("`by = ~ %s` of the covariance multiplies the process by the number `%s`.", shown, shown),
    i = sprintf("For an independent copy of the process for each of its %d values use by = ~ factor(%s).",
      length(values), shown)))
}

# Without noise, the response of a row whose variance is 0 would have to equal the trend.
check_rows_vary <- function(problem, frame) {
  groups <- problem$groups
  columns <- lapply(groups, function(group) group$local$by)
  if (!all(lengths(columns) > 0L) || !has_ability(problem$method, "distinct_locations", problem)) {
    return(invisible())
  }
  known <- problem$data$noise$known %||% 0
  still <- which(rowSums(abs(problem$data$coords[, unlist(columns), drop = FALSE])) == 0 &
    known == 0)
  if (!length(still)) return(invisible())
  abort_neargp("local",
    c(sprintf("With nugget = 0 the variance of a row is zero where all columns of `by` are 0, as in %s.",
      format_rows(original_rows(frame, still))),
      i = "Estimate the nugget (nugget = NULL), or add a component without `by`: cov_matern() + cov_matern(by = ~ x)."))
}
