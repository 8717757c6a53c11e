# All code for sf. The package is only suggested: it is there when its objects arrive.

is_sf <- function(x) inherits(x, c("sf", "sfc"))

require_package <- function(package, purpose) {
  if (!requireNamespace(package, quietly = TRUE)) {
    abort_neargp("package", c(paste0("The package ", package, " is needed ", purpose, "."),
      i = paste0("install.packages(\"", package, "\")")))
  }
}

# `replicates`: labels of factors, which are coordinates next to the geometry, see replicates.R.
sf_locations <- function(data, coords, distance, crs, replicates) {
  require_package("sf", "for sf data")
  if (!is.null(coords)) {
    abort_neargp("coordinates",
      c("`data` is an sf object, so its locations come from the geometry; `coords` must not be given.",
        i = "To use columns instead, drop the geometry with sf::st_drop_geometry()."))
  }
  own <- sf::st_crs(data)
  if (!is.null(crs) && !is.na(own) && crs_of(crs) != own) {
    abort_neargp("crs",
      c("`crs` is not the CRS of `data`.",
        i = "Leave `crs` out, or transform with sf::st_transform()."))
  }
  used <- if (is.na(own)) crs_of(crs) else own
  if (is.null(used) && distance == "auto") {
    abort_neargp("crs",
      c("`data` lacks a coordinate reference system, so it is not known how to measure distances.",
        i = "Longitude and latitude: crs = 4326. A plane without a CRS: distance = \"euclidean\"."))
  }
  metric <- resolve_metric(distance, used, 2L)
  terms <- if (length(replicates)) sum_of(replicates, globalenv())
  factors <- if (length(replicates)) coordinate_factors(terms, drop_geometry(data), replicates)
  list(names = NULL, terms = terms, crs = used, metric = metric$metric, unit = metric$unit,
    raw_names = c("x", "y", names(factors)), factors = factors, dot = FALSE)
}

# n x 2 coordinates of POINT geometries.
sf_coordinates <- function(data, argument) {
  geometry <- sf::st_geometry(data)
  check_points(geometry, argument)
  if (!length(geometry)) return(matrix(double(0), 0L, 2L))
  unname(sf::st_coordinates(geometry)[, 1:2, drop = FALSE])
}

check_points <- function(geometry, argument) {
  if (!inherits(geometry, "sfc_POINT") && length(geometry)) {
    types <- as.character(sf::st_geometry_type(geometry))
    wrong <- which(types != "POINT")
    abort_neargp("geometry", c(
      paste0("`", argument, "` must have POINT geometries, not ", format_some(unique(types[wrong])),
        " (", format_rows(wrong), ")."),
      i = "Take centres with sf::st_centroid(), or split with sf::st_cast(data, \"POINT\")."))
  }
  empty <- which(sf::st_is_empty(geometry))
  if (length(empty)) {
    abort_neargp("geometry",
      c(paste0("`", argument, "` has empty geometries in ", format_rows(empty), "."),
        i = sprintf("Remove them: %1$s[!sf::st_is_empty(%1$s), ].", argument)))
  }
  if (length(geometry) && !inherits(geometry[[1L]], "XY")) {
    abort_neargp("geometry",
      c(paste0("The points of `", argument,
        "` include a third dimension, which is not used silently."),
        i = "Drop it with sf::st_zm(), or give a data frame with coords = ~ x + y + z."))
  }
}

crs_of <- function(crs) {
  if (is.null(crs)) return(NULL)
  require_package("sf", "to read a CRS")
  read <- tryCatch(sf::st_crs(crs), error = function(e) NULL)
  if (is.null(read) || is.na(read)) {
    abort_argument("crs", "a coordinate reference system that sf::st_crs() understands", crs)
  }
  read
}

# crs_of() comes first, as its error names the package that is missing.
crs_is_longlat <- function(crs) {
  read <- crs_of(crs)
  isTRUE(sf::st_is_longlat(read))
}

crs_unit <- function(crs) {
  unit <- crs_of(crs)$units_gdal
  if (is.null(unit) || is.na(unit)) "" else switch(unit, metre = "m", kilometre = "km", unit)
}

# `transform`: the call that transforms an object of the class of `argument`; `untell`: how its CRS
# is taken off.
check_same_crs <- function(crs, locations,
                           transform = sprintf("sf::st_transform(%s, fit$locations$crs)", argument),
                           untell = NULL, argument = "newdata") {
  trained <- locations$crs
  same <- if (is.null(trained)) is.na(crs) else !is.na(crs) && crs == trained
  if (!same) {
    abort_neargp("crs",
      c(sprintf("`%s` is not in the coordinate reference system of the training data.", argument),
        x = sprintf("Training data: %s; %s: %s.", describe_crs(trained), argument,
          describe_crs(crs)),
        i = if (is.null(trained)) "Fit with a CRS: argument `crs`, or sf data with a CRS." else
          paste0(if (is.na(crs)) "Set its own CRS, and if that is another one transform it: " else
            "Transform it: ", transform, "."), i = if (is.null(trained)) untell))
  }
}

# Rows at other locations than the data: points of sf in the same CRS, or a data frame with the same
# columns. `argument` is the class of the condition as well.
check_place_columns <- function(data, locations, argument) {
  if (is_sf(data)) {
    at_geometries <- is.null(locations$names)
    if (!at_geometries && (length(locations$raw_names) != 2L || has_factors(locations))) {
      abort_neargp(argument, c("The model has more coordinates than an sf geometry.",
        i = sprintf("Give `%s` as a data frame.", argument)))
    }
    check_same_crs(sf::st_crs(data), locations, argument = argument)
  } else if (is.null(locations$names)) {
    abort_neargp(argument, c(sprintf(
      "The model was fitted to geometries, of sf data or a raster, but `%s` is a plain data frame.",
      argument), i = sprintf(
      "Convert it: sf::st_as_sf(%s, coords = c(\"x\", \"y\"), crs = %s).", argument,
      if (argument == "newdata") "fit$locations$crs" else "sf::st_crs(data)")))
  }
}

# A CRS given as a PROJ string lacks a name of its own, and for one from a file or a raster the
# input is its WKT, of many lines.
describe_crs <- function(crs) {
  if (is.null(crs) || is.na(crs)) return("none")
  if (!is.na(crs$Name) && !crs$Name %in% c("", "unknown")) return(crs$Name)
  if (grepl("[", crs$input, fixed = TRUE)) crs$proj4string else crs$input
}

# Data columns without the geometry; a plain data frame of plain columns.
drop_geometry <- function(data) {
  if (inherits(data, "sfc")) return(as.data.frame(matrix(NA, length(data), 0L)))
  plain_columns(as.data.frame(if (inherits(data, "sf")) sf::st_drop_geometry(data) else data))
}

# Turns a data frame of results into sf with the geometry of `newdata`, sf or sfc.
geometry_restorer <- function(newdata) {
  if (inherits(newdata, "sf")) return(function(columns) attach_geometry(columns, newdata))
  function(columns) sf::st_sf(columns, geometry = newdata)
}

attach_geometry <- function(columns, newdata) {
  geometry <- sf::st_geometry(newdata)
  if (!inherits(newdata, "tbl_df")) return(sf::st_sf(columns, geometry = geometry))
  columns <- in_class_of(columns, newdata)
  columns$geometry <- geometry
  sf::st_as_sf(columns)
}
