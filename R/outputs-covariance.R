# The covariance between the outputs at each place, of predict(covariance = TRUE).

outputs_covariance <- function(object, moments, settings) {
  covariance <- moments$covariance
  if (settings$type == "response") {
    for (p in seq_along(object$outputs)) covariance[, p, p] <- covariance[, p, p] + object$nugget[p]
  }
  dimnames(covariance) <- list(NULL, object$outputs, object$outputs)
  covariance
}

# With one set of neighbours common to the outputs of a place, weights b_p, covariances c_q with
# them, and d_p what they do not see of the trend, the errors of outputs p and q have the covariance
# B[p, q] - b_p'c_q + d_p' V d_q.
covariance_of_places <- function(object, coords, target, settings) {
  m <- nrow(coords)
  P <- length(object$outputs)
  each <- max(1L, as.integer(ceiling((settings$k + (P - 1) * settings$k_other) / P)))
  common <- (if (settings$exact) all_rows_table(object, target) else
    neighbors_of_new_outputs(object, coords, each, each,
      settings$threads))[, seq_len(m), drop = FALSE]
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

# Row t: covariances of output q at place t with its neighbours; 0 where there are fewer.
neighbor_covariance <- function(object, coords, neighbors, q) {
  data <- object$data
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

# To the variances that are reported. Where an output is known, as at a datum without noise, its
# error is 0 but for rounding, and so are the correlations with it.
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
