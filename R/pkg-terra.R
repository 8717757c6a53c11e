# All code for terra and raster. Rasters are predicted in blocks of rows, so that memory is bounded
# by the block and the result.

is_raster <- function(x) inherits(x, "SpatRaster")

# ---- vectors of terra, and package raster --------------------------------------------------------

is_foreign_map <- function(x) {
  inherits(x, c("SpatVector", "RasterLayer", "RasterStack", "RasterBrick"))
}

# SpatVectors as sf objects, rasters of package raster as SpatRasters, and others as they are.
known_map <- function(x) {
  if (!is_foreign_map(x)) return(x)
  require_package("terra", "for SpatVector and Raster objects")
  if (!inherits(x, "SpatVector")) return(terra::rast(x))
  require_package("sf", "for SpatVector objects")
  sf::st_as_sf(x)
}

# The result of a function of the known class, in the class of `x`.
in_foreign_class <- function(x, f) {
  if (!is_foreign_map(x)) return(f(x))
  result <- f(known_map(x))
  if (is_sf(result)) return(terra::vect(result))
  if (is_raster(result)) raster::brick(result) else result
}

# ---- rasters -------------------------------------------------------------------------------------

as_raster_layers <- function(template, values) {
  layers <- terra::rast(template, nlyrs = ncol(values))
  terra::values(layers) <- values
  names(layers) <- colnames(values)
  layers
}

# Cells of whole rows of a window, one row after the other.
raster_blocks <- function(raster, chunk_size, window = whole_window(raster)) {
  rows_at_a_time <- max(1L, chunk_size %/% window$columns)
  lapply(seq(1L, window$rows, by = rows_at_a_time), function(first) {
    rows <- seq(first, min(first + rows_at_a_time - 1L, window$rows)) + window$row - 1
    rep((rows - 1) * terra::ncol(raster) + window$column - 1, each = window$columns) +
      seq_len(window$columns)
  })
}

# Cells without a value in any layer are outside of a mask, where there are layers. A layer of the
# response does not count: predictions are wanted where the response is missing.
is_covered <- function(columns, fit = NULL) {
  predicted <- if (!is.null(fit)) setdiff(all.vars(fit$formula[[2L]]), fit$required_columns)
  given <- !names(columns) %in% predicted
  if (!any(given)) return(rep(TRUE, nrow(columns)))
  rowSums(!is.na(columns[given])) > 0
}

# Data to fit: points at the centres of all cells, with the layers as their columns.
points_of_raster <- function(raster) {
  require_package("terra", "for SpatRaster objects")
  require_package("sf", "for a SpatRaster as data")
  centers <- terra::xyFromCell(raster, seq_len(terra::ncell(raster)))
  like <- sf::st_sfc(crs = sf_crs(raster_crs(raster)))
  sf::st_set_geometry(cell_columns(raster), points_like(centers, like))
}

check_grid_coordinates <- function(locations) {
  if (is_nowhere(locations)) return(invisible())
  columns <- locations$names %||% names(locations$factors)
  if (length(locations$raw_names) < 2L || !setequal(all.vars(locations$terms), columns)) {
    abort_neargp("newdata",
      c("The model's coordinates are not two plain columns, so a raster cannot give them.",
        i = "Give `newdata` as a data frame."))
  }
}

check_raster <- function(object, raster) {
  locations <- object$locations
  check_grid_coordinates(locations)
  check_raster_crs(raster, locations)
  needed <- setdiff(object$required_columns, utils::head(locations$names, 2L))
  missing <- setdiff(needed, names(raster))
  if (length(missing)) {
    abort_neargp("newdata",
      c(paste0("The raster lacks layers that the model needs: ", format_some(missing), "."),
        i = "Name its layers as the columns of the training data: names(raster) <- ."))
  }
}

# terra gives a raster whose extent could be degrees a CRS that nobody asked for, when it is made
# and when it is read from a file without one. A local CRS, crs = "local", says that there is none.
check_raster_crs <- function(raster, locations) {
  wkt <- raster_crs(raster)
  if (is.null(locations$crs) && !nzchar(wkt)) return(invisible())
  require_package("sf", "to compare coordinate reference systems")
  check_same_crs(sf_crs(wkt), locations, "terra::project(newdata, fit$locations$crs$wkt)",
    "Where its coordinates are those of the data, take it off: terra::crs(newdata) <- \"\".")
}

# "" for none.
raster_crs <- function(raster) {
  wkt <- terra::crs(raster)
  if (grepl("^(ENGCRS|ENGINEERINGCRS|LOCAL_CS)\\[", wkt)) "" else wkt
}

# `wkt`: as terra has it, NULL or "" for none.
sf_crs <- function(wkt) if (is.null(wkt) || !nzchar(wkt)) sf::NA_crs_ else sf::st_crs(wkt)

# Unit of a raster's coordinates, where it is one that maps show.
raster_unit <- function(raster) {
  meters <- terra::linearUnits(raster)  # NaN without a CRS
  if (meters %in% 1) "m" else if (meters %in% 1000) "km" else ""
}
