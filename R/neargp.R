#' Fit a Gaussian process by nearest neighbours
#'
#' Regression of a response on a trend (the formula) plus a Gaussian process over locations, fitted
#' to large data by conditioning on nearest neighbours: `y(s) = trend(s) + offset(s) + w(s) +
#' noise`, with `w` a zero-mean process of the given covariance and independent noise of variance
#' `nugget / weight`, or of one that covariates and known measurement errors tell ([noise]). Counts,
#' presence or absence, and other responses that are not gaussian have a `family`, whose link of the
#' mean is `trend(s) + offset(s) + w(s)`.
#'
#' # Locations
#' They come from the geometry of sf points, or from the columns in `coords`. Distances are
#' Euclidean in the units of the coordinates; for longitude and latitude (sf data with a geographic
#' CRS, `crs = 4326`, or `distance = "chordal"`) they are chordal distances through the sphere in
#' kilometres, because a Matérn covariance of great-circle distance is not positive definite for
#' smoothness above 1/2. The names of a data frame's columns do not make them degrees:
#' `coords = ~ lon + lat` alone is Euclidean, with a message that says so. A time coordinate has a
#' range of its own, `range_time`. Duplicated locations are fine while there is a nugget, and for
#' responses that are not gaussian.
#'
#' Coordinates that share a range are taken to have one unit. Where they hardly do, a warning of
#' class `neargp_warning_units` names the remedy: `time` for a time among the coordinates,
#' `ard = TRUE` of the covariance for a depth. Times and depths are known by the words of the
#' columns' names; three or more coordinates by standard deviations that differ by a factor of 20.
#' Where the unit is one, say so by `distance = "euclidean"`.
#'
#' # Factors among the coordinates
#' Columns in `coords` that are factors, text or logical, as tables of people, cars or chess
#' positions have them, are coordinates without distances: two rows have the same level or not. With
#' `range_colour`, the range of a factor `colour`, the squared distance of two rows in units of the
#' ranges is `(d / range)^2` of their numeric coordinates plus `1 / range_colour^2` if their levels
#' differ, all levels equally far from each other. Neighbours are nearest in this metric. Each
#' factor has a range of its own, whether `ard` is `TRUE` or not (one for all of them predicted no
#' better, see `bench/factors.R`); a long one says that levels hardly matter.
#' `print()` tells the correlation of two rows that differ in the level alone. Ordered factors have
#' their levels 1 apart; `warp = monotone(~ size)` in the [covariance] learns the spacing. For
#' levels in the trend the formula is the place.
#'
#' Internally a factor of `L` levels is `L - 1` coordinates, the corners of a regular simplex whose
#' edges are 1: memory and time are those of as many coordinates. A matrix of inducing points has
#' the numbers of levels in their columns; [dspp()] and [dgp()] standardise each of these
#' coordinates, and have a range for each. Levels that a factor has and no row of the fit are known
#' to [predict()], and as far as any other; those of text are the ones of its rows. More than 50
#' levels, or one for each row, are an error of class `neargp_error_levels`, as is a level of
#' `newdata` that the fit does not know.
#'
#' # Columns with units
#' Durations and columns of class units (package units) count as numbers in their own unit. Columns
#' of `newdata` are converted to the units that they have in the fit, wherever the model uses them.
#' Give all coordinates of `data` in one unit. Predictions are plain numbers in the unit of the
#' response. Weights, offsets and measurement variances must be numbers without a unit.
#'
#' # The method by default
#' With `method = NULL` the response decides, since each family has methods of its own:
#' * gaussian numbers: [exact_gp()] for up to 500 rows, which is exact and takes a second or so;
#'   [vecchia()] for more rows, for several outputs, with `device = "cuda"` and in single precision;
#' * a factor, character or logical values without `family`: [loo_k()] with [stats::binomial()] for
#'   two classes, [categorical()] for more (of an ordered factor, too: [ordinal()] takes the order);
#' * a family that is not gaussian: [vnngp()], but [loo_k()] for [categorical()].
#'
#' Numbers that are 0 or 1, and counts whose variance grows with their mean, are fitted as Gaussian
#' with a message (`neargp_message_family`) that names their usual family.
#' A choice by the family is told by a message of class `neargp_message_method`, and each one by
#' `print()`. A method without `k` takes its default number of neighbours, 30 for [vecchia()], or as
#' many as there are, with a message of class `neargp_message_k`.
#'
#' # Transforms of the response
#' With `transform` the model is `g(y) = trend + offset + w + noise`: trend, offset, covariance,
#' nugget and start values are of the transformed response, and so are predictions of `type =
#' "link"` and residuals of type `"trend"`. All that is said of responses is on the scale of `y`:
#' predictions, quantiles, intervals, exceedances, fitted values, draws, scores, leave-one-out
#' predictions. Means are those of `y`, and not the transform of means: `exp(m + s^2 / 2)` where the
#' logarithm has mean `m` and variance `s^2`. The log-likelihood is that of `y`, the Jacobian
#' included, so that [stats::AIC()] compares transforms, and a transform with none. (The score of
#' [mll_k()] has no Jacobian, as it is none of each response.) A function in the formula, as in
#' `log(y) ~ 1`, makes its values the response, and all of this is about them. [box_cox()] has
#' domains and what happens at their ends.
#'
#' # Noise that differs between rows
#' `nugget = ~ depth` makes the noise variance of a gaussian response log-linear in covariates, and
#' `measurement_variance = se^2` takes known variances of measurements beside the nugget, see
#' [noise].
#'
#' @param formula trend of the response: any formula of [stats::lm()], with factors, interactions,
#'   [stats::poly()] or splines and `offset()`; `y ~ 1` for a constant mean, `y ~ 0` for mean zero.
#'   [Random effects and smooths][random_effects], `(1 | site)`, `(x | site)`, `s(depth)`, as in
#'   lme4 and mgcv. `cbind(y1, y2) ~ trend` has several outputs, each with a trend of its own, see
#'   [cov_coregionalisation()] and [predict.neargp_outputs()]; an output that is `NA` in a row is
#'   simply not observed there, and `na.action` is for rows without any output. A dot stands for all
#'   columns that are not coordinates or time, nor made into effects.
#' @param data sf object with POINT geometries, or a data frame, also a tibble or data.table; or a
#'   SpatRaster or stars grid, whose cells are taken as points, and layers or attributes as columns.
#'   With several million rows a data frame is the faster one. Rows that do not fit in memory come
#'   from a [row_source()].
#'   Rows of an sf object that are polygons are responses on areas, see `support`.
#' @param coords for data frames: one-sided formula of the coordinate columns, numbers or factors,
#'   such as `~ x + y` or `~ lon + lat + depth`; `~ .` for all columns but the response, time and
#'   weights (several inputs, as in machine learning); or their names.
#' @param time one-sided formula of one column, numeric, Date or date-time (the latter two in days).
#'   Its range is `range_time`; how the covariance depends on space and time says [cov_spacetime()].
#' @param method [vecchia()], also with inducing points, [exact_gp()] for a few thousand rows,
#'   [svgp()], [odvgp()], [ppgpr()], [swsgp()], [dspp()], [dgp()], [loo_k()] or [mll_k()] for
#'   prediction in many dimensions, [loo_k()] or [svgp()] for class probabilities, [vnngp()],
#'   [loo_k()] or [svgp()] for all other families; `vignette("which-method", package = "neargp")`
#'   goes from the data to a call. By default the section on methods chooses.
#' @param covariance [cov_matern()], one of its relatives, [cov_spacetime()], or a sum of them; with
#'   `by = ~ x` of a component the coefficient of `x` varies with place, see [covariance].
#'   `NULL` (default) is for a gaussian response `cov_exponential()`, in a plane with 1,000 rows or
#'   more `cov_exponential(anisotropy = TRUE)`, and with three or more coordinates (and 20 rows for
#'   each) `cov_matern(nu = NULL, ard = TRUE)`; with `time` and 200 rows or more [cov_spacetime()],
#'   Gneiting's covariance, since one distance of space and time is too sure of forecasts
#'   (`cov_exponential() + cov_matern(nu = NULL)` where the method cannot have it); for other
#'   families `cov_matern(nu = 1.5)`, with three or more coordinates (and 50 rows for each) and a
#'   range for each; for several outputs `cov_matern(nu = 1.5)`. Over the data sets of
#'   `vignette("defaults", package = "neargp")` the exponential filled gaps of maps best. Where
#'   every target lies among data, `cov_matern(nu = NULL, anisotropy = TRUE)`, which estimates the
#'   smoothness, gains about 1% of the CRPS.
#' @param family what the response is. Every method fits [stats::gaussian()] with identity link;
#'   all but [vecchia()], [exact_gp()] and [mll_k()] every family of [response_family], such as
#'   [stats::poisson()] and [negative_binomial()]; [loo_k()] and [svgp()] also [categorical()]. As
#'   for [stats::glm()], also the name of such a function. By default gaussian; of a factor, of
#'   character or of logical values binomial or categorical.
#' @param nugget noise variance of a gaussian response: `NULL` estimates it, a number fixes it, 0 is
#'   none (then no two rows may share a location). Of several outputs one number, or one for each.
#'   A one-sided formula, `nugget = ~ depth`, makes it log-linear in covariates of the rows, see
#'   [noise].
#' @param weights positive numbers, evaluated in `data`: the noise variance of row i is `nugget /
#'   weights[i]`. [response_family] says what they are for other responses than gaussian ones.
#' @param offset known part of the mean (of the linear predictor: an exposure goes in as its
#'   logarithm), evaluated in `data`; better written as `offset()` in the formula.
#' @param subset rows to use, evaluated in `data`.
#' @param na.action what to do with missing values, [stats::na.omit()] unless `options(na.action)`
#'   says otherwise; applies to response, trend, weights and coordinates alike. `print()` reports
#'   how many rows were dropped. It may be a function of yours that takes a model frame and returns
#'   one, such as one that imputes, see the examples. Infinite values are an error.
#' @param distance `"auto"`: chordal where the CRS (of sf data, or `crs`) has longitude and
#'   latitude, Euclidean otherwise; or either of them by name. Columns called `lon` and `lat`
#'   without a CRS are Euclidean by `"auto"`, with a message of class `neargp_message_degrees`.
#' @param crs coordinate reference system of a data frame's coordinates, anything [sf::st_crs()]
#'   reads.
#' @param start starting values: an earlier fit, what an interrupted one had reached
#'   ([neargp_last()]), or named numbers on the natural scale as from
#'   `coef(fit, what = "covariance")`. By default from the data. A fit to the same rows and trend by
#'   the same method is continued: posterior, pseudo-observations and trend are taken over, too, and
#'   Adam goes on at the learning rate at which it had ended, so that nothing it has found is lost
#'   (a larger `learning_rate` of the method takes it farther). What of a fit is not taken over is
#'   told by a message of class `neargp_message_start`; a fit with no value of any estimated
#'   parameter is `neargp_error_argument`.
#' @param prior [pc_priors()] of range, standard deviations and smoothness, as a penalty on the
#'   objective of [vecchia()], [exact_gp()], [loo_k()], [mll_k()] or [vnngp()]; `NULL` for none.
#' @param control settings of the optimisation, [neargp_control()].
#' @param transform of a gaussian response of one output, `NULL` for none: `"log"`, `"sqrt"`,
#'   [box_cox()], or a pair of functions, `list(forward = , inverse = )`, of which the first one
#'   increases; the second one must not fall for any number, since predictions have them all. See
#'   the section on transforms.
#' @param measurement_variance known variances of measurement errors of a gaussian response,
#'   evaluated in `data`: one number, or one for each row, in squared units of the response (of the
#'   transformed one with a `transform`), at least 0; such as `se^2` for a column of standard
#'   errors. `NULL` for none. The nugget is estimated beside it, see [noise].
#' @param device `"cpu"`; `"cuda"`, an NVIDIA GPU, which is available or is an error; or `"auto"`, a
#'   GPU where there is one and the computation takes more than a second or so of one core. By
#'   default `options(neargp.device)`, else `"auto"`. [neargp_sitrep()] reports which parts of which
#'   method a GPU computes. ([exact_gp()] has the CPU only; `"cuda"` is an error there. [svgp()] of
#'   one gaussian response, [dspp()] and [dgp()] have their fit on a GPU where `"cuda"` asks for
#'   it.)
#' @param threads number of threads; by default `options(neargp.threads)`, else 2. Results do not
#'   depend on it.
#' @param verbose whether to report progress: on a terminal in one line that is rewritten in place
#'   and gone at the end, elsewhere by messages. It has the iteration, the objective and, where the
#'   number of steps is known or gains shrink steadily, about how long the present stage still
#'   takes. By default in interactive sessions, and not in documents that are knitted there.
#' @param resume name of a file that an earlier call with `neargp_control(checkpoint = )` has left:
#'   the fit goes on from there, to the last bit, see [checkpoints]. `NULL` for none.
#' @param support [block_support()], for responses that are means over areas, alone or mixed with
#'   points: by which points an area is represented, with which weights and covariates. `NULL`
#'   (default) is `block_support()` where `data` has polygons, with a message of class
#'   `neargp_message_support`. With a `support`, `data` may be a SpatRaster or a stars grid, whose
#'   cells are areas.
#' @param cluster a cluster of package parallel, whose workers share the rows of the fit, see
#'   [clusters]; `NULL` for none. For one gaussian response by [vecchia()], [loo_k()] and [mll_k()],
#'   and one of any family by [loo_k()] and, classes apart, [vnngp()], [svgp()] and [ppgpr()].
#' @param ... not used. An argument of another package is an error that names its counterpart.
#' @return An object of class `neargp`, a plain list that can be saved with [saveRDS()]; later
#'   versions of the package read it, or say by an error of class `neargp_error_version` that they
#'   do not. See [predict.neargp()], [summary.neargp()], [coef.neargp()], [simulate.neargp()],
#'   [residuals.neargp()]. `fit$convergence` says how the optimisation ended; a fit that stopped
#'   early gives a warning of class `neargp_warning_convergence` and stays usable, one of no more
#'   rows than parameters a warning of class `neargp_warning_few_rows`, and one of several outputs
#'   of which one determines another, as shares of a whole do, `neargp_warning_outputs`. One that is
#'   interrupted, or that ends with an error on its way, leaves the parameters it had reached to
#'   [neargp_last()].
#' @section Which method can do what:
#' `r ability_list()`
#' @section Errors: All are of class `neargp_error` and one of: `neargp_error_argument` (wrong type
#'   of a setting), `_newdata` (no object of the name of `data`, as where a fit of another session
#'   is updated), `_columns`, `_formula`, `_response`, `_missing_values` (NA, NaN or Inf left
#'   after `na.action`), `_empty` (no rows), `_coordinates`, `_levels` (of factors in `coords`),
#'   `_geometry` (neither points nor polygons, or empty), `_support` (see [block_support()]),
#'   `_crs`, `_rank` (rank-deficient trend), `_constant_response`, `_weights`, `_rows` (one row),
#'   `_k` (not more than k rows), `_duplicates` (without nugget), `_size`, `_family`, `_transform`
#'   (of another response, not increasing, or without its inverse), `_method` (not for several
#'   outputs), `_inducing`, `_offset` (exposures without logarithm), `_device`, `_cluster` (see
#'   [clusters]), `_checkpoint` (see [checkpoints]), `_memory` (the fit would need more than there
#'   is; a warning of class `neargp_warning_memory` where it may), `_noise` (noise that differs
#'   between rows by a method without it, or such variances that are negative, or all 0; covariates
#'   of it that are linearly dependent), `_local` (such covariates that do not vary), `_precision`
#'   (no single precision for this, see [neargp_control()]), `_space_time` ([cov_spacetime()] where
#'   it cannot be), `_cholesky` (a covariance matrix that is numerically singular), `_quadrature`
#'   (responses whose density cannot be integrated).
#' @references Vecchia (1988), Guinness (2018, 2021): see [vecchia()]; Jankowiak and Pleiss (2022):
#'   see [loo_k()]; Wu et al. (2022): see [vnngp()].
#' @seealso [predict.neargp()], [coef.neargp()], [summary.neargp()], [plot.neargp()] and
#'   [tidiers] of a fit; [loo_predict()], [scores()] and [cross_validate()] on how well it predicts;
#'   [covariance], [response_family] and [neargp_control()] for its arguments.
#' @examples
#' set.seed(1)
#' stations <- data.frame(x = runif(200), y = runif(200), height = rnorm(200))
#' stations$temp <- with(stations, 10 - height + sin(5 * x) + cos(4 * y) + rnorm(200, sd = 0.2))
#' fit <- neargp(temp ~ height, stations, coords = ~ x + y, method = vecchia(k = 15))
#' fit
#' predict(fit, data.frame(x = 0.5, y = c(0.2, 0.8), height = 0), interval = "prediction")
#'
#' # A fit is plain data: it is kept in a file.
#' file <- tempfile(fileext = ".rds")
#' saveRDS(fit, file)
#' predict(readRDS(file), data.frame(x = 0.5, y = 0.5, height = 0))
#' unlink(file)
#'
#' # Missing heights replaced by their mean. By default such rows are left out.
#' stations$height[1:3] <- NA
#' by_mean <- function(frame, ...) {
#'   frame$height[is.na(frame$height)] <- mean(frame$height, na.rm = TRUE)
#'   frame
#' }
#' c(left_out = nobs(update(fit)), imputed = nobs(update(fit, na.action = by_mean)))
#'
#' # a factor among the coordinates: fields of three kinds of soil that resemble each other
#' stations$soil <- factor(sample(c("clay", "loam", "sand"), 200, TRUE))
#' stations$yield <- with(stations, sin(5 * x + as.integer(soil) / 2) + rnorm(200, sd = 0.1))
#' fit <- neargp(yield ~ 1, stations, coords = ~ x + y + soil, method = vecchia(k = 15),
#'   covariance = cov_matern())
#' fit
#' predict(fit, data.frame(x = 0.5, y = 0.5, soil = c("clay", "sand")))
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
                   cluster = NULL, ...) {
  began <- proc.time()[["elapsed"]]
  check_no_more_arguments()
  call <- compact_call(match.call(), environment())
  check_given(missing(formula), "formula", "a two-sided formula, response ~ trend")
  check_given(missing(data), "data", "a data frame, or sf points, with the columns of the formula")
  data <- found_data(data, substitute(data))
  transform <- as_transform(transform)
  if (is_open_transform(transform)) return(fit_box_cox(match.call(), method, parent.frame()))
  given <- new_formulation(formula, coords, time, distance, crs, covariance, nugget, transform,
    support, na.action, list(weights = rlang::enquo(weights), offset = rlang::enquo(offset),
      subset = rlang::enquo(subset), measurement_variance = rlang::enquo(measurement_variance)))
  source <- if (is_row_source(data)) data
  data <- if (is.null(source)) data_as_rows(data, given) else first_chunk(source)
  settings <- check_settings(formula, data, method, covariance, family, nugget, control, device,
    threads, verbose, prior)
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
  settings <- settings_by_rows(settings, rows, model$data)
  locations <- complete_locations(rows, settings$covariance, model$data)
  model$data$coords <- complete_coordinates(model$data$coords, rows, locations)
  if (!is.null(rows$stream)) model$data$stream <- with_coding(rows$stream, rows$frame, model)
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
    finish_fit(solved$result, solved$problem, settings, model, rows, call, formula,
      rlang::quo_get_expr(given$by_row$offset), elapsed = elapsed)
  })
  forget_last_state()
  if (is.null(rows$stream)) fit else as_streamed_fit(fit, problem)
}
