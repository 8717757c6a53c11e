# How much a likelihood and predictions lose by conditioning on k observations only, measured on a
# sample of rows and at positions spread over the data.
#
# The conditional variance of a row in Vecchia's density is f_k, given its k earlier neighbours. The
# expected loss of log-likelihood is the sum of 1/2 log(f_k / f), where f is given all earlier rows.
# Most of it shows between k and 4 k neighbours. The means of predictions from few and from many
# neighbours differ by E(m_k - m)^2 = f_k - f. Therefore (f_k - f) / f is the square of the error in
# standard deviations. `gain` is the expected log-likelihood that the k neighbours add to that of
# independent rows of variance v, the sum of 1/2 log(v / f_k).

has_neighbor_loss <- function(object) {
  has_ability(object$method, "neighbor_loss") && !is_streamed(object) && !has_blocks(object$method)
}

loss_of_fit <- function(object, k, context) {
  sampled_loss(conditioned_data(object), object$locations, object$core_covariance, object$nugget, k,
    object$method$ordering %||% "maxmin", context)
}

# `likelihood`, `gain`, `prediction` and `local_mean`; NULL where all other rows are neighbours.
# `order`: of the rows, found by `ordering` unless it is at hand.
sampled_loss <- function(data, locations, covariance, nugget, k, ordering, context, rows = 256L,
                         places = 160L, order = loss_order(data, component, ordering, k, context)) {
  if (length(data$y) <= k + 1L) return(NULL)
  kriging <- core_kriging(data$coords, response_columns(data), 1 / data$weights,
    as_specified(covariance), nugget)
  variance_at <- function(coords, neighbors, local_mean = FALSE) {
    found <- core_krige(kriging, coords, neighbors, local_mean, context)
    if (found$failed > 0L) abort_cholesky(0L)
    found$variance
  }
  if (has_space_time(covariance)) covariance$nugget <- nugget
  component <- metric_component(covariance)
  likelihood <- if (has_space_time(covariance))
    if_computable(list(likelihood = space_time_loss(data, component, k, ordering, context))) else
    if_computable(likelihood_loss(data, component, nugget, k, order, variance_at, rows, context))
  c(likelihood, if (places > 0L && is.null(locations$local) && is.null(locations$support))
    if_computable(prediction_loss(data, locations, component, k, variance_at, places, context)))
}

# No key of a random order is kept, and none is drawn here.
loss_order <- function(data, component, ordering, k, context) {
  if (ordering == "random") ordering <- "maxmin"
  row_order(list(data = data, context = context), component, ordering, 0, k)
}

# Rows are sampled evenly from the order.
likelihood_loss <- function(data, component, nugget, k, order, variance_at, rows, context) {
  n <- length(data$y)
  at <- order[unique(round(seq(1, n, length.out = min(rows, n))))]
  scaled <- core_scale(data$coords, component)
  rank <- order(order)
  neighbors <- core_neighbors_earlier(scaled, rank, scaled[at, , drop = FALSE], rank[at],
    min(4L * k, n - 1L), context)
  coords <- data$coords[at, , drop = FALSE]
  noise <- nugget / data$weights[at]
  given <- function(k) variance_at(coords, core_neighbors_first(neighbors, k)) + noise
  few <- given(k)
  many <- variance_at(coords, neighbors) + noise
  list(likelihood = n * mean(log(few / many)) / 2, gain = n * mean(log(given(0L) / few)) / 2)
}

# The loss of rows in the middle of the data, with neighbours of the largest correlation among them.
space_time_loss <- function(data, component, k, ordering, context) {
  scaled <- core_scale(data$coords, component)
  rows <- middle_rows(scaled)
  some <- list(coords = data$coords[rows, , drop = FALSE], weights = data$weights[rows])
  order <- row_order(list(data = some, context = context), component, ordering, 0, k)
  sum_given <- function(k) {
    log_conditional_variances(some, scaled[rows, , drop = FALSE], order, component, k, context)
  }
  nrow(scaled) / length(rows) * (sum_given(k) - sum_given(4L * k)) / 2
}

# Compares default predictions, without and with a local mean, with predictions from four times the
# neighbours. Covariates of the field would need values at the positions, which are not known.
prediction_loss <- function(data, locations, component, k, variance_at, places, context) {
  n <- nrow(data$coords)
  few <- min(n, max(96L, 2L * k))
  coords <- spread_positions(data$coords, locations, places)
  index <- core_index(data$coords, component, search_lags(component))
  near <- if (few < n && has_directions(locations)) core_index_by_sector(index, coords,
    locations$metric == "longlat", 8L, few %/% 8L, context) else
    core_index_nearest(index, coords, few, context)
  found <- variance_at(coords, near)
  many <- variance_at(coords, core_index_nearest(index, coords, min(n, 4L * few), context))
  list(prediction = sqrt(max(0, mean(found / many) - 1)),
    local_mean = mean(variance_at(coords, near, TRUE) / found) - 1)
}

# Points of Roberts' sequence, whose generalised golden ratio leaves no gaps in any dimension, in
# the box around the locations; on the sphere moved to its surface.
spread_positions <- function(coords, locations, count) {
  d <- ncol(coords)
  golden <- stats::uniroot(function(x) x^(d + 1) - x - 1, c(1, 2), tol = 1e-12)$root
  share <- (0.5 + outer(seq_len(count), golden^-seq_len(d))) %% 1
  low <- apply(coords, 2L, min)
  spread <- t(low + t(share) * (apply(coords, 2L, max) - low))
  if (locations$metric != "longlat") return(spread)
  sphere <- seq_len(3L)
  radius <- sqrt(sum(coords[1L, sphere]^2))
  spread[, sphere] <- spread[, sphere] * radius / sqrt(rowSums(spread[, sphere]^2))
  spread
}
