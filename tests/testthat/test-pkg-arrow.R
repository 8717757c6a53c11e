# arrow's interface as its reference describes it: Scanner$create(dataset, batch_size),
# $ToRecordBatchReader(), read_next_batch() and as.data.frame(). The stand-in has them.

stand_in_scanner <- function(parts) {
  batches <- lapply(parts, function(part) structure(list(part), class = "stand_in_batch"))
  structure(list(ToRecordBatchReader = function() {
    at <- 0L
    list(read_next_batch = function() {
      at <<- at + 1L
      if (at <= length(batches)) batches[[at]]
    })
  }), class = c("Scanner", "ArrowObject", "R6"))
}

registerS3method("as.data.frame", "stand_in_batch", function(x, ...) unclass(x)[[1L]],
  envir = asNamespace("base"))

# Where the reader of a source looks up its process, and new_scanner().
frame_of_reader <- function(source) environment(environment(source$x)$open)

test_that("a scanner is read batch by batch, and again from any batch, without empty batches", {
  data <- data.frame(id = 1:25)
  parts <- list(data[1:10, , drop = FALSE], data[0, , drop = FALSE], data[11:20, , drop = FALSE],
    data[21:25, , drop = FALSE], data[0, , drop = FALSE])
  source <- row_source(stand_in_scanner(parts))
  ids <- function(number) source$x(number)$id
  expect_identical(lapply(c(1, 2, 3), ids), list(1:10, 11:20, 21:25))
  expect_null(source$x(4))
  expect_identical(ids(2), 11:20)
  expect_identical(ids(1), 1:10)
  expect_null(source$x(7))
})

test_extended("a fit of a dataset is that of its rows", {
  data <- source_rows(400L)
  parts <- in_parts(data, c(150, 150, 100))
  dataset <- structure(list(), class = c("FileSystemDataset", "Dataset", "ArrowObject", "R6"))
  sizes <- NULL
  source <- row_source(dataset, chunk_rows = 150)
  reader <- frame_of_reader(source)
  reader$new_scanner <- function(dataset, chunk_rows) {
    sizes <<- c(sizes, chunk_rows)
    stand_in_scanner(parts)
  }
  fit <- source_fit(source)
  expect_identical(estimates(fit), estimates(source_fit(chunked(parts))))
  expect_setequal(sizes, 150L)
})

test_that("what a dataset does not take is refused", {
  scanner <- stand_in_scanner(list(data.frame(x = 1)))
  expect_error(row_source(scanner, read = identity), class = "neargp_error_argument")
  expect_error(row_source(scanner, sep = ";"), class = "neargp_error_argument")
  source <- row_source(scanner)
  reader <- frame_of_reader(source)
  reader$process <- -1L
  expect_error(source$x(1), "arrow::read_parquet", class = "neargp_error_source")
})

test_that("a dataset of files is that of a data frame", {
  skip_if_not_installed("arrow")
  folder <- withr::local_tempdir()
  data <- source_rows(400L)
  parts <- in_parts(data, c(150, 150, 100))
  for (i in seq_along(parts)) {
    arrow::write_parquet(parts[[i]], file.path(folder, sprintf("%d.parquet", i)))
  }
  fit <- source_fit(row_source(arrow::open_dataset(folder)))
  expect_identical(estimates(fit), estimates(source_fit(chunked(parts))))
})
