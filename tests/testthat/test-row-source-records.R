# A file of `lines`, and its rows as they are read.
text_file <- function(lines, ..., env = parent.frame()) {
  file <- withr::local_tempfile(fileext = ".csv", .local_envir = env)
  writeLines(lines, file, ..., useBytes = TRUE)
  file
}

rows_of_file <- function(file, chunk_rows = 3L, ...) {
  chunks <- list()
  for_each_chunk(row_source(file, chunk_rows = chunk_rows, ...),
    function(chunk, number, first) chunks[[number]] <<- chunk)
  do.call(rbind, chunks)
}

plain_lines <- c("x,note,z", paste0(1:9, ",", letters[1:9], ",", 11:19))

test_that("each line of a file is a row, whatever the chunks", {
  lines <- replace(plain_lines, 5, "4,\"d, \"\"D\"\"\nand\nmore\",14")
  lines <- append(lines, c("", "  "), 7)
  file <- text_file(lines)
  expected <- data.frame(x = as.double(1:9), note = replace(letters[1:9], 4, "d, \"D\"\nand\nmore"),
    z = as.double(11:19))
  for (chunk_rows in c(1L, 2L, 3L, 100L)) expect_equal(rows_of_file(file, chunk_rows), expected)
  expect_identical(as.list(read_part(row_source(file), 1L)), as.list(expected))
  marked <- text_file(paste0(c("\xef\xbb\xbf", rep("", length(lines) - 1)), lines))
  expect_equal(rows_of_file(marked), expected)
  # a last line without an end, and files with a header alone
  cat(paste(plain_lines, collapse = "\n"), file = file)
  alone <- text_file("x,note,z")
  expect_identical(rows_of_file(c(alone, file, alone)), rows_of_file(text_file(plain_lines)))
  expect_null(rows_of_file(alone))
})

test_that("a line that is no row is an error with file and line", {
  fails <- function(line, with, pattern, ...) {
    file <- text_file(replace(plain_lines, line, with))
    for (chunk_rows in c(2L, 100L)) {
      error <- expect_error(rows_of_file(file, chunk_rows, ...), class = "neargp_error_source")
      expect_match(conditionMessage(error), paste0("Line ", line, " of ", file, " ", pattern),
        fixed = TRUE)
    }
  }
  fails(6, "5,e", "has 2 fields, where 3 are expected")
  fails(6, "5", "has 1 field, where 3")
  fails(6, "5,e,15,16", "has 4 fields, where 3")
  fails(6, "5,e,15,6,f,16", "has 6 fields, where 3")
  fails(6, "5,5\" pipe,15", "contains a quote that does not end its field")
  fails(6, "5,\"e,15", "contains a quote that does not end its field")
  fails(c(6), "\"5,e,15", "contains a quote that does not end its field")
  fails(2, "1,a,11,", "ends with a separator, and the header does not")
  # one that a later line closes
  file <- text_file(replace(plain_lines, c(4, 8), c("3,5\" pipe,13", "7,6\" pipe,17")))
  expect_error(rows_of_file(file), "Line 4 of .* contains a quote", class = "neargp_error_source")
  expect_identical(rows_of_file(file, quote = "")$note[c(3, 7)], c("5\" pipe", "6\" pipe"))
  filled <- rows_of_file(text_file(replace(plain_lines, 6, "5,e")), fill = TRUE)
  expect_identical(filled$z, as.double(replace(11:19, 5, NA)))
  writeBin(c(charToRaw("x,z\n1,2\n3"), as.raw(0), charToRaw("4,5\n")), file)
  expect_error(rows_of_file(file), "bytes of zero", class = "neargp_error_source")
  writeBin(c(charToRaw("x,z\n1,2\n3,"), as.raw(255), charToRaw("\n4,5\n")), file)
  expect_error(rows_of_file(file), "Line 3 of .* byte of 255", class = "neargp_error_source")
})

test_that("a compressed file that is cut off is an error", {
  lines <- c("x,z", sprintf("%d,%.6f", 1:600, sin(1:600)))
  file <- withr::local_tempfile(fileext = ".csv.gz")
  for (open in list(gzfile, bzfile, xzfile)) {
    connection <- open(file, "w")
    writeLines(lines, connection)
    close(connection)
    expect_identical(nrow(rows_of_file(file, 250L)), 600L)
    bytes <- readBin(file, "raw", 1e5)
    for (left in length(bytes) - c(1, 30, length(bytes) %/% 2)) {
      writeBin(head(bytes, left), file)
      expect_error(rows_of_file(file, 250L), "cut off or damaged", class = "neargp_error_source")
    }
  }
  # a file may have several members
  part <- function(lines) {
    connection <- gzfile(file, "w")
    writeLines(lines, connection)
    close(connection)
    readBin(file, "raw", 1e5)
  }
  bytes <- c(part(lines[1:300]), part(lines[301:601]))
  writeBin(bytes, file)
  expect_identical(nrow(rows_of_file(file, 250L)), 600L)
  writeBin(head(bytes, -50), file)
  expect_error(rows_of_file(file, 250L), "cut off or damaged", class = "neargp_error_source")
})
