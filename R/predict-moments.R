# Mean and variance of the latent field at new locations, by chunks of rows.

# The predictor of a method is a function of (coords, X, offset) of locations, and for several
# responses also of those `observed` there. It returns a list of the mean and variance of the latent
# field of each target. It is made once for all chunks, so that what they share is computed once.
# There is one target for each output of a location: first those of the first output at all
# locations, then those of the next (stacked_targets()). The number of the location therefore varies
# fastest in all moments. These are `mean` and `variance`, and for mixtures `components`, a row for
# each target (deep-predict.R). `covariance` of the outputs is an array of location x output x
# output.
predictor <- function(method, object, settings) {
  UseMethod("predictor")
}

# Lets a method check all locations that are to be predicted, once.
check_target <- function(method, object, coords) {
  UseMethod("check_target")
}

#' @export
check_target.default <- function(method, object, coords) invisible()

# The predictor of the wanted part; for the trend alone nothing is conditioned.
part_predictor <- function(object, settings) {
  if (settings$integrated) return(integrated_predictor(object, settings))
  if (settings$part != "trend") return(predictor(object$method, object, settings))
  function(coords, X, offset) moments_of_trend(object, X, offset, settings$context)
}

#' @export
predictor.default <- function(method, object, settings) {
  function(coords, X, offset) conditional_moments(object, coords, X, offset, settings)
}

# Moments of all targets, chunk by chunk of the locations.
chunked_moments <- function(object, target, settings,
                            moments_at = part_predictor(object, settings)) {
  m <- nrow(target$coords)
  if (!is.null(settings$maxdist) && settings$part != "trend") {
    moments_at <- reporting_lonely_rows(moments_at, object, settings)
  }
  if (m == 0L) return(unknown_moments(object, length(target$complete), settings))
  check_target(object$method, object, target$coords)
  if (reads_shards(object) && settings$part != "trend") {
    return(moments_from_cache(object, target, settings))
  }
  starts <- seq(1L, m, by = settings$chunk_size)
  advance <- progress_reporter(length(starts), settings$verbose)
  parts <- lapply(starts, function(first) {
    part <- do.call(moments_at, take_places(target, first:min(first - 1 + settings$chunk_size, m)))
    advance()
    part
  })
  spread_over_places(parts, diff(c(starts, m + 1L)), target$complete)
}

# Moments as of chunked_moments(), of targets of which some are complete, by a fit that reads its
# observations in shards.
moments_from_cache <- function(object, target, settings) {
  UseMethod("moments_from_cache")
}

take_places <- function(target, rows) {
  c(list(coords = target$coords[rows, , drop = FALSE], X = target$X[rows, , drop = FALSE],
    offset = target$offset[rows]),
    if (!is.null(target$observed)) list(observed = target$observed[rows, , drop = FALSE]))
}

unknown_moments <- function(object, places, settings) {
  P <- max(length(object$outputs), 1L)
  list(mean = rep(NA_real_, places * P), variance = rep(NA_real_, places * P),
    covariance = if (settings$covariance) array(NA_real_, c(places, P, P)))
}

# `parts`: moments of so many `places` each. Together these are the rows that are complete, `at`.
# The other rows get NA.
spread_over_places <- function(parts, places, complete, at = which(complete)) {
  known <- Filter(Negate(is.null), parts[[1L]])
  of_all_rows <- length(parts) == 1L && identical(at, seq_along(complete))
  if (of_all_rows && setequal(names(known), c("mean", "variance"))) return(lapply(known, as.vector))
  lapply(stats::setNames(nm = names(known)), function(name) {
    by_place <- do.call(rbind, Map(function(part, m) matrix(part[[name]], m), parts, places))
    full <- matrix(NA_real_, length(complete), ncol(by_place))
    full[at, ] <- by_place
    if (name %in% c("mean", "variance")) return(as.vector(full))
    shape <- dim(known[[name]])[-1L]
    array(full, c(length(full) %/% prod(shape), shape))
  })
}

# `output`: of each target, where there are several.
conditional_moments <- function(object, coords, X, offset, settings, neighbors = NULL,
                                output = NULL) {
  if (is.null(neighbors) && !is.null(settings$maxdist)) {
    return(moments_within(object, coords, X, offset, settings))
  }
  outside <- if (is.null(neighbors)) is_outside(coords, object$locations, settings$local_times)
  if (any(outside)) {
    return(moments_by_mean(outside, settings, function(rows, settings) {
      conditional_moments(object, coords[rows, , drop = FALSE], X[rows, , drop = FALSE],
        offset[rows], settings, output = output[rows])
    }))
  }
  compressed <- is_compressed(object$data)
  given <- conditional_weights(object, coords, settings, neighbors, output,
    keep_weights = compressed)
  if (compressed) return(compressed_moments(object, X, offset, given, settings$context))
  trend_moments(object, given$weighted, given$variance, X, offset)
}

# Rows without neighbours, and those at times outside of the data, use the mean of the whole trend.
moments_within <- function(object, coords, X, offset, settings) {
  neighbors <- neighbors_within(object, coords, settings)
  by_trend <- colSums(!is.na(neighbors)) == 0 |
    is_outside(coords, object$locations, settings$local_times)
  settings["maxdist"] <- list(NULL)
  moments_by_mean(by_trend, settings, function(rows, settings) {
    conditional_moments(object, coords[rows, , drop = FALSE], X[rows, , drop = FALSE],
      offset[rows], settings, neighbors[, rows, drop = FALSE])
  })
}

is_outside <- function(coords, locations, span) {
  if (is.null(span)) return(FALSE)
  time <- time_column(coords, locations)
  time < span[1L] | time > span[2L]
}

# The rows `outside` use the mean of the whole trend, the others local ones.
moments_by_mean <- function(outside, settings, moments_of) {
  settings$local_times <- NULL
  by_trend <- settings
  by_trend$local_mean <- FALSE
  parts <- list(if (!all(outside)) moments_of(which(!outside), settings),
    moments_of(which(outside), by_trend))
  at <- order(c(which(!outside), which(outside)))
  do.call(Map, c(list(function(...) c(...)[at]), Filter(Negate(is.null), parts)))
}

# Universal kriging: see the help of predict.neargp(). At a datum without noise rounding may put a
# variance just below 0.
trend_moments <- function(object, weighted, variance, X, offset) {
  moments_by_parts(object, weighted, variance, X, offset)[c("mean", "variance")]
}

# Also returns `unseen`, the part of the design that the neighbours do not explain, and the variance
# of the trend there.
moments_by_parts <- function(object, weighted, variance, X, offset) {
  columns <- design_columns(object$data, X)
  unseen <- columns - weighted[, -1L, drop = FALSE]
  trend <- core_trend(object)
  trend_variance <- row_forms(unseen, trend$beta_vcov)
  list(mean = base_mean(object$data, X, offset, columns) +
    (weighted[, 1L] + drop(row_products(unseen, trend$beta))),
    variance = pmax(variance, 0) + trend_variance, unseen = unseen,
    trend_variance = trend_variance)
}

# `keep_weights`: whether to return the weights of the neighbours, and the table of these.
conditional_weights <- function(object, coords, settings, neighbors = NULL, output = NULL,
                                kriging = cached_kriging(object, settings$context),
                                keep_weights = FALSE) {
  if (settings$exact && is.null(neighbors)) {
    found <- kriging_of_all(object$method, object, coords, settings, output)
  } else {
    smooth <- settings$smooth && is.null(neighbors)
    near <- if (smooth) smooth_neighbors(object, coords, settings) else
      list(neighbors = neighbors %||% prediction_neighbors(object, coords, settings))
    found <- core_krige(kriging, coords, near$neighbors, settings$local_mean, settings$context,
      output, keep_weights, near$taper)
    if (keep_weights) found$neighbors <- t(as.matrix(near$neighbors))
  }
  if (found$failed > 0L) abort_cholesky(0L)
  found
}

# The predictor from all rows at new locations.
kriging_of_all <- function(method, object, coords, settings, output) {
  UseMethod("kriging_of_all")
}

#' @export
kriging_of_all.default <- function(method, object, coords, settings, output) {
  core_exact_krige(cached_exact_kriging(object, settings$context), coords, settings$context, output)
}

# Whether areas are predicted by the matrix of all rows, exactly. With few rows it takes no time.
is_dense_fit <- function(object) {
  made <- object$pseudo_observations$data
  observed <- is_gaussian(object$family) || !is.null(made)
  observed &&
    (has_ability(object$method, "exact") || length((made %||% object$data)$y) <= few_places)
}

predict_rows <- function(object, newdata, settings) {
  target <- new_target(object, newdata, settings$part)
  tell_far_locations(object, target, settings)
  if (settings$observed) target$observed <- observed_outputs(object, newdata, target)
  moments <- with_noise_of_targets(if (settings$joint) joint_moments(object$method, object, target,
    settings) else chunked_moments(object, target, settings), target, settings, object)
  result <- target$restore(prediction_columns(object, moments, settings))
  if (settings$joint) attr(result, "covariance") <- moments$covariance
  if (settings$covariance) attr(result, "covariance") <- outputs_covariance(object, moments,
    settings)
  result
}

outputs_covariance <- function(object, moments, settings) {
  covariance <- moments$covariance
  if (settings$type != "link") {
    for (p in seq_along(object$outputs)) covariance[, p, p] <- covariance[, p, p] + object$nugget[p]
  }
  dimnames(covariance) <- list(NULL, object$outputs, object$outputs)
  covariance
}

# Rows to predict, of a raster all cells.
target_size <- function(newdata) {
  if (is_stars(newdata)) return(prod(dim(newdata)))
  if (is_raster(newdata)) terra::ncell(newdata) else NROW(newdata)
}

# `context`: how it is computed; all else says what is wanted, and without more it is the latent
# field, row by row.
new_prediction_settings <- function(context, k = NULL, ...) {
  with_fields(new_state("neargp_prediction_settings",
    # ---- what is wanted
    type = "link",               # "response", "link" or "quantile"
    part = "field",              # "field", or of it "process" or "trend"
    interval = "none",           # "none", "confidence" or "prediction"
    level = 0.95,                # of the interval
    probs = NULL,                # of quantiles
    threshold = NULL,            # values to exceed, NULL for none,
    threshold_of = NULL,         # by an "observation" or by the "mean"
    trials = NULL,               # of new binomial observations
    integrated = FALSE,          # whether covariance parameters are, integrated-parameters.R
    joint = FALSE,               # whether with the covariance matrix of all rows
    covariance = FALSE,          # whether with that of several outputs, by location
    observed = FALSE,            # whether given the outputs that the new rows have
    noise = FALSE,               # of draws: whether they are responses, or the field
    conditional = TRUE,          # of draws: whether given the data
    # ---- what it is conditioned on
    k = k,                       # neighbours
    k_other = NULL,              # from each other output
    exact = FALSE,               # on all rows, by dense matrices
    few_dense = FALSE,           # of draws: so where locations are few
    local_mean = FALSE,          # whether the neighbours have a mean of their own,
    local_times = NULL,          # at times within these, NULL for any
    sectors = 0L,                # directions that neighbours are taken from, 0 for any
    maxdist = NULL,              # the farthest of them, NULL for any, see predict-maxdist.R
    smooth = FALSE,              # whether neighbours have a taper, see predict-smooth.R
    # ---- how it is computed
    chunk_size = NULL,           # rows at a time
    file = NULL,                 # of a raster: name of the file that is written, NULL for none
    leave_out = NULL,            # of leave-one-out predictions, see unit_left_out()
    most_left_out = Inf,         # of these: at how many locations they are needed
    context = context,           # the plain one until the device is chosen, prediction_context()
    device = NULL,               # "auto", "cpu" or "cuda"
    verbose = FALSE), ...)
}

field_variance <- function(fit) {
  sum(vapply(fit$core_covariance$components, function(component) component$variance, 0))
}
