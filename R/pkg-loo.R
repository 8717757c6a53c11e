# All code for loo: log densities of leave-one-out predictions, in closed form and not made
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
loo_log_densities <- function(fit, parameters = NULL) {
  if (is_streamed(fit)) refuse_rows("elpd()")
  if (!has_ability(fit$method, "log_densities")) {
    abort_neargp("method", c("elpd() is for fits to one response that leave out single rows.",
      i = "cross_validate() and scores() are for others."))
  }
  if (inherits(fit, "neargp_classifier")) {
    return(predictive_log_density(as.integer(observed_classes(fit)), left_out_classes(fit)))
  }
  check_leave_one_out(fit)
  left <- left_out_by(parameters, fit)
  y <- observed_response(fit$data)[left$rows]
  values <- at_all_rows(fit, left, predictive_log_density(y, left$distribution))
  complete_predictions(fit$data$y, list(mean = values), na.rm = FALSE,
    fit$row_names %||% seq_along(values))
  values
}
