#' Point patterns as counts in cells
#'
#' @description
#' Counts points, such as trees, crimes or sightings, in the cells of a grid. A Poisson fit to the
#' counts is a log-Gaussian Cox process.
#'
#' ```r
#' set.seed(1)
#' points <- data.frame(x = runif(200)^2, y = runif(200))
#' cells <- point_pattern_data(points, c(xmin = 0, xmax = 1, ymin = 0, ymax = 1))
#' neargp(count ~ 1 + offset(log(area)), cells, coords = ~ x + y, family = poisson())
#' ```
#'
#' @details
#' The model is a Poisson process with the intensity `exp(trend + w)`, the expected number of points
#' per unit of area (Møller, Syversveen and Waagepetersen 1998). If the intensity is constant within
#' cells, the likelihood is that of independent counts with the means `area * intensity`. The offset
#' `log(area)` accounts for cells at the edge of the window.
#'
#' Cells should be small in comparison with the effective range that `print()` reports, and with the
#' scale of the covariates. Otherwise you cannot see clusters within cells. Time grows with the
#' number of cells, and smaller ones change the estimates little. Holes in the window are regions
#' where points could not be seen, and not regions without points.
#'
#' For a map of the intensity, predict with `area = 1`. With other areas, predictions are expected
#' counts. For example, the numbers of points in polygons are `predict(fit, transform(polygons, area
#' = 1), fun = "sum", interval = "prediction")`.
#'
#' @param points sf points in a projected coordinate reference system or without one, or a matrix or
#'   data frame of two columns.
#' @param window the region in which points were searched for: sf polygons, or `c(xmin = , xmax = ,
#'   ymin = , ymax = )`, as from [sf::st_bbox()]. Do not use the rectangle around the points, which
#'   would overestimate the intensity.
#' @param cells the approximate number of cells, an integer. Default: 2,500.
#' @param spacing the side of square cells in the unit of the coordinates, in place of `cells`.
#'   Default `NULL`: from `cells`.
#' @param covariates a [terra::SpatRaster][terra::rast] whose layers at the centres of cells become
#'   columns. `na.action` in [neargp()] treats missing values, by default as outside the window.
#'   Default `NULL`: none.
#' @return A data frame, or for sf points an sf object, with a row for each cell within the window.
#'   The columns are the centres, `count`, `area` and the covariates. The centres are named as in
#'   `points`, or `x` and `y`. `area` is the part within the window in squared units.
#' @references Møller, J., Syversveen, A. R. and Waagepetersen, R. P. (1998). Log Gaussian Cox
#'   processes. *Scandinavian Journal of Statistics* 25, 451–482. Diggle, P. J., Moraga, P.,
#'   Rowlingson, B. and Taylor, B. M. (2013). Spatial and spatio-temporal log-Gaussian Cox
#'   processes. *Statistical Science* 28, 542–563.
#' @seealso [vnngp()], [response_family], [plot_map()].
#' @examples
#' # Seedlings around trees
#' set.seed(1)
#' trees <- cbind(x = runif(15), y = runif(15))
#' points <- trees[sample(15, 400, TRUE), ] + rnorm(800, sd = 0.06)
#' points <- points[rowSums(points > 0 & points < 1) == 2, ]
#' cells <- point_pattern_data(points, c(xmin = 0, xmax = 1, ymin = 0, ymax = 1), cells = 400)
#' c(points = sum(cells$count), area = sum(cells$area))
#' fit <- neargp(count ~ 1 + offset(log(area)), cells, coords = ~ x + y, family = poisson(),
#'   method = vnngp(k = 10), covariance = cov_matern(nu = 1.5))
#' fit
#' intensity <- predict(fit, transform(cells, area = 1))
#' plot_map(cbind(cells, intensity), "mean", main = "Expected points in a unit of area")
#' @export
point_pattern_data <- function(points, window, cells = 2500L, spacing = NULL, covariates = NULL) {
  check_required()
  cells <- check_count(cells, "cells", upper = 1e7)
  spacing <- check_number(spacing, "spacing", 0, open = TRUE, null_ok = TRUE)
  places <- pattern_coordinates(points)
  region <- pattern_window(window, points)
  grid <- pattern_grid(region$box, cells, spacing)
  check_points_inside(places, region)
  area <- cell_areas(grid, region)
  count <- tabulate(cell_of_points(places, grid), length(area))
  check_counted_area(count, area)
  inside <- area > 0
  centers <- as.matrix(expand.grid(x = middles(grid$x), y = middles(grid$y)))
  centers <- centers[inside, , drop = FALSE]
  columns <- data.frame(count = count[inside], area = area[inside])
  if (!is.null(covariates)) columns <- cbind(columns, covariates_at(covariates, centers, points))
  if (is_sf(points)) {
    return(sf::st_sf(columns, geometry = sf::st_sfc(as_sf_points(centers),
      crs = sf::st_crs(points))))
  }
  names <- colnames(places) %||% c("x", "y")
  cbind(structure(as.data.frame(centers), names = names, row.names = seq_len(nrow(centers))),
    columns)
}

as_sf_points <- function(places) {
  lapply(seq_len(nrow(places)), function(i) sf::st_point(places[i, ]))
}

pattern_coordinates <- function(points) {
  if (is_sf(points) && isTRUE(sf::st_is_longlat(points))) {
    abort_neargp("crs", c("`points` are longitude and latitude, where the cells differ in size.",
      i = "Project points and window, for example by sf::st_transform(points, 3035)."))
  }
  places <- coordinate_matrix(points)
  if (ncol(places) != 2L) {
    abort_neargp("coordinates",
      c(sprintf("`points` must be given in two coordinates, not %d.", ncol(places)),
        i = "Give the columns of coordinates alone, as in data[c(\"x\", \"y\")]."))
  }
  places
}

# ---- the window ----------------------------------------------------------------------------------

# The window's rectangle, `box`, and where it is more than that its polygon.
pattern_window <- function(window, points) {
  if (is_sf(window)) return(polygon_window(window, points))
  sides <- c("xmin", "xmax", "ymin", "ymax")
  if (!is.numeric(window) || length(window) != 4L || !setequal(names(window), sides) ||
      !all(is.finite(window))) {
    abort_neargp("window", c("`window` must be polygons of sf or four numbers with their names.",
      i = "For example window = c(xmin = 0, xmax = 1, ymin = 0, ymax = 1)."))
  }
  box <- stats::setNames(as.double(window[sides]), sides)
  if (box[["xmax"]] <= box[["xmin"]] || box[["ymax"]] <= box[["ymin"]]) {
    abort_neargp("window", c("The area of `window` is zero.", x = sprintf(
      "It goes from %g to %g and from %g to %g.", box[1L], box[2L], box[3L], box[4L])))
  }
  list(box = box)
}

polygon_window <- function(window, points) {
  if (!is_sf(points)) {
    abort_neargp("window", c("A `window` of sf polygons needs `points` of sf.",
      i = "Convert them: sf::st_as_sf(points, coords = c(\"x\", \"y\"), crs = sf::st_crs(window))."))
  }
  if (sf::st_crs(window) != sf::st_crs(points)) {
    abort_neargp("crs", c("`window` and `points` are in unlike coordinate reference systems.",
      i = "Transform the window: sf::st_transform(window, sf::st_crs(points))."))
  }
  polygon <- sf::st_union(sf::st_geometry(window))
  if (!all(sf::st_dimension(sf::st_geometry(window)) %in% 2L) || !all(sf::st_is_valid(polygon))) {
    abort_neargp("window", c("`window` must be valid polygons.",
      i = "Use sf::st_make_valid()."))
  }
  list(box = c(sf::st_bbox(polygon))[c("xmin", "xmax", "ymin", "ymax")], polygon = polygon)
}

check_points_inside <- function(places, region) {
  box <- region$box
  outside <- places[, 1L] < box[["xmin"]] | places[, 1L] > box[["xmax"]] |
    places[, 2L] < box[["ymin"]] | places[, 2L] > box[["ymax"]]
  if (!is.null(region$polygon)) {
    own <- sf::st_sfc(as_sf_points(unname(places)), crs = sf::st_crs(region$polygon))
    outside <- outside | !lengths(sf::st_intersects(own, region$polygon))
  }
  if (!any(outside)) return(invisible())
  abort_neargp("window", c(
    sprintf("%s of %s %s outside of `window`: %s.", format_count(sum(outside)),
      counted(nrow(places), "point"), if (sum(outside) == 1L) "is" else "are",
      format_rows(which(outside))),
    i = "The window is where points were looked for: enlarge it, or leave out points beyond it."))
}

# ---- the grid ------------------------------------------------------------------------------------

# Edges of the cells along either side: squares of a given side, centred on the rectangle, or as
# many as make about `cells` that fit.
pattern_grid <- function(box, cells, spacing) {
  extent <- c(x = box[["xmax"]] - box[["xmin"]], y = box[["ymax"]] - box[["ymin"]])
  side <- spacing %||% sqrt(prod(extent) / cells)
  if (any(extent / side > 1e5) || prod(ceiling(extent / side)) > 2e7) {
    abort_neargp("argument", c(sprintf("Cells of %g are too many for a window of %g by %g.", side,
      extent[["x"]], extent[["y"]]), i = "Give a larger `spacing`, or fewer `cells`."))
  }
  number <- if (is.null(spacing)) pmax(round(extent / side), 1) else ceiling(extent / side - 1e-9)
  step <- if (is.null(spacing)) extent / number else c(x = side, y = side)
  middle <- c(x = box[["xmin"]], y = box[["ymin"]]) + extent / 2
  edges <- function(axis) middle[[axis]] + (seq(0, number[[axis]]) - number[[axis]] / 2) *
    step[[axis]]
  # rounding must not leave a point at the edge of the window outside of all cells
  list(x = covering(edges("x"), box[["xmin"]], box[["xmax"]]),
    y = covering(edges("y"), box[["ymin"]], box[["ymax"]]))
}

covering <- function(edges, from, to) {
  replace(edges, c(1L, length(edges)), c(min(edges[1L], from), max(edges[length(edges)], to)))
}

middles <- function(edges) (edges[-1L] + edges[-length(edges)]) / 2

# The cell of each point, x running fastest. A cell includes its left and lower edges, the last ones
# both.
cell_of_points <- function(places, grid) {
  column <- findInterval(places[, 1L], grid$x, rightmost.closed = TRUE)
  row <- findInterval(places[, 2L], grid$y, rightmost.closed = TRUE)
  (row - 1L) * (length(grid$x) - 1L) + column
}

# The area of each cell within the window.
cell_areas <- function(grid, region) {
  box <- region$box
  within <- function(edges, from, to) diff(pmin(pmax(edges, from), to))
  in_box <- as.vector(outer(within(grid$x, box[["xmin"]], box[["xmax"]]),
    within(grid$y, box[["ymin"]], box[["ymax"]])))
  if (is.null(region$polygon)) return(in_box)
  squares <- cell_squares(grid, sf::st_crs(region$polygon))
  full <- lengths(sf::st_covered_by(squares, region$polygon)) > 0L
  touched <- which(!full & lengths(sf::st_intersects(squares, region$polygon)) > 0L)
  parts <- sf::st_intersection(sf::st_sf(cell = touched, geometry = squares[touched],
    agr = "constant"), region$polygon)
  shares <- tapply(as.double(sf::st_area(parts)), factor(parts$cell, seq_along(squares)), sum)
  ifelse(full, as.double(sf::st_area(squares)), ifelse(is.na(shares), 0, shares))
}

cell_squares <- function(grid, crs) {
  cells <- expand.grid(i = seq_len(length(grid$x) - 1L), j = seq_len(length(grid$y) - 1L))
  rectangles(grid$x[cells$i], grid$x[cells$i + 1L], grid$y[cells$j], grid$y[cells$j + 1L], crs)
}

# A point on the edge of the window may lie in a cell that only touches it.
check_counted_area <- function(count, area) {
  lost <- count > 0 & area <= 0
  if (!any(lost)) return(invisible())
  abort_neargp("window", c(
    sprintf("%s on the edge of `window`, in cells outside of it.",
      counted(sum(count[lost]), "point")), i = "Use other `cells`, or enlarge the window by sf::st_buffer()."))
}

covariates_at <- function(covariates, centers, points) {
  if (!is_raster(covariates)) abort_argument("covariates", "a SpatRaster or NULL", covariates)
  require_package("terra", "for covariates in a SpatRaster")
  wkt <- terra::crs(covariates)
  if (is_sf(points) && nzchar(wkt) && !is.na(sf::st_crs(points)) &&
      sf::st_crs(wkt) != sf::st_crs(points)) {
    abort_neargp("crs", c("`covariates` and `points` are in unlike coordinate reference systems.",
      i = "Transform the raster: terra::project(covariates, sf::st_crs(points)$wkt)."))
  }
  taken <- intersect(names(covariates), c("count", "area"))
  if (length(taken)) {
    abort_neargp("argument", sprintf("A layer of `covariates` cannot be called `%s`.", taken[1L]))
  }
  read_from(covariates, terra::extract(covariates, centers))
}
