# Predictions of several responses, for predict() (R/predict-outputs.R).

# Thresholds in the order of the outputs.
check_output_thresholds <- function(threshold, outputs) {
  if (is.null(threshold)) return(NULL)
  named <- names(threshold)
  fits <- is.numeric(threshold) && all(is.finite(threshold)) &&
    length(threshold) %in% c(1L, length(outputs)) && (is.null(named) || setequal(named, outputs))
  if (!fits) {
    abort_argument("threshold",
      sprintf("a number, or a number for each of the responses %s", format_some(outputs)),
      threshold)
  }
  rep_len(as.double(if (is.null(named)) threshold else threshold[outputs]), length(outputs))
}

#' @export
predictor.neargp_method_outputs <- function(method, object, settings) {
  function(coords, X, offset, observed = NULL) {
    target <- stacked_targets(object, coords, X)
    neighbors <- if (!settings$exact) neighbors_of_new_outputs(object, coords, settings$k,
      settings$k_other, settings$context)
    if (!is.null(observed)) {
      return(moments_given_observed(object, target, neighbors %||% all_rows_table(object, target),
        observed, settings))
    }
    moments <- conditional_moments(object, target$coords, target$X, 0, settings, neighbors,
      target$output)
    if (settings$covariance) {
      moments$covariance <- scaled_covariance(object, covariance_of_places(object, coords, target,
        settings), by_output(object, moments$variance))
    }
    moments
  }
}

all_rows_table <- function(object, target) {
  n <- count_conditioned(object)
  matrix(seq_len(n), n, nrow(target$coords))
}

# ---- outputs observed at the new locations -------------------------------------------------------

# The neighbours of an output are rows of the data and the other outputs observed at its location.
moments_given_observed <- function(object, target, neighbors, observed, settings) {
  data <- data_with_observed(object, target, observed)
  kriging <- core_kriging(data$coords, response_columns(data), 1 / data$weights,
    as_specified(object$core_covariance), 0, data$output)
  found <- conditional_weights(object, target$coords, settings,
    compact_neighbors(rbind(observed_neighbors(object, observed), neighbors)), target$output,
    kriging)
  trend_moments(object, found$weighted, found$variance, target$X, 0)
}

# The data of the fit, and after them what is observed at the new locations.
data_with_observed <- function(object, target, observed) {
  data <- conditioned_data(object)
  known <- which(!is.na(observed))
  list(y = c(data$y, observed[known]), offset = rep(0, length(data$y) + length(known)),
    weights = c(data$weights, rep(1, length(known))),
    X = rbind(data$X, target$X[known, , drop = FALSE]),
    coords = rbind(data$coords, target$coords[known, , drop = FALSE]),
    output = c(data$output, target$output[known]), basis = data$basis)
}

# Column (location, output): the rows of the other outputs observed at that location.
observed_neighbors <- function(object, observed) {
  known <- !is.na(observed)
  number <- matrix(NA_integer_, nrow(known), ncol(known))
  number[known] <- count_conditioned(object) + seq_len(sum(known))
  do.call(cbind,
    lapply(seq_len(ncol(known)),
      function(p) t(replace(number, cbind(seq_len(nrow(known)), p), NA_integer_))))
}

# ---- covariance of the outputs at a location -----------------------------------------------------

# All outputs of a location use one set of neighbours here. Let b_p be the weights, c_q the
# covariances with the neighbours, and d_p the part of the trend that the neighbours do not
# determine. The covariance of the errors of outputs p and q is B[p, q] - b_p'c_q + d_p' V d_q.
covariance_of_places <- function(object, coords, target, settings) {
  m <- nrow(coords)
  P <- length(object$outputs)
  each <- max(1L, as.integer(ceiling((settings$k + (P - 1) * settings$k_other) / P)))
  common <- (if (settings$exact) all_rows_table(object, target) else
    neighbors_of_new_outputs(object, coords, each, each,
      settings$context))[, seq_len(m), drop = FALSE]
  covariance <- array(0, c(m, P, P))
  found <- conditional_weights(object, target$coords, settings, common[, target$place,
    drop = FALSE], target$output, keep_weights = TRUE)
  unseen <- design_columns(object$data, target$X) - found$weighted[, -1L, drop = FALSE]
  beta_vcov <- core_trend(object)$beta_vcov
  total <- Reduce(`+`, lapply(object$core_covariance$components,
    function(x) tcrossprod(x$loadings)))
  for (q in seq_len(P)) {
    cross <- neighbor_covariance(object, coords, common, q)
    for (p in seq_len(P)) {
      rows <- target$output == p
      explained <- rowSums(found$weights[rows, , drop = FALSE] * cross)
      trend <- rowSums(row_products(unseen[rows, , drop = FALSE], beta_vcov) *
        unseen[target$output == q, , drop = FALSE])
      covariance[, p, q] <- total[p, q] - explained + trend
    }
  }
  covariance
}

# Row t: covariances of output q at location t with its neighbours; 0 where there are fewer.
neighbor_covariance <- function(object, coords, neighbors, q) {
  data <- conditioned_data(object)
  k <- nrow(neighbors)
  result <- matrix(0, nrow(coords), k)
  for (component in object$core_covariance$components) {
    there <- core_scale(data$coords, component)
    here <- core_scale(coords, component)
    products <- drop(component$loadings %*% component$loadings[q, ])
    for (r in seq_len(k)) {
      row <- neighbors[r, ]
      present <- !is.na(row)
      row <- row[present]
      distance <- sqrt(rowSums((there[row, , drop = FALSE] - here[present, , drop = FALSE])^2))
      result[present, r] <- result[present, r] + correlation_at(component, distance) *
        products[data$output[row]]
    }
  }
  result
}

# Scales the covariance to the variances that are reported. The error of a known output, as at a
# datum without noise, is 0 except for rounding, and so are its correlations with others.
scaled_covariance <- function(object, covariance, variance) {
  P <- ncol(variance)
  prior <- Reduce(`+`, lapply(object$core_covariance$components, function(x) rowSums(x$loadings^2)))
  own <- by_output(object, own_variances(covariance))
  known <- own <= 1e-10 * rep(prior, each = nrow(own))
  ratio <- ifelse(known, 0, sqrt(variance / ifelse(known, 1, own)))
  for (p in seq_len(P)) for (q in seq_len(P)) {
    covariance[, p, q] <- if (p == q) variance[, p] else covariance[, p, q] * ratio[, p] *
      ratio[, q]
  }
  covariance
}

# The variance of each target.
own_variances <- function(covariance) {
  P <- dim(covariance)[2L]
  unlist(lapply(seq_len(P), function(p) covariance[, p, p]))
}
