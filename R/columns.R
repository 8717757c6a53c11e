# Checks of the columns of a data set that formulas name.

# `named_by`: the argument that names them.
check_columns_present <- function(variables, data, argument, environment = NULL, named_by = NULL) {
  missing <- setdiff(variables, names(data))
  if (!is.null(environment)) missing <- missing[!vapply(missing, exists, NA, envir = environment)]
  if (length(missing)) {
    abort_neargp("columns", c(paste0("`", argument, "` has no column ", format_some(missing),
      if (!is.null(named_by)) sprintf(", which `%s` names", named_by), "."),
      i = listed_columns(data), i = geometry_hint(data, missing, argument)))
  }
}

coordinate_pairs <- list(c("x", "y"), c("X", "Y"), c("lon", "lat"), c("longitude", "latitude"),
  c("easting", "northing"))

# sf data keep coordinates apart from columns.
geometry_hint <- function(data, missing, argument) {
  if (!inherits(data, "sf")) return(NULL)
  asked <- Filter(function(pair) any(pair %in% missing), coordinate_pairs)
  if (!length(asked)) return(NULL)
  sprintf("Coordinates of its geometry become columns by %s[c(\"%s\")] <- sf::st_coordinates(%s)[, 1:2].",
    argument, paste(asked[[1L]], collapse = "\", \""), argument)
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
