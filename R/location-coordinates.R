# The coordinates of a data set, by the recipe of locations.R: raw ones as the user gives them, and
# embedded ones as the core takes them.

# Raw coordinates, time last, as a double matrix. Missing values stay: na.action or predict() deal
# with them.
raw_coordinates <- function(data, locations, argument = "data") {
  data <- plain_columns(data)
  space <- if (is_nowhere(locations)) nowhere_coordinates(locations, nrow(data)) else
    if (is_sf(data)) geometry_coordinates(data, locations, argument) else
      frame_coordinates(data, locations, argument)
  check_coordinate_count(ncol(space), locations, argument)
  colnames(space) <- locations$raw_names
  if (is.null(locations$time)) return(space)
  check_columns_present(locations$time, data, argument)
  check_time_class(data[[locations$time]], locations, argument)
  cbind(space, matrix(time_numbers(data[[locations$time]], locations$time), ncol = 1L,
    dimnames = list(NULL, locations$time)))
}

check_coordinate_count <- function(count, locations, argument) {
  if (count == length(locations$raw_names)) return(invisible())
  abort_neargp("coordinates", sprintf("`%s` has %d coordinates, and the fit has %d: %s.", argument,
    count, length(locations$raw_names), format_some(locations$raw_names)))
}

# The points, and the levels of factors, which are columns.
geometry_coordinates <- function(data, locations, argument) {
  points <- sf_coordinates(data, argument)
  if (!has_factors(locations)) return(points)
  labels <- names(locations$factors)
  check_columns_present(all.vars(locations$terms), data, argument)
  cbind(points, frame_coordinates(drop_geometry(data), list(terms = locations$terms,
    names = labels, raw_names = labels, factors = locations$factors), argument))
}

frame_coordinates <- function(data, locations, argument) {
  columns <- coordinate_columns(data, locations, argument)
  known <- names(locations$factors)
  # A column of nothing but NA is logical.
  fits <- locations$raw_names %in% known | vapply(columns,
    function(x) (is.numeric(x) || (is.logical(x) && all(is.na(x)))) && is.null(dim(x)), NA)
  if (!all(fits)) abort_coordinate_class(columns[!fits], argument)
  numbers <- if (is.null(known)) columns else Map(function(x, name) {
    coordinate_numbers(x, name, locations, argument)
  }, columns, locations$raw_names)
  matrix(as.double(unlist(numbers, use.names = FALSE)), nrow = nrow(data), ncol = length(columns))
}

coordinate_columns <- function(data, locations, argument) {
  plain_frame(locations$terms, data) %||% coordinate_frame(data, locations, argument)
}

abort_coordinate_class <- function(wrong, argument) {
  abort_neargp("coordinates", c(
    paste0("Coordinates must be numeric or factors, but ", format_some(names(wrong)),
      if (length(wrong) > 1L) " are not." else " is not."),
    x = paste0("`", names(wrong)[1L], "` is of class ", class(wrong[[1L]])[1L], "."),
    i = if (is_levelled(wrong[[1L]]))
    sprintf("It was numeric in the fit: give numbers in `%s` as well.", argument) else
      "Dates are for `time`; other classes become numbers by as.numeric().",
    i = if (length(wrong) == 1L && length(time_kinds(wrong))) series_hint(names(wrong))))
}

coordinate_frame <- function(data, locations, argument) {
  check_columns_present(intersect(all.vars(locations$terms), locations$names), data, argument)
  check_column_classes(all.vars(locations$terms), data, argument)
  stats::model.frame(locations$terms, data, na.action = stats::na.pass)
}

embed_places <- function(raw, locations, argument) {
  if (!has_factors(locations)) return(embed_numbers(raw, locations, argument))
  factors <- colnames(raw) %in% names(locations$factors)
  numbers <- embed_numbers(raw[, !factors, drop = FALSE], locations, argument)
  is_time <- is_time_column(numbers, locations)
  unname(cbind(numbers[, !is_time, drop = FALSE], embed_factors(raw, locations$factors, argument),
    numbers[, is_time, drop = FALSE]))
}

embed_numbers <- function(raw, locations, argument) {
  if (locations$metric == "planar") {
    check_size(raw, argument)
    return(unname(raw))
  }
  check_longlat(raw, argument)
  unname(cbind(core_embed_longlat(unname(raw[, 1:2, drop = FALSE])), raw[, -(1:2), drop = FALSE]))
}

# Squares of distances must not overflow. The core applies the same limit.
check_size <- function(raw, argument, largest = range_limits[["largest"]]) {
  beyond <- which(rowSums(abs(raw) > largest, na.rm = TRUE) > 0)
  if (length(beyond)) {
    abort_neargp("coordinates",
      c(sprintf("`%s` has coordinates beyond %g in %s.", argument, largest, format_rows(beyond)),
        i = "Measure them in a larger unit."))
  }
}
