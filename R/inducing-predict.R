# Predictions, draws and leave-one-out predictions of a fit on inducing points. The features of a
# location are a = L^-1 k_z(x). The field there is a'w plus an independent rest of the variance
# k(x, x) - |a|^2. The whitened field at the inducing points, w, is of covariance matrix B^-1, where
# B = factor factor', and of mean B^-1 A W e. `weights` are B^-1 A W (y, X).

# A row's prediction uses no neighbours. Arguments that choose them are errors.
check_no_neighbors <- function(method, k, local_mean = NULL, sectors = NULL, k_other = NULL) {
  refuse <- function(name) {
    abort_neargp("argument",
      c(sprintf("`%s` is for predictions from neighbours, which fits by %s do not use.", name,
        method_call(method)), i = sprintf("Leave `%s` out.", name)))
  }
  if (!is.null(k)) refuse("k")
  if (!is.null(k_other)) refuse("k_other")
  if (!is.null(local_mean) && !isFALSE(check_flag(local_mean, "local_mean"))) refuse("local_mean")
  if (!is.null(sectors) && check_count(sectors, "sectors", lower = 0L) > 0L) refuse("sectors")
}

#' @export
prediction_conditioning.neargp_svgp <- function(method, object, k, local_mean, sectors, joint,
                                                is_part) {
  check_no_neighbors(method, k, local_mean, sectors)
  list(k = nrow(object$inducing), sectors = 0L, exact = FALSE, local_mean = FALSE)
}

#' @export
prediction_k.neargp_svgp <- function(method, object, k, least = 60L) {
  check_no_neighbors(method, k)
  nrow(object$inducing)
}

#' @export
predictor.neargp_svgp <- function(method, object, settings) {
  function(coords, X, offset) {
    known <- inducing_moments(object, coords, settings$context)
    trend_moments(object, known$weighted, known$unexplained + known$posterior, X, offset)
  }
}

inducing_moments <- function(object, coords, context) {
  # fields of classes share their points
  field <- object$svgp$fields[[1L]] %||% object$svgp
  checked_bound(core_collapsed_predict(coords, cached_prior(object, object$svgp$positions, context),
    cached_posterior(object, field, context), context))
}

inducing_features <- function(object, coords, context) {
  checked_bound(core_inducing_features(coords, cached_prior(object, object$svgp$positions, context),
    context))
}

# The mean of the field at locations for each column of response and trend. It uses the `features`
# of the locations, or the points of the mean of odvgp().
mean_columns <- function(object, coords, features, context) {
  mean <- object$svgp$mean
  if (is.null(mean)) return(crossprod(features, object$svgp$weights))
  core_exact_mean_at(coords, mean$points %||% object$data$coords, mean$weights,
    as_specified(object$core_covariance), context)
}

#' @export
joint_moments.neargp_svgp <- function(method, object, target, settings) {
  given <- inducing_features(object, target$coords, settings$context)
  weighted <- mean_columns(object, target$coords, given$features, settings$context)
  joint_of_field(object, target, settings, given$unexplained +
    crossprod(forwardsolve(object$svgp$factor, given$features)), weighted)
}

#' @export
joint_moments.neargp_svgp_families <- function(method, object, target, settings) {
  if (settings$type != "link") {
    abort_joint_response("unless the response is Gaussian")
  }
  NextMethod()
}

#' @export
area_posterior.neargp_svgp <- function(method, object, support, settings) {
  coords <- support$target$coords
  at <- function(rows) {
    given <- inducing_features(object, coords[rows, , drop = FALSE], settings$context)
    list(features = given$features, covariance = given$unexplained +
      crossprod(forwardsolve(object$svgp$factor, given$features)))
  }
  weighted <- do.call(rbind, lapply(point_chunks(support, 2000), function(rows) {
    mean_columns(object, coords[rows, , drop = FALSE], at(rows)$features,
      settings$context)
  }))
  blocks <- function(areas) lapply(areas, function(area) at(which(support$area == area))$covariance)
  whole <- function() {
    check_places(nrow(coords))
    at(seq_len(nrow(coords)))$covariance
  }
  given <- list(object = object, bias = 0)
  with_area_trend(given, support, weighted, list(
    variances = function() vapply(unique(support$area), function(area) {
      weight <- support$weight[support$area == area]
      sum(weight * drop(blocks(area)[[1L]] %*% weight))
    }, 0),
    covariance = function() t(area_means(t(area_means(whole(), support)), support)),
    blocks = blocks, draws = function(n) draw_rest(whole(), n)))
}

# ---- draws ---------------------------------------------------------------------------------------

#' @export
simulation_draws.neargp_svgp <- function(method, object, target, nsim, settings) {
  eta <- inducing_draws(method, object, target, nsim, settings)
  if (!settings$noise) return(eta)
  m <- nrow(target$coords)
  eta + sqrt(object$nugget / (target$weights %||% 1)) * matrix(stats::rnorm(m * nsim), m, nsim)
}

#' @export
simulation_draws.neargp_svgp_families <- function(method, object, target, nsim, settings) {
  eta <- inducing_draws(method, object, target, nsim, settings)
  if (settings$noise) response_draws(object, target, eta, settings$trials) else eta
}

# Joint draws: trend coefficients, the field at the inducing points given these and the data, and
# the part of the field that the points leave unexplained.
inducing_draws <- function(method, object, target, nsim, settings) {
  place <- location_index(target$coords)
  coords <- target$coords[!duplicated(place), , drop = FALSE]
  check_places(nrow(coords))
  given <- inducing_features(object, coords, settings$context)
  betas <- draw_trend(object, nsim, settings$conditional)
  field <- crossprod(given$features, draw_about_mean(object$svgp, nsim, settings$conditional)) +
    draw_rest(given$unexplained, nsim)
  if (settings$conditional) {
    known <- mean_columns(object, coords, given$features, settings$context)
    field <- field + known %*% rbind(rep(1, nsim), -betas)
  }
  base_mean(object$data, target$X, target$offset) + design_columns(object$data, target$X) %*%
    betas + field[place, , drop = FALSE]
}

# The whitened field at the inducing points about its mean, a column for each draw. `posterior`:
# contains the factor and weights.
draw_about_mean <- function(posterior, nsim, conditional) {
  normals <- matrix(stats::rnorm(nrow(posterior$weights) * nsim), nrow(posterior$weights), nsim)
  if (conditional) backsolve(posterior$factor, normals, upper.tri = FALSE, transpose = TRUE) else
    normals
}

# The same with its mean, which depends on the draw of the trend's coefficients.
draw_whitened <- function(posterior, betas, conditional) {
  drawn <- draw_about_mean(posterior, ncol(betas), conditional)
  if (conditional) drawn + posterior$weights %*% rbind(rep(1, ncol(betas)), -betas) else drawn
}

# ---- leave one out -------------------------------------------------------------------------------

# With fixed covariance parameters and inducing points, the data are normal with the covariance
# matrix S = A'A + W^-1. The diagonal of its inverse is Q_ii = W_i - W_i^2 A_i'B^-1 A_i. The other
# rows predict row i of a column z by z_i - (S^-1 z)_i / Q_ii, with the variance 1 / Q_ii. This
# leaves out the part of the row's own field that the inducing points do not explain, which is added
# to the variance. The posterior is that of all rows given the parameters, even where Adam ended at
# another.
#' @export
weights_of_others.neargp_svgp <- function(method, object, settings) {
  if (!is.null(object$svgp$moments)) object <- with_inducing_posterior(object,
    settings$context)
  data <- object$data
  columns <- response_columns(data)
  known <- inducing_moments(object, data$coords, settings$context)
  # of the rows as pseudo-observations
  noise <- bound_kl_weight(object$method) * object$nugget / data$weights
  precision <- (1 - known$posterior / noise) / noise
  list(weighted = columns - (columns - known$weighted) / (noise * precision),
    variance = 1 / precision - noise, unexplained = pmax(known$unexplained, 0))
}

# The features of rows at a location are the same, so that its mean stands for them.
#' @export
weights_of_other_locations.neargp_svgp <- function(method, object, settings) {
  weights_of_others(method, object, settings)
}

# A fit with the same parameters and inducing points, whose posterior uses the given rows only.
#' @export
restrict_rows.neargp_svgp <- function(method, fit, rows, context) {
  fit$data <- take_data_rows(fit$data, rows)
  with_inducing_posterior(with_fold_trend(fit, context), context)
}

#' @export
held_problem.neargp_svgp <- function(method, fit, rows, context) {
  problem <- hold_parameters(fit, fold_problem(fit, rows, context))
  problem <- without_training(with_fitted_network(problem, fit$locations$network))
  problem$inducing <- fit$svgp$positions
  problem$method[c("move", "std_error")] <- FALSE
  problem
}

refit_on_rows <- function(fit, rows, context) {
  refit_problem(fit, held_problem(fit$method, fit, rows, context))
}

#' @export
estimated_trend.neargp_svgp <- function(method, fit, data, context) {
  bound_at(data, as_specified(fit$core_covariance), fit$nugget, fit$svgp$positions, fit$method,
    context, fitted_effects(fit))[c("beta", "beta_vcov")]
}
