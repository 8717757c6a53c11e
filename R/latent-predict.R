# Predictions of latent models. Let b and f be the weights and the conditional variance of a new
# location given the k inducing points near it. The mean of the field there is b'm, and its variance
# is f + b'(Q + W)^-1 b. The trend adds d'Vd to the variance, with d = x0 - H'b, where H is the
# response of the posterior mean to the trend.

#' @export
predictor.neargp_vnngp <- function(method, object, settings) {
  check_latent_settings(method, settings)
  if (is_mean_field(method)) return(mean_field_predictor(object, settings))
  if (!is.null(object$posterior$shards)) return(shard_predictor(object, settings))
  pointer <- cached_latent(object, settings$context)
  function(coords, X, offset) {
    part <- if (has_latent_low_rank(method)) {
      core_latent_low_rank_predict(pointer, coords, low_rank_candidates(object, coords, settings),
        settings$k, settings$context)
    } else {
      core_latent_predict(pointer, coords, posterior_neighbors(object, coords, settings),
        settings$context)
    }
    latent_prediction(object, part, X, offset)
  }
}

# `part`: the field's mean and variance at new locations, and its response to the trend.
latent_prediction <- function(object, part, X, offset) {
  design <- design_columns(object$data, X)
  trend <- core_trend(object)
  unseen <- design - part$response
  list(mean = base_mean(object$data, X, offset) + (drop(row_products(design, trend$beta)) +
    part$mean), variance = part$variance + row_forms(unseen, trend$beta_vcov))
}

# Many inducing points that are close to each other are little more informative than one of them. A
# point is therefore taken only if none is taken yet within a tenth of its own distance from the
# location. Near the location this takes all points, and far away one of each cluster. For example,
# the 60 nearest of 1,500 points in 30 boreholes are in two boreholes. Predictions from them err by
# .2 standard deviations, from spread points by .03. A twentieth is better for boreholes and worse
# for tracks, and a fifth the other way round (bench/notes/conditioning.md).
separation <- 0.1

posterior_neighbors <- function(object, coords, settings) {
  spread_neighbors(node_index(object, settings$context), nrow(object$posterior$coords), coords,
    settings)
}

# Among the `points` of an index.
spread_neighbors <- function(index, points, coords, settings) {
  if (settings$k >= points) return(core_index_nearest(index, coords, points, settings$context))
  core_index_thinned(index, coords, separation, settings$k, settings$context)
}

nearest_inducing <- function(object, coords, settings) {
  core_index_nearest(node_index(object, settings$context), coords,
    min(settings$k, nrow(object$posterior$coords)), settings$context)
}

node_index <- function(object, context) {
  posterior <- object$posterior
  cached(object, "node_index", context, core_index(posterior$coords, posterior$component,
    search_lags(posterior$component)))
}

cached_latent <- function(object, context) {
  cached(object, "latent", context, restored_latent(object, context))
}

# The posterior of a fit, restored behind a pointer. Where a wider pattern does not fit into memory
# and the fit's own does, the latter is better than a narrowed wider one.
restored_latent <- function(object, context) {
  posterior <- object$posterior
  nodes <- core_nodes(posterior$coords, posterior$order, posterior$neighbors, object$method$jitter,
    posterior$low_rank)
  seen <- latent_data(posterior, object$data$coords, posterior$component, nrow(posterior$neighbors),
    context)
  with_pattern <- function(neighbors) {
    nodes$pattern_neighbors <- neighbors
    core_latent(nodes, seen, latent_response(core_data(object$data)), "sparse", posterior$exact,
      factor_bytes(object$method), context)
  }
  pointer <- with_pattern(wider_pattern(posterior, context))
  if (core_latent_is_restricted(pointer) && !posterior$restricted) pointer <- with_pattern(NULL)
  core_latent_restore(pointer, as_specified(object$core_covariance), posterior$mean,
    core_trend(object)$beta, posterior$pseudo_precision, posterior$field_response, context)
  pointer
}

# An incomplete factor drops what falls outside of its pattern. With the pattern of 30 neighbours
# the variances of predictions are within 0.2%, with that of 15 within 1.6% (4,000 locations,
# bench/vnngp-factor.R).
wider_pattern <- function(posterior, context, wide = 30L, most_points = 300000L) {
  n <- nrow(posterior$coords)
  k <- min(wide, n - 1L)
  if (posterior$exact || n > most_points || k <= nrow(posterior$neighbors)) return(NULL)
  core_neighbors_before(core_scale(posterior$coords, posterior$component), posterior$order, k,
    context, search_lags(posterior$component))
}

check_latent_settings <- function(method, settings) {
  wanted <- if (is_on_field(method))
    "%s for a fit on the field; vecchia(condition = \"responses\") takes others" else
    paste("%s for", method_call(method), "whose neighbours are not observations")
  if (settings$local_mean) {
    abort_argument("local_mean", sprintf(wanted, "FALSE"), settings$local_mean)
  }
  if (settings$sectors > 0L) abort_argument("sectors", sprintf(wanted, "0"), settings$sectors)
}

# Joint moments. Let U be the inducing points near any of the locations, and B = K_UU^-1 K_U0. The
# covariance is K_00 - K_0U B + B'A^-1 B plus that of the trend, where A is the posterior's
# precision.
#' @export
joint_moments.neargp_vnngp <- function(method, object, target, settings) {
  check_latent_settings(method, settings)
  if (settings$type != "link") {
    abort_joint_response(paste("for", method_call(method)))
  }
  part <- if (has_latent_low_rank(object$method)) low_rank_joint(object, target, settings) else
    node_joint(object, target, settings)
  design <- design_columns(object$data, target$X)
  trend <- core_trend(object)
  unseen <- design - part$response
  covariance <- part$covariance + unseen %*% trend$beta_vcov %*% t(unseen)
  mean <- base_mean(object$data, target$X, target$offset) +
    (drop(design %*% trend$beta) + drop(part$mean))
  moments <- spread_over_rows(list(mean = mean, variance = diag(covariance)), target$complete)
  moments$covariance <- spread_square((covariance + t(covariance)) / 2, target$complete)
  moments
}

# Mean, response to the trend, and covariance without that of the trend.
node_joint <- function(object, target, settings) {
  posterior <- object$posterior
  rows <- neighbor_union(posterior_neighbors(object, target$coords, settings))
  nodes <- posterior$coords[rows, , drop = FALSE]
  inner <- core_covariance_matrix(nodes, nodes, as_specified(object$core_covariance)) +
    diag(jitter_variance(object), length(rows))
  cross <- core_covariance_matrix(nodes, target$coords, as_specified(object$core_covariance))
  weights <- tryCatch(chol2inv(chol(inner)) %*% cross, error = function(e) abort_cholesky(0L,
    has_ability(object$method, "nugget")))
  spread <- matrix(0, nrow(posterior$coords), ncol(weights))
  spread[rows, ] <- weights
  solved <- if (is_mean_field(object$method)) times_node_covariance(posterior, spread) else {
    core_latent_solve(cached_latent(object, settings$context), spread, settings$context)
  }
  list(mean = crossprod(weights, posterior$mean[rows]),
    response = crossprod(weights, posterior$field_response[rows, , drop = FALSE]),
    covariance = core_covariance_matrix(target$coords, target$coords,
      as_specified(object$core_covariance)) -
    crossprod(cross, weights) +
      crossprod(weights, solved[rows, , drop = FALSE]))
}

jitter_variance <- function(object) {
  object$method$jitter * sum(vapply(object$core_covariance$components,
    function(component) component$variance, 0))
}

# Inducing points are no observations.
#' @export
prediction_conditioning.neargp_vnngp <- function(method, object, k, local_mean, sectors, joint,
                                                 is_part) {
  conditioned_on_neighbors(object, k, local_mean, sectors, is_part, alone = FALSE)
}
