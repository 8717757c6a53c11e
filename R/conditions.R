# Every error of the package is a classed condition: "neargp_error_<what>" and "neargp_error". The
# message says what is wrong and where; its further elements (named "i") say how to fix it. The
# call of a condition is the function that the user called.

abort_neargp <- function(what, message, ...) {
  rlang::abort(message, class = c(paste0("neargp_error_", what), "neargp_error"),
    call = called_by_user(), ...)
}

warn_neargp <- function(what, message, ...) {
  rlang::warn(message, class = c(paste0("neargp_warning_", what), "neargp_warning"),
    call = called_by_user(), ...)
}

inform_neargp <- function(what, message, ...) {
  rlang::inform(message, class = c(paste0("neargp_message_", what), "neargp_message"),
    call = called_by_user(), ...)
}

# `neargp()`: the last function of the package on the way from here to the user's code. The parents
# of an argument that is evaluated late are those of the code that wrote it, so that an error in
# `neargp(covariance = cov_matern(range = -1))` is that of cov_matern().
called_by_user <- function() {
  parents <- sys.parents()
  frame <- parents[sys.nframe()]
  found <- NULL
  while (frame > 0L) {
    if (identical(environment(sys.function(frame)), topenv())) found <- frame
    frame <- parents[frame]
  }
  name <- if (!is.null(found)) rlang::call_name(sys.call(found))
  # The call of a method has its name, and users know that of the generic.
  if (!is.null(name)) call(sub("\\.(summary\\.)?neargp.*", "", name))
}

capitalised <- function(text) paste0(toupper(substr(text, 1L, 1L)), substring(text, 2L))

# "1, 5 and 9", or the first five and how many more: rows and columns are named, but never by the
# thousand.
format_some <- function(x, at_most = 5L) {
  shown <- as.character(utils::head(x, at_most))
  if (length(x) > at_most) {
    return(paste0(paste(shown, collapse = ", "), " and ", length(x) - at_most, " more"))
  }
  if (length(shown) < 2L) return(shown)
  paste(paste(shown[-length(shown)], collapse = ", "), "and", shown[length(shown)])
}

format_rows <- function(rows, at_most = 5L) {
  paste(if (length(rows) == 1L) "row" else "rows", format_some(rows, at_most))
}

# The mark of thousands is a comma, so that the decimal mark is a point whatever options("OutDec").
format_count <- function(n) format(n, big.mark = ",", decimal.mark = ".", scientific = FALSE,
  trim = TRUE)

# For names of columns, which depend on numbers alone and on no options of how these are printed.
format_for_name <- function(x, digits) {
  old <- options(OutDec = ".", scipen = 0L)
  on.exit(options(old))
  format(x, digits = digits, trim = TRUE)
}
