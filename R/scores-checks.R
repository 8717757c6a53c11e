# Checks of predictions that are scored, and the rows that are complete.

check_interval_pair <- function(lower, upper) {
  if (is.null(lower) != is.null(upper)) {
    abort_neargp("argument", "Give both ends of the intervals, `lower` and `upper`, or neither.")
  }
  list(lower = lower, upper = upper)
}

recycle_predictions <- function(predicted, n) {
  for (name in names(predicted)) {
    value <- predicted[[name]]
    if (is.null(value) || is.matrix(value)) next
    if (!is.numeric(value) || !length(value) %in% c(1L, n)) {
      abort_neargp("length", c(
        sprintf("`%s` must be numeric, of length 1 or one value for each observation.", name),
        x = sprintf("It has %d values (%s); there are %d observations.",
                    length(value), class(value)[1L], n)
      ))
    }
    predicted[[name]] <- rep_len(as.numeric(value), n)
  }
  negative <- which(predicted$sd < 0)
  if (length(negative)) {
    abort_neargp("sd", sprintf("`sd` must not be negative; it is in %s.", format_rows(negative)))
  }
  predicted
}

# `rows`: their names or numbers, where they are told.
complete_predictions <- function(observed, predicted, na.rm, rows = seq_along(observed)) {
  check_flag(na.rm, "na.rm")
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
    abort_neargp("missing", "There is no row in which both observation and prediction are known.")
  }
  complete
}

take_rows <- function(value, rows) {
  if (is.matrix(value)) value[rows, , drop = FALSE] else value[rows]
}
