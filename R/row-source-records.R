# Records of a file of text: its lines, where lines of one quoted field count as one. `read.csv()`
# alone fills short lines and makes two rows of a long one. It takes a quote that nothing closes for
# a field up to the end of the file.

# `take(n)` returns the next records, about n of them or all with n = -1, and NULL after the last
# one. A record consists of its `text`, the number `at` of the line in which it begins, and the
# number of its `fields`.
open_records <- function(file, arguments) {
  check_whole_file(file)
  connection <- gzfile(file, "r")
  count <- field_counter(arguments)
  pending <- character(0)
  line <- 1
  next_lines <- function(n) {
    lines <- lines_of_text(connection, n, file)
    check_bytes(lines, file, line + length(pending))
    if (line == 1 && !length(pending)) lines <- without_byte_order_mark(lines)
    pending <<- c(pending, lines)
    n < 0L || length(lines) < n
  }
  # a record may be longer than n lines
  next_records <- function(n) {
    repeat {
      is_end <- next_lines(n)
      if (!length(pending)) return(NULL)
      fields <- count(pending)
      end <- max(0L, which(!is.na(fields)))
      if (is_end && end < length(pending)) abort_open_quote(file, line + end)
      if (end) break
      n <- 2L * n
    }
    found <- as_records(pending[seq_len(end)], fields[seq_len(end)], line, arguments, file)
    pending <<- pending[-seq_len(end)]
    line <<- line + end
    found
  }
  take <- function(n) {
    repeat {
      found <- next_records(n)
      if (is.null(found) || length(found$at)) return(found)
    }
  }
  list(take = take, close = function() close(connection))
}

lines_of_text <- function(connection, n, file) {
  withCallingHandlers(readLines(connection, n), warning = function(w) {
    if (grepl("nul", conditionMessage(w))) {
      abort_source(c(sprintf("The file %s contains bytes of zero, which text does not.", file),
        i = "It may be in another format or UTF-16. Convert it to UTF-8."))
    }
    invokeRestart("muffleWarning")
  })
}

# scan() takes a byte of 255, which is part of no character of UTF-8, for the end of the text.
check_bytes <- function(lines, file, line) {
  wrong <- which(grepl("\xff", lines, fixed = TRUE, useBytes = TRUE))
  if (!length(wrong)) return(invisible())
  abort_line(file, line + wrong[1L] - 1, "contains a byte of 255, which UTF-8 does not allow",
    "It may be in another format. Convert it to UTF-8.")
}

without_byte_order_mark <- function(lines) {
  lines[1L] <- sub("^\xef\xbb\xbf", "", lines[1L], useBytes = TRUE)
  lines
}

text_separator <- function(arguments) arguments$sep %||% ","

text_quotes <- function(arguments) arguments$quote %||% "\""

# A function of lines: numbers of fields, NA for lines whose record goes on.
field_counter <- function(arguments) {
  function(lines) {
    connection <- textConnection(lines, encoding = "bytes")
    on.exit(close(connection))
    utils::count.fields(connection, sep = text_separator(arguments),
      quote = text_quotes(arguments), comment.char = arguments$comment.char %||% "",
      blank.lines.skip = FALSE)[seq_along(lines)]
  }
}

# Without blank lines and those of comments alone.
as_records <- function(lines, fields, line, arguments, file) {
  ends <- which(!is.na(fields))
  begins <- c(1L, ends[-length(ends)] + 1L)
  blank <- if (text_separator(arguments) %in% c("", " ")) "^[ \t]*$" else "^ *$"
  text <- lines[ends]
  for (record in which(begins < ends)) {
    text[record] <- paste(lines[begins[record]:ends[record]], collapse = "\n")
    check_quoted(text[record], arguments, file, line + begins[record] - 1)
  }
  is_empty <- begins == ends & (fields[ends] == 0L | grepl(blank, text, useBytes = TRUE))
  take_records(list(text = text, at = line + begins - 1, fields = fields[ends]), !is_empty)
}

take_records <- function(records, taken) lapply(records, `[`, taken)

# A field that goes on in the next line begins and ends with a quote.
check_quoted <- function(record, arguments, file, line) {
  separator <- text_separator(arguments)
  outside <- if (nzchar(separator)) sprintf("\\x%02x", as.integer(charToRaw(separator))) else " \\t"
  quotes <- sprintf("\\x%02x", as.integer(charToRaw(text_quotes(arguments))))
  quoted <- sprintf("[ \\t]*+%1$s(?:[^%1$s]++|%1$s%1$s)*+%1$s[ \\t]*+", quotes)
  plain <- sprintf("[^%s%s\\n]*+", outside, paste(quotes, collapse = ""))
  field <- sprintf("(?:%s)", paste(c(quoted, plain), collapse = "|"))
  if (grepl(sprintf("^%s(?:[%s]%s)*+$", field, outside, field), record, perl = TRUE,
    useBytes = TRUE)) {
    return(invisible())
  }
  abort_open_quote(file, line)
}

abort_open_quote <- function(file, line) {
  abort_line(file, line, "contains a quote that does not end its field",
    "Double a quote inside of a quoted field. For text whose quotes are plain signs give row_source(quote = \"\").")
}

abort_line <- function(file, line, what, hint) {
  abort_source(c(sprintf("Line %s of %s %s.", format_count(line), file, what), i = hint))
}

# Lines have `wanted` fields.
check_fields <- function(records, wanted, arguments, file) {
  is_wrong <- records$fields > wanted | records$fields < wanted & !isTRUE(arguments$fill)
  if (!any(is_wrong)) return(invisible())
  first <- which(is_wrong)[1L]
  given <- records$fields[first]
  abort_line(file, records$at[first], sprintf("has %d %s, where %d are expected", given,
    if (given == 1L) "field" else "fields", wanted),
    if (given < wanted) "Give row_source(fill = TRUE) where fields that a line lacks are missing values." else
      "Quote a field that contains the separator.")
}

# The first record may contain one field more than the header, the name of its row. This field must
# not be an empty one after a separator that ends all lines.
check_first_record <- function(records, arguments, file) {
  named <- records$fields[1L]
  if (records$fields[2L] != named + 1L) return(check_fields(records, named, arguments, file))
  separator <- text_separator(arguments)
  if (!nzchar(separator) || !endsWith(records$text[2L], separator)) return(invisible())
  abort_line(file, records$at[2L], "ends with a separator, and the header does not",
    "Remove the separators at the ends of lines, or add one to the header.")
}
