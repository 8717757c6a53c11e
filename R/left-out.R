# The predictive distributions of a fit's rows, each given the others.

# The distributions of the rows that can be predicted from the others, and which these are. `most`:
# how many locations are asked for. Methods that need as long for all of them may return all.
left_out <- function(method, object, k = NULL, threads = NULL, leave_out = NULL, most = Inf) {
  UseMethod("left_out")
}

#' @export
left_out.neargp_method_transformed <- function(method, object, k = NULL, threads = NULL,
                                               leave_out = NULL, most = Inf) {
  normal <- normal_scale_fit(object)
  left <- left_out(normal$method, normal, k, threads, leave_out, most)
  moments <- predictive_moments(left$distribution)
  list(rows = left$rows, distribution = responses_of(object, moments$mean, moments$sd))
}

# Values of the rows with a prediction, `unknown` in the others.
at_all_rows <- function(object, left, values, unknown = NA_real_) {
  replace(rep(unknown, length(object$data$y)), left$rows, values)
}

# Mean and standard deviation of all rows, NA and Inf where there is no prediction.
leave_one_out <- function(object, k = NULL, threads = NULL, leave_out = NULL) {
  moments_of_left_out(object, left_out(object$method, object, k, threads, leave_out))
}

moments_of_left_out <- function(object, left) {
  moments <- predictive_moments(left$distribution)
  list(mean = at_all_rows(object, left, moments$mean),
    sd = at_all_rows(object, left, moments$sd, Inf))
}

# A table of the observed responses, their predictions from the other rows, and residuals z, which
# are standard normal under the model. Student's t with one degree of freedom lacks a mean, and is
# predicted by its centre.
loo_table <- function(fit, k = NULL, threads = NULL, leave_out = NULL, most = Inf) {
  y <- observed_response(fit$data)
  left <- left_out(fit$method, fit, k, threads, leave_out, most)
  moments <- moments_of_left_out(fit, left)
  z <- at_all_rows(fit, left, normal_residuals(y[left$rows], left$distribution))
  no_mean <- is.na(moments$mean[left$rows])
  moments$mean[left$rows[no_mean]] <- left$distribution$mean[no_mean]
  structure(data.frame(observed = y, moments, z = z), given_others = left)
}
