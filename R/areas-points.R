# Points that stand for an area: the centroids of its parts in the cells of a regular grid over its
# bounding box, at least one, with the size of these as weights. For whole cells this is the
# midpoint rule. Its error in the variance of a mean over a square whose side is the range of an
# exponential covariance is, without data, 2% with 16 points, 0.2% with 144.

km_per_degree <- 6371 * pi / 180

# `spacing`: NULL, or one number in the unit of distances. A list of the points, `xy` as the user's
# coordinates, of the `area` of each, in order, and of its `weight` within it.
area_points <- function(geometry, object, spacing) {
  longlat <- object$locations$metric == "longlat"
  if (!length(geometry)) {
    return(list(xy = matrix(double(0), 0L, 2L), area = integer(0), weight = double(0)))
  }
  boxes <- unbroken_boxes(geometry)
  points_in_areas(geometry, boxes, area_spacing(geometry, boxes, object, spacing), longlat)
}

polygon_boxes <- function(geometry) {
  vapply(geometry, function(polygon) as.double(sf::st_bbox(polygon)), double(4))
}

# The points of grids of these steps: centroids of the parts of an area in the cells, with the size
# of these as weights, so that means of what is linear in the coordinates are exact. A part whose
# centroid lies outside of the area is cut in four, and its parts likewise.
points_in_areas <- function(geometry, boxes, steps, longlat, most_cuts = 3L) {
  check_point_count(boxes, steps, longlat)
  if (!length(geometry)) return(list(xy = matrix(0, 0L, 2L), area = integer(0), weight = double(0)))
  edges <- polygon_edges(unbroken_polygons(geometry), longlat)
  shapes <- vapply(seq_along(geometry), function(i) grid_shape(boxes[, i], steps[i], longlat),
    double(2L))
  whole <- grids <- grids_over(seq_along(geometry), boxes_of_edges(boxes, edges), shapes, 1)
  parts <- NULL
  for (cuts in 0:most_cuts) {
    cells <- cells_in_areas(edges, grids, longlat)
    settled <- cells$whole | cuts == most_cuts
    settled[!settled] <- centroids_lie_in(cells[!settled, ], geometry)
    parts <- rbind(parts, cells[settled, c("area", "x", "y", "share")])
    if (all(settled)) break
    grids <- quarters_of(cells[!settled, ], grids)
  }
  if (longlat) parts <- with_parts_on_sphere(parts, geometry, whole)
  as_points(parts, geometry)
}

centroids_lie_in <- function(cells, geometry) {
  lies_in_own(within_given(cbind(cells$x, cells$y), cells$area, geometry), cells$area, geometry)
}

# A ring around a pole with a hole at it is no polygon of the plane, where its size is wrong. It has
# the middles of the cells that lie in it.
with_parts_on_sphere <- function(parts, geometry, grids) {
  cell <- grids$width / grids$columns * grids$height / grids$rows * km_per_degree^2
  size <- sums_by_group(parts$share, parts$area, nrow(grids)) * cell
  off <- which(abs(size - as.numeric(sf::st_area(geometry)) / 1e6) > 0.02 * size)
  cells <- middles_of_cells(grids[off, ])
  rbind(parts[!parts$area %in% off, ], cells[centroids_lie_in(cells, geometry), ])
}

# In order, in the longitudes of the polygons. An area of nothing but rounding has a point of its
# own.
as_points <- function(parts, geometry) {
  bare <- setdiff(seq_along(geometry), parts$area)
  if (length(bare)) {
    own <- sf::st_coordinates(suppressWarnings(sf::st_point_on_surface(unbroken_polygons(
      geometry[bare]))))
    parts <- rbind(parts, data.frame(area = bare, x = own[, 1L], y = own[, 2L], share = 1))
  }
  parts <- parts[order(parts$area), ]
  list(xy = within_given(cbind(parts$x, parts$y), parts$area, geometry), area = parts$area,
    weight = parts$share)
}

# A distance of at most `needed_distance()`: at least 25 points, 16 of responses that are drawn,
# and, unless a spacing is given, at most `most` an area.
area_spacing <- function(geometry, boxes, object, spacing,
                         least = if (has_normal_areas(object)) 25 else 16,
                         most = most_points(object, length(geometry))) {
  size <- area_sizes(geometry, object$locations)
  if (!is.null(spacing)) return(rep(spacing, length(geometry)))
  if (has_areal_data(object)) return(steps_of_fit(size, boxes, object$locations))
  wanted <- needed_distance(geometry, size, object)
  coarse <- which(sqrt(size / most) > 1.1 * wanted)
  if (length(coarse)) {
    inform_neargp("spacing", c(
      sprintf("%d of %d areas would need more than %s points, as near each other as the range and the data ask for: they have fewer, and standard deviations that are too large.",
        length(coarse), length(size), format_count(most)),
      i = sprintf("spacing = %s gives them all; it takes more memory and time.",
        format(signif(min(wanted[coarse]), 3L)))))
  }
  pmax(pmin(wanted, sqrt(size / least)), least_steps(size, boxes, object$locations, most))
}

# Points of one area, and of all together but for 400 of each: what takes seconds. A sparse
# posterior is solved at all of them at once; the others have matrices of all points of an area,
# which draws factor.
most_points <- function(object, areas) {
  inducing <- inherits(object$method, "neargp_svgp")
  limits <- if (inducing || (is_dense_fit(object) && !has_normal_areas(object)))
    list(one = 1600, all = 5000) else if (is_dense_fit(object))
    list(one = 4000, all = 20000) else list(one = 4000, all = 1e5)
  max(400, min(limits$one, limits$all %/% areas))
}

# What the midpoint rule adds to the variance of a mean is what the field varies within a cell, by
# the number of cells. Of an exponential covariance with cells of the side h it is, as part of the
# field's variance, 0.23 h^3 / (range * area): the sum of its spectral density at the frequencies
# (j, k) / h but 0. Beside the variance of a mean without data that is little where the correlation
# of neighbouring points is 0.75. Data at a distance s leave as much as their own lattice has,
# 0.23 s^3 / (range * area), and of their noise nugget / variance * s^2 / area: points are denser by
# the third root of a share of the two. Of fields with the smoothness nu of Matern covariances the
# power is 2 nu + 2 and not 3: they need not be as dense, and could not, as the posterior at dense
# points of a smooth field is singular to working precision. Responses that are drawn, with noise of
# their own and by dense matrices of the points, have half the range, and no more than 100 points
# for the sake of the data.
needed_distance <- function(geometry, size, object) {
  drawn <- !has_normal_areas(object)
  apart <- distance_of_data(geometry, size, object)
  variance <- sum(vapply(object$core_covariance$components, `[[`, 0, "variance"))
  nugget <- if (drawn) noise_of_link(object) else object$nugget
  noise <- nugget * correlated_distance(object, exp(-1)) / (0.23 * apart * variance)
  power <- 2 * least_smoothness(object) + 2
  by_data <- apart * (0.35^3 * (1 + noise))^(1 / power)
  if (drawn) by_data <- pmax(by_data, sqrt(size / 100))
  pmin(correlated_distance(object, if (drawn) 0.6 else 0.75), by_data)
}

# The noise variance of the field's pseudo-observations, or of a transformed response.
noise_of_link <- function(object) {
  precision <- object$posterior$pseudo_precision %||%
    area_observations(object$method, object)$precision
  1 / max(mean(precision), 0)
}

# The smoothness of the roughest component, as the nu of Matern covariances.
least_smoothness <- function(object) {
  min(vapply(varying_components(object), function(component) {
    switch(component$family, exponential = 0.5, matern = component$shape,
      powered_exponential = if (component$shape < 2) component$shape / 2 else Inf, Inf)
  }, 0))
}

# The distance in a lattice of as many places as there are in the area.
distance_of_data <- function(geometry, size, object) {
  xy <- unique(original_coords(object)[, 1:2, drop = FALSE])
  sqrt(size / lengths(suppressMessages(sf::st_intersects(geometry, points_like(xy, geometry)))))
}

# Steps by which an area has at most `most` points; of slivers the length counts, not the width.
least_steps <- function(size, boxes, locations, most) {
  pmax(sqrt(size / most), box_extents(boxes, locations$metric == "longlat") / most)
}

box_extents <- function(boxes, longlat) {
  extent <- apply(boxes[3:4, , drop = FALSE] - boxes[1:2, , drop = FALSE], 2L, max)
  if (longlat) extent * km_per_degree else extent
}

# Without those that hardly vary.
varying_components <- function(object) {
  components <- object$core_covariance$components
  variances <- vapply(components, function(component) component$variance, 0)
  components[variances >= 0.01 * sum(variances)]
}

# The distance in space, across an anisotropy, at which fields are so correlated.
correlated_distance <- function(object, correlation) {
  min(vapply(varying_components(object), function(component) {
    narrower <- if (length(component$anisotropy)) exp(-sqrt(sum(component$anisotropy^2))) else 1
    min(component$range[component$group[1:2]]) * narrower *
      effective_distance(component$family, component$shape, correlation)
  }, 0))
}

# Steps of a grid over a box, (x, y), in the unit of the coordinates: degrees of longitude are
# shorter than those of latitude.
grid_steps <- function(box, step, longlat) {
  if (!longlat) return(c(step, step))
  step / km_per_degree / c(max(cospi((box[2L] + box[4L]) / 360), 0.01), 1)
}

grid_shape <- function(box, step, longlat) {
  pmax(1, ceiling((box[3:4] - box[1:2]) / grid_steps(box, step, longlat) * (1 - 1e-9)))
}

check_point_count <- function(boxes, steps, longlat, most = 5e6) {
  count <- sum(vapply(seq_along(steps), function(i) prod(grid_shape(boxes[, i], steps[i], longlat)),
    0))
  if (is.finite(count) && count <= most) return(invisible())
  abort_neargp("size", c(
    sprintf("The grids of points over the areas would have %s points, more than %s.",
      format_count(count), format_count(most)),
    i = "Give a greater `spacing`, or fewer areas at a time."))
}

# Of polygons beyond longitude 180 sf warns.
points_like <- function(xy, geometry) {
  suppressWarnings(sf::st_geometry(sf::st_as_sf(data.frame(x = xy[, 1L], y = xy[, 2L]),
    coords = c("x", "y"), crs = sf::st_crs(geometry))))
}

lies_in_own <- function(xy, area, geometry) {
  found <- tryCatch(suppressWarnings(suppressMessages(sf::st_intersects(points_like(xy, geometry),
    geometry))), error = abort_invalid_polygons)
  inside <- logical(length(area))
  inside[rep(seq_along(found), lengths(found))[unlist(found) == rep(area, lengths(found))]] <- TRUE
  inside
}
