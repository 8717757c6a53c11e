# Tables of a fit to responses that share fields, which R's generics and broom ask for. Terms and
# design matrices are lists, one of each response.

#' @export
terms.neargp_joint <- function(x, ...) lapply(parts_of(x), stats::terms)

#' @export
model.matrix.neargp_joint <- function(object, ...) lapply(parts_of(object), stats::model.matrix)

#' @export
model.frame.neargp_joint <- function(formula, ...) {
  lapply(parts_of(formula), function(part) {
    if (is.null(part$areas)) return(stats::model.frame(part))
    model_frame_of(part, needed_data(part, "model.frame()", data = middles_of_areas(part,
      formula$call$support)))
  })
}

# Responses may come from different data frames, and rows without one response are fitted to the
# others, therefore the rows of all responses stand below each other.
#' @export
augment.neargp_joint <- function(x, newdata = NULL, ...) {
  check_no_more_arguments()
  if (!is.null(newdata)) return(in_foreign_class(newdata, function(rows) {
    if (!is.data.frame(rows)) {
      abort_argument("newdata", "a data frame or points; predict() takes grids", rows)
    }
    means <- drop_geometry(stats::predict(x, rows))[paste0("mean_", x$outputs)]
    beside_newdata(rows, stats::setNames(as.list(means), paste0(".fitted_", x$outputs)))
  }))
  parts <- parts_of(x)
  bind_tables(unname(Map(function(part, response) {
    rows <- rows_of_part(part)
    if (length(rows) != length(part$data$y)) rows <- seq_along(part$data$y)  # of a subset
    # na.exclude fills up the rows that were left out
    own <- function(values) if (length(values) == part$n_given) values[rows] else values
    data.frame(response = response, row = rows, .observed = observed_response(part$data),
      .fitted = own(as.vector(stats::fitted(part))),
      .resid = own(as.vector(stats::residuals(part))))
  }, parts, names(parts))))
}
