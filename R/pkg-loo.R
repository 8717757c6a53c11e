# All that knows about loo: log densities of leave-one-out predictions, in closed form and not made
# of posterior draws.

#' @exportS3Method loo::elpd
elpd.neargp <- function(x, ...) {
  check_fit(x)
  check_no_more_arguments()
  # The expected density of one draw is its density.
  structure(loo::elpd(matrix(loo_log_densities(x), nrow = 1L)),
    yhash = rlang::hash(observed_response(x$data)))
}

#' @exportS3Method loo::loo
loo.neargp <- function(x, ...) elpd.neargp(x, ...)

# The log density of each row's observation given the other rows.
loo_log_densities <- function(fit) {
  if (is_streamed(fit)) refuse_rows("elpd()")
  if (!has_ability(fit$method, "log_densities")) {
    abort_neargp("method", c("elpd() is for fits to one response that leave out single rows.",
      i = "cross_validate() and scores() are for others."))
  }
  if (inherits(fit, "neargp_classifier")) {
    given <- classes_and_probabilities(fit, NULL, NULL)
    return(log(as.matrix(given$prob)[cbind(seq_along(given$observed), given$observed)]))
  }
  check_leave_one_out(fit)
  values <- densities_given_others(fit$method, fit)
  complete_predictions(fit$data$y, list(mean = values), na.rm = FALSE,
    fit$row_names %||% seq_along(values))
  values
}

densities_given_others <- function(method, fit) {
  UseMethod("densities_given_others")
}

#' @export
densities_given_others.default <- function(method, fit) {
  loo <- loo_table(fit)
  stats::dnorm(loo$observed, loo$mean, loo$sd, log = TRUE)
}

#' @export
densities_given_others.neargp_method_families <- function(method, fit) {
  densities_of_left_out(fit, cavity_mixture(fit))
}

#' @export
densities_given_others.neargp_method_transformed <- function(method, fit) {
  densities_of_left_out(fit, left_out_responses(fit))
}

# `left`: the leave-one-out mixtures of rows, see cavity_mixture().
densities_of_left_out <- function(fit, left) {
  y <- observed_response(fit$data)
  replace(rep(NA_real_, length(y)), left$rows,
    mixture_density(y[left$rows], left$mixture, log = TRUE))
}
