# Distributions of held-out and left-out rows with the covariance parameters integrated over their
# posterior: mixtures of the distributions by the fits at the points of the design.

# `distribution_of`: a function of a fit.
integrated_distribution <- function(object, context, distribution_of) {
  design <- integrated_fits(object, context)
  mixture_of(each_fit(design, distribution_of), design$log_weights)
}

each_fit <- function(design, value_of) {
  each_point(design, function(s) value_of(design$fits[[s]]))
}

# `value_at`: a function of the number of a point. Conditions of the first fit stand for those of
# all.
each_point <- function(design, value_at) {
  quietly <- function(s) {
    withCallingHandlers(value_at(s),
      neargp_message = function(condition) rlang::cnd_muffle(condition),
      neargp_warning = function(condition) rlang::cnd_muffle(condition))
  }
  c(list(value_at(1L)), lapply(seq_along(design$fits)[-1L], quietly))
}

# The distributions of left_out(), with the posterior given the other rows. Bayes' rule says that
#   p(theta | y_-i)  is proportional to  p(theta | y) / p(y_i | y_-i, theta).
# The weight of each point of the design is divided by its predictive density of the row. Restricted
# likelihood and predictive densities both integrate over the trend. Draws from the covariance of
# estimates keep their weights.
left_out_integrated <- function(object, k = NULL, threads = NULL, leave_out = NULL) {
  check_left_rows(object, leave_out)
  design <- integrated_fits(object, plain_context(threads %||% object$threads))
  left <- each_fit(design, function(fit) left_out(fit$method, fit, k, threads, leave_out))
  rows <- left[[1L]]$rows
  distributions <- lapply(left, `[[`, "distribution")
  if (!design$is_posterior) {
    return(list(rows = rows, distribution = mixture_of(distributions, design$log_weights)))
  }
  y <- observed_response(object$data)[rows]
  densities <- vapply(distributions, function(one) predictive_log_density(y, one),
    double(length(rows)))
  weights <- sweep(-matrix(densities, length(rows)), 2L, design$log_weights, "+")
  list(rows = rows, distribution = mixture_of(distributions, weights - log_sum_of_rows(weights)))
}

# The rows of a location would need their joint density.
check_left_rows <- function(object, leave_out) {
  if (!leaves_locations_out(object, leave_out)) return(invisible())
  abort_argument("leave_out", "\"row\" with parameters = \"integrated\"", leave_out)
}

# left_out() by `parameters`: "plug-in", "integrated", or NULL, the default.
left_out_by <- function(parameters, object, k = NULL, threads = NULL, leave_out = NULL) {
  by_rows <- !leaves_locations_out(object, leave_out)
  if (is_integrated(parameters, object, by_rows)) {
    return(left_out_integrated(object, k, threads, leave_out))
  }
  left_out(object$method, object, k, threads, leave_out)
}

# `possible`: whether the default may integrate, as far as other arguments say.
is_integrated <- function(parameters, object, possible = TRUE) {
  if (is.null(parameters)) return(possible && integrates_by_default(object))
  integrated <- check_choice(parameters, "parameters", c("plug-in", "integrated")) == "integrated"
  if (integrated) check_integrable(object)
  integrated
}
