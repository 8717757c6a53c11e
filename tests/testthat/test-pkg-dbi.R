query_file <- function(data, env = parent.frame()) {
  skip_if_not_installed("DBI")
  skip_if_not_installed("RSQLite")
  file <- withr::local_tempfile(fileext = ".sqlite", .local_envir = env)
  connection <- DBI::dbConnect(RSQLite::SQLite(), file)
  DBI::dbWriteTable(connection, "survey", cbind(id = seq_len(nrow(data)), data))
  DBI::dbDisconnect(connection)
  file
}

rows_of_query <- function(file, ..., query = "SELECT * FROM survey ORDER BY id") {
  force(file)  # which skips where packages are missing
  source_query(function() DBI::dbConnect(RSQLite::SQLite(), file), query, ...)
}

test_that("a query is read in chunks, forwards, and again from any chunk", {
  data <- source_rows(25L)
  source <- rows_of_query(query_file(data), chunk_rows = 10)
  ids <- function(number) source$x(number)$id
  expect_identical(lapply(c(1, 2, 3), ids), list(1:10, 11:20, 21:25))
  expect_null(source$x(4))
  expect_identical(ids(2), 11:20)
  expect_identical(ids(1), 1:10)
  expect_identical(ids(3), 21:25)
  expect_null(source$x(4))  # which closes the connection
})

test_extended("a fit of a query is that of its rows", {
  data <- source_rows(400L)
  file <- query_file(data)
  own <- source_fit(chunked(in_parts(data, c(150, 150, 100))))
  fit <- source_fit(rows_of_query(file, chunk_rows = 150))
  expect_identical(estimates(fit), estimates(own))
  method <- vecchia(k = 8)
  shards <- neargp_control(shards = 2)
  expect_identical(
    coef(source_fit(rows_of_query(file, chunk_rows = 150), method = method, control = shards)),
    coef(source_fit(chunked(in_parts(data, c(150, 150, 100))), method = method, control = shards)))
})

test_that("a query that fails is an error of the source", {
  file <- query_file(source_rows(20L))
  expect_error(source_fit(rows_of_query(file, query = "SELECT * FROM absent")), "absent",
    class = "neargp_error_source")
  expect_error(source_query("x", "SELECT 1"), class = "neargp_error_argument")
  expect_error(source_query(function() NULL, c("a", "b")), class = "neargp_error_argument")
})
