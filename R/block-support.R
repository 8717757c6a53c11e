#' Responses on areas
#'
#' Change of support: with sf polygons as `data`, alone or mixed with points, a row of [neargp()]
#' is the mean of the field over its area, and what is fitted is the field at points. So
#' [predict()][predict.neargp] at points or cells is downscaling, and [predict_areas()] goes from
#' areas to other areas. `block_support()` says which points stand for an area and how they are
#' weighted.
#'
#' @details The response of an area A is `y_A = sum_l a_l (x_l'beta + w(u_l)) + e_A`, with weights
#' `a_l` that add up to 1 at points `u_l`: a regular grid cuts the area into parts, the points are
#' their centroids and the weights are their sizes. The response of a point is that of other fits.
#' The covariance of two rows is the mean over all pairs of their points, the variance of a row
#' included, `sum_lm a_l b_m C(u_l, v_m)`, and with it the likelihood, its gradient, predictions,
#' draws and leave-one-out predictions are those of any gaussian response: [exact_gp()] from all
#' rows, [vecchia()] from the rows whose centres are nearest. The covariance parameters are those of
#' the field at points: the variance is that of a point, not of an area. Predictions from all rows
#' are coherent: without a nugget, the mean of the predictions at the points of an area is its value
#' (Kyriakidis 2004). [vecchia()] has this as nearly as its neighbours tell what all rows do.
#'
#' In a simulation with 144 areas and a covariate at their points, 95% intervals of downscaled
#' points covered 94.7%, those of cells 95.0% (`bench/areal.R`).
#'
#' **Noise and denominators.** The nugget is the variance of an area's own error, whatever its size.
#' `weights` of [neargp()] divide it: with a rate, such as cases by inhabitants, give
#' `weights = inhabitants`, or, where the variance of each rate is known, `measurement_variance`. A
#' nugget that is a variation of the field from point to point averages out over areas:
#' `weights = size` has that.
#'
#' **Trend.** Columns of the data are constant within their area. With `covariates`, layers of a
#' raster take their place at each point, and the columns of the trend are averaged, so that
#' `poly(height, 2)` is the mean of the polynomial and not that of the mean height. They are what
#' `predict()` needs in the cells of a finer raster.
#'
#' **Cost.** Each pair of rows takes the product of their numbers of points in covariances: with 16
#' points a pair of areas has 256. The likelihood of 2,025 areas with its gradient took 0.5 s of one
#' core by [vecchia()] with 30 neighbours and 16 points, a 14th of that with four, and 5 ms as
#' points; by [exact_gp()] that of 900 areas took 0.7 s, 0.1 s as points (`bench/areal.R`).
#'
#' @param points number of points of an area that is a square. Irregular areas have the size of as
#'   many cells and get more points, one for each cell that they touch, and about 400 at most. With
#'   16 the variance of the mean over a square is right to 2% for an exponential covariance whose
#'   range is its side (`bench/areal.R`). More are for areas that are wide in units of the range.
#' @param weights a SpatRaster of numbers of at least 0 by cell, such as inhabitants, which the
#'   means are weighted by, cells on an edge by their part inside; `NULL` for none. Areas of other
#'   sizes have the same weight as ever: `weights` of [neargp()] is about noise.
#' @param covariates a SpatRaster whose layers, numbers, are covariates of the trend at each point,
#'   by the names that the formula has; `NULL` for none. Points where they are missing are left out,
#'   and areas without any others are missing values.
#' @return A settings object for the argument `support` of [neargp()].
#' @section What it is for: One gaussian response by [exact_gp()] or [vecchia()] without inducing
#' points, with a covariance of one distance (components may be summed, with `ard` or an anisotropy;
#' not [cov_spacetime()], nor local standard deviations, ranges, warps or `by`), on the CPU. Counts
#' on areas have means of exponentials in their likelihood, which is none of the families': give
#' their rates as a gaussian response with `weights`, or the centres as points.
#' [simulate()][simulate.neargp] at the rows of the fit draws means over areas. The curve of
#' [empirical_variogram()] is that of points, and its pairs are those of rows.
#' @references Kyriakidis, P. C. (2004). A geostatistical framework for area-to-point spatial
#'   interpolation. *Geographical Analysis* 36, 259–289. Goovaerts, P. (2008). Kriging and
#'   semivariogram deconvolution in the presence of irregular geographical units. *Mathematical
#'   Geosciences* 40, 101–128.
#' @seealso [predict_areas()] for predictions of areas.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Temperatures of coarse cells, and what they tell of the places within.
#' cells <- land_temperature()
#' places <- sf::st_as_sf(cells, coords = c("lon", "lat"), crs = 4326)
#' coarse <- sf::st_sf(geometry = sf::st_make_grid(places, n = c(12, 10)))
#' coarse$temperature <- aggregate(places["temperature"], coarse, mean)$temperature
#' fit <- neargp(temperature ~ 1, coarse, method = exact_gp(), support = block_support(points = 9),
#'   covariance = cov_matern(nu = 1.5))
#' fit
#' some <- places[seq(1, nrow(places), by = 60), ]
#' fine <- predict(fit, some, interval = "confidence")
#' cor(fine$mean, some$temperature)
#' @export
block_support <- function(points = 16L, weights = NULL, covariates = NULL) {
  for (name in c("weights", "covariates")) {
    layer <- get(name)
    if (!is.null(layer) && !is_raster(layer)) abort_argument(name, "a SpatRaster or NULL", layer)
  }
  structure(list(points = check_count(points, "points", upper = 400L), weights = weights,
    covariates = covariates), class = "neargp_support")
}

#' @export
print.neargp_support <- function(x, ...) {
  cat("Areas by about ", x$points, if (x$points == 1L) " point" else " points", " each",
    if (!is.null(x$weights)) ", weighted by a raster",
    if (!is.null(x$covariates)) paste0("; covariates at each: ", format_some(names(x$covariates))),
    "\n", sep = "")
  invisible(x)
}
