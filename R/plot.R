#' Plot a fit
#'
#' @description
#' Draws a map of the predictions, diagnostics from leave-one-out residuals, and the variogram with
#' the fitted curve.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' plot(fit)
#' ```
#'
#' @details
#' `autoplot()` returns a ggplot object, and `plot()` draws it. Several plots share a page, and a
#' page divided by `par(mfrow = )` is filled. Without ggplot2, `plot()` draws plain versions, except
#' `"qq"`, `"inducing"` and `"calibration"`.
#'
#' | `which` | plot |
#' |---|---|
#' | `"map"` | predictions on a grid over the data, or at `newdata`; a curve with its band for one coordinate |
#' | `"residuals"` | standardised leave-one-out residuals against predictions; dotted lines contain 95% |
#' | `"residual_map"` | the same residuals in space; patches are structure that the model misses |
#' | `"qq"` | their normal quantiles, with a pointwise 95% band |
#' | `"variogram"` | [empirical_variogram()] with the fitted curve, for Gaussian responses |
#' | `"loo"` | observations against leave-one-out predictions |
#' | `"effects"` | each covariate and smooth of the trend: its partial effect with a 95% band |
#' | `"calibration"` | [calibration_curve()] of 0/1 responses |
#' | `"range"`, `"sd"` | the local range or standard deviation, see [nonstationary_covariance] |
#' | `"coefficients"` | spatially varying coefficients, see [varying_coefficients] |
#' | `"warp"` | warped coordinates, see [warped_coordinates()] |
#' | `"inducing"` | the inducing points over the data |
#'
#' If the trend contains covariates, the map shows the process alone; give `newdata` for
#' predictions. Dots mark locations where the data leave more than half of the variance. Residuals
#' of other families are normal quantiles of the PIT, see [residuals.neargp()]. With `what = "sd"`,
#' `"range"`, `"sd"`, `"warp"` and `"coefficients"` show standard errors. Maps of `"range"` and
#' `"sd"` show the first local component. Residuals and quantiles show at most 20,000 observations,
#' evenly spaced. If you also ask for `"loo"` or `"residual_map"`, quantiles show all.
#'
#' @param x,object a fit by [neargp()].
#' @param which names of plots. Default `NULL`: map, residuals, their quantiles and the variogram,
#'   or the map of residuals for other families. For [ppgpr()] and [odvgp()] these are the map and
#'   the inducing points.
#' @param what `"mean"` (default) or `"sd"` of the predictions.
#' @param newdata locations of the map, see [predict.neargp()]. Default `NULL`: a grid.
#' @param cells the number of cells of the grid, an integer. Default: 10,000.
#' @param time the time of the map. Default `NULL`: the latest.
#' @param palette,limits,centered see [plot_map()].
#' @param type the scale of `"effects"`: `"link"` (default) for centred effects on the linear
#'   predictor, or `"response"` for the expected response. There, other covariates and the offset
#'   are at their median or most frequent level, and the process and the effects of groups are 0.
#'   With a `transform`, it is the median.
#' @param ... for `plot()`, `palette`, `limits` and `centered`; for `"variogram"`, arguments of
#'   [empirical_variogram()].
#' @return A ggplot object, or a list of class `neargp_plots` with several. The table that a plot
#'   shows is its `data`. Without ggplot2, `plot()` returns `NULL`.
#' @seealso [plot_map()], [empirical_variogram()], [cross_validate()]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326)
#' plot(fit, cells = 1000)
#' plot(fit, which = "map", what = "sd", cells = 1000)
#'
#' # A map of predictions that use a covariate
#' height <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5))
#' grid <- expand.grid(lon = seq(-109, -102, 0.25), lat = seq(37, 41, 0.25), elevation = 2000)
#' plot(height, which = "map", newdata = grid)
#'
#' # Change a plot by ggplot2, and look at its table
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   ggplot2::autoplot(fit, "residuals") + ggplot2::labs(title = "Precipitation")
#'   head(ggplot2::autoplot(fit, "residuals")$data, 3)
#' }
#' @export
plot.neargp <- function(x, which = NULL, what = c("mean", "sd"), newdata = NULL, cells = 10000,
                        time = NULL, ...) {
  check_fit(x)
  check_plot_arguments(autoplot.neargp, if ("variogram" %in% which) empirical_variogram.neargp)
  draw_plots(autoplot.neargp(x, which %||% drawable_plots(default_plots(x)), what, newdata, cells,
    time, ...))
}

#' @rdname plot.neargp
#' @exportS3Method ggplot2::autoplot
autoplot.neargp <- function(object, which = NULL, what = c("mean", "sd"), newdata = NULL,
                            cells = 10000, time = NULL, palette = NULL, limits = NULL,
                            centered = FALSE, type = c("link", "response"), ...) {
  check_fit(object)
  which <- which %||% default_plots(object)[1L]
  if (is.character(which)) check_local_plots(object, which)
  check_choices(which, "which", fit_plots(object))
  what <- check_choice(what, "what", c("mean", "sd"))
  type <- check_choice(type, "type", c("link", "response"))
  check_count(cells, "cells", upper = 1e7)
  if (!"variogram" %in% which) check_no_more_arguments()
  loo <- if (any(which %in% c("residuals", "residual_map", "qq", "loo"))) {
    loo_table(object, most = if (any(which %in% c("residual_map", "loo"))) Inf else most_drawn)
  }
  plots_of(which, function(one) switch(one,
    map = ggplot_fit_map(object, what, newdata, cells, time, palette, limits, centered),
    residuals = ggplot_residuals(object, loo),
    residual_map = ggplot_residual_map(object, loo),
    qq = ggplot_qq(loo),
    variogram = autoplot.neargp_variogram(empirical_variogram(object, ...)),
    loo = ggplot_predictions(loo, object$data$response_name, loo_title, loo_scores(object, loo)),
    range = , sd = ggplot_local_scale(object, one, what, newdata, cells, time, palette, limits),
    warp = ggplot_warp(object, what, newdata, cells, time, palette, limits),
    coefficients = ggplot_coefficients(object, what, newdata, cells, time, palette, limits,
      centered),
    inducing = ggplot_inducing(object),
    effects = ggplot_effects(object, type),
    calibration = ggplot_calibration(binary_observations(object, NULL), 10L, judged_rows(NULL),
      object$data$levels, object$data$response_name)))
}

fit_plots <- function(fit) {
  c("map", "residuals", "residual_map", "qq", "variogram", "loo", local_plots(fit),
    if (length(effect_covariates(fit))) "effects", if (!is.null(fit$inducing)) "inducing",
    if (is_binary_fit(fit)) "calibration")
}

default_plots <- function(fit) {
  if (has_no_distance(fit$covariance) || is_nowhere(fit$locations)) {
    return(c("residuals", "qq", if (is_nowhere(fit$locations)) "loo" else "residual_map"))
  }
  in_space <- if (has_factors(fit$locations)) Inf else length(fit$locations$raw_names)
  # it leaves no rows out
  if (!has_ability(fit$method, "leave_one_out")) return(c(if (in_space <= 2L) "map", "inducing"))
  # with more coordinates few pairs are close, and distant pairs do not determine the estimates
  last <- if (is_gaussian(fit$family) && in_space <= 3L && !has_no_curve(fit)) "variogram" else
    if (in_space == 2L) "residual_map" else "loo"
  c(if (in_space <= 2L && !has_local_covariates(fit)) "map", "residuals", "qq", last)
}

ggplot_fit_map <- function(fit, what, newdata, cells, time, palette, limits, centered = FALSE) {
  drawn <- map_predictions(fit, newdata, cells, time)
  if (length(drawn$place$names) == 1L) return(ggplot_fit_curve(fit, drawn))
  # A map of standard deviations shows by itself where little is known.
  if (what == "sd") drawn$place$dotted <- NULL
  values <- drawn$predictions[[what]]
  ggplot_map(drawn$place, values, color_scale(values, palette %||% default_palette(what, centered),
    limits, centered), legend_title(fit, drawn, what), map_title(drawn, what))
}

# The response, with its unit or the scale of a spatial effect; short enough for a legend.
legend_title <- function(fit, drawn, what) {
  name <- label_with_unit(fit$data$response_name, response_unit(fit))
  if (!drawn$known) name <- paste("effect on", response_with_scale(fit))
  paste(strwrap(if (what == "sd") paste("sd of", name) else name, 18L), collapse = "\n")
}

map_title <- function(drawn, what) {
  if (what == "sd") paste0("Standard deviation: ", sub("^P", "p", sub("^S", "s", drawn$title))) else
    drawn$title
}

# The curve over the data, unless it is that of a spatial effect alone, on another scale.
ggplot_fit_curve <- function(fit, drawn) {
  table <- data.frame(x = drawn$place$x, value = drawn$predictions$mean,
    drawn$predictions[c("lower", "upper")])
  data <- if (drawn$known) {
    data.frame(x = original_coords(fit)[, 1L], y = observed_response(fit$data))
  }
  ggplot_band(table[order(table$x), ], drawn$place$names, fit$data$response_name, drawn$title,
    data = data)
}

# Predictions to be drawn, their locations and the title that describes them.
map_predictions <- function(fit, newdata, cells, time) {
  response <- fit$data$response_name
  if (!is.null(newdata)) {
    return(c(newdata_map(fit, newdata), title = sprintf("Prediction of %s", response),
      known = TRUE))
  }
  coords <- map_grid(fit, cells, time)
  at_time <- if (!is.null(fit$locations$time)) sprintf(" at %s = %s", fit$locations$time,
    format_time(coords[1L, fit$locations$time], fit$locations)) else ""
  trend <- grid_trend(fit, coords)
  integrated <- trend$known && is_integrated(NULL, fit)
  moments <- predict_latent(fit, embed_coordinates(coords, fit$locations,
    lacking = "the grid of a map"), trend$X, trend$offset, integrated = integrated)
  predictions <- if (trend$known) observation_summary(fit, moments, integrated) else
    normal_summary(moments$mean, sqrt(moments$variance))
  scale <- predictor_scale(fit$family)
  title <- if (trend$known) sprintf("Prediction of %s%s", response, at_time) else
    sprintf("Spatial effect on %s%s%s", response, at_time, if (scale == "identity") "" else
      sprintf(" (%s scale)", scale))
  place <- fit_place(fit, coords)
  place$dotted <- mostly_unknown(fit, coords, moments$variance)
  list(predictions = predictions, place = place, title = title, known = trend$known)
}

# Where the data leave more than half of the variance that the field takes without them: beyond gaps
# and edges a map would look like one of data. NULL where that variance is not one number.
# `variance` includes that of the trend, which an uncertain intercept raises everywhere. Where it is
# large, the field is therefore predicted again, as if the trend were known.
mostly_unknown <- function(fit, coords, variance) {
  kinds <- vapply(fit$locations$local, `[[`, "", "kind")
  if (!is.null(fit$deep) || any(c("log_sd", "by") %in% kinds)) return(NULL)
  half <- 0.5 * sum(vapply(fit$core_covariance$components, `[[`, 0, "variance"))
  open <- which(variance > half)
  if (length(open)) {
    places <- embed_coordinates(coords[open, , drop = FALSE], fit$locations)
    design <- zero_design(fit, length(open))
    variance[open] <- predict_latent(with_known_trend(fit), places, design$X,
      design$offset)$variance
  }
  variance > half
}

with_known_trend <- function(fit) {
  fit$core_trend <- core_trend(fit)
  fit$core_trend$beta_vcov[] <- 0
  fit$core_trend$spread <- NULL
  fit
}

# A new observation, from moments of the linear predictor. Its limits are for curves; quantiles of
# all cells of a map would take long.
observation_summary <- function(fit, moments, integrated) {
  at <- list(weights = reference_weight(fit),
    parameter_columns = reference_columns(fit$data$parameter_models, length(moments$mean)))
  observation <- if (integrated)
    integrated_predictive(fit, moments, predict_settings(fit))$observation else
    predictive(fit$method, fit, moments, at)$observation
  as.data.frame(c(predictive_moments(observation),
    if (is_curve(fit)) predictive_limits(observation, 0.95)))
}

normal_summary <- function(mean, sd) {
  data.frame(mean = mean, sd = sd, normal_limits(mean, sd, 0.95))
}

is_curve <- function(fit) {
  length(fit$locations$raw_names) == 1L && !has_factors(fit$locations)
}

newdata_map <- function(fit, newdata) {
  predictions <- stats::predict(fit, newdata,
    interval = if (is_curve(fit)) "prediction" else "none")
  if (!is.data.frame(predictions) || is_sf(predictions)) {
    place <- map_place(predictions, NULL, is_longlat_fit(fit))
    return(list(predictions = place$data, place = place))
  }
  list(predictions = predictions, place = newdata_place(fit, newdata))
}

# Where rows are that were not predicted themselves: points of sf, or rows with coordinates.
newdata_place <- function(fit, newdata) {
  if (is_sf(newdata)) return(map_place(newdata, NULL, is_longlat_fit(fit)))
  fit_place(fit, raw_coordinates(newdata, fit$locations, "newdata"))
}

# The trend on a grid, when it depends on nothing but the coordinates.
grid_trend <- function(fit, coords) {
  if (all(fit$required_columns %in% colnames(coords)) && is.null(fit$offset_argument)) {
    turned <- longitudes_of_trend(fit, coords)
    if (!is.null(turned)) return(c(newdata_design(fit, as.data.frame(turned)), known = TRUE))
  }
  c(zero_design(fit, nrow(coords)), known = FALSE)
}

# The same locations with longitudes in the convention of the rows that the trend was made of. The
# fit stores these rows only as points on the sphere. The convention is found as the one that
# reproduces the design of some rows.
longitudes_of_trend <- function(fit, coords) {
  name <- fit$locations$raw_names[1L]
  used <- all.vars(stats::delete.response(fit$terms))
  if (fit$locations$metric != "longlat" || !name %in% used) return(coords)
  rows <- shown_rows(length(fit$data$y), 1000L)
  known <- original_coords(fit)[rows, , drop = FALSE]
  for (cut in list(NULL, -180, 0)) {
    turn <- function(x) {
      if (!is.null(cut)) x[, name] <- turned_longitude(x[, name], cut)
      x
    }
    design <- evaluated_design(fit, as.data.frame(turn(known)))$X
    same <- all.equal(unname(design), unname(full_design(fit$data)[rows, , drop = FALSE]),
      tolerance = 1e-6, check.attributes = FALSE)
    if (isTRUE(same)) return(turn(coords))
  }
  NULL
}
