# Rows of several outputs predicted from the others, see leave-one-out.R.

# Given the nearest in the rows that `leave_out` of the fit leaves in.
#' @export
weights_of_others.neargp_method_outputs <- function(method, object, settings) {
  at_means <- at_location_means(object)
  of <- function(leave_out) weights_of_other_outputs(at_means, settings, leave_out)
  if (identical(method$leave_out, "row")) return(add_own_location(object, at_means$data, of("row")))
  c(of("prediction"), list(chain = of("location")))
}

weights_of_other_outputs <- function(object, settings, leave_out) {
  data <- object$data
  most <- function(k) if (settings$exact) length(data$y) else k
  settings$context <- prediction_context(object, data$places, settings)
  neighbors <- neighbors_of_outputs(data, metric_component(object$core_covariance),
    most(settings$k), most(settings$k_other), leave_out, settings$context)
  conditional_weights(object, data$coords, settings, neighbors, data$output)
}

# Moments of each row's field as without_own_trend() has them, with the row's whole place left out.
# `given` and `chain` are of the rows of conditioned_data(); `chain`: with the outputs before a row
# at its place among the others.
without_own_place <- function(object, given, chain) {
  data <- object$data
  means <- conditioned_data(object)
  index <- mean_index(data, means)
  design <- response_columns(data)[, -1L, drop = FALSE]
  weighted <- given$weighted[index, , drop = FALSE]
  unseen <- design - weighted[, -1L, drop = FALSE]
  all_rows <- core_trend(object)
  moments <- trend_moments(object, weighted, given$variance[index], full_design(data), data$offset)
  whitened <- whitened_places(object, means, chain)
  place <- means$place[index]
  alone <- determining_groups(design, place)
  trend_without <- deleted_trends(object)
  left <- moments
  for (rows in split(seq_along(data$y), place)) {
    if (place[rows[1L]] %in% alone) next
    W <- whitened(place[rows[1L]])
    D <- W[, -1L, drop = FALSE]
    trend <- downdated_trend(all_rows, D, W[, 1L] - drop(D %*% unname(all_rows$beta))) %||%
      trend_without(rows)
    left <- with_trend(left, rows, moments, unseen, all_rows$beta_vcov, trend)
  }
  alone <- which(place %in% alone)
  without_prediction(object, left, alone, unique(data$place[alone]))
}

# A function of a place: the whitened columns of its rows given the other places, or as many rows
# with the same Gram matrix as there are columns. The deviations of observations from the means of a
# location are independent of all else.
whitened_places <- function(object, means, chain) {
  variance <- pmax(chain$variance, 0) + noise_of_rows(object, means)
  scale <- ifelse(variance > 0, 1 / sqrt(variance), 0)
  whitened <- (response_columns(means) - chain$weighted) * scale
  rows_of <- split(seq_along(means$y), means$place)
  function(place) {
    rows <- rows_of[[as.character(place)]]
    found <- whitened[rows, , drop = FALSE]
    if (is.null(means$within)) return(found)
    within <- take_within(means$within, rows)
    noise <- rep(unname(object$nugget)[means$output[rows]], within$count)
    found <- rbind(found, within$columns / sqrt(noise))
    if (nrow(found) <= ncol(found)) return(found)
    decomposition <- qr(found)
    qr.R(decomposition)[, order(decomposition$pivot), drop = FALSE]
  }
}
