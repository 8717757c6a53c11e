# Probabilities of classes at new rows, for predict() (R/predict-classes.R).

predict_class_target <- function(object, newdata, type, settings) {
  probability_at <- class_predictor(object$method, object, settings)
  if (is_raster(newdata)) {
    return(predict_class_raster(object, newdata, type, settings, probability_at))
  }
  target <- new_target(object, newdata)
  tell_far_locations(object, target, settings)
  target$restore(class_columns(chunked_classes(object, target, settings, probability_at), type))
}

# How many neighbours predictions are made from; NULL where from none.
classifier_k <- function(method, object, k) {
  UseMethod("classifier_k")
}

#' @export
classifier_k.default <- function(method, object, k) {
  if (is.null(k)) return(object$k)
  k <- check_count(k, "k")
  distinct <- length(unique(object$classifier$location_index))
  if (k > distinct) {
    abort_neargp("k",
      sprintf("k = %s neighbours are more than the %s distinct locations of the fit.",
        format_count(k), format_count(distinct)))
  }
  k
}

# Probabilities at new locations as a function of (coords, X, offset), made once for all chunks.
class_predictor <- function(method, object, settings) {
  UseMethod("class_predictor")
}

#' @export
class_predictor.default <- function(method, object, settings) {
  labels <- cached(object, "labels", settings$context, fitted_labels(object))
  component <- metric_component(object$core_covariance)
  index <- cached(object, "label_index", settings$context,
    core_index(labels$coords, component, search_lags(component)))
  function(coords, X, offset) {
    neighbors <- as.matrix(core_index_nearest(index, coords, settings$k, settings$context))
    used <- sort(unique(as.vector(neighbors)))
    label_probabilities(object, labels$coords[used, , drop = FALSE],
      labels$content[used, , drop = FALSE], coords,
      matrix(match(neighbors, used), nrow(neighbors)), X, offset, settings$context)$probability
  }
}

fitted_labels <- function(object) {
  data <- object$data
  data$class <- class_numbers(data)
  new_labels(data, length(data$levels), object$classifier$location_index)
}

label_probabilities <- function(object, coords, counts, targets, neighbors, X, offset, context) {
  classifier <- object$classifier
  pointer <- core_label_model(coords, counts, classifier$estimator == "own-class", targets,
    neighbors)
  like_problem <- list(classes = list(labels = list(classes = length(classifier$levels)),
    per_class = classifier$estimator == "own-class"))
  result <- core_label_probabilities(pointer, as_specified(object$core_covariance), object$nugget,
    classifier$slope, link_shift(like_problem, X, offset, unname(classifier$trend)),
    link_bias(like_problem, unname(classifier$bias)), context)
  if (result$failed > 0L) abort_cholesky(0L)
  result
}

# The distributions of all rows of the target, NA where it is incomplete.
chunked_classes <- function(object, target, settings, probability_at) {
  m <- nrow(target$coords)
  probability <- matrix(NA_real_, length(target$complete), length(object$classifier$levels))
  place <- which(target$complete)
  starts <- if (m > 0L) seq(1L, m, by = settings$chunk_size)
  advance <- progress_reporter(length(starts), settings$verbose)
  for (first in starts) {
    rows <- first:min(first - 1 + settings$chunk_size, m)
    probability[place[rows], ] <- probability_at(target$coords[rows, , drop = FALSE],
      target$X[rows, , drop = FALSE], target$offset[rows])
    advance()
  }
  new_categorical(probability, object$classifier$levels)
}

predict_class_raster <- function(object, newdata, type, settings, probability_at) {
  require_package("terra", "for SpatRaster objects")
  check_raster(object, newdata)
  levels <- object$classifier$levels
  raster_by_blocks(newdata, settings, function(cells) {
    target <- raster_target(object, newdata, cells)
    class_columns(chunked_classes(object, target, settings, probability_at), type)
  }, if (type == "class") data.frame(value = seq_along(levels), class = levels))
}

# ---- leave one out -------------------------------------------------------------------------------

# The distributions of the classes of training rows, each from its nearest others. The parameters
# stay those of all rows, the trend's included: it is inside the link, and no closed form takes a
# row out of it.
left_out_classes <- function(object, k = NULL, threads = NULL, rows = seq_along(object$data$y)) {
  new_categorical(class_probabilities_given_others(object$method, object, k, threads, rows),
    object$classifier$levels)
}

class_probabilities_given_others <- function(method, object, k, threads, rows) {
  UseMethod("class_probabilities_given_others")
}

#' @export
class_probabilities_given_others.default <- function(method, object, k, threads, rows) {
  probabilities_given_others(object, k, default_context(object, length(rows), k %||% object$k,
    threads), rows)
}

probabilities_given_others <- function(object, k, context, rows) {
  labels <- fitted_labels(object)
  k <- min(classifier_k(object$method, object, k), nrow(labels$coords) - 1L)
  at <- take_observations(labels, rows)
  sets <- leave_one_out_sets(labels, at, metric_component(object$core_covariance), k, context,
    label_content(labels, at))
  label_probabilities(object, sets$coords, sets$content, sets$targets, sets$neighbors,
    object$data$X[rows, , drop = FALSE], object$data$offset[rows], context)$probability
}

loo_classes <- function(object, k, threads) {
  distribution <- left_out_classes(object, k, threads)
  columns <- class_columns(distribution, "prob")
  columns$class <- class_columns(distribution, "class")$class
  spread <- stats::naresid(object$na_action, seq_len(nrow(columns)))
  structure(columns[spread, ], row.names = seq_along(spread))
}
