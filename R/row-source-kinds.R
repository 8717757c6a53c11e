# What a row source reads from: a function of the chunk's number, files that a function reads, text.

# read(number), which returns NULL after the last chunk; where(), said of a failure, and `advice`;
# close().
open_source <- function(source) {
  if (is.function(source$x)) {
    return(list(read = source$x, where = function() "",
      advice = "It is called with 1, 2, .. until it returns NULL.", close = function() invisible()))
  }
  missing <- source$x[!file.exists(source$x)]
  if (length(missing)) abort_source(sprintf("There is no file %s.", format_some(missing)))
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

# `columns` are those of the open file (text_columns()), `classes` those that all files have by
# name, "NULL" for columns that are left out. The first chunk of all has those that `colClasses`
# leaves open.
open_text <- function(source) {
  files <- source$x
  number <- 0L
  first <- TRUE
  connection <- columns <- classes <- NULL
  close <- function() {
    if (!is.null(connection)) base::close(connection)
    connection <<- NULL
  }
  begin_file <- function() {
    close()
    number <<- number + 1L
    connection <<- gzfile(files[number], "r")
    if (!has_line(connection)) return(FALSE)
    columns <<- text_columns(connection, source$arguments)
    if (is.null(classes)) classes <<- given_classes(source$arguments$colClasses, columns)
    TRUE
  }
  read <- function(chunk) {
    opened <- FALSE
    while (!opened && (is.null(connection) || !has_line(connection))) {
      if (number == length(files)) return(NULL)
      opened <- begin_file()
    }
    rows <- read_text(connection, source, columns, classes, opened)
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

# The next rows of a file, of which the first have the header before them.
read_text <- function(connection, source, columns, classes, with_header) {
  given <- list(file = connection, stringsAsFactors = FALSE, nrows = source$chunk_rows)
  given <- utils::modifyList(given, source$arguments)
  given$colClasses <- c(if (columns$row_names) "character", unname(classes[columns$names]))
  if (!with_header) {
    given[c("header", "check.names")] <- FALSE
    given$col.names <- c(if (columns$row_names) "row.names", columns$names)
    if (columns$row_names) given$row.names <- 1L
  }
  do.call(utils::read.csv, given)
}

# Whole numbers may be followed by others, and a column of nothing but NA by numbers.
numbers_as_double <- function(rows, classes) {
  unknown <- is.na(classes[names(rows)]) & vapply(rows, is_unknown, NA)
  numbers <- vapply(rows, is.integer, NA) | unknown
  rows[numbers] <- lapply(rows[numbers], as.double)
  rows
}

# The names of a file's columns in its own order, and whether a column of row names without a name
# of its own is before them, as write.table() has it. A record may have several lines.
text_columns <- function(connection, arguments, lines = 20L) {
  begin <- readLines(connection, lines)
  pushBack(begin, connection)
  first <- list(text = begin, nrows = 1L, colClasses = "character")
  rows <- do.call(utils::read.csv, utils::modifyList(arguments, first))
  list(names = names(rows), row_names = .row_names_info(rows) > 0L)
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

# Numbers are recognised in each chunk, quoted ones, too.
text_classes <- function(rows) {
  unname(vapply(rows, function(column) if (is.numeric(column)) NA_character_ else class(column)[1L],
    ""))
}

# A column of nothing but NA.
is_unknown <- function(column) is.logical(column) && all(is.na(column))

has_line <- function(connection) {
  while (length(line <- readLines(connection, 1L, warn = FALSE))) {
    if (grepl("[^[:space:]]", line)) {
      pushBack(line, connection)
      return(TRUE)
    }
  }
  FALSE
}
