# All code for stars: a grid with a column for each dimension and attribute is a data frame,
# and results are attributes on the same dimensions.

is_stars <- function(x) inherits(x, c("stars", "stars_proxy"))

# The grid with bands as attributes, and a row for each cell, the first dimension fastest: centres,
# further dimensions such as a time, and attributes. `places` are the names of the first two, `used`
# the names that the model has.
stars_frame <- function(grid, argument, used) {
  require_package("stars", "for stars objects")
  if (inherits(grid, "stars_proxy")) {
    abort_neargp("geometry",
      c(sprintf("`%s` is a proxy, whose values are not in memory.", argument),
        i = sprintf("Read it, in pieces if need be: stars::st_as_stars(%s).", argument)))
  }
  layout <- attr(stars::st_dimensions(grid), "raster")
  if (is.null(layout) || anyNA(layout$dimensions) || isTRUE(layout$curvilinear) ||
      any(layout$affine != 0)) {
    abort_neargp("geometry",
      c(sprintf("`%s` must be a grid of rows and columns, neither rotated nor curvilinear.", argument),
        i = sprintf("Its cells as points: sf::st_as_sf(%s, as_points = TRUE).", argument)))
  }
  grid <- bands_as_attributes(grid, layout$dimensions, used, argument)
  list(grid = grid, columns = as.data.frame(grid), places = layout$dimensions,
    crs = sf::st_crs(grid))
}

# A further dimension, which is neither space nor time nor in the model, holds one variable after
# another. Its labels become the names of attributes if the model uses variables of these names.
bands_as_attributes <- function(grid, places, used, argument) {
  size <- dim(grid)
  other <- setdiff(names(size)[size > 1L], c(places, used))
  bands <- lapply(stats::setNames(nm = other), function(name) {
    stars::st_get_dimension_values(grid, name)
  })
  bands <- bands[!is_time_axis(bands)]
  if (!length(bands)) return(grid)
  named <- as.character(bands[[1L]])
  if (length(bands) == 1L && length(grid) == 1L && any(named %in% used)) {
    return(split(grid, names(bands)))
  }
  abort_neargp("geometry", c(
    sprintf("`%s` contains a dimension that is neither space nor time nor in the model: %s (%s).",
      argument, names(bands)[1L], format_some(named)),
    i = sprintf("If it holds variables, make them attributes with the names of the model: setNames(split(%s, \"%s\"), c(...)).",
      argument, names(bands)[1L]),
    i = "Otherwise take one slice of it, or name the dimension in the model."))
}

is_time_axis <- function(axes) {
  names(axes) == "time" | vapply(axes, inherits, NA, c("Date", "POSIXt", "difftime", "PCICt",
    "CFTime"))
}

# Results of all cells as attributes on the dimensions of a grid.
columns_as_grid <- function(columns, grid) {
  cells <- lapply(columns, function(values) structure(values, dim = dim(grid)))
  stars::st_as_stars(cells, dimensions = stars::st_dimensions(grid))
}

# Names that a fit has.
names_of_model <- function(object) {
  c(all.vars(object$formula), object$required_columns, object$locations$names,
    object$locations$time)
}

# `newdata` as all responses read it: a stars grid with the bands that a formula names as
# attributes.
grid_of_parts <- function(object, newdata) {
  if (!is_stars(newdata)) return(newdata)
  stars_frame(newdata, "newdata", unlist(lapply(object$parts, names_of_model)))$grid
}

# Data to fit: points with the attributes as their columns. Other data stay what they are.
points_of_grid <- function(data, used) {
  if (is_raster(data)) return(points_of_raster(data))
  if (!is_stars(data)) return(data)
  grid <- stars_frame(data, "data", used)
  sf::st_as_sf(grid$columns, coords = grid$places, crs = grid$crs)
}
