# Scores and validation of responses that share fields: those of each response by itself.

#' @rdname predict.neargp_joint
#' @export
scores.neargp_joint <- function(object, newdata = NULL, observed = NULL, level = 0.95, ...) {
  check_no_more_arguments()
  check_level(level)
  if (!is.null(observed)) {
    abort_argument("observed", "NULL: the responses are those of the formulas in newdata", observed)
  }
  each <- lapply(parts_of(object), function(part) {
    if (is.null(newdata)) return(as.data.frame(scores(part, level = level)))
    # of a response that is nowhere known in newdata
    rlang::try_fetch(as.data.frame(scores(part, newdata, level = level, na.rm = TRUE)),
      neargp_error_missing = function(e) data.frame(n = 0L))
  })
  columns <- unique(unlist(lapply(each, names)))
  rows <- lapply(each, function(row) {
    row[setdiff(columns, names(row))] <- NA
    row[columns]
  })
  structure(cbind(output = object$outputs, do.call(rbind, c(rows, list(make.row.names = FALSE)))),
    class = c("neargp_scores", "data.frame"))
}
