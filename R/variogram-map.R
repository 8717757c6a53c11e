#' Variogram map
#'
#' @description
#' Computes the semivariance by the difference of locations in both coordinates. An anisotropy
#' shows as ellipses. Experimental.
#'
#' ```r
#' plot(variogram_map(fit))
#' ```
#'
#' @details
#' Each pair of locations enters twice, with its difference and with the opposite one. The cell of a
#' pair is the nearest multiple of `width` in each coordinate. Estimators and the sampling of pairs
#' are those of [empirical_variogram()]. A map needs more pairs than a variogram: look for ellipses,
#' not for single cells. Both locations share the level of [replicates]. To model ellipses, use
#' `anisotropy = TRUE` in the [covariance].
#'
#' @param object a fit by [neargp()] to a Gaussian response, or a numeric vector.
#' @param coords planar locations of a vector: sf points, a matrix or a data frame. Default `NULL`:
#'   those of the fit.
#' @param width the side of a cell, in units of the coordinates. Default `NULL`: `cutoff / 7`.
#' @param cutoff the largest centre of a cell in each coordinate. Default `NULL`: a third of the
#'   diagonal.
#' @param estimator,max_pairs see [empirical_variogram()].
#' @param x the result.
#' @param ... not used.
#' @return A data frame of class `neargp_variogram_map` with the columns `dx`, `dy`, `gamma` and
#'   `n_pairs`. `plot()` and `autoplot()` draw it.
#' @references Isaaks, E. H. and Srivastava, R. M. (1989). *An Introduction to Applied
#'   Geostatistics*. Oxford University Press.
#' @examples
#' # Stripes along the diagonal
#' set.seed(1)
#' d <- data.frame(x = runif(500), y = runif(500))
#' d$z <- sin(12 * (d$x - d$y)) + rnorm(500, sd = 0.3)
#' map <- variogram_map(d$z, d[c("x", "y")], width = 0.05, cutoff = 0.4)
#' head(map)
#' plot(map)
#'
#' # Without the trend of a fit
#' fit <- neargp(z ~ x, d, coords = ~ x + y, method = vecchia(k = 10))
#' plot(variogram_map(fit, cutoff = 0.4))
#' @export
variogram_map <- function(object, coords = NULL, width = NULL, cutoff = NULL,
                          estimator = c("classical", "robust"), max_pairs = 1e6, ...) {
  check_no_more_arguments()
  check_required()
  estimator <- check_choice(estimator, "estimator", c("classical", "robust"))
  given <- values_of_map(object, coords)
  check_variogram_values(given$values, given$coords)
  cutoff <- check_number(cutoff %||% (extent_of(given$coords) / 3), "cutoff", 0, open = TRUE)
  width <- check_number(width %||% (cutoff / 7), "width", cutoff / 1000)
  check_number(max_pairs, "max_pairs", 100)
  reach <- floor(cutoff / width + 1e-9)
  # to the corners of the outermost cells
  pairs <- close_pairs(given$coords, sqrt(2) * (reach + 0.5) * width, max_pairs, given$levels)
  pairs$difference <- abs(given$values[pairs$i] - given$values[pairs$j])
  map_of_pairs(pairs, given$coords, width, reach, estimator, given$unit)
}

values_of_map <- function(object, coords) {
  if (inherits(object, "neargp")) {
    check_fit(object)
    check_gaussian(object$family, abort_neargp("variogram",
      "A variogram map is available for Gaussian responses."))
    place <- object$locations
    if (!is.null(coords)) abort_argument("coords", "left out for a fit", coords)
    coords <- object$data$coords
    levels <- coords[, replicate_columns(place), drop = FALSE]
    coords <- coords[, setdiff(seq_len(ncol(coords)), replicate_columns(place)), drop = FALSE]
    if (ncol(coords) != 2L || !is.null(place$time)) abort_not_planar()
    return(list(values = trend_residuals(object), coords = coords, unit = place$unit,
      levels = if (ncol(levels)) levels))
  }
  if (!is.numeric(object)) abort_argument("object", "values or a fit of neargp()", object)
  check_given(is.null(coords), "coords", "the locations of the values")
  place <- fold_locations(coords, FALSE)
  if (place$longlat || ncol(place$coords) != 2L) abort_not_planar()
  list(values = object, coords = place$coords, unit = place$unit)
}

abort_not_planar <- function() {
  abort_neargp("coordinates", c("A variogram map needs two planar coordinates, without a time.",
    i = "Project the locations first."))
}

# One row for each cell of the lattice with any pair.
map_of_pairs <- function(pairs, coords, width, reach, estimator, unit) {
  step <- round((coords[pairs$j, , drop = FALSE] - coords[pairs$i, , drop = FALSE]) / width)
  both <- rbind(step, -step)
  difference <- rep(pairs$difference, 2L)
  inside <- abs(both[, 1L]) <= reach & abs(both[, 2L]) <= reach
  side <- 2 * reach + 1
  cell <- both[inside, 1L] + reach + side * (both[inside, 2L] + reach) + 1
  n <- tabulate(cell, side^2)
  used <- which(n > 0)
  gamma <- class_semivariances(difference[inside], cell, n[used], estimator)
  table <- data.frame(dx = ((used - 1) %% side - reach) * width,
    dy = ((used - 1) %/% side - reach) * width, gamma = gamma, n_pairs = n[used])
  structure(table, class = c("neargp_variogram_map", "data.frame"), width = width, unit = unit)
}

#' @rdname variogram_map
#' @export
plot.neargp_variogram_map <- function(x, ...) {
  check_plot_arguments(autoplot.neargp_variogram_map)
  draw_plots(autoplot.neargp_variogram_map(x, ...))
}

#' @exportS3Method ggplot2::autoplot
autoplot.neargp_variogram_map <- function(object, ...) {
  check_no_more_arguments()
  unit <- attr(object, "unit") %||% ""
  new_plot(as.data.frame(object), ggplot2::aes(.data$dx, .data$dy, fill = .data$gamma),
    "Variogram map", x = label_with_unit("dx", unit), y = label_with_unit("dy", unit)) +
    ggplot2::geom_tile() + ggplot2::coord_equal() +
    ggplot2::scale_fill_viridis_c("semivariance")
}
