# The columns that a learner is trained on: a data frame of predictors from rows of data, and a
# recipe that the training rows determine and that new rows follow.

# The names of the columns of data that a learner needs, without coordinates.
learner_columns <- function(learner, process) {
  predictors <- learner$predictors
  if (rlang::is_formula(predictors)) return(setdiff(all.vars(predictors), "."))
  predictors %||% setdiff(process$required_columns, coordinate_variables(process))
}

coordinate_variables <- function(process) {
  c(all.vars(process$locations$terms), process$locations$time)
}

# The predictors of `learner` in rows of `data`, coordinates last. Up to three coordinates remain as
# they are if other columns become principal components: the attribute "kept" names them.
predictor_frame <- function(learner, process, data, argument = "newdata") {
  data <- with_fitted_columns(process, data)
  plain <- drop_geometry(data)
  places <- with_levels(newdata_coordinates(process, data), process$locations)
  wanted <- learner_columns(learner, process)
  others <- setdiff(wanted, names(places))
  check_columns_present(others, plain, argument)
  frame <- plain_predictors(as.list(plain)[others])
  shown <- if (is.null(learner$predictors)) names(places) else intersect(wanted, names(places))
  names(places) <- make.unique(c(names(frame), names(places)))[length(frame) + seq_along(places)]
  frame <- c(frame, as.list(places)[shown])
  if (!length(frame)) abort_no_predictors(learner)
  structure(frame, class = "data.frame", row.names = .set_row_names(nrow(plain)),
    kept = if (length(places) <= 3L) shown)
}

abort_no_predictors <- function(learner) {
  abort_neargp("learner", c(sprintf("There are no predictors for %s.", learner$label),
    i = "Name columns of the data: learner(predictors = ~ a + b)."))
}

# Columns of matrices become columns, texts factors, and times numbers.
plain_predictors <- function(columns) {
  parts <- lapply(names(columns), function(name) {
    column <- columns[[name]]
    if (is.null(dim(column))) return(stats::setNames(list(plain_predictor(column)), name))
    column <- as.matrix(column)
    stats::setNames(asplit_columns(column),
      paste0(name, ".", colnames(column) %||% seq_len(ncol(column))))
  })
  unlist(parts, recursive = FALSE) %||% list()
}

plain_predictor <- function(column) {
  if (is.character(column)) return(factor(column))
  if (inherits(column, c("Date", "POSIXt", "difftime"))) return(as.double(column))
  column
}

check_complete_predictors <- function(frame, label) {
  missing <- vapply(frame, anyNA, NA)
  if (!any(missing)) return(invisible())
  abort_neargp("missing_values", c(
    sprintf("Predictors of %s have missing values: %s.", label, format_some(names(frame)[missing])),
    i = "Complete the rows, leave them out by `subset`, or choose others: learner(predictors = )."))
}

# ---- recipe --------------------------------------------------------------------------------------

wide_predictors <- 40L
most_components <- 20L

# `named`: whether a formula of the user names the columns, which then stay as they are.
new_recipe <- function(frame, named) {
  recipe <- list(levels = lapply(Filter(is.factor, frame), levels), named = named)
  numbers <- setdiff(names(Filter(is.numeric, frame)), attr(frame, "kept"))
  predictors <- length(setdiff(names(frame), attr(frame, "kept")))
  if (!named && predictors > max(wide_predictors, nrow(frame) / 3)) {
    recipe$components <- principal_components(as.matrix(frame[numbers]))
  }
  recipe
}

# The first principal components of standardised columns: their means, standard deviations and
# loadings. Constant columns are left out.
principal_components <- function(x) {
  sd <- apply(x, 2L, stats::sd)
  varies <- sd > 1e-12 * pmax(abs(colMeans(x)), .Machine$double.xmin)
  x <- x[, varies, drop = FALSE]
  components <- list(columns = colnames(x), mean = colMeans(x), sd = sd[varies])
  scaled <- scale(x, components$mean, components$sd)
  found <- svd(scaled, 0L, min(most_components, dim(scaled) - c(1L, 0L)))
  held <- seq_len(sum(found$d[seq_len(ncol(found$v))] > 1e-7 * found$d[1L]))
  components$loadings <- found$v[, held, drop = FALSE]
  components
}

# The columns of rows by a recipe of other rows. Names are such that formulas need no quotes.
by_recipe <- function(recipe, frame) {
  for (name in names(recipe$levels)) {
    frame[[name]] <- known_levels(frame[[name]], recipe$levels[[name]], name)
  }
  if (!is.null(recipe$components)) frame <- with_components(recipe$components, frame)
  if (!recipe$named) names(frame) <- make.names(names(frame), unique = TRUE)
  frame
}

with_components <- function(components, frame) {
  scaled <- scale(as.matrix(frame[components$columns]), components$mean, components$sd)
  scores <- as.data.frame(scaled %*% components$loadings)
  names(scores) <- paste0("PC", seq_along(scores))
  others <- frame[!vapply(frame, is.numeric, NA) | names(frame) %in% attr(frame, "kept")]
  data.frame(scores, others, check.names = FALSE)
}

known_levels <- function(column, levels, name) {
  unknown <- setdiff(as.character(column[!is.na(column)]), levels)
  if (length(unknown)) {
    abort_neargp("factor_level", c(sprintf("`%s` has levels that no training row has: %s.", name,
      format_some(unknown)), i = "Use the levels of the data, or NA for a prediction that is NA."))
  }
  factor(as.character(column), levels, ordered = is.ordered(column))
}
