# A row source reads from a function of the chunk's number, from files that a function reads, or
# from text.

# A list of `read(number)`, which returns NULL after the last chunk, of `where()` and `advice` for
# the message of a failure, and of `close()`.
open_source <- function(source) {
  if (is.function(source$x)) {
    return(list(read = source$x, where = function() "",
      advice = "It is called with 1, 2, .. until it returns NULL.", close = function() invisible()))
  }
  missing <- source$x[!file.exists(source$x)]
  if (length(missing)) abort_source(sprintf("The file %s does not exist.", format_some(missing)))
  if (is.null(source$read)) open_text(source) else open_files(source)
}

open_files <- function(source) {
  at <- NULL
  read <- function(number) {
    if (number > length(source$x)) return(NULL)
    at <<- source$x[number]
    do.call(source$read, c(list(at), source$arguments))
  }
  list(read = read, where = function() sprintf(" from %s", at), advice = NULL,
    close = function() invisible())
}

# `columns`: those of the open file (text_columns()). `classes`: the classes by name, the same for
# all files, with "NULL" for columns that are left out. The first chunk determines the classes that
# `colClasses` leaves open.
open_text <- function(source) {
  files <- source$x
  number <- 0L
  first <- TRUE
  records <- columns <- classes <- NULL
  close <- function() {
    if (!is.null(records)) records$close()
    records <<- NULL
  }
  # the first records of the next file; NULL for a file of a header alone
  begin_file <- function() {
    close()
    number <<- number + 1L
    records <<- open_records(files[number], source$arguments)
    found <- records$take(source$chunk_rows + (source$chunk_rows > 0L))
    if (is.null(found)) return(NULL)
    columns <<- text_columns(found, source$arguments, files[number])
    if (is.null(classes)) classes <<- given_classes(source$arguments$colClasses, columns)
    without_header(found, source$arguments)
  }
  next_records <- function() {
    found <- if (!is.null(records)) records$take(source$chunk_rows)
    while (is.null(found) && number < length(files)) {
      found <- begin_file() %||% if (!is.null(columns)) records$take(source$chunk_rows)
    }
    found
  }
  read <- function(chunk) {
    found <- next_records()
    if (is.null(found)) return(NULL)
    rows <- read_text(found, source, columns, classes, files[number])
    open <- if (first) names(rows)[is.na(classes[names(rows)])]
    classes[open] <<- text_classes(rows[open])
    first <<- FALSE
    numbers_as_double(rows, classes)
  }
  list(read = read, where = function() sprintf(" from %s", files[max(number, 1L)]), close = close,
    advice = paste(
      "Classes of columns are those of the first chunk, unless `colClasses` says otherwise:",
      "row_source(file, colClasses = )."))
}

has_header <- function(arguments) arguments$header %||% TRUE

without_header <- function(records, arguments) {
  if (!has_header(arguments)) return(records)
  if (length(records$at) > 1L) take_records(records, -1L)
}

read_text <- function(records, source, columns, classes, file) {
  check_fields(records, length(columns$names) + columns$row_names, source$arguments, file)
  connection <- textConnection(records$text, encoding = "bytes")
  on.exit(close(connection))
  given <- utils::modifyList(list(stringsAsFactors = FALSE), source$arguments)
  given[c("header", "check.names")] <- FALSE
  given$colClasses <- c(if (columns$row_names) "character", unname(classes[columns$names]))
  given$col.names <- c(if (columns$row_names) "row.names", columns$names)
  if (columns$row_names) given$row.names <- 1L
  rows <- do.call(utils::read.csv, c(list(file = connection), given))
  if (nrow(rows) == length(records$at)) return(rows)
  abort_source(sprintf("Lines %s to %s of %s have %s records, and read.csv() makes %s rows of them.",
    format_count(records$at[1L]), format_count(utils::tail(records$at, 1L)), file,
    format_count(length(records$at)), format_count(nrow(rows))))
}

# Whole numbers may be followed by others, and a column of nothing but NA by numbers.
numbers_as_double <- function(rows, classes) {
  unknown <- is.na(classes[names(rows)]) & vapply(rows, is_unknown, NA)
  numbers <- vapply(rows, is.integer, NA) | unknown
  rows[numbers] <- lapply(rows[numbers], as.double)
  rows
}

# The names of a file's columns in its own order. `row_names`: whether a column of row names without
# a name comes before them, as in files of write.table(). The header and the first record show this.
text_columns <- function(records, arguments, file) {
  several <- length(records$at) > 1L
  if (has_header(arguments) && several) {
    check_first_record(take_records(records, 1:2), arguments, file)
  }
  first <- list(text = utils::head(records$text, 2L), nrows = 1L, colClasses = "character")
  rows <- do.call(utils::read.csv, utils::modifyList(arguments, first))
  list(names = names(rows), row_names = several && .row_names_info(rows) > 0L)
}

# `colClasses` as read.csv() takes it: named, or for the columns in turn, row names included, and
# recycled.
given_classes <- function(given, columns) {
  classes <- stats::setNames(rep(NA_character_, length(columns$names)), columns$names)
  if (is.null(given)) return(classes)
  if (is.null(names(given))) {
    recycled <- rep_len(given, length(classes) + columns$row_names)
    classes[] <- recycled[columns$row_names + seq_along(classes)]
    return(classes)
  }
  unknown <- setdiff(names(given), names(classes))
  if (length(unknown)) {
    abort_source(c(
      sprintf("`colClasses` names columns that the file does not have: %s.", format_some(unknown)),
      i = sprintf("It has %s.", format_some(names(classes), 20L))))
  }
  classes[names(given)] <- given
  classes
}

# Numbers are recognised in each chunk, quoted ones as well.
text_classes <- function(rows) {
  unname(vapply(rows, function(column) if (is.numeric(column)) NA_character_ else class(column)[1L],
    ""))
}

# A column of nothing but NA.
is_unknown <- function(column) is.logical(column) && all(is.na(column))
