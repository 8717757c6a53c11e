# Draws of responses that share fields: coefficients of the trends, the fields at their locations given
# these, the fields elsewhere given those, and responses.

#' @rdname predict.neargp_joint
#' @importFrom stats simulate
#' @export
simulate.neargp_joint <- function(object, nsim = 1, seed = NULL, newdata = NULL, threads = NULL,
                                  ...) {
  check_no_more_arguments()
  nsim <- check_count(nsim, "nsim")
  state <- seed_generator(seed)
  on.exit(state$restore())
  context <- plain_context(threads)
  parts <- parts_of(object)
  targets <- lapply(parts, function(part) if (is.null(newdata)) target_of_rows(part) else
    new_target(part, newdata))
  drawn <- draw_fields(object, nsim, context)
  columns <- lapply(object$outputs, function(output) {
    eta <- predictor_draws(object, parts[[output]], targets[[output]], drawn, context)
    values <- response_draws(parts[[output]], targets[[output]], eta, NULL)
    full <- matrix(NA_real_, length(targets[[output]]$complete), nsim)
    full[targets[[output]]$complete, ] <- values
    stats::setNames(as.data.frame(full), paste0("sim_", seq_len(nsim), "_", output))
  })
  result <- if (is.null(newdata)) stats::setNames(columns, object$outputs) else
    restorer(newdata)(do.call(cbind, columns))
  structure(result, seed = state$seed)
}

target_of_rows <- function(part) {
  data <- part$data
  list(coords = data$coords, X = full_design(data), offset = data$offset, weights = data$weights,
    complete = rep(TRUE, length(data$y)))
}

# Fields at the locations, locations x fields x draws, and the coefficients they are given.
draw_fields <- function(object, nsim, context) {
  trend <- object$core_trend
  root <- t(chol(trend$beta_vcov + diag(1e-12 * max(diag(trend$beta_vcov), 1),
    length(trend$beta))))
  betas <- trend$beta + root %*% matrix(stats::rnorm(length(trend$beta) * nsim), ncol = nsim)
  noise <- core_latent_draws(cached_fields(object, context), nsim, order_key(), context)$field
  posterior <- object$posterior
  list(betas = betas, fields = posterior$mean + noise -
    posterior$field_response %*% (betas - trend$beta))
}

# Draws of the linear predictor of a response, targets x draws.
predictor_draws <- function(object, part, target, drawn, context) {
  A <- core_loadings(object)
  columns <- part$joint$columns
  eta <- base_mean(part$data, target$X, target$offset) +
    design_columns(part$data, target$X) %*% drawn$betas[columns, , drop = FALSE]
  count <- nrow(object$posterior$coords)
  known <- match_locations(target$coords, object$posterior$coords)
  structures <- structure_of_fields(object$structures)
  for (field in seq_len(ncol(A))) {
    at_places <- drawn$fields[(field - 1L) * count + seq_len(count), , drop = FALSE]
    at <- at_places[known, , drop = FALSE]
    away <- which(is.na(known))
    if (length(away)) {
      single <- single_field(object, structures[field])
      place <- location_index(target$coords[away, , drop = FALSE])
      first <- away[!duplicated(place)]
      settings <- new_prediction_settings(context, k = min(60L, count))
      at[away, ] <- field_elsewhere(single, target$coords[first, , drop = FALSE], at_places,
        settings)[place, , drop = FALSE]
    }
    eta <- eta + A[part$joint$response, field] * at
  }
  eta
}

# A fit of one field of this structure, as field_elsewhere() reads it.
single_field <- function(object, structure) {
  covariance <- object$core_structures[[structure]]
  list(core_covariance = covariance, method = object$method,
    posterior = list(coords = object$posterior$coords,
      component = search_component(covariance, 1L)))
}
