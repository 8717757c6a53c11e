# New observations of a row, given the mixture `eta` of its linear predictor: of a gaussian response
# a mixture of normal-mixture.R with the noise, of others one of component-mixture.R. What follows
# is of both.

observed_mixture <- function(eta, noise) {
  eta$sd <- sqrt(eta$sd^2 + noise)
  eta
}

# Those of a fit's response. `weights` divide the dispersion; `output`: of each row.
observed_rows <- function(object, eta, trials = 1, weights = 1, output = 1L) {
  UseMethod("observed_rows", object$method)
}

#' @export
observed_rows.default <- function(object, eta, trials = 1, weights = 1, output = 1L) {
  observed_mixture(eta, unname(object$nugget)[output] / weights)
}

#' @export
observed_rows.neargp_method_families <- function(object, eta, trials = 1, weights = 1,
                                                 output = 1L) {
  mixture <- new_component_mixture(eta, family_core_name(object$family),
    as.list(object$family_parameters), trials, weights)
  mixture$levels <- object$family$levels
  mixture
}

# Those of a state, with standardised responses: `rows` as of deep_rows().
state_mixture <- function(state, rows, output, context) {
  found <- core_deep_components(state, rows$x, context)
  count <- length(state$log_weights)
  columns <- (output - 1L) * count + seq_len(count)
  known <- (rows$offset %||% 0) + if (is.null(rows$design)) 0 else
    drop(rows$design %*% state$trend[, output])
  eta <- new_normal_mixture(found$mean[, columns, drop = FALSE] + known,
    sqrt(found$variance[, columns, drop = FALSE]), state$log_weights)
  if (state$family$name == "gaussian") {
    return(observed_mixture(eta, state$noise[output] / (rows$weights %||% 1)))
  }
  parameters <- stats::setNames(as.list(state$family$parameters),
    names_of_parameters(state$family$name))
  new_component_mixture(eta, state$family$name, parameters, rows$trials %||% 1, rows$weights)
}

is_normal <- function(mixture) is.null(mixture$name)

observed_mean <- function(mixture) {
  if (is_normal(mixture)) normal_mixture_mean(mixture) else mixture_mean(mixture)
}

observed_sd <- function(mixture) {
  sqrt(if (is_normal(mixture)) normal_mixture_variance(mixture) else mixture_variance(mixture))
}

# The interval of the distribution function at y: of continuous responses a point.
observed_pit <- function(y, mixture) {
  if (!is_normal(mixture)) return(mixture_pit(y, mixture))
  pit <- normal_mixture_distribution(y, mixture)
  list(lower = pit, upper = pit)
}

observed_log_density <- function(y, mixture) {
  if (is_normal(mixture)) normal_mixture_log_density(y, mixture) else mixture_density(y, mixture,
    log = TRUE)
}

observed_scores <- function(y, mixture, level) {
  if (is_normal(mixture)) normal_mixture_scores(y, mixture, level) else mixture_scores(y, mixture,
    level)
}

take_observed <- function(mixture, rows) {
  if (is_normal(mixture)) take_normal_mixture(mixture, rows) else take_mixture(mixture, rows)
}
