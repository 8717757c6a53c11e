# All code for DBI: chunks of the result of a query, by the cursor of the database.

#' @rdname row_source
#' @param connect a function without arguments that returns a new connection of package DBI. Each
#'   process that reads calls it.
#' @param query one SQL query, a string. Its `ORDER BY` must determine the order of the rows.
#' @export
source_query <- function(connect, query, chunk_rows = 65536L, start_rows = 50000L) {
  check_required()
  require_package("DBI", "for source_query()")
  if (!is.function(connect)) {
    abort_argument("connect", "a function that returns a connection", connect)
  }
  check_given(missing(query), "query", "an SQL query")
  if (!is.character(query) || length(query) != 1L || is.na(query)) {
    abort_argument("query", "one SQL query, a string", query)
  }
  row_source(query_reader(connect, query, check_count(chunk_rows, "chunk_rows")),
    start_rows = start_rows)
}

# A function of the number of a chunk. It keeps a cursor, which moves forward; a chunk that lies
# behind opens another one. The connection is closed after the last chunk, whose number is `last`. A
# copy in another process cannot use the cursor of this one.
query_reader <- function(connect, query, chunk_rows) {
  cursor <- last <- NULL
  close <- function() {
    if (is_open(cursor)) {
      DBI::dbClearResult(cursor$result)
      DBI::dbDisconnect(cursor$connection)
    }
    cursor <<- NULL
  }
  # the next chunk, NULL after the last
  fetch <- function() {
    rows <- DBI::dbFetch(cursor$result, n = chunk_rows)
    cursor$at <<- cursor$at + 1L
    if (nrow(rows) && !DBI::dbHasCompleted(cursor$result)) return(rows)
    last <<- if (nrow(rows)) cursor$at else cursor$at - 1L
    close()
    if (nrow(rows)) rows
  }
  function(number) {
    if (number > (last %||% Inf)) return(NULL)
    if (!is_open(cursor) || number <= cursor$at) {
      close()
      last <<- NULL
      cursor <<- open_cursor(connect, query)
    }
    while (cursor$at < number - 1L) if (is.null(fetch()) || is.null(cursor)) return(NULL)
    fetch()
  }
}

is_open <- function(cursor) !is.null(cursor) && cursor$process == Sys.getpid()

# `at`: the number of the chunk that was read last.
open_cursor <- function(connect, query) {
  connection <- connect()
  result <- tryCatch(DBI::dbSendQuery(connection, query), error = function(e) {
    DBI::dbDisconnect(connection)
    stop(e)
  })
  list(connection = connection, result = result, at = 0L, process = Sys.getpid())
}
