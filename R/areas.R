#' Predict means and totals of areas (block kriging)
#'
#' @description
#' Returns the mean or total of polygons or raster cells, each with its uncertainty.
#'
#' ```r
#' seen <- subset(land_temperature(), !held_out & lon < -92.4)
#' fit <- neargp(temperature ~ 1, seen, coords = ~ lon + lat, crs = 4326)
#' square <- sf::st_as_sfc(sf::st_bbox(c(xmin = -92.5, ymin = 36.1, xmax = -92.45,
#'   ymax = 36.2), crs = 4326))
#' predict_areas(fit, sf::st_sf(geometry = square))
#' ```
#'
#' @details
#' For example, you can predict the mean temperature of a county, the animals in a reserve or the
#' cases in a district (change of support). `predict()` calls this function for polygons in
#' `newdata`.
#'
#' The mean of an area is a weighted mean of the process and trend at points, without the noise of
#' single observations. A regular grid cuts the area into parts. Their centroids are the points, and
#' their sizes the weights, on the sphere for degrees. Areas contain 25 to 4,000 points, fewer for
#' many areas. You can reduce the error of standard deviations, typically at most 2.6%, by a smaller
#' `spacing`.
#'
#' For [exact_gp()], and for up to 1,500 Gaussian observations, means and variances are those of
#' block kriging from all data. Otherwise data and points form one nearest-neighbour process, and
#' means typically differ by 0.01 to 0.08 standard deviations. [svgp()] uses its own posterior. Fits
#' to areas ([block_support()]) predict from all rows or the `k` nearest.
#'
#' For other families and transforms, the result is the mean of expected responses, with intervals,
#' quantiles and probabilities from joint `draws`. See the article "Areas and change of support".
#'
#' @param object a fit by [neargp()] to one response that is not categorical, by [vecchia()],
#'   [exact_gp()], [loo_k()], [mll_k()], [vnngp()] without the mean field, or [svgp()].
#' @param areas sf polygons in the data's coordinate reference system, or a SpatRaster whose cells
#'   are areas. Columns or layers contain the covariates, constant within an area, and the time.
#' @param fun `"mean"` (default) or `"sum"`, the mean times the size or the weight. The size is in
#'   km2 for degrees.
#' @param weights sizes within areas, such as inhabitants: a SpatRaster by cell, or for totals a
#'   column of `areas`, its name or numbers. Default `NULL`: none.
#' @param covariates a SpatRaster of covariates, evaluated at each point. Points without values are
#'   left out, with a message. Default `NULL`: the columns of `areas`.
#' @param spacing the distance of the points in units of the distances, a positive number. A message
#'   reports the spacing to use if areas need more points. Default `NULL`: see Details.
#' @param type `"response"` (default), `"quantile"`, or on the link scale `"link"`, `"process"` or
#'   `"trend"`.
#' @param interval `"none"` (default), `"confidence"`, or `"prediction"` for the total count itself
#'   of a [poisson()] response with `fun = "sum"`.
#' @param level,probs see [predict.neargp()].
#' @param threshold one or more numbers. Adds the exceedance probability `p_exceed`. Default `NULL`:
#'   none.
#' @param joint `TRUE` adds the attribute `"covariance"`, the covariance matrix of all areas.
#'   Default: `FALSE`.
#' @param draws the number of joint draws, an integer. Default: 1,000.
#' @param seed an integer seed for the draws. R's generator is restored afterwards. Default `NULL`:
#'   R's random numbers.
#' @param k the number of neighbours of each point and observation, an integer up to 500. Default
#'   `NULL`: 30, or up to 60 if the fit uses more. For fits to areas: 96, or 60 with `joint = TRUE`.
#' @param threads,verbose see [neargp()].
#' @param re.form,allow.new.levels see [predict.neargp()]; groups are columns of `areas`.
#' @param parameters `"plug-in"` or `"integrated"`, see [integrated_parameters]. Default `NULL`: as
#'   [predict.neargp()], but integrated for up to 100 counts or other families, and plug-in with
#'   `joint = TRUE`.
#' @param ... not used.
#' @return An sf object or SpatRaster with the columns `mean`, `sd` (or `q0.05`, ...), `lower` and
#'   `upper` with an interval, and `points`, the number of points. Areas with missing covariates
#'   return `NA`, and so does the mean of an area without weight, whose total is 0.
#' @section Areas elsewhere:
#' A message reports areas beyond the correlation of all data, whose means are those of the trend.
#' Holes are not part of an area. Overlapping polygons are separate areas. Polygons in degrees can
#' cross the date line or contain a pole.
#' @references Chilès, J.-P. and Delfiner, P. (2012). *Geostatistics*, section 3.5 (block kriging).
#'   Wiley. Katzfuss, M., Guinness, J., Gong, W. and Zilber, D. (2020). Vecchia approximations of
#'   Gaussian-process predictions. *JABES* 25, 383–414.
#' @seealso [predict.neargp()] for locations, [block_support()] for responses on areas,
#'   [simulate.neargp()].
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Mean temperatures of twelve rectangles
#' cells <- land_temperature()
#' seen <- sf::st_as_sf(cells[!cells$held_out, ][1:600, ], coords = c("lon", "lat"), crs = 4326)
#' fit <- neargp(temperature ~ 1, seen, method = vecchia(k = 10))
#' areas <- sf::st_sf(geometry = sf::st_make_grid(seen, n = c(4, 3)))
#' means <- predict(fit, areas, interval = "confidence")
#' means
#' plot(means["mean"])
#'
#' # The difference of two areas: their means are correlated
#' both <- predict(fit, areas[1:2, ], joint = TRUE)
#' contrast <- c(-1, 1)
#' c(difference = sum(contrast * both$mean),
#'   sd = sqrt(drop(contrast %*% attr(both, "covariance") %*% contrast)))
#'
#' # Totals of counts, and the probability of more than 1,000
#' set.seed(1)
#' trees <- data.frame(x = runif(200), y = runif(200))
#' trees$count <- rpois(200, exp(1 + sin(5 * trees$x)))
#' counts <- neargp(count ~ 1, trees, coords = ~ x + y, family = poisson())
#' west <- sf::st_as_sfc(sf::st_bbox(c(xmin = 0, ymin = 0, xmax = 0.5, ymax = 1)))
#' stands <- sf::st_sf(plots = 300, geometry = west)
#' predict_areas(counts, stands, fun = "sum", weights = ~ plots, interval = "confidence",
#'   threshold = 1000, seed = 1)
#' @export
predict_areas <- function(object, areas, fun = c("mean", "sum"), weights = NULL, covariates = NULL,
                          spacing = NULL,
                          type = c("response", "link", "quantile", "process", "trend"),
                          interval = c("none", "confidence", "prediction"), level = 0.95,
                          probs = c(0.05, 0.5, 0.95), threshold = NULL, joint = FALSE,
                          draws = 1000L, seed = NULL, k = NULL, threads = NULL,
                          verbose = rlang::is_interactive(), re.form = NULL,
                          allow.new.levels = FALSE, parameters = NULL, ...) {
  check_no_more_arguments()
  check_given(missing(object), "object", "a fit of neargp()")
  check_class(object, "object", "neargp", "a fit of neargp()")
  check_fit(object)
  check_predicts_areas(object)
  if (missing(areas)) abort_no_newdata(object)
  settings <- new_area_settings(object, list(fun = fun, spacing = spacing, type = type,
    interval = interval, level = level, probs = if (!missing(probs)) probs, threshold = threshold,
    joint = joint, draws = draws, k = k, threads = threads, verbose = verbose))
  if (settings$part == "process") object <- without_trend(object)
  areas <- as_areas(areas, object)
  object <- for_effects_of(object, areas$columns, re.form, allow.new.levels, pooled = FALSE)
  settings$weights <- check_area_weights(weights, areas, object)
  settings$covariates <- check_covariates(covariates, object)
  support <- area_support(object, areas, settings)
  settings$integrated <- integrates_areas(parameters, object, length(support$area), settings)
  tell_far_areas(object, support, settings$context)
  if (!settings$linear) {
    state <- seed_generator(seed)
    on.exit(state$restore())
  }
  columns <- area_columns(object, support, settings)
  result <- areas$restore(columns$columns)
  if (settings$joint) attr(result, "covariance") <- columns$covariance
  result
}

# predict() with polygons, its arguments as given.
predict_given_areas <- function(object, newdata, given) {
  if (!is.null(given$output) || !is.null(given$cluster)) refuse_areas_in_parts()
  do.call("predict_areas", c(list(object, newdata), given), quote = TRUE, envir = topenv())
}

# `given`: arguments of predict_areas() by their names; `probs` NULL where they are left out.
new_area_settings <- function(object, given) {
  type <- check_choice(given$type, "type", c("response", "link", "quantile", parts_of_field))
  if (!is.null(given$probs) && type != "quantile") {
    abort_argument("probs", "left out unless type = \"quantile\"", given$probs)
  }
  settings <- list(fun = check_choice(given$fun, "fun", c("mean", "sum")),
    spacing = check_number(given$spacing, "spacing", 0, open = TRUE, null_ok = TRUE),
    type = if (type %in% parts_of_field) "link" else type,
    part = if (type %in% parts_of_field) type else "field",
    interval = check_choice(given$interval, "interval", c("none", "confidence", "prediction")),
    level = check_level(given$level), probs = check_probs(given$probs %||% c(0.05, 0.5, 0.95)),
    threshold = check_threshold(given$threshold), joint = check_flag(given$joint, "joint"),
    draws = check_count(given$draws, "draws", lower = 2L),
    k = check_count(given$k, "k", upper = most_neighbors_of_areas, null_ok = TRUE),
    context = new_context(given$threads),
    verbose = check_flag(given$verbose, "verbose"))
  settings$linear <- settings$type == "link" || has_normal_response(object)
  check_area_settings(object, settings)
  settings
}

check_area_settings <- function(object, settings) {
  if (settings$fun == "sum" && settings$type == "link" && !has_normal_response(object)) {
    abort_neargp("argument", c(
      "A total on the scale of the link means nothing: fun = \"sum\" is for type = \"response\".",
      i = "Use fun = \"mean\", or leave `type` out."))
  }
  if (settings$interval == "prediction" && !(object$family$family == "poisson" &&
      settings$fun == "sum" && settings$type %in% c("response", "quantile"))) {
    abort_neargp("argument", c(
      "interval = \"prediction\" is for totals of counts: a poisson() response with fun = \"sum\".",
      i = "A mean over an area is without the noise of single observations: use interval = \"confidence\"."))
  }
}
