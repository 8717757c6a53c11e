# Scores and validation of responses that share fields: those of each response by itself.

#' @export
scores.neargp_joint <- function(object, newdata = NULL, observed = NULL, level = 0.95, ...) {
  check_no_more_arguments()
  check_level(level)
  if (!is.null(observed)) {
    abort_argument("observed", "NULL: the responses are those of the formulas in newdata", observed)
  }
  known <- object$outputs
  if (!is.null(newdata)) {
    names <- names(drop_geometry(newdata))
    known <- known[vapply(object$parts, function(part) all(all.vars(part$formula[[2L]]) %in%
      names), NA)]
    if (!length(known)) {
      abort_argument("newdata", sprintf("a data frame with at least one of the responses %s",
        format_some(object$outputs)), newdata)
    }
  }
  each <- lapply(parts_of(object)[known], function(part) {
    if (is.null(newdata)) return(as.data.frame(scores(part, level = level)))
    if (is_nowhere_observed(part, newdata)) return(data.frame(n = 0L))
    # where no predictor is known
    rlang::try_fetch(as.data.frame(scores(part, newdata, level = level, na.rm = TRUE)),
      neargp_error_missing = function(e) data.frame(n = 0L))
  })
  if (all(vapply(each, `[[`, 0L, "n") == 0L)) {
    abort_neargp("missing", "There are no observations to score, or predictors of all are missing.")
  }
  structure(cbind(output = known, bind_tables(unname(each))), row.names = seq_along(known),
    class = c("neargp_scores", "data.frame"))
}

is_nowhere_observed <- function(part, newdata) {
  all(is.na(eval(part$formula[[2L]], drop_geometry(newdata), environment(part$formula))))
}
