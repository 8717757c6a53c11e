# The support of areas: the points that stand for them, with trend and offset, and the weights of
# the means and totals over them. A list of `target` (coords, X, offset of the points), of each
# point its `area` (in order) and its `weight` (of an area they add up to 1), and of each area its
# number of `points` and for sums its `total`, what the mean is multiplied by.

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
      sprintf("Covariates are missing at %d points of %d areas, which are left out: means and totals are of what is covered.",
        sum(!known & points$area %in% partly), length(partly)),
      x = sprintf("Of %s %d%% is covered, of the others more.", if (length(partly) == 1L)
        paste("area", partly) else paste("area", partly[which.min(share[partly])]),
        floor(100 * min(share[partly])))))
  }
  share
}

# Of areas in another place than was meant all points are beyond the reach of all data. Data that
# are areas reach beyond their middles.
tell_far_areas <- function(object, support, context) {
  if (!length(support$area) || !has_known_reach(object)) return(invisible())
  within <- are_in_reach(object, support$target$coords, context)
  far <- setdiff(unique(support$area), support$area[within])
  if (!length(far)) return(invisible())
  inform_neargp("far", c(
    sprintf("%d of %d areas are farther from all data than the correlation reaches: their predictions are the trend's.",
      length(far), length(support$points)),
    i = sprintf("The first is area %d. Are coordinates in their order, and in the right system?", far[1L])))
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
  needed <- setdiff(object$required_columns, object$locations$names[1:2])
  missing <- setdiff(needed, names(columns))
  if (length(missing)) {
    abort_neargp("newdata",
      c(paste0("The areas lack ", if (length(missing) == 1L) "a column" else "columns",
        " that the model needs: ", format_some(missing), "."),
        i = "A covariate is a column of the areas, constant within each, or a layer of the SpatRaster `covariates`."))
  }
  columns
}

check_covariates <- function(covariates, object) {
  if (is.null(covariates)) return(NULL)
  if (!is_raster(covariates)) {
    abort_argument("covariates", "a SpatRaster or NULL", covariates)
  }
  check_raster_crs(covariates, object$locations)
  covariates
}
