#' Predictions of areas
#'
#' Means and totals over polygons or the cells of a raster, each with its uncertainty: the mean
#' temperature of a county, the animals in a reserve, the cases in a district. [predict()] of a fit
#' with polygons as `newdata` is the same function.
#'
#' @details The mean over an area B is that of the field, trend included and without the noise of
#' single observations, at points that stand for the area: `sum_l a_l (x_l'beta + w(u_l))`, with
#' weights a_l that add up to 1. A regular grid cuts the area into parts. The points are the
#' centroids of these parts and the weights are their sizes, on the sphere for longitude and
#' latitude. Means of linear trends are therefore exact, whatever the shape, its parts and its
#' holes. Where a centroid lies outside of the area, its part is cut further. The area has the size
#' of at least 25 cells and at most 4,000 (1,600 for fits by [svgp()]; fewer for many areas, 400 for
#' 250 areas). The column `points` reports the number of points. The distance between
#' points is chosen by the field and by the data. The field has a correlation of 0.75 or more over
#' it (0.3 of the range of an exponential covariance; the shorter range under an anisotropy). It is
#' at most 0.35 of the distance between observations in the area, as if these were a lattice; more
#' where they have noise, and for smoother fields (0.53 with Matern's `nu = 1.5`). Dense data leave
#' little of the variance of a mean, and points no denser than the data make that variance too
#' large. Standard deviations by this rule were too large by up to 2.6% (36 blocks: 60 to 800 rows,
#' exponential and Matern fields, little noise and much, `bench/areas.R`). Where areas would need
#' more than they may have, a message says so. Responses of other families or with a `transform`
#' have points at a correlation of 0.6, at least 16, and for the sake of the data up to 100; at most
#' 1,600 where up to 1,500 rows give a dense posterior.
#'
#' Mean and variance are those of block kriging with the trend: for [exact_gp()], and for up to
#' 1,500 rows of a gaussian response, those from all data. Otherwise data and points are nodes of
#' one nearest-neighbour Gaussian process, each conditioned on `k` among those before it, whose
#' posterior given the data is sparse: that of [vnngp()] at the parameters of the fit, whatever
#' method has found them. So a mean over an area knows all data, and the correlation of its points
#' given these. With 30 neighbours means were off by 0.01 to 0.08 of their standard deviation, with
#' 60 by 0.01 (`bench/areas.R`).
#' Fits by [svgp()] have their own posterior. Those to responses on areas ([block_support()])
#' predict the mean of an area at once, from all rows or the `k` nearest, 96 by default (60 with
#' `joint = TRUE`); the points of their own areas are those of the fit again, and in larger areas
#' they lie as close.
#'
#' The response of other families is a mean of expected responses, `sum_l a_l h(eta_l)` with the
#' inverse link h, which is not h of a mean; so are those of a fit with a `transform`. Its mean is
#' exact given the posterior of the linear predictor, and for a log link its standard deviation too;
#' limits, quantiles and probabilities are those of `draws` joint draws at the points of the area
#' (with `joint = TRUE`, and where an area has more than 800 points, all are, at the points of all
#' areas). All of it is given the estimates of
#' the covariance parameters, which with a few hundred counts are uncertain: 95% intervals of means
#' of counts covered 93.0% with estimates from 300 rows, and 95.3% with the parameters known
#' (`bench/areas.R`, 960 areas each, standard errors 1.1 and 0.7%).
#'
#' @param object a fit of [neargp()] by [vecchia()], [exact_gp()], [loo_k()], [mll_k()], [vnngp()]
#'   (not with the mean field) or [svgp()] to one response that is not a class.
#' @param areas sf polygons (POLYGON or MULTIPOLYGON) in the coordinate
#'   reference system of the data, or a SpatRaster, each of whose cells is an area. Their columns,
#'   or layers, have the covariates of the trend, constant within an area, unless `covariates` has
#'   them, and the time where the fit has one. Coordinates in the trend are those of the points.
#' @param fun `"mean"`, or `"sum"` for totals: the mean times the size of the area in the squared
#'   unit of the coordinates (km2 for longitude and latitude), or times its weight.
#' @param weights sizes within areas, such as numbers of inhabitants: a SpatRaster of numbers by
#'   cell, which means are weighted by, cells on an edge by their part inside; or a column of the
#'   areas (its name, or `~ name`), or a number for each, for totals. `NULL` for none.
#' @param covariates a SpatRaster whose layers are covariates of the trend or of a local covariance,
#'   taken at each point. Points where they are missing are left out, with a message
#'   (`neargp_message_coverage`): means and totals are then of the part that is covered.
#' @param spacing distance of the points in the unit of distances (km for longitude and latitude);
#'   by default as above. A message (`neargp_message_spacing`) tells where areas would need more
#'   points than they may have, and the spacing that gives them all: without, the standard
#'   deviation, small there, is too large.
#' @param type `"response"`, means or totals of expected responses, of a gaussian response those of
#'   the field; `"quantile"`, their quantiles at `probs`; or means on the scale of the link:
#'   `"link"` of the linear predictor, `"process"` of the Gaussian process alone, for which
#'   covariates of the trend are not needed, and `"trend"` of the rest.
#' @param interval `"none"`; `"confidence"`, limits for what `type` says; `"prediction"`, limits for
#'   a total of counts themselves, for a [poisson()] response with `fun = "sum"`.
#' @param level,probs as in [predict.neargp()].
#' @param threshold one or more numbers: adds the probability that the mean or total of an area is
#'   greater, as the column `p_exceed` (`p_exceed_<threshold>` if there are several).
#' @param joint `TRUE` for the joint distribution of all areas: attribute `"covariance"` is the
#'   covariance matrix of their means or totals, in the order of the areas. With
#'   `type = "response"` of other families it is that of the draws, then made of all points
#'   together. It takes a solve with the sparse posterior for each area or draw.
#' @param draws number of joint draws.
#' @param seed an integer for [set.seed()] before the draws, or `NULL`; R's generator is restored
#'   afterwards.
#' @param k number of neighbours of each node; by default 30, or that of the fit where it is more,
#'   up to 60, and none where computations are exact. At most 500.
#' @param threads,verbose as in [neargp()].
#' @param re.form,allow.new.levels as in [predict.neargp()]; the groups are columns of the areas.
#' @param ... not used.
#' @return An sf object (a SpatRaster for a raster) with a row for each area, in their order, and
#'   the columns `mean`, `sd` (or `q0.05`, ... for quantiles), `lower` and `upper` with an interval,
#'   and `points`. With `fun = "sum"` these are of totals. Areas whose covariates are missing are
#'   NA, and so is the mean of one without any weight, whose total is 0.
#' @section Areas that lie elsewhere: A message (`neargp_message_far`) tells of areas that are
#'   farther from all data than the correlation reaches, whose means are the trend's. Holes are no
#'   part of an area; polygons that overlap are areas of their own. Polygons of longitude and
#'   latitude may cross the date line, cut there or not, or lie around a pole.
#' @section Errors: `neargp_error_geometry` (other geometries, empty or invalid ones),
#'   `neargp_error_crs`, `neargp_error_newdata` (missing columns), `neargp_error_method` (fits of
#'   other methods, of several outputs and of classes), `neargp_error_size` (more than 5 million
#'   points, joint predictions by dense matrices of more than 50,000 points, joint draws by them
#'   and joint predictions by [svgp()] of more than 5,000),
#'   `neargp_error_argument`, `neargp_error_missing_values`, `neargp_error_cholesky`.
#' @references Chilès, J.-P. and Delfiner, P. (2012). *Geostatistics*, section 3.5 (block kriging).
#'   Wiley. Katzfuss, M., Guinness, J., Gong, W. and Zilber, D. (2020). Vecchia approximations of
#'   Gaussian-process predictions. *JABES* 25, 383–414.
#' @seealso [predict.neargp()] for places, [simulate.neargp()] for maps whose every cell is drawn.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' cells <- land_temperature()
#' seen <- sf::st_as_sf(cells[!cells$held_out, ][1:1200, ], coords = c("lon", "lat"), crs = 4326)
#' fit <- neargp(temperature ~ 1, seen, method = vecchia(k = 10))
#' areas <- sf::st_sf(geometry = sf::st_make_grid(seen, n = c(4, 3)))
#' means <- predict(fit, areas, interval = "confidence")
#' means
#' plot(means["mean"])
#'
#' # The difference of the first two areas: their means are correlated.
#' both <- predict(fit, areas[1:2, ], joint = TRUE)
#' contrast <- c(-1, 1)
#' c(difference = sum(contrast * both$mean),
#'   sd = sqrt(drop(contrast %*% attr(both, "covariance") %*% contrast)))
#' @export
predict_areas <- function(object, areas, fun = c("mean", "sum"), weights = NULL, covariates = NULL,
                          spacing = NULL,
                          type = c("response", "link", "quantile", "process", "trend"),
                          interval = c("none", "confidence", "prediction"), level = 0.95,
                          probs = c(0.05, 0.5, 0.95), threshold = NULL, joint = FALSE,
                          draws = 1000L, seed = NULL, k = NULL, threads = NULL,
                          verbose = rlang::is_interactive(), re.form = NULL,
                          allow.new.levels = FALSE, ...) {
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
      i = "A mean over an area has no noise of single observations: use interval = \"confidence\"."))
  }
}
