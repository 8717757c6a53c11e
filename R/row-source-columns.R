# Rows of a source for methods that hold a posterior of all rows in this session, which is larger
# than the columns of the model. Each chunk is read once, by a worker where there are any. Only the
# columns that the call names are sent here.

# `named`: the parts of the call that may name columns. Returns the data frame of these columns, and
# the numbers of rows of the chunks.
rows_of_source <- function(source, settings, named) {
  workers <- settings$cluster
  check_travels(source, workers)
  names <- names_in(named)
  found <- over_chunks(workers, "columns_of_chunk", function(found) list(source = source,
    names = if (!"." %in% names) names))
  check_chunks_alike(found)
  given <- vapply(found, `[[`, 0L, "given")
  rows <- do.call(rbind, lapply(found[given > 0L], `[[`, "rows"))
  if (is.null(rows)) abort_source("The source contains no rows.")
  attr(rows, "row.names") <- .set_row_names(nrow(rows))
  list(rows = rows, given = given)
}

# Rows that a data frame would lose are errors, as those of a stream are, unless `na.action` is
# given. `given`: of rows_of_source(), the numbers of rows of the chunks.
check_none_missing <- function(frame, given) {
  lost <- attr(frame, "na.action")
  if (!length(lost)) return(invisible())
  row <- as.numeric(names(lost)[1L] %||% lost[1L])
  abort_neargp("missing_values",
    c(sprintf("There are missing values in %s of the source.",
      format_rows(names(lost) %||% as.integer(lost))),
      i = "Remove them by `subset`, or by na.action = na.omit.",
      x = sprintf("The first one is in chunk %d of the source.", findInterval(row, cumsum(c(1,
        given))))))
}

columns_of_chunk <- function(shard, id, source, names, offset) {
  chunk <- read_part(source, id + offset)
  if (is.null(chunk)) return(NULL)
  columns <- if (is.null(names)) chunk else chunk[intersect(names(chunk), names)]
  list(form = chunk[0L, , drop = FALSE], given = nrow(chunk), rows = columns)
}
