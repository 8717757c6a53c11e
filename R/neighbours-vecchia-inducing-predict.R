# Predictions, draws and leave-one-out predictions of a fit by vecchia(inducing = ). Let b be the
# weights of a location's neighbours N under the residual kernel, D its conditional variance and
# alpha = a - A_N b. The field there is b'e_N + alpha'w plus an independent rest of variance D. Here
# w is the whitened field at the inducing points, with the covariance matrix B^-1, where B = factor
# factor'.

# The low-rank part uses the level of all data.
check_no_local_mean <- function(local_mean, sectors) {
  refuse <- function(name, wanted) {
    abort_neargp("argument", c(
      sprintf("`%s` does not apply to vecchia(inducing = ), whose inducing points use the level of all data.", name),
      i = sprintf("Leave `%s` out, or give %s.", name, wanted)))
  }
  if (!is.null(local_mean) && !isFALSE(check_flag(local_mean, "local_mean"))) {
    refuse("local_mean", "FALSE")
  }
  if (!is.null(sectors) && check_count(sectors, "sectors", lower = 0L) > 0L) refuse("sectors", "0")
}

#' @export
predictor.neargp_vecchia_inducing <- function(method, object, settings) {
  function(coords, X, offset) {
    known <- low_rank_moments(object, coords, settings)
    trend_moments(object, known$weighted, known$variance, X, offset)
  }
}

low_rank_moments <- function(object, coords, settings) {
  data <- conditioned_data(object)
  settings_of_candidates <- replace(settings, "k",
    list(min(candidates_for_each * settings$k, length(data$y))))
  candidates <- prediction_neighbors(object, coords, settings_of_candidates)
  # the features of few locations do not need those of all rows
  if (prod(dim(candidates)) < length(data$y)) {
    candidates <- as.matrix(candidates)
    rows <- sort(unique(as.vector(candidates)))
    data <- take_data_rows(data, rows)
    candidates[] <- match(candidates, rows)
  }
  known <- core_residual_predict(data$coords, response_columns(data), 1 / data$weights, coords,
    candidates, settings$k, low_rank_prior(object, settings$context),
    cached_posterior(object, object$low_rank, settings$context), settings$context)
  if (is_failure(known)) abort_low_rank(replace(known, "failed", list(min(known$failed, 1L))))
  known
}

low_rank_prior <- function(object, context) {
  cached_prior(object, object$low_rank$positions, context, object$nugget)
}

# Moments of locations together, given the union U of their nearest neighbours. Let R be the
# covariance matrix of the residual field, b = (R_UU + noise)^-1 R_U0 and alpha = A - A_U b. The
# covariance matrix of the locations is R_00 - R_0U b + alpha'B^-1 alpha.
#' @export
joint_moments.neargp_vecchia_inducing <- function(method, object, target, settings) {
  data <- joint_data(object, target, settings)
  given <- checked_bound(core_inducing_features(rbind(data$coords, target$coords),
    low_rank_prior(object, settings$context), settings$context))
  known <- seq_along(data$y)
  new <- length(known) + seq_len(nrow(target$coords))
  noisy <- given$unexplained[known, known, drop = FALSE] + diag(object$nugget / data$weights,
    length(known))
  factor <- tryCatch(chol(noisy), error = function(e) abort_cholesky(0L))
  cross <- backsolve(factor, given$unexplained[known, new, drop = FALSE], transpose = TRUE)
  b <- backsolve(factor, cross)
  alpha <- given$features[, new, drop = FALSE] - given$features[, known, drop = FALSE] %*% b
  weighted <- crossprod(b, response_columns(data)) + crossprod(alpha, object$low_rank$weights)
  joint_of_field(object, target, settings, given$unexplained[new, new, drop = FALSE] -
    crossprod(cross) + crossprod(forwardsolve(object$low_rank$factor, alpha)), weighted)
}

# ---- draws ---------------------------------------------------------------------------------------

# Returns a function of residuals at the data, normal numbers and trend coefficients, each with a
# column for each draw. It draws the field at the inducing points given the residuals, and then the
# rest of the field, one location after the other.
#' @export
neighbor_drawer.neargp_vecchia_inducing <- function(method, object, data, coords, settings) {
  plan <- simulation_plan(object$core_covariance, data, coords, settings)
  function(values, normals, betas) {
    core_residual_simulate(data$coords, values, 1 / data$weights, coords, plan$order,
      plan$neighbors, object$low_rank$positions,
      as_specified(object$core_covariance), object$nugget, object$method$jitter,
      draw_whitened(object$low_rank, betas, settings$conditional), normals, settings$context)
  }
}

# ---- leave one out -------------------------------------------------------------------------------

# Weights in closed form, from the inverse of the likelihood's covariance matrix.
#' @export
weights_of_other_locations.neargp_vecchia_inducing <- function(method, object, settings) {
  data <- object$data
  neighbors <- low_rank_neighbors(object, data, object$low_rank$order, settings$context)
  known <- core_residual_leave_one_out(data$coords, response_columns(data), 1 / data$weights,
    neighbors, object$low_rank$positions, as_specified(object$core_covariance), object$nugget,
    method$jitter,
    object$low_rank$weights, object$low_rank$factor, settings$context)
  if (is_failure(known)) abort_low_rank(known)
  list(weighted = known$weighted, variance = known$variance - object$nugget / data$weights)
}

#' @export
prediction_conditioning.neargp_vecchia_inducing <- function(method, object, k, local_mean, sectors,
                                                            joint, is_part) {
  check_no_local_mean(local_mean, sectors)
  own_k <- min(count_conditioned(object), max(30L, object$k))
  list(k = prediction_k(method, object, k %||% own_k), sectors = 0L, exact = FALSE,
    local_mean = FALSE)
}
