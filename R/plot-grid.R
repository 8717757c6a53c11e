# The grid on which the map of a fit is predicted, in the coordinates that the user gave.

# original_coords() of a fit as a data frame, factors as such.
original_frame <- function(fit) with_levels(original_coords(fit), fit$locations)

# Whether distances go round the globe, and the data with them. A hull in the plane would draw an
# edge where the data continue.
goes_round <- function(fit, raw) {
  input_locations(fit$locations)$metric == "longlat" && widest_gap(raw[, 1L])$width < 90
}

# Degrees by metric, by CRS, or by the names of the coordinates: maps need it for their shape even
# where the model does not.
is_longlat_fit <- function(fit) {
  place <- input_locations(fit$locations)
  if (place$metric == "longlat") return(TRUE)
  if (!is.null(place$crs)) return(crs_is_longlat(place$crs))
  named_degrees(original_coords(fit)[, seq_along(place$raw_names), drop = FALSE])
}

# About `cells` cells over the bounding box, without those outside the data's convex hull (widened a
# little), where there is one.
map_grid <- function(fit, cells = 10000L, time = NULL) {
  raw <- original_coords(fit)
  check_map_of_numbers(fit)
  if (length(fit$locations$raw_names) == 1L && is.null(fit$locations$time)) {
    line <- seq(min(raw), max(raw), length.out = 500L)
    return(matrix(line, dimnames = list(NULL, fit$locations$raw_names)))
  }
  if (length(fit$locations$raw_names) != 2L) {
    abort_neargp("plot", c(
      sprintf("A map needs two coordinates in space; this fit has %d.",
        length(fit$locations$raw_names)),
      i = "Plot its diagnostics: which = c(\"residuals\", \"qq\")."
    ))
  }
  grid <- data_lattice(raw, cells)
  step <- cell_size(raw, cells, is_longlat_fit(fit))
  if (is.null(grid)) grid <- cells_over(raw, step)
  if (!goes_round(fit, raw)) {
    inside <- inside_hull(grid, raw[, 1:2], margin = 1.02, slack = 0.5 * max(step))
    grid <- grid[inside, , drop = FALSE]
  }
  dimnames(grid) <- list(NULL, fit$locations$raw_names)
  if (is.null(fit$locations$time)) return(grid)
  at <- if (is.null(time)) max(raw[, 3L]) else time_numbers(time, "time")
  cbind(grid, matrix(at, nrow(grid), 1L, dimnames = list(NULL, fit$locations$time)))
}

check_map_of_numbers <- function(fit) {
  if (!has_factors(fit$locations)) return(invisible())
  abort_neargp("plot", c(
    sprintf("Maps and curves are not available for a fit with factors among its coordinates (%s).",
      format_some(names(fit$locations$factors))),
    i = "Plot its diagnostics: which = c(\"residuals\", \"qq\"); or predict() over one coordinate with the others fixed."))
}

# Width and height of cells that are square on the map.
cell_size <- function(raw, cells, longlat) {
  shape <- if (longlat) cos(mean(range(raw[, 2L])) * pi / 180) else 1
  side <- c(diff(range(raw[, 1L])) * shape, diff(range(raw[, 2L])))
  longest <- if (any(side > 0)) max(side) else 1
  step <- longest * sqrt(max(prod(side / longest), 0.01) / cells)
  c(step / shape, step)
}

cells_over <- function(raw, step) {
  centers <- function(x, step) {
    n <- max(1, ceiling(diff(range(x)) / step))
    mean(range(x)) + (seq_len(n) - (n + 1) / 2) * step
  }
  as.matrix(expand.grid(centers(raw[, 1L], step[1L]), centers(raw[, 2L], step[2L])))
}

# Data on a lattice are predicted on that lattice, or on every m-th of its rows and columns. Any
# other grid would show beats between the two in the standard deviations.
data_lattice <- function(raw, cells) {
  lattice <- as_grid(raw[, 1L], raw[, 2L])
  if (is.null(lattice)) return(NULL)
  thinning <- max(1, round(sqrt(prod(lattice$size) / cells)))
  at <- lapply(1:2, function(i) lattice$origin[i] + (seq(1, lattice$size[i], by = thinning) - 1) *
    lattice$step[i])
  as.matrix(expand.grid(at))
}

# A point inside a convex polygon with counter-clockwise corners is left of all its edges. `slack`
# also allows points that are right of an edge by no more than that: the hull of data along a line
# contains no centre of a cell.
inside_hull <- function(points, data, margin, slack = 0) {
  side <- apply(data, 2L, function(x) diff(range(x)))
  # a line, of which chull() may find corners in any order
  if (min(side) <= 1e-8 * max(side)) return(rep(TRUE, nrow(points)))
  corners <- data[rev(grDevices::chull(data)), , drop = FALSE]
  if (nrow(corners) < 3L) return(rep(TRUE, nrow(points)))
  center <- colMeans(corners)
  corners <- sweep(sweep(corners, 2L, center) * margin, 2L, center, "+")
  inside <- rep(TRUE, nrow(points))
  for (i in seq_len(nrow(corners))) {
    from <- corners[i, ]
    edge <- corners[i %% nrow(corners) + 1L, ] - from
    inside <- inside & edge[1L] * (points[, 2L] - from[2L]) >=
      edge[2L] * (points[, 1L] - from[1L]) - slack * sqrt(sum(edge^2))
  }
  inside
}

# Cells of a raster or of a stars grid as rows, for maps that are made of rows. They take the form
# of the fit's data, without cells that lack a value in all layers. Other newdata stay what they
# are.
rows_of_grid <- function(fit, newdata) {
  if (!is_raster(newdata) && !is_stars(newdata)) return(newdata)
  check_grid_coordinates(fit$locations)
  cells <- if (is_raster(newdata)) raster_cells(fit, newdata) else stars_cells(fit, newdata)
  if (is.null(fit$locations$names)) {
    return(sf::st_as_sf(data.frame(cells$centers, cells$columns, check.names = FALSE), coords = 1:2,
      crs = fit$locations$crs %||% sf::NA_crs_))
  }
  cells$columns[fit$locations$names[1:2]] <- list(cells$centers[, 1L], cells$centers[, 2L])
  cells$columns
}

raster_cells <- function(fit, raster) {
  require_package("terra", "for SpatRaster objects")
  check_raster_crs(raster, fit$locations)
  columns <- cell_columns(raster)
  shown <- is_covered(columns, fit)
  list(columns = columns[shown, , drop = FALSE], centers = terra::xyFromCell(raster, which(shown)))
}

stars_cells <- function(fit, stars) {
  grid <- stars_frame(stars, "newdata", names_of_model(fit))
  check_same_crs(grid$crs, fit$locations)
  shown <- is_covered(grid$columns[names(grid$grid)], fit)
  columns <- grid$columns[shown, , drop = FALSE]
  list(columns = columns[setdiff(names(columns), grid$places)],
    centers = as.matrix(columns[grid$places]))
}

fit_place <- function(fit, coords) {
  longlat <- is_longlat_fit(fit)
  names <- fit$locations$raw_names
  list(x = if (longlat) joined_longitude(coords[, 1L]) else coords[, 1L],
    y = if (length(names) > 1L) coords[, 2L], longlat = longlat,
    unit = if (longlat) "" else input_locations(fit$locations)$unit, names = names)
}
