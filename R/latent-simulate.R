# Draws of latent models: trend coefficients, the field at the inducing points given these, the
# field elsewhere given that, responses.

#' @export
simulation_draws.neargp_vnngp <- function(method, object, target, nsim, settings) {
  betas <- draw_trend(object, nsim, settings$conditional)
  place <- location_index(target$coords)
  coords <- target$coords[!duplicated(place), , drop = FALSE]
  field <- field_draws(object, coords, betas, nsim, settings)
  eta <- base_mean(object$data, target$X, target$offset) +
    (design_columns(object$data, target$X) %*% betas + field[place, , drop = FALSE])
  if (settings$noise) response_draws(object, target, eta, settings$trials) else eta
}

# New responses at targets given the linear predictor, a column for each draw. They are NA where a
# covariate of a parameter is missing.
response_draws <- function(object, target, eta, trials) {
  family <- response_family(object$family)
  unknown <- is.na(where_known(double(nrow(eta)), target$parameter_columns))
  if (any(unknown)) {
    target$parameter_columns <- lapply(target$parameter_columns,
      function(x) replace(x, is.na(x), 0))
  }
  trials <- simulated_trials(object, target, trials)
  parameters <- weigh_noise(family_core_name(object$family),
    as.list(response_parameters(object, target)), target$weights %||% 1)
  drawn <- draws_given_predictor(eta, family, parameters, trials)
  drawn[unknown, ] <- NA
  drawn
}

simulated_trials <- function(object, target, trials) {
  n <- length(target$complete)
  if (!length(trials) %in% c(0L, 1L, n)) {
    abort_argument("trials", sprintf("one number or one for each of the %d rows", n), trials)
  }
  if (is.null(trials) && identical(target$coords, object$data$coords)) trials <- object$data$trials
  rep_len(trials %||% 1, n)[target$complete]
}

# The field answers to a change of the trend by H.
field_draws <- function(object, coords, betas, nsim, settings) {
  posterior <- object$posterior
  low_rank <- has_latent_low_rank(object$method)
  if (settings$conditional) {
    answer <- posterior$field_response %*% (betas - core_trend(object)$beta)
    if (low_rank) {
      drawn <- low_rank_draws(cached_latent(object, settings$context), posterior$mean - answer,
        nsim, settings$context)
      nodes <- drawn$field
    } else {
      drawn <- if (is_mean_field(object$method)) mean_field_draws(posterior, nsim) else {
        core_latent_draws(cached_latent(object, settings$context), nsim, order_key(),
          settings$context)$field
      }
      nodes <- posterior$mean + drawn - answer
    }
  } else {
    nodes <- matrix(double(0), 0L, nsim)
    if (low_rank) {
      drawn <- list(whitened = matrix(stats::rnorm(nrow(posterior$low_rank) * nsim), ncol = nsim))
    }
  }
  known <- match_locations(coords, posterior$coords[seq_len(nrow(nodes)), , drop = FALSE])
  field <- nodes[known, , drop = FALSE]
  elsewhere <- is.na(known)
  if (!any(elsewhere)) return(field)
  coords <- coords[elsewhere, , drop = FALSE]
  field[elsewhere, ] <- if (low_rank) low_rank_elsewhere(object, coords, nodes, drawn$whitened,
    settings) else
    field_elsewhere(object, coords, nodes, settings)
  field
}

# Given the inducing points, whose jitter is a nugget to the field in between.
field_elsewhere <- function(object, coords, nodes, settings) {
  posterior <- object$posterior
  reference <- core_scale(posterior$coords[seq_len(nrow(nodes)), , drop = FALSE],
    posterior$component)
  queries <- core_scale(coords, posterior$component)
  order <- core_order(queries, "maxmin", 0, settings$context)
  k <- min(settings$k, nrow(reference) + nrow(queries) - 1L)
  neighbors <- core_neighbors_joint(reference, queries, order, k, settings$context,
    search_lags(posterior$component))
  drawn <- check_drawn(core_simulate(posterior$coords[seq_len(nrow(nodes)), , drop = FALSE], nodes,
    rep(1, nrow(nodes)), coords, order, neighbors, as_specified(object$core_covariance),
    jitter_variance(object),
    matrix(stats::rnorm(nrow(coords) * ncol(nodes)), ncol = ncol(nodes)), settings$context))
  tell_jitter(drawn$jitter)
  drawn$field
}
