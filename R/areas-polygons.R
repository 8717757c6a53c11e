# Areas are polygons of sf, or the cells of a raster. They become a list of `geometry`, `columns` (a
# plain data frame), `known` and `restore`. `known` is FALSE for cells outside of a mask.
# `restore()` turns a data frame of results into the class of the areas.

# Whether all geometries of `x` are polygons, or some are by mistake.
is_areas <- function(x) {
  if (!is_sf(x)) return(FALSE)
  geometry <- sf::st_geometry(x)
  if (inherits(geometry, c("sfc_POLYGON", "sfc_MULTIPOLYGON"))) return(TRUE)
  inherits(geometry, "sfc_GEOMETRY") && any(grepl("POLYGON", sf::st_geometry_type(geometry)))
}

as_areas <- function(areas, object) {
  if (is_raster(areas)) return(raster_areas(areas, object))
  if (!is_sf(areas)) {
    abort_neargp("newdata",
      c(paste0("`areas` must be sf polygons or a SpatRaster, not ", describe_value(areas), "."),
        i = spatial_hint_of_areas(areas)))
  }
  geometry <- sf::st_geometry(areas)
  check_polygons(geometry)
  check_same_crs(sf::st_crs(areas), object$locations, argument = "areas")
  check_polygon_degrees(geometry, object$locations, "areas")
  geometry <- measured_polygons(geometry, object$locations)
  check_valid_polygons(geometry)
  list(geometry = geometry, columns = drop_geometry(areas),
    known = rep(TRUE, length(geometry)), restore = geometry_restorer(areas))
}

spatial_hint_of_areas <- function(x) {
  if (inherits(x, c("SpatVector", "Spatial"))) "Convert them: sf::st_as_sf(areas)." else
    if (is_old_raster(x)) "Convert it: terra::rast(areas)." else
    if (inherits(x, "stars")) "Convert them: sf::st_as_sf(areas), or terra::rast(areas)."
}

check_polygons <- function(geometry) {
  types <- as.character(sf::st_geometry_type(geometry))
  wrong <- which(!types %in% c("POLYGON", "MULTIPOLYGON"))
  if (length(wrong)) {
    abort_neargp("geometry", c(
      paste0("Areas must be POLYGON or MULTIPOLYGON geometries, not ",
        format_some(unique(types[wrong])), " (", format_rows(wrong), ")."),
      i = "Take the polygons out of collections by sf::st_collection_extract(areas, \"POLYGON\"), and predict points by themselves."))
  }
  check_finite_polygons(geometry)
  empty <- which(sf::st_is_empty(geometry))
  if (length(empty)) {
    abort_neargp("geometry", c(paste0("Areas have empty geometries in ", format_rows(empty), "."),
      i = "Remove them: areas[!sf::st_is_empty(areas), ]."))
  }
}

# The inside of a polygon that crosses itself is not defined. NA: not even that is known.
check_valid_polygons <- function(geometry) {
  valid <- tryCatch(sf::st_is_valid(geometry), error = abort_invalid_polygons)
  if (all(valid %in% TRUE)) return(invisible())
  abort_neargp("geometry", c(
    sprintf("The areas are not valid polygons in %s.", format_rows(which(!valid %in% TRUE))),
    i = "Use sf::st_make_valid(areas)."))
}

check_finite_polygons <- function(geometry) {
  finite <- vapply(geometry, function(polygon) all(is.finite(unlist(polygon))), NA)
  if (all(finite)) return(invisible())
  abort_neargp("geometry",
    paste0("Areas have coordinates that are missing or infinite in ", format_rows(which(!finite)),
      "."))
}

# On the sphere or in the plane, as the fit measures distances: there are fits to degrees in the
# plane, and to longitude and latitude whose CRS nobody has named.
measured_polygons <- function(geometry, locations) {
  if (length(geometry) && !inherits(geometry[[1L]], "XY")) geometry <- sf::st_zm(geometry)
  suppressWarnings(sf::st_set_crs(geometry, if (locations$metric == "longlat") 4326 else
    sf::NA_crs_))
}

# The check of check_longlat(), for polygons. Borders at the poles may be rounded.
check_polygon_degrees <- function(geometry, locations, argument, rounding = 1e-6) {
  if (locations$metric != "longlat") return(invisible())
  is_beyond <- function(box) {
    any(abs(box[c("ymin", "ymax")]) > 90 + rounding, abs(box[c("xmin", "xmax")]) > 540,
      na.rm = TRUE)
  }
  if (!is_beyond(sf::st_bbox(geometry))) return(invisible())
  wrong <- which(vapply(geometry, function(shape) is_beyond(sf::st_bbox(shape)), NA))
  abort_neargp("coordinates", c(
    sprintf("`%s` has geometries beyond longitude and latitude in degrees (%s).", argument,
      format_rows(wrong)),
    i = "Longitude comes first, latitude (-90 to 90) second; use distance = \"euclidean\" for planar coordinates."))
}

# The cells as polygons, one for each; `columns` are their layers.
raster_areas <- function(areas, object) {
  require_package("terra", "for SpatRaster objects")
  require_package("sf", "for areas")
  check_raster_crs(areas, object$locations)
  columns <- if (terra::hasValues(areas)) raster_values(areas, dataframe = TRUE) else
    as.data.frame(matrix(NA, terra::ncell(areas), 0L))
  list(geometry = measured_polygons(cell_polygons(areas), object$locations),
    columns = columns, known = is_covered(columns, object),
    restore = function(result) as_raster_layers(areas, as.matrix(result)))
}

cell_polygons <- function(raster) {
  centres <- terra::xyFromCell(raster, seq_len(terra::ncell(raster)))
  half <- terra::res(raster) / 2
  rectangles(centres[, 1L] - half[1L], centres[, 1L] + half[1L], centres[, 2L] - half[2L],
    centres[, 2L] + half[2L])
}

rectangles <- function(left, right, bottom, top, crs = sf::NA_crs_) {
  sf::st_sfc(Map(function(left, right, bottom, top) {
    sf::st_polygon(list(cbind(c(left, right, right, left, left), c(bottom, bottom, top, top,
      bottom))))
  }, left, right, bottom, top), crs = crs)
}

# Areas in the squared unit of the coordinates, km2 of longitude and latitude.
area_sizes <- function(geometry, locations) {
  size <- tryCatch(as.numeric(sf::st_area(geometry)), error = abort_invalid_polygons)
  if (locations$metric == "longlat") size / 1e6 else size
}

abort_invalid_polygons <- function(condition) {
  abort_neargp("geometry", c("The areas are not valid polygons.",
    x = sub("\n.*", "", conditionMessage(condition)),
    i = "Use sf::st_make_valid(areas)."), parent = NA)
}
