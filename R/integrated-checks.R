# Fits whose parameters can be integrated over.

is_integrable <- function(object) {
  tryCatch(is.null(check_integrable(object)), neargp_error_parameters = function(error) FALSE,
    neargp_error_method = function(error) FALSE)
}

check_integrable <- function(object) {
  if (!has_ability(object$method, "integrable", object$family) ||
      !is.null(object$posterior$shards)) {
    abort_neargp("parameters",
      c(sprintf("Parameters cannot be integrated over for a fit by %s.", object$method$label),
        i = sprintf("They can for one response, not in shards, by %s.",
          able_methods("integrable", "or"))))
  }
  if (has_transform(object$family)) {
    abort_neargp("parameters",
      c("Parameters cannot be integrated over for a transformed or recalibrated response.",
        i = if (!is.null(object$family$recalibration))
          "Use parameters = \"plug-in\", or the fit before recalibrate().",
        i = if (!is.null(object$family$transform))
          "Use parameters = \"plug-in\", or transform the response in the formula."))
  }
  if (!is.null(object$data$noise)) {
    abort_neargp("parameters",
      c("Parameters cannot be integrated over for noise that differs between rows.",
        i = "Use parameters = \"plug-in\"."))
  }
  if (has_network(object$covariance)) {
    abort_neargp("parameters", c("Parameters cannot be integrated over with warp = mlp().",
      i = "Use parameters = \"plug-in\"."))
  }
  check_sandwich(object)
  if (!has_likelihood_objective(object) && !has_sandwich(object) && is.null(object$information)) {
    abort_neargp("parameters", c("Parameters cannot be integrated over without standard errors.",
      i = "Fit with svgp(std_error = TRUE)."))
  }
  check_known_order(object, "Parameters cannot be integrated over")
  if (all(object$layout$fixed)) {
    abort_neargp("parameters", c("There is no parameter to integrate over: all are fixed.",
      i = "Use parameters = \"plug-in\"."))
  }
  invisible()
}

# A random ordering is not kept, and another one has another likelihood.
check_known_order <- function(object, what) {
  if (!identical(object$method$ordering, "random")) return(invisible())
  abort_neargp("method", c(sprintf("%s with a random ordering, which the fit does not keep.", what),
    i = "Fit with vecchia(), whose ordering is \"auto\"."))
}

# Whether parameters are drawn from the covariance of R/integrated-sandwich.R, by matrices of all
# pairs of observations.
has_sandwich <- function(object) has_ability(object$method, "sandwich", object$family)

most_of_sandwich <- 3000L

check_sandwich <- function(object) {
  if (!has_sandwich(object)) return(invisible())
  data <- object$data
  why <- if (reads_shards(object)) "from shards" else if (has_effects(data))
    "with random effects or smooths" else if (any(is_tied(object$layout)))
    "with a fixed nugget_ratio" else if (identical(object$method$leave_out, "row") &&
      anyDuplicated(data$coords)) "with leave_out = \"row\" and repeated locations" else if
    (length(data$y) > most_of_sandwich) sprintf("of more than %s observations",
      format_count(most_of_sandwich))
  if (is.null(why)) return(invisible())
  abort_neargp("parameters", c(sprintf("Parameters cannot be integrated over for loo_k() %s.", why),
    i = "Use parameters = \"plug-in\"."))
}
