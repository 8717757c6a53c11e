# Each row predicted from the others, by a trend that is estimated from the others as well.
#
# Let S be the covariance matrix of the data, noise included, Q = S^-1, and A = (X'QX)^-1. A is the
# covariance matrix of the generalised least squares coefficients beta. The precision of the data
# about an unknown trend is P = Q - QXAX'Q. In universal kriging of row i from all others, the error
# is (Py)_i / P_ii and its variance 1 / P_ii, see Dubrule 1983. Given the trend, the variance of row
# i is v = 1 / Q_ii, and its weights are w_j = -Q_ij / Q_ii. Let
#
#   d = x_i - sum_j w_j x_j,    r = y_i - x_i'beta - sum_j w_j (y_j - x_j'beta).
#
# Row i of QX is then d' / v, and row i of Py = Q (y - X beta) is r / v. Let h = d'A d / v be the
# leverage of the row, and g = 1 - h. Then
#
#   P_ii = g / v,    error  r / g,    variance  v / g.
#
# This is the leave-one-out residual of least squares, with the conditional distribution of the row
# in place of its distribution. With k < n - 1 neighbours, w and v are those of its nearest others,
# and A is that of the fit. The two then belong to no common Q, which matters as h comes near 1.
# There the trend is estimated without the row.
#
# A location of several responses is left out with all its rows. Given the other locations, the
# chain rule yields independent whitened residuals z of these rows. The rows of D are their unseen
# parts of the trend. Without them A becomes A + A D' G D A with G = (I - D A D')^-1, and beta
# decreases by A D' G z.

#' @export
left_out.default <- function(method, object, k = NULL, threads = NULL, leave_out = NULL,
                             most = Inf) {
  if (is_latent(object)) return(left_out_latent(object, k, threads))
  moments <- normal_given_others(object, k, threads, leave_out, most)
  rows <- which(!is.na(moments$mean))
  list(rows = rows, distribution = new_normal(moments$mean[rows], moments$sd[rows]))
}

# Mean and sd of each observation given its nearest others. The covariance parameters stay those of
# all rows.
normal_given_others <- function(object, k, threads, leave_out = NULL, most = Inf) {
  if (has_low_rank(object$method) && !is.null(k)) {
    abort_neargp("argument",
      c("`k` does not apply to leave-one-out predictions of vecchia(inducing = ), which use all other rows.",
        i = "Leave `k` out."))
  }
  settings <- with_fields(predict_settings(object, k, threads = threads), leave_out = leave_out,
    most_left_out = most)
  given <- if (leaves_locations_out(object, leave_out)) weights_of_locations(object, settings) else
    weights_of_others(object$method, object, settings)
  noise <- noise_of_rows(object)
  left <- if (is.null(given$parts)) without_own_trend(object, given, object$data$y, noise) else
    without_own_place(object, given)
  list(mean = left$mean, sd = sqrt(left$variance + (given$unexplained %||% 0) + noise))
}

# Predicts each column of a row from the other rows, with its variance given the trend.
# `unexplained`: additional variance. Where the row's whole location is left out, `place` is its
# number, and `parts` contains the errors of its rows as independent errors of variance 1.
# `parts$columns` are these errors, and `parts$place` are their locations.
weights_of_others <- function(method, object, settings) {
  UseMethod("weights_of_others")
}

#' @export
weights_of_others.default <- function(method, object, settings) {
  at_means <- at_location_means(object)
  if (isTRUE(at_means$data$within$points)) return(without_own_row(object, settings))
  add_own_location(object, at_means$data, weights_of_other_locations(method, at_means, settings))
}

# The fit with the means of locations for its data.
at_location_means <- function(object) {
  data <- conditioned_data(object)
  if (is.null(data$within)) return(object)
  object$data <- data
  with_own_cache(object)
}

#' @export
weights_of_other_locations.default <- function(method, object, settings) {
  if (settings$exact) return(weights_of_all_others(object))
  data <- object$data
  settings$context <- prediction_context(object, length(data$y), settings)
  component <- metric_component(object$core_covariance)
  k <- min(settings$k, length(data$y) - 1L)
  if (length(data$y) > settings$most_left_out && !is_compressed(data)) {
    return(weights_of_some(object, k, settings))
  }
  neighbors <- core_neighbors_others(core_scale(data$coords, component), k, settings$context,
    search_lags(component))
  conditional_weights(object, data$coords, settings, neighbors, keep_weights = is_compressed(data))
}

# The same of evenly spaced rows. The others are NA.
weights_of_some <- function(object, k, settings) {
  coords <- object$data$coords
  rows <- evenly_spaced(nrow(coords), settings$most_left_out)
  near <- core_index_nearest(cached_index(object, settings$context), coords[rows, , drop = FALSE],
    k + 1L, settings$context)
  found <- conditional_weights(object, coords[rows, , drop = FALSE], settings,
    without_self(near, rows))
  weighted <- matrix(NA_real_, nrow(coords), ncol(found$weighted))
  weighted[rows, ] <- found$weighted
  list(weighted = weighted, variance = replace(weighted[, 1L], rows, found$variance))
}

# Predicts each row from all others, at the price of one inverse. Let Q = (K + noise)^-1. Column z
# of row i is predicted by z_i - (Q z)_i / Q_ii, with variance 1 / Q_ii, noise included.
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

# Moments of each row's field, trend included. `given`: the predictions of each column by the
# others, with their variance. `y`: the observations, with noise of variance `noise`.
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
    found <- moments_with_trend(row, moments, moments$unseen, core_trend(object)$beta_vcov,
      trend_without(row))
    left$mean[row] <- found$mean
    left$variance[row] <- found$variance
  }
  without_prediction(object, left, alone, alone)
}

# The same with the whole location of each row left out.
without_own_place <- function(object, given) {
  data <- object$data
  columns <- design_columns(data)
  unseen <- columns - given$weighted[, -1L, drop = FALSE]
  all_rows <- core_trend(object)
  moments <- trend_moments(object, given$weighted, given$variance, full_design(data), data$offset)
  D <- given$parts$columns[, -1L, drop = FALSE]
  z <- given$parts$columns[, 1L] - drop(D %*% unname(all_rows$beta))
  alone <- determining_groups(trend_part(data, columns), given$place)
  trend_without <- deleted_trends(object)
  parts <- split(seq_along(z), given$parts$place)
  rows <- split(seq_along(data$y), given$place)
  places <- setdiff(names(rows), alone)
  found <- Map(function(rows, own) {
    trend <- downdated_trend(all_rows, D[own, , drop = FALSE], z[own]) %||% trend_without(rows)
    moments_with_trend(rows, moments, unseen, all_rows$beta_vcov, trend)
  }, rows[places], parts[places])
  left <- moments
  predicted <- unlist(rows[places])
  for (name in c("mean", "variance")) {
    left[[name]][predicted] <- as.double(unlist(lapply(found, `[[`, name)))
  }
  alone <- which(given$place %in% alone)
  if (is.null(data$place)) return(without_prediction(object, left, alone, alone, "location"))
  without_prediction(object, left, alone, unique(data$place[alone]), "place")
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

# The predictions of these rows with another trend than that of `moments`.
moments_with_trend <- function(rows, moments, unseen, beta_vcov, trend) {
  U <- unseen[rows, , drop = FALSE]
  list(mean = moments$mean[rows] - drop(U %*% trend$change),
    variance = moments$variance[rows] + rowSums((U %*% (trend$beta_vcov - beta_vcov)) * U))
}

# The mean-field posterior is so narrow that it barely changes when a row is taken away from it.
check_leave_one_out <- function(fit) {
  if (identical(fit$method$posterior, "mean-field")) {
    abort_neargp("newdata",
      c("The training rows of a mean-field fit cannot be scored: its posterior without a row is unknown.",
        i = "cross_validate() leaves folds out; scores() and predict() accept new rows."))
  }
}

#' @export
cavity_moments.default <- function(method, object, k = NULL, threads = NULL) {
  posterior <- object$posterior
  given_nodes <- posterior$variance_given_nodes %||% 0
  seen <- posterior$variance_at_data - given_nodes
  remaining <- 1 - posterior$pseudo_precision * seen
  left <- seen / remaining
  moments <- list(mean = with_base(object$data, posterior$linear_predictor) -
    left * posterior$slope, variance = left + given_nodes)
  alone <- determining_groups(trend_part(object$data, design_columns(object$data)))
  without_prediction(object,
    without_improper(object, moments, setdiff(which(remaining < 1e-12), alone)), alone, alone)
}

# ---- rows that cannot be predicted from the others -----------------------------------------------

# Groups of rows without which the columns of the trend are linearly dependent. Whatever the
# covariance, in least squares the leverage of a combination of the rows of such a group is 1.
determining_groups <- function(X, group = seq_len(nrow(X))) {
  if (!ncol(X)) return(integer(0))
  basis <- qr.Q(qr(X))
  one <- 1 - 1e-10
  share <- rowsum(rowSums(basis^2), group)
  likely <- sort(unique(group))[share >= one]
  if (!anyDuplicated(group)) return(likely)
  Filter(function(g) max(svd(basis[group == g, , drop = FALSE], 0L, 0L)$d)^2 >= one, likely)
}

# `rows` get no prediction; `names` are theirs among the rows of the data. `unit`: what is left out.
without_prediction <- function(object, left, rows, names, unit = "row") {
  if (!length(rows)) return(left)
  named <- format_rows(if (is.null(object$row_names)) names else object$row_names[names])
  warn_neargp("leverage", c(
    sprintf("The trend cannot be estimated without %s%s of the data, so leave-one-out predictions of %s are not available.",
      if (unit == "location") "the location of " else "", named,
      if (length(names) == 1L) "it" else "them"),
    x = "Mean NA, standard deviation Inf.",
    i = sprintf("Each%s is the only one of a level of a factor, or where a covariate differs: merge levels, or leave the covariate out.",
      if (unit == "location") " location" else "")))
  left$mean[rows] <- NA
  left$variance[rows] <- Inf
  left
}
