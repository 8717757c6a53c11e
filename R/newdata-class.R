# Results in the class of new rows, and the columns of results in any class.

# Turns a data frame of results for all rows or cells into the class of `newdata`.
restorer <- function(newdata) {
  if (is_stars(newdata)) return(function(columns) columns_as_grid(columns, newdata))
  if (is_sf(newdata)) return(geometry_restorer(newdata))
  function(columns) {
    attr(columns, "row.names") <- attr(newdata, "row.names")
    in_class_of(columns, newdata)
  }
}

# The columns of a result in any class of new rows, by name.
result_columns <- function(result) {
  if (is_raster(result)) return(as.list(as.data.frame(terra::values(result))))
  if (is_stars(result)) {
    return(lapply(rlang::set_names(names(result)), function(name) as.vector(result[[name]])))
  }
  as.list(drop_geometry(result))
}
