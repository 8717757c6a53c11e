#' Predictions (kriging)
#'
#' Mean and standard deviation at new locations, given the nearest observations: universal kriging,
#' with the uncertainty of the trend coefficients and, with `parameters = "integrated"`, that of the
#' covariance parameters. The prediction of a row depends on that row alone.
#'
#' @details
#' Two things can be predicted. `type = "link"` is the latent field: offset plus trend plus process,
#' on the scale of the family's link and without noise. `type = "response"` is a new observation
#' there (with weight 1). For a gaussian response their means agree, and the variances differ by the
#' nugget (or by the [noise] that covariates of `newdata` tell). For any other family the response
#' is a mixture of its distributions over the latent field, and mean, standard deviation, quantiles,
#' limits and probabilities are those of the mixture: for a binomial response with one trial the
#' mean is the probability of success, averaged over what is not known of the field.
#'
#' Of a fit with a `transform` of [neargp()] the field is of the transformed response, and all else,
#' as of other families, of the response itself: quantiles and limits are those of the field and its
#' noise, transformed back, means are expectations. Predictions of a recalibrated fit are
#' mapped, see [recalibrate()]; its field is not.
#'
#' With b the weights of the k neighbours, f the conditional variance and d = x0 - X'b the part of
#' the trend that the neighbours do not see, the mean is `x0'beta + b'(y - X beta)` and the variance
#' `f + d' V d`, V being `vcov(object)`. The process alone is that with x0 = 0; the trend has the
#' mean `x0'beta` (and offset) and the variance `x0' V x0`. Their means add up to that of the field
#' (with `local_mean = FALSE`, since a local mean is neither), their variances do not: where the
#' trend is uncertain, the process makes up for it.
#'
#' Of [vnngp()] the neighbours are inducing points, whose posterior enters in place of the
#' observations: with u their values, mean m and covariance S, the field has the mean `b'm` and the
#' variance `f + b'Sb`, to which that of the trend is added. `local_mean` and `sectors` are for the
#' other methods.
#'
#' Into gaps of the data (clouds, unsampled regions) the nearest observations all lie on one side
#' and say little about the level there. Neighbours in sectors all around, and a local mean
#' (ordinary kriging within the neighbours: a mean that is not known from afar), help there and cost
#' little elsewhere: both are the default where they apply. On a sphere sectors are of the plane
#' that touches it at the new location, between the azimuths of great circles. Far from all data a
#' prediction with a local mean tends to the mean of the nearest data, one with the global mean
#' (`local_mean = FALSE`) to the trend. [cross_validate()] with spatial blocks chooses among further
#' settings.
#'
#' @param object a fit of [neargp()].
#' @param newdata sf points, data frame, terra SpatRaster or stars grid with the covariates of the
#'   trend (the response is not needed); a time is a dimension of the grid, or an attribute. For
#'   data on the training rows see [fitted.neargp()]. Of sf polygons means and totals are predicted,
#'   by [predict_areas()], which has the arguments.
#' @param type `"response"`, a new observation; `"link"`, the latent field; `"quantile"`, quantiles
#'   of a new observation at `probs`; or a part of the field, on the scale of the link: `"process"`,
#'   the Gaussian process alone (the spatial effect), for which `newdata` needs no covariates of the
#'   trend but those of the [covariance], where its `sd = ~`, `range = ~` or `by = ~` have any, and
#'   `"trend"`, the rest of it, or `"terms"`, a column for each part: `trend` (with offset), each
#'   smooth and each [random effect][random_effects], and `process`, which add up to the mean of
#'   `"link"` with `local_mean = FALSE`; or `"coefficients"`, the coefficients of columns that vary
#'   with place (`by` of a [covariance]), see Value. By default `"response"`, but `"link"` for a
#'   gaussian response with `interval = "confidence"`.
#' @param interval `"none"`; `"confidence"`, limits for the latent field (with `type = "response"`
#'   for its inverse link, the expected response); `"prediction"`, limits for a new observation: of
#'   the mixture's quantiles, so that a count has whole ones.
#' @param level probability content of the interval.
#' @param probs probabilities of the quantiles.
#' @param threshold one or more numbers: adds the probability that a new observation is greater than
#'   it, as the column `p_exceed` (`p_exceed_<threshold>` if there are several).
#' @param threshold_of `"observation"`, or `"mean"` for the probability that the expected response
#'   is greater than the threshold, given the data (of a gaussian response the latent field; of a
#'   binomial one expected successes among `trials`), as the column `p_mean_exceed`. Where a map is
#'   to say where a density or a risk is above a limit, it is this one: single counts exceed a limit
#'   by chance.
#' @param trials number of trials of a new binomial observation, one for all rows or one for each: 1
#'   by default, whatever the data had. An error for other families.
#' @param k number of neighbours; by default twice that of the fit, and at least 96 (60 for
#'   [vnngp()] and for `joint = TRUE`); but that of the fit for [swsgp()], and for [loo_k()] of
#'   responses that are not gaussian (all rows, where each had all others). That of the fit, and at
#'   least 30, for [vecchia()] with inducing points. Every observation for [exact_gp()]. With
#'   [cov_spacetime()] the `k` of the largest correlation: by default all of up to 1,000, with the
#'   mean of the whole trend, and at least 192 of more.
#' @param local_mean `TRUE` for a locally unknown mean, `FALSE` for that of the whole trend, which
#'   it is for [vecchia()] with inducing points. By default `TRUE` where the trend is an intercept,
#'   the response gaussian, and space has one or two coordinates, but not for [vnngp()], for
#'   [exact_gp()] from every observation, for `joint = TRUE` and for `type = "process"`; nor at
#'   times before the first and after the last of the data, so that forecasts tend to the trend.
#' @param sectors the number of equal sectors around each location from each of which `k / sectors`
#'   neighbours are taken; 0 for the `k` nearest wherever they lie. By default 8 in two coordinates
#'   (of a plane or a sphere, without time) for gaussian responses, and 0 where `k` is given or all
#'   rows are neighbours, for [vnngp()] and for `joint = TRUE`. bench/notes/defaults.md in the
#'   sources says why.
#' @param joint `TRUE` for the joint distribution of all rows: attribute `"covariance"` is their
#'   covariance matrix. For up to a few hundred rows, conditioned together on the union of their
#'   neighbours. For [vnngp()] and responses that are not gaussian with `type = "link"` only;
#'   [simulate()][simulate.neargp] draws responses jointly.
#' @param chunk_size number of rows predicted at a time, which bounds the memory; by default
#'   100,000, or a fifth of the rows of the fit where that is more.
#' @param threads,device,verbose as in [neargp()].
#' @param filename for a SpatRaster: name of a file that the layers are written to, as numbers of 8
#'   bytes. It ends in `.tif`, `.tiff` or `.grd`: other formats lose digits or the names of layers
#'   ([terra::writeRaster()] converts the file). The raster is read, predicted and written in blocks
#'   of rows of `chunk_size` cells or so, so that neither it nor the result need fit in memory. The
#'   file appears when it is whole: after an error or interrupt there is none, or that which was
#'   there before. By default the layers are in memory, or where they do not fit in a temporary file
#'   of terra.
#' @param overwrite whether a file that exists is replaced.
#' @param parameters `"plug-in"`: the estimates of the covariance parameters are taken for the
#'   truth; `"integrated"`: they are integrated over their posterior, see below. For one gaussian
#'   response, without `transform`, by [exact_gp()] or [vecchia()].
#' @param smooth `TRUE` for maps without the edges at which one neighbour takes the place of
#'   another: neighbours from the middle one on count the less the farther they are, and the
#'   (`k` + 1)-th not at all. It is the mean of the predictions from the nearest `k / 2` to `k` of
#'   them, with the mean of their variances, which is no less than that of the prediction. For a
#'   gaussian response by [vecchia()] (without inducing points), [exact_gp()], [loo_k()] and
#'   [mll_k()], without `sectors` and `joint`, on the CPU. It takes a quarter longer than nearest
#'   neighbours do; `bench/smooth-maps.R` has how large the edges are, and what is lost.
#' @param re.form of a fit with [random effects][random_effects]: `NULL` for all, `NA` to leave
#'   those of groups out of mean and variance, so that `newdata` needs no groups. Smooths stay.
#' @param allow.new.levels whether groups may have levels that the fit does not know: their effects
#'   have the mean 0 and the variance between levels. Else they are an error of class
#'   `neargp_error_levels`. For data frames and sf points.
#' @param cluster a cluster of package parallel, whose workers predict a part of the rows each, with
#'   the same result (see [clusters]; `threads` is then that of each worker); `NULL` for none. For
#'   data frames and sf points, not with `joint = TRUE`. Each worker gets a copy of the fit. A fit
#'   whose rows were read in shards from a [row_source()] reads them again, on the workers or here:
#'   each row is predicted from its nearest neighbours, without `sectors`.
#' @param output name of files with `{part}` in it, as `"map_{part}.csv"` or `"map_{part}.tif"`, to
#'   which predictions of the parts of `newdata` are written, also of a [row_source()], by this
#'   process or the workers of `cluster`: see [prediction_files]. `chunk_size` is then the number of
#'   rows in a part.
#' @param ... of polygons, further arguments of [predict_areas()].
#' @return An object of the class of `newdata` with a row (or cell) for each of its rows, in its
#'   order (with `output` the names of the files), and the columns `mean`, `sd` (or `q0.05`, ... for
#'   quantiles) and, with an interval, `lower` and `upper`. `mean` and `sd` are those of `type`,
#'   whatever the interval: with `type = "response"` those of a new observation, also beside
#'   confidence limits, which hold its expectation. The standard error of the latent field is the
#'   `sd` of `type = "link"`. Rows with missing covariates or
#'   coordinates get NA, and so do cells of a grid that are NA in all layers but those of the
#'   response: where that is missing, as in a cloud, is what is predicted.
#'
#'   With `type = "coefficients"`, on the scale of the link, for each column that components of the
#'   covariance are multiplied by, such as `x` of `by = ~ x`, the columns `x` and `x_sd`, and with
#'   `interval = "confidence"` `x_lower` and `x_upper`; and the same of `(Intercept)`, where
#'   components have no `by`. Where the trend has a column with the same values, `x` is the
#'   coefficient as a whole: that of the trend plus the deviation by the field, with the uncertainty
#'   of both. Where it has none, `x` is the deviation alone, about 0, which `print()` of the fit
#'   says. Components of one column are added up; random effects are not part of it. `newdata` needs
#'   coordinates and covariates of `sd = ~` and `range = ~` alone, and neither `x` nor the trend.
#' @section Repeated predictions: What a prediction needs of a fit wherever the new places are, its
#' rows indexed and ordered, factors of matrices, is made by the first call and kept for the next
#' ones, by `predict()` and, for [vnngp()] and [svgp()], `simulate()`: a function for repeated use
#' is `function(rows) predict(fit, rows)`, and to call it for a row at a time is no waste. It is
#' kept beside the fit: `object.size()` does not count it, `saveRDS()` does not write it, copies of
#' the fit share it, and it is freed with the last of them. A fit that was read from a file, or has
#' come to another process, makes it anew, and so does one whose parts were changed by hand. It
#' takes two to three times the memory of the coordinates, response and trend of the fit; for
#' [vnngp()] besides what its posterior takes while it is fitted, for [exact_gp()] without
#' neighbours the square matrix of all rows (800 MB for 10,000), and for fits on inducing points
#' that of these.
#' @section Uncertainty of the covariance parameters: With tens of rows variance, range and nugget
#' are hardly known, and intervals that take the estimates for the truth are too short: of 95% they
#' covered 92 to 93% of new observations with 30 rows and a constant trend, 90% with four covariates
#' (`bench/small-samples.R`). With `parameters = "integrated"` the prediction is the mixture of
#' those at points of the parameters' posterior, of which there are about 30, with their weights;
#' limits, quantiles and probabilities are the mixture's. Nothing is random. The posterior is that
#' of the restricted likelihood and of priors: those of the fit's [pc_priors()], and for all other
#' parameters weak ones in the scale of the data. These put the effective range (see
#' [print()][print.neargp]) below a sixth of the extent of the locations, the standard deviation of
#' the field above three times that of the response about its trend, the noise's above it, and a
#' smoothness below 0.2, each with probability 0.05; half the logarithm of an anisotropy's ratio has
#' the standard deviation 1. Of more than three parameters the three directions in which the
#' posterior is widest are integrated (Rue, Martino and Chopin 2009, section 3, with their split
#' normal axes). The first call takes some 90 evaluations of the likelihood, which are kept; each
#' call takes 30 times as long as one with the estimates. `joint = TRUE` is not offered.
#'
#' For responses that are not gaussian, predictions use the estimates of the parameters of
#' covariance and family, and so does the `sd` of `type = "link"`. The standard errors of `coef()`
#' and of `type = "trend"` include the uncertainty of these parameters, see [coef()][coef.neargp].
#' Standard errors of the field and the trend together would need the posterior at other values of
#' each parameter. Intervals are a little short where a parameter is poorly determined, and more so
#' for covariates far from their means.
#' @section Errors: `neargp_error_levels` (of groups, see `allow.new.levels`, or of a smooth's
#'   `by`), `neargp_error_newdata` (missing, of a wrong class, or without the needed
#'   columns), `neargp_error_crs` (not the CRS of the training data), `neargp_error_factor_level`,
#'   `neargp_error_missing_values` (infinite values), `neargp_error_argument`,
#'   `neargp_error_cholesky`, `neargp_error_file` (a `filename` that cannot be written),
#'   `neargp_error_parameters` (that cannot be integrated). A warning, `neargp_warning_newdata`,
#'   tells of covariates and offsets whose values depend on the other rows of `newdata`, as those of
#'   `x - mean(x)` in a formula; `scale(x, scale = FALSE)` keeps the mean of the rows of the fit.
#'   A message, `neargp_message_far`, reports that all locations of `newdata` are farther from the
#'   data than the effective range, as coordinates in km are where those of the fit were in m.
#'   With a log link a warning, `neargp_warning_overflow`, reports means, standard deviations and
#'   quantiles beyond the range of numbers, in whose place there is the largest number: the linear
#'   predictor has a standard deviation of some tens there.
#' @references Cressie, N. (1993). *Statistics for Spatial Data*, section 3.4. Wiley. Rue, H.,
#'   Martino, S. and Chopin, N. (2009). Approximate Bayesian inference for latent Gaussian models by
#'   using integrated nested Laplace approximations. *Journal of the Royal Statistical Society B*
#'   71, 319–392.
#'   Of continuity by penalties that grow with distance: Rivoirard, J. and Romary, T. (2011).
#'   Continuity for kriging with moving neighborhood. *Mathematical Geosciences* 43, 469-481.
#' @seealso [predict_areas()] for polygons, [simulate.neargp()] for draws,
#'   [fitted()][residuals.neargp] and [loo_predict()] of the rows of the fit, [plot_map()] for maps,
#'   [recalibrate()] for intervals that cover too little.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(100), y = runif(100))
#' d$z <- sin(6 * d$x) + d$y + rnorm(100, sd = 0.1)
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(k = 10))
#' predict(fit, data.frame(x = c(0.1, 0.9), y = 0.5), interval = "prediction", level = 0.9)
#'
#' # A function for repeated use, of single places.
#' height_at <- function(x, y) predict(fit, data.frame(x = x, y = y))$mean
#' optim(c(0.5, 0.5), function(at) height_at(at[1], at[2]), lower = 0, upper = 1,
#'   method = "L-BFGS-B")$par
#' @export
predict.neargp <- function(object, newdata,
                           type = c("response", "link", "quantile", "process", "trend", "terms",
                                    "coefficients"),
                           interval = c("none", "confidence", "prediction"), level = 0.95,
                           probs = c(0.05, 0.5, 0.95), threshold = NULL,
                           threshold_of = c("observation", "mean"), trials = 1, k = NULL,
                           local_mean = NULL, sectors = NULL, joint = FALSE, chunk_size = NULL,
                           threads = NULL, device = NULL, verbose = rlang::is_interactive(),
                           parameters = c("plug-in", "integrated"), filename = NULL,
                           overwrite = FALSE, smooth = FALSE, re.form = NULL,
                           allow.new.levels = FALSE, cluster = NULL, output = NULL, ...) {
  elsewhere <- predicted_elsewhere(match.call(expand.dots = FALSE))
  if (!is.null(elsewhere)) return(elsewhere)
  interval <- check_choice(interval, "interval", c("none", "confidence", "prediction"))
  gaussian <- has_normal_response(object)
  type <- if (missing(type) && gaussian && interval == "confidence") "link" else
    check_choice(type, "type", c("response", "link", "quantile", parts_of_field, tables_of_parts))
  check_one_scale(object$family, type, interval, threshold)
  check_part_of_field(type, interval, threshold, joint, local_mean)
  if (!missing(trials)) check_has_trials(object$family)
  if (!missing(probs)) check_for_quantiles(probs, type)
  if (!missing(threshold_of)) check_for_threshold(threshold_of, threshold)
  settings <- predict_settings(object, k, local_mean, sectors, threads, device, type = type,
    joint = joint, chunk_size = chunk_size, interval = interval, level = check_level(level),
    verbose = check_flag(verbose, "verbose"))
  settings <- with_smooth(settings, object, smooth, sectors)
  if (type == "quantile") settings$probs <- check_probs(probs)
  settings$threshold <- check_threshold(threshold)
  settings$trials <- check_trials(trials)
  settings$threshold_of <- check_choice(threshold_of, "threshold_of", c("observation", "mean"))
  settings$integrated <- check_choice(parameters, "parameters",
    c("plug-in", "integrated")) == "integrated"
  if (settings$integrated) check_integrable(object, joint)
  check_columns_wanted(object, settings)
  object <- for_effects_of(object, newdata, re.form, allow.new.levels, pooled = !settings$joint)
  if (!is.null(check_cluster(cluster))) {
    check_told_by_workers(type)
    return(predict_on_cluster(object, newdata, settings, cluster, threads))
  }
  if (type == "terms") return(predicted_terms(object, newdata, settings))
  settings$file <- raster_file(newdata, filename, overwrite)
  if (type == "coefficients") return(predicted_coefficients(object, newdata, settings))
  predict_target(object, newdata, settings)
}

# A column for the trend with offset, one for each smooth and each random effect, and the process:
# they add up to the linear predictor, with the mean of the trend everywhere.
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
