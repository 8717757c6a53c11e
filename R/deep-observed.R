# New observations of a row, given the mixture `eta` of its linear predictor, while a deep Gaussian
# process is trained.

with_observation_noise <- function(eta, noise) {
  eta$sd <- sqrt(eta$sd^2 + noise)
  eta
}

# The observations of a state, with standardised responses: `rows` as of deep_rows().
state_mixture <- function(state, rows, output, context) {
  found <- core_deep_components(state, rows$x, context)
  count <- length(state$log_weights)
  columns <- (output - 1L) * count + seq_len(count)
  known <- (rows$offset %||% 0) + if (is.null(rows$design)) 0 else
    drop(rows$design %*% state$trend[, output])
  eta <- new_normal_mixture(found$mean[, columns, drop = FALSE] + known,
    sqrt(found$variance[, columns, drop = FALSE]), state$log_weights)
  if (state$family$name == "gaussian") {
    return(with_observation_noise(eta, state$noise[output] / (rows$weights %||% 1)))
  }
  parameters <- stats::setNames(as.list(state$family$parameters),
    names_of_parameters(state$family$name))
  new_component_mixture(eta, state$family$name, parameters, rows$trials %||% 1, rows$weights)
}
