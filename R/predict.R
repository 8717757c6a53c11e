#' Predict at new locations (kriging)
#'
#' @description
#' Returns the mean and standard deviation at new locations, given the nearest observations
#' (universal kriging).
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' predict(fit, data.frame(lon = c(-105, -107), lat = 39.7), interval = "prediction")
#' ```
#'
#' @details
#' `type = "link"` is the linear predictor: trend, offset and Gaussian process, without noise. `type
#' = "response"` is a new observation with weight 1. For a Gaussian response both means agree, and
#' the variances differ by the nugget. For other families and with a `transform`, results average
#' over the uncertainty of the linear predictor. For example, the mean of a binomial response is the
#' averaged probability of success.
#'
#' The first call prepares the fit for later ones, so you can call `predict()` in a loop.
#' [exact_gp()] keeps a square matrix for it, 800 MB for 10,000 observations. See
#' [kriging_neighbourhood] for the equations and the neighbours.
#'
#' Few observations leave the covariance parameters uncertain, see `parameters`.
#'
#' @param object a fit by [neargp()].
#' @param newdata a data frame, sf points, a terra SpatRaster or a stars grid with the coordinates
#'   and the covariates. For sf polygons, [predict_areas()] predicts means and totals.
#' @param type `"response"`, `"link"`, `"quantile"`, or a part on the link scale. The parts are
#'   `"process"`, the spatial random field, `"trend"`, `"terms"`, a column for each partial effect,
#'   and `"coefficients"`, see Value. `"distribution"` returns a vector of package distributional,
#'   the distribution of a new observation in each row. Default: `"response"`, and `"link"` for a
#'   Gaussian response with `interval = "confidence"`.
#' @param interval `"none"` (default), `"prediction"` for a new observation, or `"confidence"` for
#'   the linear predictor. With `type = "response"`, confidence limits are for the expected
#'   response.
#' @param level the probability of the interval, a number between 0 and 1. Default: 0.95.
#' @param probs the probabilities of the quantiles, numbers between 0 and 1. Default: 0.05, 0.5 and
#'   0.95.
#' @param threshold one or more numbers. Adds the exceedance probability as the column `p_exceed`,
#'   or `p_exceed_<threshold>` for several. Default `NULL`: none.
#' @param threshold_of `"observation"` (default), or `"mean"` for the probability that the expected
#'   response exceeds the threshold, in the column `p_mean_exceed`. Use `"mean"` for exceedance maps
#'   of density or risk. A single count can exceed the threshold by chance.
#' @param trials the numbers of trials of new binomial observations: one integer or one for each
#'   row. Default: 1.
#' @param k the number of neighbours, a positive integer. Default `NULL`: twice the `k` of the fit
#'   and at least 96; all observations for [exact_gp()]. See [kriging_neighbourhood] for the
#'   exceptions.
#' @param local_mean `TRUE`: ordinary kriging within the neighbourhood. `FALSE`: use the estimated
#'   trend. Default `NULL`: usually `TRUE` for an intercept-only Gaussian model in one or two
#'   coordinates.
#' @param sectors the number of equal sectors around each location that supply `k / sectors`
#'   neighbours each, an integer. 0 takes the `k` nearest. Default `NULL`: usually 8 for Gaussian
#'   responses in two coordinates, and 0 if you give `k`.
#' @param joint `TRUE` adds the attribute `"covariance"`, the covariance matrix of all rows, for up
#'   to some hundred rows. For [vnngp()] and other families it requires `type = "link"`. Default:
#'   `FALSE`.
#' @param chunk_size the number of rows predicted at a time, an integer that bounds the memory.
#'   Default `NULL`: 100,000, or a fifth of the fit's observations if that is more.
#' @param threads,device,verbose see [neargp()].
#' @param parameters `"plug-in"` uses the estimates of the covariance parameters. `"integrated"`
#'   averages over their posterior at 30 to 100 times the time, see [integrated_parameters].
#'   Default `NULL`: `"integrated"` for fewer than 100 Gaussian observations without random effects,
#'   200 with more than three parameters.
#' @param filename for a SpatRaster, the name of a file (`.tif`, `.tiff` or `.grd`) to write in
#'   blocks, so that the raster need not fit in memory. The file appears when it is complete.
#'   Default `NULL`: the layers stay in memory or in terra's temporary file.
#' @param overwrite `TRUE` replaces an existing file. Default: `FALSE`.
#' @param smooth `TRUE` removes the small discontinuities of maps where the neighbour set changes.
#'   Default: `FALSE`.
#' @param re.form `NULL` (default) includes the [random effects][random_effects], `NA` leaves the
#'   effects of groups out. Use `NA` if the group is unknown: a column `vessel = NA` is an error.
#' @param allow.new.levels `TRUE` predicts unknown levels of a group with mean 0 and the variance
#'   between levels. Default: `FALSE`, an error.
#' @param cluster a cluster of package parallel that predicts the rows of a data frame or sf points,
#'   with identical results, see [clusters]. Default `NULL`: this process.
#' @param output the name of files to write, with `{part}` in it, such as `"map_{part}.csv"`, see
#'   [prediction_files]. Default `NULL`: returns the predictions.
#' @param maxdist the farthest distance of a neighbour, a positive number in the units of the
#'   coordinates (km on the sphere), as in gstat. Rows without an observation within it return the
#'   prediction without data: the mean is the trend, and the variance adds those of trend, process
#'   and noise. A message counts them. Default `NULL`: any distance. See [kriging_neighbourhood].
#' @param ... for polygons, arguments of [predict_areas()].
#' @return An object of the class of `newdata`, in its order, with the columns `mean` and `sd` (for
#'   quantiles `q0.05`, ...) and, with an interval, `lower` and `upper`. `mean` and `sd` belong to
#'   `type`, regardless of `interval`. The standard error of the linear predictor is the `sd` of
#'   `type = "link"`. Rows with missing covariates or coordinates return `NA`. Cells of a grid that
#'   lack only the response, as under clouds, are predicted.
#'
#' With `type = "coefficients"`, each column `x` of `by = ~ x` in a [covariance] returns `x` and
#' `x_sd` on the link scale, and limits with `interval = "confidence"`. `x` is the whole coefficient
#' if the trend contains the column, and else the deviation alone. `(Intercept)` is returned for
#' components without `by`.
#' @references Cressie, N. (1993). *Statistics for Spatial Data*, section 3.4. Wiley.
#' @seealso [predict_areas()] for polygons, [simulate.neargp()] for draws, [loo_predict()] for
#'   leave-one-out predictions, [plot_map()] for maps, [neargp_conditions] for errors and warnings.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326)
#' places <- data.frame(lon = c(-105, -107), lat = 39.7)
#' predict(fit, places, interval = "prediction", level = 0.9)
#' predict(fit, places, type = "quantile", probs = c(0.1, 0.9))
#' predict(fit, places, threshold = 250)
#'
#' # The difference of two locations, from their joint distribution
#' both <- predict(fit, places, joint = TRUE)
#' contrast <- c(-1, 1)
#' c(difference = sum(contrast * both$mean),
#'   sd = sqrt(drop(contrast %*% attr(both, "covariance") %*% contrast)))
#'
#' # With 30 observations, the uncertainty of the covariance parameters counts
#' few <- update(fit, data = stations[1:30, ], method = exact_gp(estimation = "REML"))
#' predict(few, places, interval = "prediction")
#' predict(few, places, interval = "prediction")
#' predict(few, places, interval = "prediction", parameters = "plug-in")
#' predict(few, places, type = "quantile", probs = c(0.1, 0.5, 0.9))
#'
#' # A map, and the probability of more than 300 mm. (`newdata` can be a SpatRaster as well.)
#' grid <- expand.grid(lon = seq(-109, -102, 0.25), lat = seq(37, 41, 0.25))
#' map <- cbind(grid, predict(fit, grid, threshold = 300))
#' plot_map(map, "mean", coords = ~ lon + lat, longlat = TRUE)
#' plot_map(map, "p_exceed", coords = ~ lon + lat, longlat = TRUE, limits = c(0, 1))
#'
#' # A covariate: the trend, the spatial process and their sum
#' fit <- update(fit, . ~ elevation, covariance = cov_matern(nu = 1.5))
#' places$elevation <- c(1600, 2400)
#' predict(fit, places, type = "terms")
#' predict(fit, places, type = "link", local_mean = FALSE)
#' @export
predict.neargp <- function(object, newdata,
                           type = c("response", "link", "quantile", "process", "trend", "terms",
                                    "coefficients", "distribution"),
                           interval = c("none", "confidence", "prediction"), level = 0.95,
                           probs = c(0.05, 0.5, 0.95), threshold = NULL,
                           threshold_of = c("observation", "mean"), trials = 1, k = NULL,
                           local_mean = NULL, sectors = NULL, joint = FALSE, chunk_size = NULL,
                           threads = NULL, device = NULL, verbose = rlang::is_interactive(),
                           parameters = NULL, filename = NULL,
                           overwrite = FALSE, smooth = FALSE, re.form = NULL,
                           allow.new.levels = FALSE, cluster = NULL, output = NULL,
                           maxdist = NULL, ...) {
  elsewhere <- predicted_elsewhere(match.call(expand.dots = FALSE))
  if (!is.null(elsewhere)) return(elsewhere)
  interval <- check_choice(interval, "interval", c("none", "confidence", "prediction"))
  gaussian <- has_normal_response(object)
  type <- if (missing(type) && gaussian && interval == "confidence") "link" else
    check_choice(type, "type", c("response", "link", "quantile", parts_of_field, tables_of_parts,
      "distribution"))
  check_distribution_type(type, list(interval = interval, threshold = threshold,
    joint = if (!isFALSE(joint)) joint, cluster = cluster))
  check_one_scale(object$family, type, interval, threshold)
  check_part_of_field(type, interval, threshold, joint, local_mean)
  if (!missing(trials)) check_has_trials(object$family)
  if (!missing(probs)) check_for_quantiles(probs, type)
  if (!missing(threshold_of)) check_for_threshold(threshold_of, threshold)
  settings <- predict_settings(object, k, local_mean, sectors, threads, device, type = type,
    joint = joint, chunk_size = chunk_size, interval = interval, level = check_level(level),
    verbose = check_flag(verbose, "verbose"))
  settings <- with_smooth(settings, object, smooth, sectors)
  settings <- with_maxdist(settings, object, maxdist)
  settings <- with_fields(settings, probs = if (type == "quantile") check_probs(probs),
    threshold = check_threshold(threshold), trials = check_trials(trials),
    threshold_of = check_choice(threshold_of, "threshold_of", c("observation", "mean")),
    integrated = is_integrated(parameters, object, may_integrate(type, joint, smooth, cluster)))
  if (settings$integrated) check_integrated_type(type, joint)
  check_columns_wanted(object, settings)
  object <- for_effects_of(object, newdata, re.form, allow.new.levels, pooled = !settings$joint)
  cluster <- check_cluster(cluster)
  if (!is.null(cluster)) {
    check_told_by_workers(type)
    return(predict_on_cluster(object, newdata, settings, cluster, threads))
  }
  if (type == "distribution") return(predicted_distributions(object, newdata, settings))
  if (type == "terms") return(predicted_terms(object, newdata, settings))
  settings$file <- raster_file(newdata, filename, overwrite)
  if (type == "coefficients") return(predicted_coefficients(object, newdata, settings))
  predict_target(object, newdata, settings)
}

# Returns a column for the trend with offset, one for each smooth and each random effect, and one
# for the process. They add up to the linear predictor, with the mean of the trend everywhere.
predicted_terms <- function(object, newdata, settings) {
  settings$type <- "link"
  settings$part <- "process"
  process <- predict_rows(object, newdata, settings)
  columns <- process[setdiff(names(process), c("mean", "sd"))]
  target <- new_target(object, newdata)
  trend <- core_trend(object)
  design <- design_columns(object$data, target$X)
  p <- ncol(object$data$X)
  known <- replace(double(length(trend$beta)), seq_len(p), trend$beta[seq_len(p)])
  parts <- c(list(trend = base_mean(object$data, target$X, target$offset) +
    drop(row_products(design, known))), effect_parts(object, target$X))
  smooths <- smooth_trends(object, target$X)
  for (name in names(smooths)) {
    parts[[name]] <- parts[[name]] %||% 0 + smooths[[name]]
    parts$trend <- parts$trend - smooths[[name]]
  }
  parts <- spread_over_rows(parts, target$complete)
  parts$process <- process$mean
  for (name in names(parts)) columns[[name]] <- parts[[name]]
  columns
}

predict_target <- function(object, newdata, settings) {
  if (reads_shards(object)) {
    if (settings$joint) refuse_rows_jointly()
    settings$context <- shard_context(settings$context, NULL)
    object$source$cache <- object$source$cache %||% new_shard_cache(object)
  } else settings$context <- prediction_context(object, target_size(newdata), settings)
  if (is_raster(newdata)) predict_raster(object, newdata, settings) else
    predict_rows(object, newdata, settings)
}
