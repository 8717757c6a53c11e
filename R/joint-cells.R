# The posterior of responses that share fields at the cells of a grid, for predict_index(). As for
# areas (areas-latent.R), cells are further locations of the prior, without observations. Rows of
# the data have pseudo-observations of precision W and natural mean t. Given these and coefficients
# b, the mean of the fields is P^-1 C't - H b with H = P^-1 C'WX. P is the posterior's precision at
# all locations, and C takes fields to linear predictors. See joint-predict.R for the other terms.

# `targets`: for each response its data, and coords, X and offset of the cells. Returns moments of
# linear predictors, cells x responses. `draw(count)` returns a matrix of them for each response,
# and `variances(m, weights)` the variances of weighted sums of that of response m. `unknowns`: how
# many numbers a draw takes.
joint_cells <- function(object, targets, settings) {
  known <- object$known %||% object
  latent <- fields_with_cells(known, targets[[1L]]$coords, settings)
  fields <- fields_at_cells(known, latent, targets[[1L]]$coords, settings)
  parts <- predictor_parts(object, fields, targets)
  c(predictor_moments(object, fields, parts), list(unknowns = latent$count * ncol(fields$mean),
    draw = function(count) draws_at_cells(object, latent, parts, count, settings),
    variances = function(m, weights) {
      variances_of_sums(object, latent, parts[[m]], weights, settings)
    }))
}

# The fields at data and cells behind a pointer. `count`: of their locations. `points`: those of
# each row of the data. `cell`: the location of each cell. `data`: the rows. `most_exact`: up to so
# many unknowns the factor is exact.
fields_with_cells <- function(object, cells, settings, most_exact = 3000L) {
  shared <- fitted_joint_problem(object, settings$context)
  data <- shared$data
  coords <- rbind(shared$coords, cells)
  node <- location_index(coords)
  places <- seq_len(nrow(shared$coords))
  shared$place[] <- node[places][shared$place]
  shared$coords <- coords[!duplicated(node), , drop = FALSE]
  shared$method$k <- settings$k %||% neighbors_of_areas(object)
  shared$common <- NULL
  shared$data[c("design", "effects")] <- list(matrix(0, length(data$y), 0L), 0L)
  search <- joint_search(shared, shared$start)
  unknowns <- nrow(shared$coords) * ncol(all_loadings(object))
  pointer <- with_enough_jitter(shared$method$jitter, function(jitter) {
    shared$method$jitter <- jitter
    latent <- joint_latent(shared, search, unknowns <= most_exact)
    core_fields_restore(latent, specified_structures(object), core_loadings(object),
      double(unknowns), double(0), object$posterior$pseudo_precision, matrix(0, unknowns, 0L),
      settings$context)
    latent
  })
  list(pointer = pointer, count = nrow(shared$coords),
    points = points_of_rows(shared$place, shared$shares), cell = node[-places],
    response = shared$response, data = data)
}

# The unknowns of the fields at these locations, one field after the other.
unknowns_of <- function(latent, at, fields) {
  as.vector(outer(at, (seq_len(fields) - 1L) * latent$count, "+"))
}

# C'x for columns x of numbers at locations. `loadings`: a row for each of them.
sums_by_field <- function(latent, x, at, loadings) {
  do.call(rbind, lapply(seq_len(ncol(loadings)), function(field) {
    sums_by_group(loadings[, field] * as.matrix(x), at, latent$count)
  }))
}

# The fields at the cells in the form of new_fields_at().
fields_at_cells <- function(object, latent, cells, settings) {
  posterior <- object$posterior
  A <- core_loadings(object)
  W <- posterior$pseudo_precision
  natural <- W * (posterior$linear_predictor - latent$data$offset) + posterior$slope
  points <- latent$points
  at_rows <- cbind(natural, W * latent$data$design)
  right <- sums_by_field(latent, points$share * at_rows[points$row, , drop = FALSE], points$place,
    A[latent$response[points$row], , drop = FALSE])
  solved <- core_latent_solve(latent$pointer, right, settings$context)
  solved <- solved[unknowns_of(latent, latent$cell, ncol(A)), , drop = FALSE]
  response <- solved[, -1L, drop = FALSE]
  mean <- solved[, 1L] - response %*% object$core_trend$beta
  # a cell is the only neighbour of itself
  at <- core_fields_predict(latent$pointer, cells, matrix(latent$cell, 1L), settings$context)
  list(mean = matrix(mean, ncol = ncol(A)), response = response, covariance = at$covariance,
    # those of predictions from neighbours, since parameters change both alike
    slopes = if (length(object$spread$shifted)) fields_at(object, cells, settings)$slopes)
}

draws_at_cells <- function(object, latent, parts, count, settings) {
  A <- core_loadings(object)
  trend <- normal_draws(object$core_trend$beta_vcov, count)
  fields <- core_latent_draws(latent$pointer, count, order_key(), settings$context)$field
  parameters <- normal_draws(object$spread$covariance, count)
  lapply(parts, function(part) {
    eta <- part$mean + part$unseen %*% trend + part$slopes %*% parameters
    for (field in seq_len(ncol(A))) {
      eta <- eta + A[part$m, field] * fields[(field - 1L) * latent$count + latent$cell, ,
        drop = FALSE]
    }
    eta
  })
}

# `weights`: cells x sums.
variances_of_sums <- function(object, latent, part, weights, settings) {
  A <- core_loadings(object)
  right <- sums_by_field(latent, weights, latent$cell, A[rep(part$m, nrow(weights)), ,
    drop = FALSE])
  solved <- core_latent_solve(latent$pointer, right, settings$context)
  colSums(right * solved) +
    row_forms(crossprod(weights, part$unseen), object$core_trend$beta_vcov) +
    row_forms(crossprod(weights, part$slopes), object$spread$covariance)
}
