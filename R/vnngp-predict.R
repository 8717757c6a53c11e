# Predictions of latent models. With b and f the weights and conditional variance of a new location given the k inducing points near it,
# the field there has the mean b'm and the variance f + b'(Q + W)^-1 b; the trend adds d'Vd, d = x0 - H'b, where H says how the
# posterior mean answers to the trend.

#' @export
predictor.neargp_vnngp <- function(method, object, settings) {
  pointer <- restored_latent(object, settings$threads)
  posterior <- object$posterior
  function(coords, X, offset) {
    neighbors <- posterior_neighbors(posterior, coords, settings)
    part <- core_latent_predict(pointer, coords, neighbors, posterior$field_response, settings$threads)
    unseen <- X - part$response
    list(mean = offset + drop(X %*% object$beta) + part$mean,
      variance = part$variance + rowSums((unseen %*% object$beta_vcov) * unseen))
  }
}

posterior_neighbors <- function(posterior, coords, settings) {
  core_neighbors_to(core_scale(posterior$coords, posterior$component), core_scale(coords, posterior$component),
    min(settings$k, nrow(posterior$coords)), settings$threads)
}

# The posterior of a fit, back behind a pointer.
restored_latent <- function(object, threads) {
  posterior <- object$posterior
  pointer <- core_latent(list(coords = posterior$coords, order = posterior$order, neighbors = posterior$neighbors,
    jitter = object$method$jitter), list(node = posterior$node), latent_response(object$data), posterior$exact, threads)
  core_latent_restore(pointer, object$core_covariance, posterior$mean, object$beta, posterior$site_precision, threads)
  pointer
}
