# The columns that predict() returns, from the distributions of the field and of a new observation.

# `moments`: of the field at targets, with the weights of new observations there where these have
# any. Rows with NA moments stay NA.
prediction_columns <- function(object, moments, settings) {
  given <- given_distributions(object, moments, settings)
  settings$threshold <- threshold_of_targets(object, settings$threshold, length(moments$mean))
  target_columns(object, predictive_columns(given, settings))
}

# The distributions of the field and of a new observation at targets.
given_distributions <- function(object, moments, settings) {
  if (settings$integrated) return(integrated_predictive(object, moments, settings))
  predictive(object$method, object, moments,
    list(trials = settings$trials, weights = moments$weights,
      parameter_columns = moments$parameter_columns))
}

# The threshold of each of so many targets; several responses take one each.
threshold_of_targets <- function(object, threshold, count) {
  if (is.null(object$outputs) || is.null(threshold)) return(threshold)
  list(rep(threshold, each = count %/% length(threshold)))
}

# The data frame of vectors with a number for each target. data.frame() takes longer than the
# prediction of a row.
target_columns <- function(object, vectors) {
  if (!is.null(object$outputs)) return(output_columns(vectors, object$outputs))
  structure(vectors, class = "data.frame", row.names = .set_row_names(length(vectors[[1L]])))
}
