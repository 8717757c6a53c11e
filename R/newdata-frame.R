# Frames of new rows, in the classes, units and levels of the fit.

# The variables of `terms` at new rows. In one row poly() of several variables loses its matrix, so
# that the row is evaluated twice.
new_rows_frame <- function(terms, data) {
  rows <- if (nrow(data) == 1L) c(1L, 1L) else seq_len(nrow(data))
  frame <- stats::model.frame(terms, data[rows, , drop = FALSE], na.action = stats::na.pass)
  if (nrow(data) != 1L || nrow(frame) != 2L) return(frame)
  structure(frame[1L, , drop = FALSE], terms = attr(frame, "terms"))
}

# Converts the variables of a frame to the classes, units and levels of the fit.
as_fitted_frame <- function(frame, types, kinds, xlevels) {
  frame <- with_training_types(plain_columns(frame), types, kinds)
  apply_training_levels(with_training_units(frame, kinds), xlevels)
}

# The result of model.frame(), in a tenth of its time, for terms that are no more than names of
# numeric columns or factors; NULL for others.
plain_frame <- function(terms, data) {
  variables <- as.list(attr(terms, "variables"))[-1L]
  if (!all(vapply(variables, is.name, NA)) || inherits(data, "sf")) return(NULL)
  names <- vapply(variables, as.character, "")
  if (!all(names %in% names(data))) return(NULL)
  columns <- unclass(data)[names]
  if (!all(vapply(columns, function(x) (is.numeric(x) || is.logical(x) || is.factor(x)) &&
      is.null(dim(x)), NA))) {
    return(NULL)
  }
  structure(columns, class = "data.frame", row.names = attr(data, "row.names"), terms = terms)
}

# `types`: of the variables in the training data, as model.frame() reports them. Logical values and
# 0 and 1 are one another; a matrix of one column is a vector.
with_training_types <- function(frame, types, kinds = NULL) {
  for (name in names(frame)[names(frame) %in% names(types)]) {
    values <- frame[[name]]
    type <- types[[name]]
    if (!has_training_type(values, type)) {
      abort_newdata_class(name, values, kinds[[name]]$class %||% type)
    }
    if (type == "logical") frame[[name]] <- as.logical(values)
    if (type == "numeric" && is.logical(values)) frame[[name]] <- as.numeric(values)
  }
  frame
}

has_training_type <- function(values, type) {
  columns <- if (startsWith(type, "nmatrix.")) as.integer(sub("nmatrix.", "", type, fixed = TRUE))
  if (NCOL(values) != (columns %||% 1L) && !type %in% c("logical", "other")) return(FALSE)
  is_flag <- is.logical(values) || is.numeric(values) && all(values %in% c(0, 1, NA))
  if (!is.null(columns)) return(is.numeric(values))
  switch(type, numeric = is.numeric(values) || is.logical(values), logical = is_flag,
    other = !is.character(values) && !is.factor(values), TRUE)
}

apply_training_levels <- function(frame, xlevels) {
  for (name in names(xlevels)) {
    values <- as.character(frame[[name]])
    unseen <- setdiff(unique(values), c(xlevels[[name]], NA))
    if (length(unseen)) {
      abort_neargp("factor_level", c(
        paste0("`", name, "` in `newdata` has ", if (length(unseen) == 1L) "a level" else "levels",
          " that the training data did not have: ", format_some(unseen), "."),
        x = paste0("In ", format_rows(which(values %in% unseen)), "."),
        i = paste0("Known levels: ", format_some(xlevels[[name]], 12L), ".")))
    }
    frame[[name]] <- factor(values, levels = xlevels[[name]], exclude = NULL)
  }
  frame
}
