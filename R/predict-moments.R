# Mean and variance of the latent field at new places, by chunks of rows.

# The predictor of a method: a function of (coords, X, offset) that returns the list of the mean and
# variance of the latent field there. It is made once for all chunks, so that what they share is
# computed once.
predictor <- function(method, object, settings) {
  UseMethod("predictor")
}

# What a method has to say of places that are to be predicted, once for all of them.
check_target <- function(method, object, coords) {
  UseMethod("check_target")
}

#' @export
check_target.default <- function(method, object, coords) invisible()

# The predictor of the wanted part; for the trend alone nothing is conditioned.
part_predictor <- function(object, settings) {
  if (settings$part != "trend") return(predictor(object$method, object, settings))
  function(coords, X, offset) {
    columns <- design_columns(object$data, X)
    trend <- core_trend(object)
    list(mean = base_mean(object$data, X, offset) + drop(row_products(columns, trend$beta)),
      variance = row_forms(columns, trend$beta_vcov))
  }
}

#' @export
predictor.default <- function(method, object, settings) {
  function(coords, X, offset) conditional_moments(object, coords, X, offset, settings)
}

# Mean and latent variance for all complete rows of the target, chunk by chunk.
chunked_moments <- function(object, target, settings,
                            moments_at = part_predictor(object, settings)) {
  m <- nrow(target$coords)
  if (m > 0L) check_target(object$method, object, target$coords)
  moments <- list(mean = double(m), variance = double(m))
  starts <- if (m > 0L) seq(1L, m, by = settings$chunk_size)
  advance <- progress_reporter(length(starts), settings$verbose)
  for (first in starts) {
    rows <- first:min(first - 1 + settings$chunk_size, m)
    part <- moments_at(target$coords[rows, , drop = FALSE], target$X[rows, , drop = FALSE],
      target$offset[rows])
    moments$mean[rows] <- part$mean
    moments$variance[rows] <- part$variance
    if (!is.null(part$components)) {
      if (is.null(moments$components)) {
        moments$components <- matrix(NA_real_, m, ncol(part$components))
      }
      moments$components[rows, ] <- part$components
    }
    advance()
  }
  spread_over_rows(moments, target$complete)
}

# `components`: of mixtures, a row for each row (deep-predict.R).
spread_over_rows <- function(moments, complete) {
  spread <- function(x) replace(rep(NA_real_, length(complete)), complete, x)
  spread_matrix <- function(x) {
    all <- matrix(NA_real_, length(complete), ncol(x))
    all[complete, ] <- x
    all
  }
  list(mean = spread(moments$mean), variance = spread(moments$variance),
    components = if (!is.null(moments$components)) spread_matrix(moments$components))
}

conditional_moments <- function(object, coords, X, offset, settings, neighbors = NULL) {
  weights <- conditional_weights(object, coords, settings, neighbors)
  if (weights$failed > 0L) abort_cholesky(0L)
  trend_moments(object, weights$weighted, weights$variance, X, offset)
}

# Universal kriging: see the help of predict.neargp(). At a datum without noise rounding may put a
# variance just below 0.
trend_moments <- function(object, weighted, variance, X, offset) {
  columns <- design_columns(object$data, X)
  unseen <- columns - weighted[, -1L, drop = FALSE]
  trend <- core_trend(object)
  list(mean = base_mean(object$data, X, offset, columns) +
    (weighted[, 1L] + drop(row_products(unseen, trend$beta))),
    variance = pmax(variance, 0) + row_forms(unseen, trend$beta_vcov))
}

conditional_weights <- function(object, coords, settings, neighbors = NULL) {
  if (settings$exact && is.null(neighbors)) {
    return(core_exact_krige(kept_exact_kriging(object, settings$threads), coords, settings$threads))
  }
  if (is.null(neighbors)) neighbors <- prediction_neighbors(object, coords, settings)
  core_krige(kept_kriging(object), coords, neighbors, settings$local_mean, settings$threads)
}
