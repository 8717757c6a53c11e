# Each row predicted from the others, by a trend that is estimated from the others, too.
#
# Let S be the covariance matrix of the data, noise included, Q = S^-1, and A = (X'QX)^-1, which is
# the covariance matrix of the generalised least squares coefficients beta. The precision of the
# data about an unknown trend is P = Q - QXAX'Q, and universal kriging of row i from all others has
# the error (Py)_i / P_ii with the variance 1 / P_ii (Dubrule 1983). Given the trend, row i has the
# variance v = 1 / Q_ii and the weights w_j = -Q_ij / Q_ii, so that with d = x_i - sum_j w_j x_j and
# r = y_i - x_i'beta - sum_j w_j (y_j - x_j'beta) row i of QX is d' / v, and that of Py = Q (y - X
# beta) is r / v. Hence
#
#   P_ii = (1 - h) / v,    error  r / (1 - h),    variance  v / (1 - h),    h = d'A d / v.
#
# It is the leave-one-out residual of least squares with the conditional distribution of the row in
# the place of its distribution, and h is the row's leverage. Of k < n - 1 neighbours, w and v are
# those of its nearest others, and A is that of the fit. The two are then not of one Q, which
# matters as h comes near 1: there the trend is estimated without the row.
#
# A place of several outputs is left out with all its rows. By the chain rule these have independent
# whitened residuals given the other places: z, with their unseen parts of the trend in the rows of
# D. Without them A becomes A + A D' (1 - D A D')^-1 D A, and beta decreases by A D' (1 - D A D')^-1
# z.

# Mean and sd of each observation given its nearest others. The covariance parameters stay those of
# all rows.
leave_one_out <- function(object, k, threads) {
  UseMethod("leave_one_out", object$method)
}

# The variance of each row's noise.
noise_of_rows <- function(object, data = object$data) {
  (if (is.null(data$output)) object$nugget else unname(object$nugget)[data$output]) / data$weights
}

#' @export
leave_one_out.default <- function(object, k, threads) {
  if (is_latent(object)) return(cavity_response(object, k, threads))
  if (has_low_rank(object$method) && !is.null(k)) {
    abort_neargp("argument",
      c("`k` is not for leave-one-out predictions of a fit by vecchia(inducing = ): they are from all other rows.",
        i = "Leave it out."))
  }
  data <- object$data
  settings <- predict_settings(object, k, threads = threads)
  given <- weights_of_others(object$method, object, settings)
  noise <- noise_of_rows(object)
  left <- if (is.null(given$chain)) without_own_trend(object, given, data$y, noise) else
    without_own_place(object, given, given$chain, noise)
  list(mean = left$mean, sd = sqrt(left$variance + (given$unexplained %||% 0) + noise))
}

# What the other rows predict of each column of a row, with the variance of that given the trend;
# `unexplained` is variance besides. Of several outputs a row's place is left out; `chain` is what
# the other places and the outputs before the row's own at its place predict.
weights_of_others <- function(method, object, settings) {
  UseMethod("weights_of_others")
}

#' @export
weights_of_others.default <- function(method, object, settings) {
  data <- conditioned_data(object)
  if (is.null(data$within)) return(weights_of_other_locations(object, settings))
  at_means <- object
  at_means$data <- data
  add_own_location(object, weights_of_other_locations(with_own_keeper(at_means), settings))
}

# No location repeats in the data of `object`.
weights_of_other_locations <- function(object, settings) {
  if (settings$exact) return(weights_of_all_others(object))
  data <- object$data
  settings$context <- prediction_context(object, length(data$y), settings)
  component <- metric_component(object$core_covariance)
  k <- min(settings$k, length(data$y) - 1L)
  neighbors <- core_neighbors_others(core_scale(data$coords, component), k, settings$context,
    search_lags(component))
  conditional_weights(object, data$coords, settings, neighbors, keep_weights = is_compressed(data))
}

# Let the other locations predict the columns of location l by m_l, with variance f_l of the field,
# and let the other rows of the location than i have the precision p and the mean c. These add what
# they say of the field,
#
#   s = 1 / (1 / f_l + p),   s (m_l / f_l + p c),
#
# prediction and variance (the product of two normal densities of w_l).
add_own_location <- function(object, given) {
  index <- location_index(object$data$coords)
  others <- others_at_location(response_columns(object$data), object$data$weights, index)
  field <- pmax(given$variance, 0)[index]
  gained <- field * others$weight / object$nugget
  share <- ifelse(is.finite(gained), gained / (1 + gained), 1)
  list(weighted = (1 - share) * given$weighted[index, , drop = FALSE] + share * others$mean,
    variance = (1 - share) * field)
}

# Weight and mean of the other rows of each row's location. Sums over the other rows keep their
# digits, where the sum over all rows less the row itself loses them to a large weight.
others_at_location <- function(columns, weights, index) {
  weight <- double(length(weights))
  mean <- columns
  of_others <- function(x) {
    last <- nrow(x)
    from_first <- rbind(0, apply(x, 2L, cumsum))[seq_len(last), , drop = FALSE]
    backwards <- x[last:1L, , drop = FALSE]
    from_first + rbind(0, apply(backwards, 2L, cumsum))[last:1L, , drop = FALSE]
  }
  for (rows in split(seq_along(index), index)) {
    if (length(rows) == 1L) next
    certain <- rows[is.infinite(weights[rows])]
    w <- replace(weights[rows], rows %in% certain, 0)
    weight[rows] <- of_others(cbind(w))
    mean[rows, ] <- of_others(w * columns[rows, , drop = FALSE]) / weight[rows]
    for (row in certain) {
      rest <- setdiff(rows, row)
      weight[rest] <- Inf
      mean[rest, ] <- rep(columns[row, ], each = length(rest))
    }
  }
  list(weight = weight, mean = mean)
}

# All rows but one at the price of one inverse: with Q = (K + noise)^-1 row i of a column z is
# predicted from its other rows by z_i - (Q z)_i / Q_ii, with variance 1 / Q_ii, noise included.
weights_of_all_others <- function(object) {
  data <- object$data
  noise <- object$nugget / data$weights
  covariance <- core_covariance_matrix(data$coords, data$coords,
    as_specified(object$core_covariance))
  diag(covariance) <- diag(covariance) + noise
  precision <- chol2inv(rlang::try_fetch(chol(covariance),
    error = function(condition) abort_cholesky(0L)))
  columns <- response_columns(data)
  list(weighted = columns - precision %*% columns / diag(precision),
    variance = 1 / diag(precision) - noise)
}

# Moments of each row's field, trend included. `given`: what the others predict of each column, and
# the variance of that. `y`: the observations, with noise of the variance `noise`.
without_own_trend <- function(object, given, y, noise) {
  data <- object$data
  compressed <- is_compressed(data)
  columns <- design_columns(data)
  moments <- if (compressed) compressed_moments(object, full_design(data), data$offset, given,
    plain_context(object$threads)) else
    moments_by_parts(object, given$weighted, given$variance, full_design(data), data$offset)
  trend_variance <- moments$trend_variance %||% (moments$variance - pmax(given$variance, 0))
  variance <- pmax(given$variance, 0) + noise
  h <- ifelse(variance > 0, trend_variance / variance, 0)
  grown <- h / (1 - h)
  left <- list(mean = moments$mean - (y - moments$mean) * grown, variance = moments$variance +
    trend_variance * grown)
  alone <- determining_groups(trend_part(data, columns))
  high <- setdiff(which(h > high_leverage), alone)
  if (compressed && length(high)) refuse_effect_leverage(high)
  trend_without <- deleted_trends(object)
  for (row in high) {
    left <- with_trend(left, row, moments, moments$unseen, core_trend(object)$beta_vcov,
      trend_without(row))
  }
  without_prediction(object, left, alone, alone)
}

# The same of several outputs, with their whole place left out. `chain`: as `given`, but with the
# outputs before a row at its place among the others.
without_own_place <- function(object, given, chain, noise) {
  data <- object$data
  columns <- response_columns(data)
  unseen <- columns[, -1L, drop = FALSE] - given$weighted[, -1L, drop = FALSE]
  all_rows <- core_trend(object)
  moments <- trend_moments(object, given$weighted, given$variance, full_design(data), data$offset)
  variance <- pmax(chain$variance, 0) + noise
  scale <- ifelse(variance > 0, 1 / sqrt(variance), 0)
  D <- (columns[, -1L, drop = FALSE] - chain$weighted[, -1L, drop = FALSE]) * scale
  z <- (columns[, 1L] - chain$weighted[, 1L]) * scale - drop(D %*% unname(all_rows$beta))
  alone <- determining_groups(columns[, -1L, drop = FALSE], data$place)
  trend_without <- deleted_trends(object)
  left <- moments
  for (rows in split(seq_along(data$y), data$place)) {
    if (data$place[rows[1L]] %in% alone) next
    trend <- downdated_trend(all_rows, D[rows, , drop = FALSE], z[rows]) %||% trend_without(rows)
    left <- with_trend(left, rows, moments, unseen, all_rows$beta_vcov, trend)
  }
  without_prediction(object, left, which(data$place %in% alone), alone)
}

high_leverage <- 0.9

# `trend`: of all rows.
downdated_trend <- function(trend, D, z) {
  weighted <- D %*% trend$beta_vcov
  leverage <- tcrossprod(weighted, D)
  if (sum(diag(leverage)) > high_leverage &&
      max(eigen(leverage, symmetric = TRUE, only.values = TRUE)$values) > high_leverage) {
    return(NULL)
  }
  solved <- solve(diag(nrow(D)) - leverage, cbind(z, weighted))
  list(change = drop(crossprod(weighted, solved[, 1L])), beta_vcov = trend$beta_vcov +
    crossprod(weighted, solved[, -1L, drop = FALSE]))
}

# A function of rows: by how much the coefficients fall when these are taken away, and their
# covariance matrix then. Those of all rows are found when they are first needed, which is seldom.
deleted_trends <- function(object) {
  all <- seq_along(object$data$y)
  delayedAssign("beta", trend_of_others(object, all)$beta)
  function(rows) {
    kept <- trend_of_others(object, setdiff(all, rows))
    list(change = unname(beta - kept$beta), beta_vcov = kept$beta_vcov)
  }
}

trend_of_others <- function(object, rows) {
  context <- plain_context(object$threads)
  if (!is.null(object$pseudo_observations)) {
    noise <- trend_noise(object$family, unname(object$family_parameters))
    return(trend_of_rows(replace(gaussian_of(object), "nugget", noise),
      pseudo_observations_as_data(object, rows), context))
  }
  trend_of_rows(object, take_data_rows(object$data, rows), context)
}

# The predictions of these rows with another trend than that of `moments`.
with_trend <- function(left, rows, moments, unseen, beta_vcov, trend) {
  U <- unseen[rows, , drop = FALSE]
  left$mean[rows] <- moments$mean[rows] - drop(U %*% trend$change)
  left$variance[rows] <- moments$variance[rows] + rowSums((U %*% (trend$beta_vcov - beta_vcov)) * U)
  left
}

# ---- rows that cannot be predicted from the others -----------------------------------------------

# Groups of rows without which the columns of the trend are linearly dependent: whatever the
# covariance, a combination of the rows of such a group has the leverage 1 in least squares.
determining_groups <- function(X, group = seq_len(nrow(X))) {
  if (!ncol(X)) return(integer(0))
  basis <- qr.Q(qr(X))
  one <- 1 - 1e-10
  share <- rowsum(rowSums(basis^2), group)
  likely <- sort(unique(group))[share >= one]
  if (!anyDuplicated(group)) return(likely)
  Filter(function(g) max(svd(basis[group == g, , drop = FALSE], 0L, 0L)$d)^2 >= one, likely)
}

# `rows` get no prediction; `names` are theirs among the rows of the data.
without_prediction <- function(object, left, rows, names) {
  if (!length(rows)) return(left)
  warn_neargp("leverage", c(
    sprintf("The trend cannot be estimated without %s of the data, so that there is no leave-one-out prediction of %s.",
      format_rows(if (is.null(object$row_names)) names else object$row_names[names]),
      if (length(names) == 1L) "it" else "them"),
    x = "Mean NA, standard deviation Inf.",
    i = "Each is the only one of a level of a factor, or where a covariate differs: merge levels, or leave the covariate out."))
  left$mean[rows] <- NA
  left$variance[rows] <- Inf
  left
}

# ---- several outputs -----------------------------------------------------------------------------

# Given the nearest in the rows that `leave_out` of the fit leaves in.
#' @export
weights_of_others.neargp_method_outputs <- function(method, object, settings) {
  if (identical(method$leave_out, "row")) return(weights_of_other_outputs(object, settings, "row"))
  given <- weights_of_other_outputs(object, settings, "prediction")
  c(given, list(chain = weights_of_other_outputs(object, settings, "location")))
}

weights_of_other_outputs <- function(object, settings, leave_out) {
  data <- object$data
  most <- function(k) if (settings$exact) length(data$y) else k
  settings$context <- prediction_context(object, data$places, settings)
  neighbors <- neighbors_of_outputs(data, metric_component(object$core_covariance),
    most(settings$k), most(settings$k_other), leave_out, settings$context)
  conditional_weights(object, data$coords, settings, neighbors, data$output)
}
