#' Responses on areas (change of support)
#'
#' @description
#' Describes responses that are means over areas, such as rates of districts or cells of a coarse
#' raster.
#'
#' ```r
#' points <- sf::st_as_sf(land_temperature(), coords = c("lon", "lat"), crs = 4326)
#' squares <- sf::st_sf(geometry = sf::st_make_grid(points, n = c(8, 6)))
#' squares <- aggregate(points["temperature"], squares, mean)
#' fit <- neargp(temperature ~ 1, squares, support = block_support(points = 4))
#' predict(fit, points[1:3, ])
#' ```
#'
#' @details
#' If `data` are sf polygons, alone or mixed with points, each response is the mean of the process
#' over its area. [neargp()] then estimates the process at points. Predictions at points are
#' downscaling, and [predict_areas()] goes from areas to other areas.
#'
#' A regular grid cuts an area into parts. Their centroids are the points, and their sizes the
#' weights `a_l`. The response is `y_A = sum_l a_l (x_l'beta + w(u_l)) + e_A`, and the covariance of
#' two areas is the mean over all pairs of their points. The estimates therefore belong to the
#' process at points. For example, the variance is that of a point. Without a nugget, the mean of
#' the predictions in an area equals its observation (Kyriakidis 2004), exactly for [exact_gp()].
#'
#' * **Noise.** The nugget is the variance of an area's error, whatever its size. For rates, use
#'   `weights = inhabitants` in [neargp()], or known variances as `measurement_variance`. For a
#'   variation between points that averages out, use `weights = size`.
#' * **Trend.** Columns of the data are constant within an area. With `covariates`, the trend is
#'   evaluated at each point and then averaged. `predict()` then needs the same layers.
#' * **Time.** Each pair of areas needs the product of their numbers of points in covariances. See
#'   the article "Areas and change of support" for timings.
#'
#' @param points the number of points in a square area, an integer. Default: 16. The grid cuts other
#'   areas into more parts, for example 6 in place of 4, up to about 400. Use more for areas that
#'   are wide in units of the range. The default yields the variance of a mean to 2% if the range is
#'   the side of the square.
#' @param weights a SpatRaster of non-negative numbers, such as inhabitants, that weight the means
#'   within areas. Cells at an edge count by their part inside. Default `NULL`: none. For the noise,
#'   use the `weights` of [neargp()].
#' @param covariates a SpatRaster whose layers are covariates at the points, named as in the
#'   formula. Points without values are left out, and areas without any are missing. Default `NULL`:
#'   none.
#' @return A settings object for the argument `support` of [neargp()].
#' @section Methods:
#' You can fit one Gaussian response by [exact_gp()], or by [vecchia()] without inducing points, on
#' the CPU. A [joint model][joint_models] by [vnngp()] combines Gaussian responses on areas with
#' other responses, without `covariates`. The covariance can be a sum, with `ard` or an anisotropy,
#' and not [cov_spacetime()], local or with `by`. For counts, model the rates as a Gaussian response
#' with `weights`, or use the centres as points. Draws of [simulate()][simulate.neargp] at the
#' fitted rows are means over areas. The curve of [empirical_variogram()] is that of points, and its
#' pairs are areas.
#' @references Kyriakidis, P. C. (2004). A geostatistical framework for area-to-point spatial
#'   interpolation. *Geographical Analysis* 36, 259–289. Goovaerts, P. (2008). Kriging and
#'   semivariogram deconvolution in the presence of irregular geographical units. *Mathematical
#'   Geosciences* 40, 101–128.
#' @seealso [predict_areas()] for predictions of areas, the article "Areas and change of support".
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Temperatures of coarse cells, and the temperatures within them
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
  cat("Areas by about ", counted(x$points, "point"), " each",
    if (!is.null(x$weights)) ", weighted by a raster",
    if (!is.null(x$covariates)) paste0("; covariates at each: ", format_some(names(x$covariates))),
    "\n", sep = "")
  invisible(x)
}
