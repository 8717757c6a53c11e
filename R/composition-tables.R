# Model frame and design of a composition. All categories take the one formula, and the reference is
# without its trend.

#' @export
model.matrix.neargp_composition <- function(object, ...) {
  stats::model.matrix(object$parts[[2L]])
}

#' @export
model.frame.neargp_composition <- function(formula, ...) {
  samples <- formula_of_samples(formula)
  data <- needed_data(samples, "model.frame()", function(samples, data) {
    changed_samples(formula, samples, data)
  })
  frame <- model_frame_of(samples, data)
  frame[match(row_names_of(samples), row.names(frame)), , drop = FALSE]
}

# The fit of a category with the formula of all.
formula_of_samples <- function(object) {
  samples <- object$parts[[2L]]
  samples$formula <- object$formulas
  samples$family <- multinomial()
  samples$call["offset"] <- list(NULL)
  samples
}

# As changed_parts(). The locations of samples are those after the steps of apart_by_trend().
changed_samples <- function(object, samples, data) {
  rows <- fitted_row_numbers(samples, data)
  if (is.null(rows)) return("rows are others")
  frame <- tryCatch(suppressMessages(model_frame_of(samples, data)), error = function(e) NULL)
  own <- match(row_names_of(samples), row.names(frame))
  counts <- tryCatch(counts_of_categories(composition_counts(object$formulas, data, "data"),
    object$outputs), error = function(e) NULL)
  if (is.null(frame) || is.null(counts) || anyNA(own)) {
    return("response or covariates are not available")
  }
  c(if (!same_sample_locations(samples, data, rows)) "coordinates differ",
    if (!same_numbers(counts[rows, ], object$composition$counts)) "response differs",
    if (!same_covariates(samples, frame, own)) "covariates differ")
}

same_sample_locations <- function(samples, data, rows) {
  locations <- input_locations(samples$locations)
  coords <- tryCatch(embed_coordinates(raw_coordinates(data, locations), locations, data = data),
    error = function(e) NULL)
  if (is.null(coords)) return(FALSE)
  moved <- apart_by_trend(coords[rows, , drop = FALSE], designs_of_samples(samples$data))
  same_numbers(unname(moved), unname(samples$data$coords), tolerance = 1e-12)
}
