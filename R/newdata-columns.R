# Columns of new data in the units of the fit. Dates count in days, date-times in seconds, durations
# and columns of package units in a unit of their own. Code that reads a column of newdata must
# therefore call with_fitted_columns() first.

# The class and unit of each column of one of these classes.
time_kinds <- function(columns) {
  kinds <- lapply(unclass(columns)[seq_along(columns)], function(values) {
    class <- intersect(c("Date", "POSIXt", "difftime", "units"), class(values))
    if (length(class)) list(class = class, units = attr(values, "units"))
  })
  Filter(Negate(is.null), kinds)
}

# The kinds of the values of formulas, and of the columns that the arguments of the fit name.
fitted_kinds <- function(of_frame, data, given) {
  of_columns <- time_kinds(unclass(data)[named_columns(given, data)])
  c(of_frame, of_columns[setdiff(names(of_columns), names(of_frame))])
}

# The columns of `data` that the arguments of a fit name; a dot stands for all.
named_columns <- function(given, data) {
  names <- names_of_formulation(given)
  if ("." %in% names) names(data) else intersect(names, names(data))
}

names_of_formulation <- function(given) {
  names_in(unclass(given)[c("formula", "coords", "time", "covariance", "nugget", "by_row",
    "family_formulas")])
}

# newdata (a data frame or sf; all else as it is) with plain columns in the units of the fit.
with_fitted_columns <- function(object, newdata) {
  if (!is.data.frame(newdata)) return(newdata)
  newdata <- plain_columns(newdata)
  kinds <- object$time_kinds
  # as a coordinate, time is read in days whatever its class
  dated <- vapply(kinds, function(kind) kind$class %in% c("Date", "POSIXt"), NA)
  with_training_units(newdata, kinds[!dated | !names(kinds) %in% object$locations$time])
}

# Plain numbers, such as the layers of a raster, are taken to be in the unit of the fit.
with_training_units <- function(columns, kinds) {
  if (!length(kinds)) return(columns)
  given <- time_kinds(unclass(columns)[intersect(names(kinds), names(columns))])
  for (name in names(given)) {
    if (given[[name]]$class != kinds[[name]]$class) {
      abort_newdata_class(name, columns[[name]], kinds[[name]]$class,
        i = "They count in different units.")
    }
    if (kinds[[name]]$class %in% c("difftime", "units")) {
      columns[[name]] <- in_training_unit(columns[[name]], kinds[[name]], name)
    }
  }
  columns
}

in_training_unit <- function(values, kind, name) {
  if (identical(attr(values, "units"), kind$units)) return(values)
  if (kind$class == "units") require_package("units", "for columns that have units")
  tryCatch(`units<-`(values, value = kind$units), error = function(e) {
    abort_neargp("newdata",
      sprintf("The unit of `%s` in `newdata` cannot be converted to the unit of the training data.",
        name),
      parent = e)
  })
}

abort_newdata_class <- function(name, values, was, ...) {
  is <- if (is.matrix(values)) sprintf("a matrix of %d columns", ncol(values)) else
    paste("of class", class(values)[1L])
  was <- sub("^nmatrix[.]([0-9]+)$", "a matrix of \\1 columns", was)
  abort_neargp("newdata", c(
    sprintf("`%s` in `newdata` is %s, but was %s in the training data.", name, is, was), ...))
}
