# How much a likelihood and predictions lose by conditioning on k observations only, measured where
# it is lost: on a sample of rows, and at positions spread over the data.
#
# Vecchia's density of a row has the variance f_k of the row given its k earlier neighbours. The
# expected loss of log-likelihood is the sum of 1/2 log(f_k / f) with f given all earlier rows, and
# most of it shows between k and 4 k neighbours. The mean of a prediction from few neighbours
# differs from that of many by E(m_k - m)^2 = f_k - f, so that (f_k - f) / f is the square of the
# error in standard deviations.

#' Loss by conditioning on few neighbours
#'
#' Estimates what a gaussian fit loses because it conditions on `k` observations and not on all.
#'
#' `likelihood` is the expected log-likelihood lost at the estimates, in units of log-likelihood. It
#' compares `k` with `4 * k` neighbours at up to 256 rows. `prediction` is the root mean square
#' difference between default predictions and predictions from four times as many observations, in
#' standard deviations of the prediction, at positions spread over the data. `local_mean` is the
#' share that a [local mean][predict.neargp] adds to prediction variances. More neighbours help
#' where the field is the cause; where noise is, [vecchia()] conditions on the field by default.
#' [print()] shows the first two.
#'
#' @param object a fit by [vecchia()], [loo_k()] or [mll_k()] of one gaussian response.
#' @param k number of neighbours; by default that of the fit.
#' @param threads number of threads, see [neargp()].
#' @return A data frame of one row with the columns `k`, `likelihood`, `prediction` and
#'   `local_mean`. The last two are `NA` for fields with covariates and for areas. A fit that was
#'   moved to the field has the losses that were the reason.
#' @section Errors: `neargp_error_method` for other methods and responses.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(600), y = runif(600))
#' d$z <- sin(5 * d$x) + cos(4 * d$y) + rnorm(600)
#' neighbor_loss(neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(k = 10)))
#' @export
neighbor_loss <- function(object, k = NULL, threads = NULL) {
  check_required()
  check_class(object, "object", "neargp", "a fit of neargp()")
  check_fit(object)
  if (is_on_field(object$method) && !is.null(object$conditioning)) {
    return(loss_frame(object$method$k, object$conditioning$loss))
  }
  if (!has_neighbor_loss(object)) {
    abort_neargp("method", c(
      "Only fits of one gaussian response that condition on k observations lose by that.", i = "They are fits by vecchia(), loo_k() and mll_k(), of rows in memory."))
  }
  k <- check_count(k %||% object$k, "k")
  loss_frame(k, loss_of_fit(object, k, default_context(object, length(object$data$y), k, threads)))
}

has_neighbor_loss <- function(object) {
  inherits(object$method, c("neargp_vecchia", "neargp_loo_k", "neargp_mll_k")) &&
    !has_low_rank(object$method) && is_gaussian(object$family) && is.null(object$outputs) &&
    !is_streamed(object) && is.null(object$classifier)
}

loss_frame <- function(k, loss) {
  data.frame(k = as.integer(k), likelihood = loss$likelihood %||% 0,
    prediction = loss$prediction %||% NA_real_, local_mean = loss$local_mean %||% NA_real_)
}

loss_of_fit <- function(object, k, context) {
  sampled_loss(conditioned_data(object), object$locations, object$core_covariance, object$nugget, k,
    object$method$ordering %||% "maxmin", context)
}

# `likelihood`, `prediction` and `local_mean`; NULL where all other rows are neighbours.
sampled_loss <- function(data, locations, covariance, nugget, k, ordering, context, rows = 256L,
                         places = 160L) {
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
    if_computable(space_time_loss(data, component, k, ordering, context)) else
    if_computable(likelihood_loss(data, component, nugget, k, ordering, variance_at, rows, context))
  c(list(likelihood = likelihood),
    if (places > 0L && is.null(locations$local) && is.null(locations$support))
      if_computable(prediction_loss(data, locations, component, k, variance_at, places, context)))
}

# Rows are sampled evenly from the ordering.
likelihood_loss <- function(data, component, nugget, k, ordering, variance_at, rows, context) {
  n <- length(data$y)
  if (ordering == "random") ordering <- "maxmin"  # no key is kept, and none is drawn here
  order <- row_order(list(data = data, context = context), component, ordering, 0, k)
  at <- order[unique(round(seq(1, n, length.out = min(rows, n))))]
  scaled <- core_scale(data$coords, component)
  rank <- order(order)
  neighbors <- core_neighbors_earlier(scaled, rank, scaled[at, , drop = FALSE], rank[at],
    min(4L * k, n - 1L), context)
  coords <- data$coords[at, , drop = FALSE]
  noise <- nugget / data$weights[at]
  few <- variance_at(coords, core_neighbors_first(neighbors, k)) + noise
  many <- variance_at(coords, neighbors) + noise
  n * mean(log(few / many)) / 2
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
# neighbours. Covariates of the field would need values at the positions, which nobody has given.
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
