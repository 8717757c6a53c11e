# The predictive distributions of a fit at targets. (R/left-out.R makes those of its own rows, each
# given the others.)

# `moments`: mean and variance of the field at targets, and components where it is a mixture. `at`:
# the trials, weights, limits, output and parameter_columns of the targets' observations, each NULL
# or for all targets. Returns a list of two distributions, `field` and `observation`.
predictive <- function(method, object, moments, at = list()) {
  UseMethod("predictive")
}

#' @export
predictive.default <- function(method, object, moments, at = list()) {
  noise <- noise_of_targets(object, length(moments$mean), at)
  list(field = new_normal(moments$mean, sqrt(moments$variance)),
    observation = new_normal(moments$mean, sqrt(moments$variance + noise)))
}

#' @export
predictive.neargp_method_families <- function(method, object, moments, at = list()) {
  sd <- sqrt(moments$variance)
  observation <- new_mixture(moments$mean, sd, object$family, response_parameters(object, at),
    at$trials %||% 1, at$weights)
  list(field = new_normal(moments$mean, sd), observation = with_limits(observation, at$limits))
}

#' @export
predictive.neargp_method_transformed <- function(method, object, moments, at = list()) {
  predictive.neargp_method_families(method, object, moments, at)
}

# The noise variance of `count` targets. With several responses, `at$output` is the response of each
# target. Without it the locations of the first response come first, then those of the next.
noise_of_targets <- function(object, count, at = list()) {
  nugget <- unname(object$nugget)
  if (length(nugget) > 1L) {
    nugget <- nugget[at$output %||% rep(seq_along(nugget), each = count %/% length(nugget))]
  }
  nugget / (at$weights %||% 1)
}

# The fields of data that predictive() takes as `at`.
observed_at <- function(data) {
  c(data[intersect(names(data), c("trials", "weights", "limits", "output"))],
    list(parameter_columns = columns_of_rows(data)))
}
