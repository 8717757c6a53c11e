# Sources that can only be read forwards: the result of a query, or the batches of a dataset.

# A function of the number of a chunk. It keeps a cursor, which moves forward; a chunk that lies
# behind opens another one. The cursor is closed after the last chunk, whose number is `last`. A
# copy in another process cannot use the cursor of this one.
# `open()` returns the state of a cursor. `fetch(state)` returns the next rows: none of them, or
# NULL, after the last. `is_last(state)` says whether the rows that were fetched are the last ones.
forward_reader <- function(open, fetch, is_last = function(state) FALSE,
                           close = function(state) invisible()) {
  cursor <- last <- NULL
  close_cursor <- function() {
    if (is_open(cursor)) close(cursor$state)
    cursor <<- NULL
  }
  # the next chunk, NULL after the last
  advance <- function() {
    rows <- fetch(cursor$state)
    found <- NROW(rows) > 0L
    cursor$at <<- cursor$at + 1L
    if (found && !is_last(cursor$state)) return(rows)
    last <<- if (found) cursor$at else cursor$at - 1L
    close_cursor()
    if (found) rows
  }
  function(number) {
    if (number > (last %||% Inf)) return(NULL)
    if (!is_open(cursor) || number <= cursor$at) {
      close_cursor()
      last <<- NULL
      cursor <<- list(state = open(), at = 0L, process = Sys.getpid())
    }
    while (cursor$at < number - 1L) if (is.null(advance()) || is.null(cursor)) return(NULL)
    advance()
  }
}

is_open <- function(cursor) !is.null(cursor) && cursor$process == Sys.getpid()
