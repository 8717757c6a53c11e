# The trend of vecchia() with further rows at the end of its ordering. Let V be the covariance
# matrix of the coefficients b by the earlier rows. Each new row is conditioned on its k nearest
# among all earlier rows. The residual of its response and columns, divided by their standard
# deviation, is a row (e, D) of a regression with independent errors of variance 1. With all rows
# together
#
#   V_new^-1 = V^-1 + D'D,     b_new = V_new (V^-1 b + D'e).
#
# The earlier rows need no other pass. In the step d = b_new - b, their part of minus twice the
# log-likelihood grows by d' V^-1 d.

# NULL where the new rows change terms of earlier ones: at locations that repeat, with random
# effects or a model of the noise. `n`: the number of earlier rows; `fit` holds all of them.
appended_at_end <- function(earlier, fit, n) {
  if (!extends_at_end(earlier, fit, n)) return(NULL)
  context <- plain_context(fit$threads)
  known <- earlier_index(earlier, context)
  if (!known$distinct) return(NULL)
  rows <- seq.int(n + 1L, length(fit$data$y))
  neighbors <- neighbors_of_last(fit, known, n, context)
  if (repeats_location(fit$data$coords, rows, neighbors, known$closest)) return(NULL)
  whitened <- whitened_rows(fit, rows, neighbors, context)
  fit <- with_extended_trend(earlier, fit, whitened)
  fit$appended <- with_errors(fit$appended, standardised(earlier, whitened))
  keep_for_next(fit, known, n)
}

extends_at_end <- function(earlier, fit, n) {
  inherits(fit$method, "neargp_vecchia") && !has_effects(fit$data) && is.null(fit$data$noise) &&
    !length(fit$data$by) && !is.null(earlier$core_trend %||% if (!ncol(fit$data$X)) TRUE) &&
    n > fit$k
}

# ---- neighbours ----------------------------------------------------------------------------------

# The index of the first rows is kept from one call to the next. Later rows, up to `most_unindexed`,
# are compared one by one.
most_unindexed <- 2000L

earlier_index <- function(fit, context) {
  cached(fit, "earlier", NULL, {
    coords <- fit$data$coords
    component <- metric_component(fit$core_covariance)
    closest <- apply(coords, 2L, function(x) min(1e-9 * diff(range(x)), 1e-12 * max(abs(x))))
    list(index = core_index(coords, component, search_lags(component)), rows = nrow(coords),
      closest = closest, distinct = !anyDuplicated(location_index(coords)))
  })
}

keep_for_next <- function(fit, known, n) {
  fit <- with_own_cache(fit)
  keep_in_cache(fit, "locations", fit$data)
  if (length(fit$data$y) - known$rows <= most_unindexed) keep_in_cache(fit, "earlier", known)
  fit
}

# A column for each row after the first n, nearest first. Where the new rows are many, one search
# finds the neighbours of all.
neighbors_of_last <- function(fit, known, n, context, most = most_unindexed) {
  coords <- fit$data$coords
  rows <- seq.int(n + 1L, nrow(coords))
  component <- metric_component(fit$core_covariance)
  if (nrow(coords) - known$rows > most) {
    table <- core_neighbors_before(core_scale(coords, component), seq_len(nrow(coords)), fit$k,
      context, search_lags(component))
    return(as.matrix(table)[, rows, drop = FALSE])
  }
  indexed <- as.matrix(core_index_nearest(known$index, coords[rows, , drop = FALSE], fit$k,
    context))
  nearest <- vapply(seq_along(rows), function(i) {
    unindexed <- seq.int(known$rows + 1L, length.out = rows[i] - 1L - known$rows)
    candidates <- c(indexed[, i], unindexed)
    if (!length(unindexed)) return(candidates)
    far <- remoteness(coords[candidates, , drop = FALSE], coords[rows[i], , drop = FALSE],
      component)
    candidates[order(far, candidates)[seq_len(fit$k)]]
  }, integer(fit$k))
  matrix(nearest, nrow = fit$k)
}

# Neighbours are sorted by this: squared distances in the metric of a component, or minus the
# covariances in space and time.
remoteness <- function(coords, at, component) {
  if (!is.null(component$field)) {
    return(-drop(core_covariance_matrix(places_of_field(coords, component),
      places_of_field(at, component), as_specified(component$field$covariance))))
  }
  scaled <- core_scale(rbind(at, coords), component)
  far <- double(nrow(coords))
  for (j in seq_len(ncol(scaled))) far <- far + (scaled[-1L, j] - scaled[1L, j])^2
  far
}

# Whether a row is as near to its nearest neighbour as rows that share a location.
repeats_location <- function(coords, rows, neighbors, closest) {
  apart <- abs(coords[rows, , drop = FALSE] - coords[neighbors[1L, ], , drop = FALSE])
  any(rowSums(apart > rep(2 * closest, each = length(rows))) == 0)
}

# ---- the regression ------------------------------------------------------------------------------

# The `columns` (e, D) of these rows, and the `variance` by which they are divided.
whitened_rows <- function(fit, rows, neighbors, context) {
  near <- reduce_to_neighbors(fit$data, rows, neighbors)
  columns <- response_columns(near$data)
  kriging <- core_kriging(near$data$coords, columns, 1 / near$data$weights,
    as_specified(fit$core_covariance), fit$nugget)
  targets <- near$data$coords[near$targets, , drop = FALSE]
  found <- core_krige(kriging, targets, near$neighbors, FALSE, context)
  if (found$failed > 0L) abort_cholesky(0L)
  variance <- pmax(found$variance, 0) + fit$nugget / near$data$weights[near$targets]
  list(columns = (columns[near$targets, , drop = FALSE] - found$weighted) / sqrt(variance),
    variance = variance)
}

with_extended_trend <- function(earlier, fit, whitened) {
  e <- whitened$columns[, 1L]
  D <- whitened$columns[, -1L, drop = FALSE]
  by_ml <- log_likelihood_of(earlier, FALSE) - 0.5 * (length(e) * log(2 * pi) +
    sum(log(whitened$variance))) + new_jacobian(earlier, fit)
  moved <- 0
  if (ncol(D)) {
    before <- core_trend(earlier)
    precision <- chol2inv(chol(before$beta_vcov))
    beta_vcov <- chol2inv(chol(precision + crossprod(D)))
    change <- drop(beta_vcov %*% crossprod(D, e - drop(D %*% before$beta)))
    trend <- with_natural_trend(list(beta = unname(before$beta) + change, beta_vcov = beta_vcov),
      fit$data)
    fit[c("beta", "core_trend")] <- trend[c("beta", "core_trend")]
    fit$beta_vcov <- named_square(trend$beta_vcov, fit$data$X)
    moved <- drop(change %*% precision %*% change)
    e <- e - drop(D %*% trend$core_trend$beta)
  }
  fit$log_likelihood <- by_ml - 0.5 * (moved + sum(e^2)) + if (is_restricted(fit$method))
    restricted_term(trend_vcov(fit), fit$data$basis) else 0
  fit
}

new_jacobian <- function(earlier, fit) {
  if (is.null(fit$family$transform)) return(0)
  new <- fit$data$untransformed[-seq_along(earlier$data$y)]
  sum(transform_log_slope(new, fit$family$transform))
}

# The errors of the predictions by earlier rows, divided by their standard deviations.
standardised <- function(earlier, whitened) {
  D <- whitened$columns[, -1L, drop = FALSE]
  if (!ncol(D)) return(whitened$columns[, 1L])
  trend <- core_trend(earlier)
  (whitened$columns[, 1L] - drop(D %*% trend$beta)) / sqrt(1 + row_forms(D, trend$beta_vcov))
}
