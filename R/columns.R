# Checks of the columns of a data set that formulas name.

# `named_by`: the argument that names them.
check_columns_present <- function(variables, data, argument, environment = NULL, named_by = NULL) {
  missing <- setdiff(variables, names(data))
  if (!is.null(environment)) missing <- missing[!vapply(missing, exists, NA, envir = environment)]
  if (length(missing)) {
    several <- length(missing) > 1L
    abort_neargp("columns", c(sprintf("Column%s %s%s %s not in `%s`.", if (several) "s" else "",
      format_some(missing),
      if (is.null(named_by)) "" else sprintf(", which `%s` names,", named_by),
      if (several) "are" else "is", argument),
      i = column_hint(data, missing, argument)))
  }
}

coordinate_pairs <- list(c("x", "y"), c("X", "Y"), c("lon", "lat"), c("longitude", "latitude"),
  c("easting", "northing"))

series_hint <- function(day, data = NULL) {
  sprintf("For a series at one location use the time as the coordinate: coords = ~ %s.",
    if (is.numeric(data[[day]])) day else sprintf("as.numeric(%s)", day))
}

# A dot in the trend is how tables of predictors are given elsewhere.
check_coords_given <- function(coords, time, data, formula, covariance = NULL) {
  if (!is.null(coords) || is_sf(data)) return(invisible())
  if (has_no_process(covariance) && is.null(time)) return(invisible())
  day <- time_variable(time)
  pair <- Find(function(pair) all(pair %in% names(data)), coordinate_pairs) %||% c("x", "y")
  example <- sprintf("coords = ~ %s", paste(pair, collapse = " + "))
  response <- deparse1(formula[[2L]])
  abort_neargp("coordinates", c(
    if (length(day)) sprintf("time = ~ %s alone does not say where the rows of `data` are.", day)
    else "`data` is not an sf object, so `coords` must name the columns with the locations.",
    i = if (length(day)) sprintf("Stations need locations as well: %s, time = ~ %s.", example, day)
    else sprintf("Name the columns: %s. For a model without a Gaussian process: covariance = cov_none().",
      example),
    i = if (length(day)) series_hint(day, data),
    i = if ("." %in% all.vars(formula[[length(formula)]]))
      sprintf("A table of predictors: neargp(%s ~ 1, data, coords = ~ .).", response)))
}

# sf data keep coordinates in the geometry, and not among the columns.
geometry_hint <- function(data, missing, argument) {
  if (!inherits(data, "sf")) return(NULL)
  pairs <- Filter(function(pair) any(pair %in% missing), coordinate_pairs)
  if (!length(pairs)) return(NULL)
  sprintf("Get the coordinates from the geometry: %s[c(\"%s\")] <- sf::st_coordinates(%s)[, 1:2].",
    argument, paste(pairs[[1L]], collapse = "\", \""), argument)
}

# How to get coordinates of a geometry, the names that most likely were meant, or all names.
column_hint <- function(data, missing, argument) {
  geometry <- geometry_hint(data, missing, argument)
  if (!is.null(geometry)) return(geometry)
  meant <- unlist(lapply(missing, nearest_name, setdiff(names(data), attr(data, "sf_column"))))
  if (!length(meant)) return(listed_columns(data))
  sprintf("Did you mean %s?", paste0("`", unique(meant), "`", collapse = ", "))
}

listed_columns <- function(data) {
  paste("Its columns are",
    paste0(format_some(setdiff(names(data), attr(data, "sf_column")), 12L), "."))
}

# How many of the texts that are there read as numbers.
share_of_numbers <- function(x) {
  known <- x[!is.na(x)]
  if (!length(known)) return(0)
  mean(!is.na(suppressWarnings(as.numeric(known))))
}

# Refuses two columns of one name, of which the one that is meant cannot be known.
check_unique_columns <- function(variables, data, argument) {
  if (!anyDuplicated(names(data))) return(invisible())
  twice <- intersect(variables, names(data)[duplicated(names(data))])
  if (length(twice)) {
    abort_neargp("columns",
      c(sprintf("`%s` has more than one column named %s.", argument, format_some(twice)),
        i = "Rename or remove them: names(data) <- make.unique(names(data))."))
  }
}

# Sums of x, or of its rows, over so many groups by their numbers; 0 for empty groups. Names of rows
# are left alone: options("scipen") and "OutDec" make of 12 a "1,2e+01".
sums_by_group <- function(x, group, count) {
  total <- matrix(0, count, NCOL(x))
  total[sort(unique(group)), ] <- rowsum(x, group)
  if (is.matrix(x)) total else drop(total)
}

# A plain data frame in the class of another one: a tibble, a data.table, or as it is.
in_class_of <- function(columns, like) {
  if (inherits(like, "data.table")) {
    require_package("data.table", "for a data.table")
    return(data.table::as.data.table(columns))
  }
  if (!inherits(like, "tbl_df")) return(columns)
  structure(columns, class = c("tbl_df", "tbl", "data.frame"),
    row.names = .set_row_names(nrow(columns)))
}

# Root mean square extent of each range's coordinates, the unit in which ranges are searched. Group
# 0, or NA, is of coordinates that the component does not depend on.
group_scales <- function(coords, group) {
  group <- replace(group, group %in% 0L, NA)
  variances <- apply(coords[, seq_along(group), drop = FALSE], 2L, stats::var)
  sqrt(as.vector(tapply(variances, group, mean)))
}

# All of n rows, or evenly spaced ones.
evenly_spaced <- function(n, at_most) {
  if (n <= at_most) seq_len(n) else unique(round(seq(1, n, length.out = at_most)))
}

# Names of variables in formulas, expressions and strings, also in lists of these.
names_in <- function(x) {
  if (rlang::is_quosure(x)) return(names_in(rlang::quo_get_expr(x)))
  if (is.language(x)) return(all.vars(x))
  if (is.character(x)) return(x)
  if (is.list(x)) unlist(lapply(unclass(x), names_in), use.names = FALSE)
}
