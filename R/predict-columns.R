# The columns that predict() returns, from the moments of the latent field: of a gaussian response.
# R/predict-response.R has those of others.

prediction_columns <- function(method, object, moments, settings) {
  UseMethod("prediction_columns")
}

#' @export
prediction_columns.default <- function(method, object, moments, settings) {
  if (settings$integrated) return(integrated_columns(object, moments, settings))
  if (settings$type == "quantile" || !is.null(settings$threshold)) {
    return(prediction_columns_by_family(object, moments, settings))
  }
  nugget <- nugget_of_targets(object, length(moments$mean)) / (moments$weights %||% 1)
  noise <- list(link = 0, response = nugget, none = 0, confidence = 0, prediction = nugget)
  limits <- if (settings$interval != "none") normal_limits(moments$mean,
    sqrt(moments$variance + noise[[settings$interval]]), settings$level)
  target_columns(object, list(mean = moments$mean,
    sd = sqrt(moments$variance + noise[[settings$type]])), limits)
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

# Parameters of the family on the natural scale, by name.
response_parameters <- function(object) object$family_parameters %||% c(variance = object$nugget)
