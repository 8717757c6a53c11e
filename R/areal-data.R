# Rows of data that are areas. Points stand for each area, and the model frame contains a point in
# the middle in place of them. The result is a list:
#   `data`: sf points with the user's columns, and with layers of covariates as means over areas.
#   `xy`, `area`, `weight`: the coordinates of each point, its row and its weight in the row.
#   `values`: the layers that are covariates, at each point; NULL without such layers.
#   `described`: what the fit keeps of the areas, see with_support().

# Coarse grids are areas where a support is given for them. `used`: the names that the model has.
areas_of_grid <- function(data, support, used) {
  if (!is.null(support) && is_raster(data)) return(areas_of_raster(data))
  if (!is.null(support) && is_stars(data)) {
    return(sf::st_as_sf(stars_frame(data, "data", used)$grid, as_points = FALSE))
  }
  points_of_grid(data, used)
}

areas_of_raster <- function(raster) {
  require_package("sf", "for areas")
  columns <- raster_values(raster, dataframe = TRUE)
  known <- is_covered(columns)
  cells <- sf::st_set_crs(cell_polygons(raster), sf_crs(raster_crs(raster)))
  sf::st_sf(columns[known, , drop = FALSE], geometry = cells[known])
}

# NULL for data of points.
new_areal_data <- function(data, support, formula, locations) {
  if (!is_areas(data)) {
    if (is.null(support)) return(NULL)
    abort_neargp("support", c("`support` is for areas, and the rows of `data` are not areas.",
      i = "Give sf polygons, or a SpatRaster or stars grid, whose cells then count as areas."))
  }
  if (is.null(support)) {
    support <- block_support()
    inform_neargp("support", c(
      "A row of `data` that is a polygon is the mean of the field over it.",
      i = "support = block_support() says by which points; sf::st_centroid() makes points of polygons."))
  }
  geometry <- areal_geometry(sf::st_geometry(data), locations)
  points <- areal_points(geometry, locations, support)
  middle <- middles_of_rows(points, locations$metric == "longlat")
  plain <- drop_geometry(data)
  points <- with_covariates(points, support, formula, locations)
  for (name in names(points$values)) {
    plain[[name]] <- rep(NA_real_, nrow(plain))
    plain[[name]][unique(points$area)] <- means_by_row(points$values[[name]], points)
  }
  c(list(data = points_in_place(plain, middle, sf::st_crs(data))), points[c("xy", "area", "weight",
    "values")], list(described = list(asked = support$points, step = points$step,
      areas = points$areas)))
}

points_in_place <- function(plain, xy, crs) {
  middle <- sf::st_as_sf(data.frame(x = xy[, 1L], y = xy[, 2L]), coords = c("x", "y"), crs = crs)
  sf::st_geometry(plain) <- sf::st_geometry(middle)
  plain
}

# The geometry on the sphere or in the plane, as distances are measured.
areal_geometry <- function(geometry, locations) {
  types <- as.character(sf::st_geometry_type(geometry))
  wrong <- which(!types %in% c("POINT", "POLYGON", "MULTIPOLYGON"))
  if (length(wrong)) {
    abort_neargp("geometry", c(
      paste0("Rows of `data` must be points or polygons, not ", format_some(unique(types[wrong])),
        " (", format_rows(wrong), ")."),
      i = "Take the polygons out of collections by sf::st_collection_extract(data, \"POLYGON\")."))
  }
  is_point <- types == "POINT"
  check_points(geometry[is_point], "data")
  check_polygons(geometry[!is_point])
  check_polygon_degrees(geometry, locations, "data")
  geometry <- measured_polygons(geometry, locations)
  check_valid_polygons(geometry)
  geometry
}

# The points in the order of the rows, with weights that add up to 1 in each; points stand for
# themselves.
areal_points <- function(geometry, locations, support) {
  is_point <- sf::st_geometry_type(geometry) == "POINT"
  polygons <- geometry[!is_point]
  boxes <- unbroken_boxes(polygons)
  size <- area_sizes(polygons, locations)
  steps <- areal_steps(size, boxes, locations, support$points)
  points <- points_in_areas(polygons, boxes, steps, locations$metric == "longlat")
  if (!is.null(support$weights)) {
    points <- with_area_weights(points, list(geometry = polygons),
      check_weight_raster(support$weights, list(locations = locations)))
    check_weighted(points, which(!is_point))
  }
  xy <- rbind(points$xy, sf_coordinates(geometry[is_point], "data"))
  area <- c(which(!is_point)[points$area], which(is_point))
  order <- order(area)
  with_unit_sums(list(xy = unname(xy[order, , drop = FALSE]), area = area[order],
    weight = c(points$weight, rep(1, sum(is_point)))[order], step = max(steps),
    areas = sum(!is_point)))
}

# The factor by which `count` cells get the size of the area. `largest`: step, in larger areas than
# those of the fit.
areal_steps <- function(size, boxes, locations, count, largest = Inf) {
  pmax(pmin(sqrt(size / count), largest), least_steps(size, boxes, locations, 400))
}

with_unit_sums <- function(points) {
  sums <- rowsum(points$weight, points$area, reorder = FALSE)
  points$weight <- points$weight / sums[match(points$area, unique(points$area))]
  points
}

# `rows`: of the areas in the data.
check_weighted <- function(points, rows) {
  bare <- rows[setdiff(seq_along(rows), points$area)]
  if (!length(bare)) return(invisible())
  abort_neargp("support", c(
    sprintf("The raster `weights` contains no weight within the area in %s.", format_rows(bare)),
    i = "Leave such rows out of `data`, or check the raster's extent."))
}

means_by_row <- function(x, points) {
  unname(rowsum(as.matrix(x) * points$weight, points$area, reorder = FALSE))
}

# Locations in the middle of the points, of areas across the date line as well.
middles_of_rows <- function(points, longlat) {
  middle <- means_by_row(points$xy, points)
  if (!longlat) return(middle)
  row <- match(points$area, unique(points$area))
  of_rows <- split(seq_along(row), row)
  apart <- vapply(of_rows, function(own) diff(range(points$xy[own, 1L])) > 180, NA)
  middle[apart, 1L] <- vapply(of_rows[apart],
    function(own) mean_longitude(points$xy[own, 1L], points$weight[own]), 0)
  middle
}

# ---- covariates at the points --------------------------------------------------------------------

with_covariates <- function(points, support, formula, locations) {
  if (is.null(support$covariates)) return(points)
  layers <- check_covariates(support$covariates, list(locations = locations))
  used <- all.vars(formula[[3L]])
  names <- if ("." %in% used) names(layers) else intersect(names(layers), used)
  if (!length(names)) {
    abort_neargp("support", c("The formula contains none of the layers of `covariates`.",
      x = paste0("They are ", format_some(names(layers), 12L), ".")))
  }
  values <- read_from(layers, terra::extract(layers[[names]], points$xy))
  numbers <- vapply(values, is.numeric, NA)
  if (!all(numbers)) {
    abort_neargp("support", c(
      paste0("`covariates` must be numbers, which have means, but ", format_some(names[!numbers]),
        " is not."),
      i = "terra::segregate() makes a layer of 0 and 1 of each class."))
  }
  known <- stats::complete.cases(values)
  points <- take_points(points, known)
  points$values <- values[known, , drop = FALSE]
  if (length(points$area)) with_unit_sums(points) else points
}

check_covariates <- function(covariates, object) {
  if (is.null(covariates)) return(NULL)
  if (!is_raster(covariates)) {
    abort_argument("covariates", "a SpatRaster or NULL", covariates)
  }
  check_raster_crs(covariates, object$locations)
  covariates
}

# The trend and the offset as means over the points of each row.
with_areal_trend <- function(model, frame, areal) {
  if (is.null(areal$values)) return(model)
  rows <- frame[["(areal_rows)"]]
  own <- which(areal$area %in% rows)
  points <- list(area = match(areal$area[own], rows), weight = areal$weight[own])
  columns <- drop_geometry(areal$data)[areal$area[own], , drop = FALSE]
  columns[names(areal$values)] <- areal$values[own, , drop = FALSE]
  row.names(columns) <- NULL
  design <- evaluated_design(list(terms = attr(frame, "terms"), xlevels = model$xlevels,
    contrasts = model$contrasts, time_kinds = model$time_kinds), columns)
  check_design_finite(design, areal$area[own])
  order <- unique(points$area)
  model$data$X[order, ] <- means_by_row(design$X, points)
  of_formula <- drop(means_by_row(design$offset, points))
  model$data$offset[order] <- of_formula + (frame[["(offset)"]] %||% rep(0, nrow(frame)))[order]
  model
}
