# The support of areas: the points that stand for them, with trend and offset, and the weights of
# the means and totals over them. A list of `target` (coords, X, offset of the points), `area`,
# `weight`, `points` and `total`. `area` and `weight` belong to points, in order of areas; weights
# sum to 1 in an area. `points` is the number of an area's points. `total` is the factor of its mean
# in a sum.

area_support <- function(object, areas, settings) {
  check_grid_coordinates(object$locations)
  points <- area_points(areas$geometry, object, settings$spacing)
  points$total <- if (settings$fun == "sum" && is.null(settings$weights))
    area_sizes(areas$geometry, object$locations)
  points <- with_area_weights(points, areas, settings$weights)
  if (settings$fun == "mean") points["total"] <- list(NULL)
  columns <- point_columns(object, areas$columns[points$area, , drop = FALSE], points$xy,
    settings$covariates)
  target <- new_target_of_cells(object, columns, points$xy, areas$known[points$area], settings$part)
  known <- target$complete
  share <- share_covered(points, areas, known)
  points <- list(area = points$area[known], weight = points$weight[known], total = points$total)
  sums <- sums_by_group(points$weight, points$area, length(areas$geometry))
  c(list(target = target[c("coords", "X", "offset")], area = points$area,
    weight = points$weight / sums[points$area], points = tabulate(points$area,
      length(areas$geometry))),
    list(total = if (!is.null(points$total)) points$total * share))
}

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

# The given spacing, or a distance of at most `needed_distance()`. An area then gets at least 25
# points, 16 for responses that are drawn, and at most `most`.
area_spacing <- function(geometry, boxes, object, spacing,
                         least = if (has_normal_response(object)) 25 else 16,
                         most = most_points(object, length(geometry))) {
  size <- area_sizes(geometry, object$locations)
  if (!is.null(spacing)) return(rep(spacing, length(geometry)))
  if (has_areal_data(object)) return(steps_of_fit(size, boxes, object$locations))
  wanted <- needed_distance(geometry, size, object)
  coarse <- which(sqrt(size / most) > 1.1 * wanted)
  if (length(coarse)) {
    inform_neargp("spacing", c(
      sprintf("%d of %s would need more than %s points for the spacing that the range and the data require. With fewer points, standard deviations are too large.",
        length(coarse), counted(length(size), "area"), format_count(most)),
      i = sprintf("spacing = %s gives all points; it takes more memory and time.",
        format(signif(min(wanted[coarse]), 3L)))))
  }
  pmax(pmin(wanted, sqrt(size / least)), least_steps(size, boxes, object$locations, most))
}

# The most points of one area that take seconds. The points of all areas together are limited as
# well, except that each area may use 400. A sparse posterior is solved at all of them at once. The
# others need matrices of all points of an area, which draws factor.
most_points <- function(object, areas) {
  inducing <- inherits(object$method, "neargp_svgp")
  limits <- if (inducing || (is_dense_fit(object) && !has_normal_response(object)))
    list(one = 1600, all = 5000) else if (is_dense_fit(object))
    list(one = 4000, all = 20000) else list(one = 4000, all = 1e5)
  max(400, min(limits$one, limits$all %/% areas))
}

# The midpoint rule adds to the variance of a mean the variance of the field within a cell, divided
# by the number of cells. For an exponential covariance and cells of side h this is a share of
# 0.23 h^3 / (range * area) of the field's variance. It is the sum of the spectral density at the
# frequencies (j, k) / h except 0. It is small against the variance of a mean without data if the
# correlation of neighbouring points is 0.75. Data at a distance s leave the variance of their own
# lattice, 0.23 s^3 / (range * area). Their noise adds nugget / variance * s^2 / area. The third
# root of a share of the two sets the distance of points.
#
# For Matérn covariances of smoothness nu the power is 2 nu + 2 instead of 3. Points need not be as
# dense then. Nor could they: the posterior at dense points of a smooth field is singular to working
# precision. Responses that are drawn add noise and need dense matrices of the points. Their points
# are about half the range from each other, and the data require at most 100 points.
needed_distance <- function(geometry, size, object) {
  drawn <- !has_normal_response(object)
  apart <- distance_of_data(geometry, size, object)
  variance <- sum(vapply(object$core_covariance$components, `[[`, 0, "variance"))
  nugget <- if (drawn) noise_of_link(object) else object$nugget
  noise <- nugget * correlated_distance(object, exp(-1)) / (0.23 * apart * variance)
  power <- 2 * least_smoothness(object) + 2
  by_data <- apart * (0.35^3 * (1 + noise))^(1 / power)
  if (drawn) by_data <- pmax(by_data, sqrt(size / 100))
  pmin(correlated_distance(object, if (drawn) 0.6 else 0.75), by_data)
}

# The smoothness of the roughest component, as the nu of Matérn covariances.
least_smoothness <- function(object) {
  min(vapply(varying_components(object), function(component) {
    switch(component$family, exponential = 0.5, matern = component$shape, spherical = 0.5,
      wendland = component$shape + 0.5,
      powered_exponential = if (component$shape < 2) component$shape / 2 else Inf, Inf)
  }, 0))
}

# The distance in space, across an anisotropy, at which fields are so correlated.
correlated_distance <- function(object, correlation) {
  min(vapply(varying_components(object), function(component) {
    narrower <- if (length(component$anisotropy)) shortest_factor(component$anisotropy) else 1
    min(component$range[utils::head(component$group, 2L)]) * narrower *
      effective_distance(component$family, component$shape, correlation)
  }, 0))
}

# The noise variance of the field's pseudo-observations, or of a transformed response.
noise_of_link <- function(object) {
  precision <- object$posterior$pseudo_precision %||%
    area_observations(object$method, object)$precision
  1 / max(mean(precision), 0)
}

# The distance in a lattice of as many locations as there are in the area.
distance_of_data <- function(geometry, size, object) {
  xy <- unique(original_coords(object)[, 1:2, drop = FALSE])
  sqrt(size / lengths(suppressMessages(sf::st_intersects(geometry, points_like(xy, geometry)))))
}

# The components in space whose variance is not negligible.
varying_components <- function(object) {
  components <- Filter(function(component) any(utils::head(component$group, 2L) > 0L),
    object$core_covariance$components)
  variances <- vapply(components, function(component) component$variance, 0)
  components[variances >= 0.01 * sum(variances)]
}

# The share of each area's weight that lies at points whose covariates are known. The others are
# left out: an area that reaches beyond a raster is that part of it which the raster covers.
share_covered <- function(points, areas, known) {
  count <- length(areas$geometry)
  whole <- sums_by_group(points$weight, points$area, count)
  share <- sums_by_group(points$weight * known, points$area, count) / whole
  # of areas without any weight all is known, of those without a known point nothing
  share[whole == 0] <- 1
  share[share == 0] <- NA
  partly <- which(share > 0 & share < 1)
  if (length(partly)) {
    inform_neargp("coverage", c(
      sprintf("Points without covariates are left out: %s of %s. Means and totals cover the rest.",
        counted(sum(!known & points$area %in% partly), "point"), counted(length(partly), "area")),
      x = sprintf("In %s %d%% is covered, and more in the others.", if (length(partly) == 1L)
        paste("area", partly) else paste("area", partly[which.min(share[partly])]),
        floor(100 * min(share[partly])))))
  }
  share
}

# If areas are in the wrong location, all of their points are beyond the reach of all data. Data
# that are areas reach beyond their middles.
tell_far_areas <- function(object, support, context) {
  if (!length(support$area) || !has_known_reach(object)) return(invisible())
  within <- are_in_reach(object, support$target$coords, context)
  far <- setdiff(unique(support$area), support$area[within])
  if (!length(far)) return(invisible())
  inform_neargp("far", c(
    sprintf("%d of %s %s farther from all data than the correlation reaches: predictions there are the trend's.",
      length(far), counted(length(support$points), "area"), if (length(far) == 1L) "is" else "are"),
    i = sprintf("The first is area %d. Check the order of the coordinates and their reference system.", far[1L])))
}

# Columns of numbers of the points as weighted means over the areas, a row for each area with any.
area_means <- function(x, support) {
  rowsum(as.matrix(x) * support$weight, support$area, reorder = FALSE)
}

# The covariates of the points: those of their area, and layers of a raster in place of columns of
# that name.
point_columns <- function(object, columns, xy, covariates) {
  row.names(columns) <- NULL
  if (is.null(covariates)) return(check_area_columns(object, columns))
  layers <- read_from(covariates, terra::extract(covariates, xy))
  columns[names(covariates)] <- layers[names(covariates)]
  check_area_columns(object, columns)
}

check_area_columns <- function(object, columns) {
  needed <- setdiff(object$required_columns, utils::head(object$locations$names, 2L))
  missing <- setdiff(needed, names(columns))
  if (length(missing)) {
    abort_neargp("newdata",
      c(paste0("The areas lack ", if (length(missing) == 1L) "a column" else "columns",
        " that the model needs: ", format_some(missing), "."),
        i = "A covariate is a column of the areas, constant within each, or a layer of the SpatRaster `covariates`."))
  }
  columns
}
