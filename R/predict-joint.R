# The joint distribution of a few new locations, all conditioned on the union U of their neighbours.
# With C = K_UU + noise and D = X_0 - K_0U C^-1 X_U,
#     covariance = K_00 - K_0U C^-1 K_U0 + D V D'.

joint_moments <- function(method, object, target, settings) {
  UseMethod("joint_moments")
}

#' @export
joint_moments.default <- function(method, object, target, settings) {
  refuse_compressed(object, "predict(joint = TRUE)")
  field <- joint_field(object, joint_data(object, target, settings), target$coords)
  joint_of_field(object, target, settings, field$covariance, field$weighted)
}

# `covariance`: of the field given the trend. `weighted`: the conditional means of the response and
# of each column of the trend, a row for each location.
joint_of_field <- function(object, target, settings, covariance, weighted) {
  unseen <- design_columns(object$data, target$X) - weighted[, -1L, drop = FALSE]
  trend <- core_trend(object)
  covariance <- covariance + unseen %*% trend$beta_vcov %*% t(unseen)
  observed <- if (settings$type == "response") covariance +
    diag(target_noise(object, target), nrow(covariance)) else covariance
  # At a datum without noise the variance is zero, and rounding may put it just below.
  moments <- spread_over_rows(list(mean = base_mean(object$data, target$X, target$offset) +
    (weighted[, 1L] + drop(unseen %*% trend$beta)),
    variance = pmax(diag(covariance), 0)), target$complete)
  moments$covariance <- spread_square(observed, target$complete)
  moments
}

# The field without the trend, given these rows.
joint_field <- function(object, data, coords) {
  specification <- as_specified(object$core_covariance)
  factor <- joint_factor(object, data)
  cross <- backsolve(factor, core_covariance_matrix(data$coords, coords, specification),
    transpose = TRUE)
  list(weighted = crossprod(cross, backsolve(factor, response_columns(data), transpose = TRUE)),
    covariance = core_covariance_matrix(coords, coords, specification) - crossprod(cross))
}

joint_data <- function(object, target, settings) {
  take_data_rows(conditioned_data(object), joint_rows(object, target, settings))
}

joint_rows <- function(object, target, settings) {
  if (settings$exact || nrow(target$coords) == 0L) {
    return(check_union(seq_len(count_conditioned(object))))
  }
  neighbor_union(prediction_neighbors(object, target$coords, settings))
}

# The rows of a table of neighbours, of which a joint prediction can be made.
neighbor_union <- function(neighbors) {
  neighbors <- as.matrix(neighbors)
  check_union(sort(unique(neighbors[!is.na(neighbors)])))
}

joint_factor <- function(object, data) {
  covariance <- core_covariance_matrix(data$coords, data$coords,
    as_specified(object$core_covariance))
  tryCatch(chol(covariance + diag(object$nugget / data$weights, length(data$y))),
    error = function(e) abort_cholesky(0L))
}

spread_square <- function(matrix, complete) {
  full <- matrix(NA_real_, length(complete), length(complete))
  full[complete, complete] <- matrix
  full
}

check_union <- function(rows, max_union = 10000L) {
  if (length(rows) <= max_union) return(invisible(rows))
  abort_neargp("size",
    c(sprintf("The neighbours of all rows together are %s. These are too many for a joint prediction.",
      format_count(length(rows))), i = "Ask for fewer rows or a smaller `k`, or use simulate()."))
}
