# The columns that predict() returns, from the moments of the latent field: of a gaussian response.
# R/predict-response.R has those of others.

prediction_columns <- function(method, object, moments, settings) {
  UseMethod("prediction_columns")
}

#' @export
prediction_columns.default <- function(method, object, moments, settings) {
  if (settings$integrated) return(integrated_columns(object, moments, settings))
  if (is.null(object$outputs) && (settings$type == "quantile" || !is.null(settings$threshold))) {
    return(prediction_columns_by_family(object, moments, settings))
  }
  nugget <- nugget_of_targets(object, length(moments$mean)) / (moments$weights %||% 1)
  mean <- moments$mean
  field <- sqrt(moments$variance)
  observation <- sqrt(moments$variance + nugget)
  columns <- if (settings$type == "quantile")
    quantile_columns(settings$probs, stats::qnorm, mean, observation) else
    list(mean = mean, sd = if (settings$type == "link") field else observation)
  limits <- if (settings$interval != "none") normal_limits(mean,
    if (settings$interval == "prediction") observation else field, settings$level)
  exceeded <- exceedance_columns(threshold_of_targets(object, settings$threshold, length(mean)),
    "observation", stats::pnorm, mean, observation, lower.tail = FALSE)
  target_columns(object, columns, c(limits, exceeded))
}

# The threshold of each of so many targets; several outputs have one each.
threshold_of_targets <- function(object, threshold, count) {
  if (is.null(object$outputs) || is.null(threshold)) return(threshold)
  list(rep(threshold, each = count %/% length(threshold)))
}

# The nugget of each of so many targets: of several outputs these are the places of the first one,
# then those of the next.
nugget_of_targets <- function(object, count) {
  nugget <- unname(object$nugget)
  if (length(nugget) == 1L) nugget else rep(nugget, each = count %/% length(nugget))
}

# The data frame of vectors with a number for each target. data.frame() takes longer than the
# prediction of a row.
target_columns <- function(object, vectors, limits = NULL) {
  if (!is.null(object$outputs)) return(output_columns(c(vectors, limits), object$outputs))
  columns <- structure(vectors, class = "data.frame",
    row.names = .set_row_names(length(vectors[[1L]])))
  for (name in names(limits)) columns[[name]] <- limits[[name]]
  columns
}
