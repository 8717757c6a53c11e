# Checks of predictions that are scored, and the rows that are complete.

check_interval_pair <- function(lower, upper) {
  if (is.null(lower) != is.null(upper)) {
    abort_neargp("argument", "Give both ends of the intervals, `lower` and `upper`, or neither.")
  }
  list(lower = lower, upper = upper)
}

# `rows`: their names or numbers, for messages.
complete_predictions <- function(observed, predicted, na.rm, rows = seq_along(observed)) {
  check_flag(na.rm, "na.rm")
  if (!length(observed)) abort_neargp("missing", "There are no observations to score.")
  given <- c(list(observed = observed), Filter(Negate(is.null), predicted))
  missing <- vapply(given, function(value) rowSums(is.na(as.matrix(value))) > 0,
                    logical(length(observed)))
  missing <- matrix(missing, length(observed), dimnames = list(NULL, names(given)))
  complete <- rowSums(missing) == 0
  if (!na.rm && !all(complete)) {
    abort_neargp("missing", c(
      sprintf("Missing values in %s.", paste0("`", names(given)[colSums(missing) > 0], "`",
        collapse = ", ")),
      x = sprintf("They are in %s.", format_rows(rows[!complete])),
      i = "Use `na.rm = TRUE` to leave these rows out."
    ))
  }
  if (!any(complete)) {
    abort_neargp("missing", "Observation and prediction are not known together in any row.")
  }
  complete
}
