# The columns of a data set that features() makes predictors of, in numbers.

# Which columns the predictors are made of, with the levels of factors.
new_feature_columns <- function(data, names) {
  levels <- lapply(data[names], function(x) {
    if (is.factor(x) || is.character(x) || is.logical(x)) levels(factor(x))
  })
  features <- list(names = names, levels = Filter(Negate(is.null), levels))
  features$predictors <- feature_predictors(data, features, "data")
  check_finite_predictors(features$predictors)
  features
}

# A matrix of the predictors of rows, missing where they are; its attribute `indicator` says which
# columns are levels of factors.
feature_predictors <- function(data, features, argument) {
  check_columns_present(features$names, data, argument)
  columns <- lapply(features$names, function(name) {
    x <- data[[name]]
    levels <- features$levels[[name]]
    if (is.null(levels)) return(predictor_numbers(x, name, argument))
    check_predictor_levels(x, levels, name, argument)
    outer(as.character(x), levels, "==") + 0
  })
  predictors <- do.call(cbind, columns)
  indicator <- rep(features$names %in% names(features$levels), vapply(columns, NCOL, 0L))
  structure(predictors, indicator = indicator, dimnames = NULL)
}

predictor_numbers <- function(x, name, argument) {
  x <- plain_column(x)
  if (is.numeric(x) && is.null(dim(x))) return(as.double(x))
  abort_neargp("columns", c("Predictors of features() must be numbers or factors.",
    x = sprintf("`%s` of `%s` is of class %s.", name, argument, class(x)[1L]),
    i = sprintf("Leave it out: features(., -%s).", name)))
}

check_predictor_levels <- function(x, levels, name, argument) {
  unknown <- setdiff(as.character(x), c(levels, NA))
  if (!length(unknown)) return(invisible())
  abort_neargp("newdata", c(sprintf("`%s` of `%s` contains the level \"%s\", which the fit does not know.", name,
    argument, unknown[1L]), i = sprintf("The fit has %s.", format_some(levels))))
}

check_finite_predictors <- function(predictors) {
  bad <- which(rowSums(!is.finite(predictors)) > 0)
  if (!length(bad)) return(invisible())
  abort_neargp("missing_values",
    c(sprintf("Predictors of features() have missing or infinite values in %s.", format_rows(bad)),
      i = "Leave these rows out by `subset`, or give na.action = na.omit."))
}
