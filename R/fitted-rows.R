# The data of a fit, which it does not keep, where its call names them.

needed_data <- function(object, what) {
  data <- data_of_call(object)
  if (is.null(data)) {
    abort_neargp("newdata", c(sprintf("%s needs the data of the fit, which are no longer found.",
      what),
      i = "They have to be where the call of the fit named them."))
  }
  data
}

# The rows of the data that were fitted.
fitted_rows <- function(object, data) {
  rows <- match(as.character(object$row_names %||% seq_along(object$data$y)), row.names(data))
  if (anyNA(rows) || nrow(data) != object$n_given) {
    abort_neargp("newdata",
      c("The data that the call of the fit names are no longer those that were fitted.",
        i = "Fit the model anew."))
  }
  data[rows, , drop = FALSE]
}
