#' Point patterns as counts in cells
#'
#' Trees, crimes or sightings, whose places are the data, become rows for [neargp()]: the cells of a
#' grid over the window in which points were looked for, each with the number of its points and the
#' area that it has in the window. A Poisson response of these with the logarithm of the area as an
#' offset is a log-Gaussian Cox process.
#'
#' @details
#' Points of a log-Gaussian Cox process (Møller, Syversveen and Waagepetersen 1998) are those of a
#' Poisson process whose intensity, the expected number of points in a unit of area, is
#' `exp(trend + field)`. With an intensity that is constant within cells its likelihood is, but for
#' a constant, that of independent Poisson counts with means `area * intensity`. So the fit is
#'
#' ```
#' cells <- point_pattern_data(points, window)
#' fit <- neargp(count ~ 1 + offset(log(area)), cells, coords = ~ x + y, family = poisson())
#' ```
#'
#' by [vnngp()] or another method for counts. Cells should be small beside the effective range that
#' [print()] tells, and beside what covariates change over: clusters that are smaller than a cell
#' are not seen. Finer cells change estimates little once that is so: of the example 25 cells miss
#' the clusters, and from 400 cells to 3,600 the range goes from 0.074 to 0.072, the variance from
#' 1.7 to 1.8 (with `k = 15`). Time grows with their number. Cells at the edge of the window are
#' there with the area that they have in it. Holes in the window are places where points could not
#' be seen, not places without points.
#'
#' With `area = 1` [predict()] has the intensity; with other areas expected counts, and by
#' `threshold` or intervals those of counts. Numbers of points in polygons are `predict(fit,
#' transform(polygons, area = 1), fun = "sum", interval = "prediction")`: the sum takes the size of
#' a polygon itself.
#'
#' @param points the points: sf points in a projected CRS or none, or a matrix or data frame of two
#'   columns, their coordinates.
#' @param window where points were looked for: sf polygons in the CRS of the points, or four
#'   numbers, `c(xmin = , xmax = , ymin = , ymax = )` or [sf::st_bbox()], of a rectangle. The
#'   rectangle around the points is no window: it makes them denser than they are.
#' @param cells about how many cells; their sides are chosen so that whole cells, all but squares,
#'   cover the window's rectangle.
#' @param spacing side of square cells in the unit of the coordinates, in place of `cells`.
#' @param covariates a [terra::SpatRaster][terra::rast], whose layers at the centres of cells become
#'   columns. Rows where they are missing are treated by `na.action` of [neargp()], which leaves
#'   them, and their points, out of the window.
#' @return For sf points an sf object of the centres of cells, otherwise a data frame with their
#'   coordinates under the names of the columns of `points`, or `x` and `y`; with the columns
#'   `count`, `area`, the part of the cell within the window in squared units of the coordinates,
#'   and those of the covariates. There is a row for each cell that has a part in the window.
#' @references Møller, J., Syversveen, A. R. and Waagepetersen, R. P. (1998). Log Gaussian Cox
#'   processes. *Scandinavian Journal of Statistics* 25, 451–482. Diggle, P. J., Moraga, P.,
#'   Rowlingson, B. and Taylor, B. M. (2013). Spatial and spatio-temporal log-Gaussian Cox
#'   processes. *Statistical Science* 28, 542–563.
#' @seealso [vnngp()], [response_family], [plot_map()].
#' @examples
#' # seedlings around trees
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
    abort_neargp("crs", c("`points` are longitude and latitude, in which cells have no one size.",
      i = "Project points and window, for example by sf::st_transform(points, 3035)."))
  }
  places <- coordinate_matrix(points)
  if (ncol(places) != 2L) {
    abort_neargp("coordinates",
      c(sprintf("`points` must have two coordinates, not %d.", ncol(places)),
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
    abort_neargp("window", c("`window` has no area.", x = sprintf(
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
      i = "Mend them by sf::st_make_valid()."))
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
    sprintf("%s of %s points are outside of `window`: %s.", format_count(sum(outside)),
      format_count(nrow(places)), format_rows(which(outside))),
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

# The cell of each point, x running fastest. A cell has its left and lower edges, the last ones
# both.
cell_of_points <- function(places, grid) {
  column <- findInterval(places[, 1L], grid$x, rightmost.closed = TRUE)
  row <- findInterval(places[, 2L], grid$y, rightmost.closed = TRUE)
  (row - 1L) * (length(grid$x) - 1L) + column
}

# The area that each cell has in the window.
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
    sprintf("%d points lie on the edge of `window` in cells that have no area in it.",
      sum(count[lost])), i = "Take other `cells`, or enlarge the window by sf::st_buffer()."))
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
