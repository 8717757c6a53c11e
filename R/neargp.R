#' Fit a Gaussian process to spatial or tabular data
#'
#' @description
#' Fits a regression with a Gaussian process (kriging, geostatistics) to measurements, counts,
#' presence or absence, or categories.
#'
#' ```r
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5))
#' predict(fit, data.frame(lon = -105, lat = 39.7, elevation = 1600), interval = "prediction")
#' ```
#'
#' @details
#' The model of a Gaussian response is `y(s) = trend(s) + offset(s) + w(s) + noise`. The trend is
#' the formula, and `w` is a Gaussian process (spatial random field) with mean zero and the given
#' [covariance]. The noise is independent with variance `nugget / weight`. For other responses,
#' `trend + offset + w` is the linear predictor of the `family`.
#'
#' Fits to large data condition each observation on its nearest neighbours, so you need no mesh (as
#' for SPDE models) and no MCMC. See [neargp_methods] for the methods and for the default method,
#' and [neargp_coordinates] for degrees, units, times and factors among the coordinates.
#'
#' If the optimisation stops early, you get a warning, and the fit stays usable. After an interrupt,
#' you can continue from [neargp_last()].
#'
#' @param formula a formula, the trend of the response, as in [stats::lm()]. For example, `y ~ 1` is
#'   ordinary kriging, `y ~ elevation` universal kriging with a covariate, and `y ~ 0` simple
#'   kriging with the mean zero. `s(depth)` adds a smooth as in a GAM, `(1 | site)` a random effect,
#'   see [random_effects], `features(.)` a process of many predictors, see [cov_features()], and
#'   `learner(ranger::ranger)` another regression, see [learner()]. `cbind(y1, y2) ~ 1` models
#'   several responses together (cokriging), see [cov_coregionalisation()].
#' @param data a data frame, tibble or data.table, sf points or a SpatVector. A terra SpatRaster or
#'   stars grid is a set of points at the cell centres, with its layers as columns. See `support`
#'   for polygons. For data that exceed the memory, see [row_source()].
#' @param coords for data frames, a one-sided formula or the names of the coordinate columns, such
#'   as `~ x + y`. `~ .` uses all columns except the response, time and weights as predictors, as in
#'   machine learning. Default `NULL`: the geometry of `data`. A data frame without `coords` is
#'   fitted without a Gaussian process, see [cov_none()].
#' @param time a one-sided formula of one column: numeric, Date or date-time, the latter two in
#'   days. Default `NULL`: no time. See [cov_spacetime()] for space-time covariances.
#' @param method a settings object such as [vecchia()], [loo_k()], [vnngp()] or [svgp()]. Default
#'   `NULL`: chosen by the response and the number of observations, see [neargp_methods].
#' @param covariance a covariance (kernel) such as [cov_matern()], [cov_spacetime()] or a sum of
#'   several. Default `NULL`: see the table below.
#' @param family a family such as [stats::binomial()], [stats::poisson()] or [negative_binomial()],
#'   or its name, see [response_family] and [categorical()]. Default `NULL`: Gaussian for numbers,
#'   and binomial or categorical for factors, text and logical values.
#' @param nugget the variance of the noise of a Gaussian response: a number of at least 0 in squared
#'   units of the response, or one for each response. A formula such as `~ depth` models it by
#'   covariates, see [noise]. 0 requires distinct locations. Default `NULL`: estimated.
#' @param weights positive numbers, one for each row, evaluated in `data`. The noise variance of row
#'   `i` is `nugget / weights[i]`. Default `NULL`: 1. See [response_family] for other families.
#' @param offset numbers, one for each row, evaluated in `data` and added to the linear predictor.
#'   Prefer `offset()` in the formula, for example `offset(log(effort))`. Default `NULL`: 0.
#' @param subset a logical or integer vector that selects rows, evaluated in `data`. Default `NULL`:
#'   all rows.
#' @param na.action a function for rows with missing values, such as [stats::na.fail()], or one that
#'   imputes values. Default `NULL`: `options("na.action")`, usually [stats::na.omit()].
#' @param distance `"euclidean"`, in the units of the coordinates, or `"chordal"`, in km through the
#'   sphere. Default `"auto"`: chordal if the coordinate reference system uses degrees.
#' @param crs the coordinate reference system of a data frame, anything that [sf::st_crs()] accepts,
#'   such as `4326` for degrees. Default `NULL`: none.
#' @param start starting values: an earlier fit, [neargp_last()], or named numbers as from
#'   `coef(fit, what = "covariance")`. A fit to the same rows by the same method continues where it
#'   ended. A message lists values that cannot be used. `"variogram"` fits the empirical variogram
#'   of the residuals by weighted least squares, with gstat's weights `pairs / distance^2`. Default
#'   `NULL`: from the data, which is more reliable.
#' @param control the optimisation's settings from [neargp_control()].
#' @param prior [pc_priors()] of ranges, standard deviations and smoothness, for [vecchia()],
#'   [exact_gp()], [loo_k()], [mll_k()] and [vnngp()]. Default `NULL`: none, maximum likelihood.
#' @param transform a transformation of a single Gaussian response: `"log"`, `"sqrt"`,
#'   [box_cox()], a transformer of package scales, or a list of two functions. `forward` must be
#'   strictly increasing, and `inverse` non-decreasing on the whole real line. Predictions and
#'   scores return to the response scale. Default `NULL`: none.
#' @param measurement_variance known variances of measurement errors, in squared units of the
#'   (transformed) response: one non-negative number or one for each row, evaluated in `data`. For
#'   example, `se^2`. The nugget is estimated in addition, see [noise]. Default `NULL`: none.
#' @param device `"cpu"`, `"cuda"` for an NVIDIA GPU (an error if none is available), or `"auto"`, a
#'   GPU where it saves time. Default `NULL`: `options(neargp.device)`, else `"auto"`.
#'   [neargp_sitrep()] lists the computations that a GPU supports.
#' @param threads the number of threads, a positive integer. Results do not depend on it. Default
#'   `NULL`: `options(neargp.threads)`, else 2.
#' @param verbose `TRUE` or `FALSE`: report progress? Default: `TRUE` in interactive sessions.
#' @param resume the name of a file that an earlier call with `neargp_control(checkpoint = )` left.
#'   The fit continues from it with bit-identical results, see [checkpoints]. Default `NULL`: a new
#'   fit.
#' @param support [block_support()] for responses that are means over areas (change of support).
#'   Default `NULL`: [block_support()] if `data` contains polygons, with a message. With `support`,
#'   the cells of a raster are areas.
#' @param cluster a cluster of package parallel that shares the rows of the fit, see [clusters].
#'   Default `NULL`: this process alone.
#' @param fixed known parameters, named numbers such as `c(shape = 2, "(Intercept)" = 25)`, see
#'   [fixed_parameters]. Default `NULL`: none.
#' @param ... not used.
#' @section Default covariance:
#' | response | covariance |
#' |---|---|
#' | Gaussian | `cov_exponential()`; with `anisotropy = TRUE` for at least 1,000 locations in a plane |
#' | Gaussian, three or more coordinates and 20 locations for each | `cov_matern(nu = NULL, ard = TRUE)` |
#' | Gaussian, five or more coordinates without `crs`, at most 20 rows for each | [cov_features()], by [exact_gp()] |
#' | other families, ten or more coordinates without `crs`, at most 50 rows for each | [cov_features()], by [vnngp()] |
#' | Gaussian with `time`, 200 observations or more | [cov_spacetime()] if the method supports it, else `cov_exponential() + cov_matern(nu = NULL)` |
#' | other families | `cov_matern(nu = 1.5)`; with `ard = TRUE` for three or more coordinates and 50 rows for each |
#' | several responses | `cov_matern(nu = 1.5)` |
#'
#' The exponential predicts maps with gaps best on average, but your map can differ, as in
#' `vignette("neargp")`. You should compare covariances by [cross_validate()]. See the article
#' "Defaults".
#' @return An object of class `neargp`, a plain list that you can save with [saveRDS()] and read
#'   with later versions. Use `print()`, [summary()][summary.neargp], [coef()][coef.neargp],
#'   [predict()][predict.neargp], [plot()][plot.neargp], [residuals()][residuals.neargp] and
#'   [simulate()][simulate.neargp]. All errors are classed, see [neargp_conditions].
#' @seealso [loo_predict()], [scores()] and [cross_validate()] for predictive accuracy,
#'   [anova()][anova.neargp] for tests, [plot_map()] for maps, [tidiers] for broom.
#' @references Vecchia (1988) and Guinness (2018, 2021): see [vecchia()]. Jankowiak and Pleiss
#'   (2021): see [loo_k()]. Wu et al. (2022): see [vnngp()].
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Kriging with a covariate: precipitation at stations, by elevation
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5))
#' fit
#' denver <- data.frame(lon = -105, lat = 39.7, elevation = 1600)
#' predict(fit, denver, interval = "prediction")
#'
#' # Presence or absence: did it rain on 21 January?
#' gauges <- subset(wet_days(), lon < -110 & !is.na(on_21st))
#' gauges$rain <- gauges$on_21st > 0
#' presence <- neargp(rain ~ 1, gauges, coords = ~ lon + lat, crs = 4326, family = binomial())
#' predict(presence, data.frame(lon = c(-122, -112), lat = c(45, 34)))
#'
#' # Counts with an exposure: wet days out of the days observed
#' counts <- neargp(wet ~ offset(log(observed)), gauges, coords = ~ lon + lat, crs = 4326,
#'   family = poisson())
#' predict(counts, data.frame(lon = -112, lat = 34, observed = 31), interval = "prediction")
#'
#' # Many predictors: Gaussian process regression, as in machine learning
#' air <- subset(airquality, !is.na(Ozone) & !is.na(Solar.R))
#' ozone <- neargp(Ozone ~ 1, air[-(1:5), ], coords = ~ Solar.R + Wind + Temp, transform = "log")
#' cbind(observed = air$Ozone[1:5], predict(ozone, air[1:5, ], interval = "prediction"))
#'
#' # Missing covariates: rows are left out by default. Here the mean replaces them.
#' stations$elevation[1:3] <- NA
#' by_mean <- function(frame, ...) {
#'   frame$elevation[is.na(frame$elevation)] <- mean(frame$elevation, na.rm = TRUE)
#'   frame
#' }
#' c(left_out = nobs(update(fit)), imputed = nobs(update(fit, na.action = by_mean)))
#'
#' # A fit is plain data, which you can save.
#' file <- tempfile(fileext = ".rds")
#' saveRDS(fit, file)
#' predict(readRDS(file), denver)
#' unlink(file)
#'
#' # sf points: the centres of counties that are read from a file
#' if (requireNamespace("sf", quietly = TRUE)) {
#'   counties <- sf::st_read(system.file("gpkg/nc.gpkg", package = "sf"), quiet = TRUE)
#'   sf::st_geometry(counties) <- sf::st_centroid(sf::st_geometry(counties))
#'   neargp(log(BIR79) ~ 1, counties)
#' }
#' @export
neargp <- function(formula, data, coords = NULL, time = NULL, method = NULL, covariance = NULL,
                   family = NULL, nugget = NULL, weights = NULL, offset = NULL, subset = NULL,
                   na.action = NULL, distance = c("auto", "euclidean", "chordal"), crs = NULL,
                   start = NULL, control = neargp_control(), prior = NULL, transform = NULL,
                   measurement_variance = NULL, device = NULL, threads = NULL,
                   verbose = rlang::is_interactive(), resume = NULL, support = NULL,
                   cluster = NULL, fixed = NULL, ...) {
  began <- proc.time()[["elapsed"]]
  check_no_more_arguments()
  call <- compact_call(match.call(), environment())
  check_given(missing(formula), "formula", "a two-sided formula, response ~ trend")
  check_given(missing(data), "data", "a data frame, or sf points, with the columns of the formula")
  data <- found_data(data, substitute(data))
  if (is_joint_model(formula, family, data)) {
    return(fit_joint(match.call(), call, formula, family, data, parent.frame()))
  }
  if (is_lognormal(family)) {
    transform <- transform_of_lognormal(transform)
    family <- stats::gaussian()
  }
  transform <- as_transform(transform)
  if (is_open_transform(transform)) return(fit_box_cox(match.call(), method, parent.frame()))
  given <- new_formulation(formula, coords, time, distance, crs, covariance, nugget, transform,
    support, na.action, list(weights = rlang::enquo(weights), offset = rlang::enquo(offset),
      subset = rlang::enquo(subset), measurement_variance = rlang::enquo(measurement_variance)))
  if (formula_has_learners(formula)) {
    return(fit_learned(match.call(), call, data, given, parent.frame()))
  }
  given <- without_locations(with_features_term(given, data), data)
  source <- if (is_row_source(data)) data
  data <- if (is.null(source)) data_as_rows(data, given) else first_chunk(source)
  given <- with_replicates(with_product_time(given), data)
  settings <- check_settings(given$formula, data, method, given$covariance, family, nugget, control,
    device, threads, verbose, prior)
  given["family_formulas"] <- list(settings$family$formulas)
  settings["fixed"] <- list(check_fixed(fixed))
  settings$session <- new_session(call, settings$verbose)
  checkpoint <- checkpoint_argument(settings$control, resume)
  settings$control$checkpoint <- NULL
  settings$cluster <- check_cluster(cluster)
  on.exit(close_workers(settings$cluster))
  if (!is.null(source)) {
    check_streamable(settings, transform)
    settings <- with_open_workers(settings, threads)
  }

  rows <- read_rows(data, source, given, settings)
  settings <- settings_by_response(settings, rows, given)
  model <- new_model(rows, given, settings)
  settings["fixed"] <- list(fixed_beyond_trend(settings$fixed, model))
  settings <- settings_by_rows(settings, rows, model$data)
  rows <- rows_by_covariance(rows, settings)
  locations <- complete_locations(rows, settings$covariance, model$data)
  model$data$coords <- complete_coordinates(model$data$coords, rows, locations)
  if (!is.null(rows$stream)) model$data$stream <- with_coding(rows$stream, rows$frame, model)
  start <- variogram_start(start, model$data, locations, settings)
  problem <- new_problem(model$data, locations, settings, start)
  inform_partial_start(start, problem)
  in_sample(rows$stream, check_problem(problem, rows$frame))
  warn_unlike_units(problem, distance)

  prepared <- proc.time()[["elapsed"]]
  settings$device <- choose_fit_device(settings, model$data)
  settings <- with_open_workers(settings, threads)
  solved <- solve_problem(problem, settings, checkpoint)
  settings$gpu <- device_name(settings$device)
  finished <- proc.time()[["elapsed"]]
  elapsed <- c(prepare = prepared - began, fit = finished - prepared, total = finished - began)
  fit <- run_in_session(settings$session, function() {
    finish_fit(solved$result, solved$problem, settings, model, rows, call, given$formula,
      rlang::quo_get_expr(given$by_row$offset), elapsed = elapsed)
  })
  forget_last_state()
  if (is.null(rows$stream)) fit else as_streamed_fit(fit, problem)
}
