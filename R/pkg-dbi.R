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

# A function of the number of a chunk.
query_reader <- function(connect, query, chunk_rows) {
  forward_reader(open = function() open_query(connect, query),
    fetch = function(state) DBI::dbFetch(state$result, n = chunk_rows),
    is_last = function(state) DBI::dbHasCompleted(state$result),
    close = function(state) {
      DBI::dbClearResult(state$result)
      DBI::dbDisconnect(state$connection)
    })
}

open_query <- function(connect, query) {
  connection <- connect()
  result <- tryCatch(DBI::dbSendQuery(connection, query), error = function(e) {
    DBI::dbDisconnect(connection)
    stop(e)
  })
  list(connection = connection, result = result)
}
