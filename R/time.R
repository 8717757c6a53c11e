# Time as a coordinate: numbers of days, or of the unit of a numeric column.

time_variable <- function(time) {
  if (is.null(time)) return(NULL)
  if (is.character(time) && length(time) == 1L && !is.na(time)) return(time)
  if (!rlang::is_formula(time) || length(time) != 2L || length(all.vars(time)) != 1L ||
      !is.name(time[[2L]])) {
    abort_argument("time", "a one-sided formula with one column, such as ~ day", time)
  }
  all.vars(time)
}

# Numbers as they are; dates and date-times in days.
time_numbers <- function(x, name) {
  if (inherits(x, "Date")) return(as.double(x))
  if (inherits(x, "POSIXt")) return(as.double(as.POSIXct(x)) / 86400)
  if (inherits(x, "difftime")) return(as.double(x, units = "days"))
  if (!is.numeric(x)) {
    abort_neargp("coordinates",
      paste0("The time column `", name, "` must be numeric, Date or date-time, not ", class(x)[1L],
        "."))
  }
  as.double(x)
}

# Days since 1970 as what the user calls them: dates or date-times, in the time zone of the data.
format_time <- function(number, locations) {
  example <- locations$time_example
  if (inherits(example, "Date")) return(format(as.Date(number, origin = "1970-01-01")))
  if (inherits(example, "POSIXt")) {
    return(format(as.POSIXct(number * 86400, origin = "1970-01-01",
      tz = attr(example, "tzone")[1L] %||% "")))
  }
  format(number)
}

# Numbers among dates would be read as days since 1970.
check_time_class <- function(x, locations, argument) {
  if (is.null(locations$time_unit) || locations$time_unit == time_unit(x) || all(is.na(x))) {
    return(invisible())
  }
  if (is.character(x) || is.factor(x)) {
    abort_neargp("coordinates", c(
      sprintf("The time column `%s` held dates or date-times in the fit, but holds text in `%s`.",
        locations$time, argument),
      i = "Convert it by as.Date() or as.POSIXct()."))
  }
  kinds <- c("dates or date-times", "numbers")
  if (locations$time_unit == "") kinds <- rev(kinds)
  abort_neargp("coordinates",
    sprintf("The time column `%s` held %s in the fit, but holds %s in `%s`.", locations$time,
      kinds[1L], kinds[2L], argument))
}

time_unit <- function(x) if (inherits(x, c("Date", "POSIXt", "difftime"))) "days" else ""

# The time comes last. There may be no other column.
is_time_column <- function(columns, locations) {
  seq_len(ncol(columns)) > ncol(columns) - length(locations$time)
}
