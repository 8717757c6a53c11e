# Weights inside of areas: a column with a number for each area, which its total is multiplied by,
# or a raster of numbers by cell, such as inhabitants.

# The weights as one number for each area, or as the raster.
check_area_weights <- function(weights, areas, object) {
  if (is.null(weights)) return(NULL)
  if (is_raster(weights)) return(check_weight_raster(weights, object))
  name <- if (rlang::is_formula(weights)) all.vars(weights) else if (rlang::is_string(weights))
    weights
  values <- if (is.null(name)) weights else weight_column(name, areas)
  if (!is.numeric(values) || !length(values) %in% c(1L, length(areas$geometry))) {
    abort_argument("weights",
      "a SpatRaster, the name of a column of the areas, or a number for each of them", weights)
  }
  values <- rep_len(as.double(values), length(areas$geometry))
  check_weight_values(values, "area")
}

weight_column <- function(name, areas) {
  if (length(name) != 1L || !name %in% names(areas$columns)) {
    abort_neargp("newdata", c(paste0("The areas lack a column ", format_some(name),
      ", which `weights` names."), i = paste0("Their columns: ",
      format_some(names(areas$columns), 12L), ".")))
  }
  areas$columns[[name]]
}

check_weight_values <- function(values, where) {
  bad <- which(values < 0 | is.infinite(values))
  if (length(bad)) {
    abort_neargp("argument",
      c(sprintf("`weights` must be finite numbers of at least 0 (%s %s).", where,
        format_some(bad)), i = "They are sizes, such as numbers of inhabitants."))
  }
  values
}

check_weight_raster <- function(weights, object) {
  require_package("terra", "for SpatRaster objects")
  if (terra::nlyr(weights) != 1L || !terra::hasValues(weights)) {
    abort_argument("weights", "a SpatRaster with one layer of numbers", weights)
  }
  check_raster_crs(weights, object$locations)
  extremes <- unlist(read_from(weights, terra::global(weights, "range", na.rm = TRUE)))
  if (any(is.finite(extremes) & extremes < 0) || any(extremes == Inf)) {
    abort_argument("weights", "a SpatRaster of finite numbers of at least 0", weights)
  }
  weights
}

# Points with their weights, and the total weight of each area. Within an area a point takes the
# weights of the cells that are nearest to it. Cells on an edge count with the part inside, so that
# weights add up to the area's total whatever the spacing.
with_area_weights <- function(points, areas, weights) {
  if (is.null(weights)) return(points)
  if (!is_raster(weights)) {
    points$total <- weights
    points$weight[is.na(weights[points$area])] <- NA
    return(take_points(points, !is.na(points$weight)))
  }
  cells <- covered_cells(weights, areas$geometry)
  points$weight <- nearest_weights(points, cells)
  points$total <- sums_by_group(cells$weight, cells$area, length(areas$geometry))
  take_points(points, points$weight > 0)
}

take_points <- function(points, kept) {
  points$xy <- points$xy[kept, , drop = FALSE]
  points[c("area", "weight")] <- list(points$area[kept], points$weight[kept])
  points
}

# Cells of a raster in each area: their centres `xy` and weights. An area across the date line
# becomes two polygons of the plane.
covered_cells <- function(weights, geometry) {
  unbroken <- unbroken_polygons(geometry)
  across <- which(polygon_boxes(unbroken)[3L, ] > pmax(polygon_boxes(geometry)[3L, ], 180))
  east <- cells_of_polygons(weights, unbroken, seq_along(geometry))
  if (!length(across)) return(east)
  west <- cells_of_polygons(weights, sf::st_set_crs(unbroken[across], NA) - c(360, 0), across)
  list(area = c(east$area, west$area), weight = c(east$weight, west$weight),
    xy = rbind(east$xy, west$xy))
}

# `areas`: the number of the area that each polygon is of.
cells_of_polygons <- function(weights, geometry, areas) {
  polygons <- terra::vect(geometry)
  terra::crs(polygons) <- ""
  cells <- read_from(weights, {
    terra::crs(weights) <- ""  # both are in that of the data
    terra::extract(weights, polygons, cells = TRUE, exact = TRUE, ID = TRUE)
  })
  cells <- cells[!is.na(cells[[2L]]) & cells[[2L]] > 0, , drop = FALSE]
  list(area = areas[cells$ID], weight = cells[[2L]] * cells$fraction,
    xy = terra::xyFromCell(weights, cells$cell))
}

nearest_weights <- function(points, cells) {
  weight <- double(length(points$area))
  at <- split(seq_along(points$area), points$area)
  for (part in split(seq_along(cells$area), cells$area)) {
    own <- at[[as.character(cells$area[part[1L]])]]
    nearest <- as.matrix(core_neighbors_to(points$xy[own, , drop = FALSE],
      cells$xy[part, , drop = FALSE], 1L, plain_context()))
    weight[own] <- sums_by_group(cells$weight[part], drop(nearest), length(own))
  }
  weight
}
