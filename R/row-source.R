# Rows that are read in chunks, as often as a fit asks for them.

#' Data that exceed the memory
#'
#' @description
#' Reads the data of a fit in chunks, from files or a function. Experimental for methods other than
#' [vecchia()].
#'
#' ```r
#' file <- tempfile(fileext = ".csv")
#' write.csv(colorado_precipitation(), file, row.names = FALSE)
#' fit <- neargp(precipitation ~ 1, row_source(file), coords = ~ lon + lat, crs = 4326,
#'   method = svgp(inducing = 30, move = FALSE), covariance = cov_exponential())
#' ```
#'
#' @details
#' The rows are read again for each pass, and only sums are kept. Without shards, a source supports
#' Gaussian responses by [svgp()]: two readings for each evaluation. A first reading finds the
#' count, factor levels and a sample of `start_rows` rows for starting values and mini-batches. With
#' at most `start_rows` rows, the result is identical to that in memory.
#'
#' In shards, by `cluster` or `neargp_control(shards = )`, a source supports [svgp()], [ppgpr()],
#' [vecchia()], [loo_k()], [mll_k()] and [vnngp()], see [clusters]. `loo_k()` supports counts,
#' amounts and `cbind(successes, failures)`. The worker with a shard reads all chunks that reach
#' into it. Files should therefore exist on each machine, and chunks should be compact in space.
#' [predict()][predict.neargp] reads the rows once more, except for [svgp()] and [ppgpr()].
#'
#' For [vnngp()], and other families by [svgp()] and [ppgpr()], the columns of the model come into
#' this session, and the fit is identical to that of a data frame.
#'
#' Each row must determine its own values. For example, `poly()`, `scale()`, splines without knots
#' and `x - mean(x)` are errors. Factors should use the same levels in all chunks. Missing values
#' are an error unless you give `na.action = na.omit`.
#'
#' Text files must be complete. A wrong number of fields, an open quote or a truncated file is an
#' error that names the line. You can relax this by `fill = TRUE` and `quote = ""`.
#'
#' For example, `row_source(arrow::open_dataset("folder"))` reads a folder of Parquet files. Workers
#' of a cluster cannot read a dataset. They can read its files, `row_source(dataset$files, read =
#' arrow::read_parquet)`.
#'
#' Most fits from a source contain no rows, so `residuals()`, `cross_validate()` and `plot()` are
#' errors. You can predict chunks and compare them. `update(fit, start = fit)` continues.
#'
#' @param x file names of one table, or a function of the chunk number (1, 2, ...) that returns a
#'   data frame, and `NULL` after the last. It must always return the same rows. A dataset of
#'   `arrow::open_dataset()`, with or without verbs of dplyr, or an `arrow::Scanner` is read in its
#'   record batches.
#' @param read a function that reads a whole file as a chunk, such as `arrow::read_parquet`. Default
#'   `NULL`: text by [utils::read.csv()].
#' @param chunk_rows the rows of text in a chunk, or the most rows of a batch of a dataset, an
#'   integer. Results do not depend on it. Default: 65,536.
#' @param start_rows the rows of the sample, an integer. Default: 50,000.
#' @param ... arguments of `read` or [utils::read.csv()], such as `sep` and `colClasses`.
#' @return An object of class `neargp_row_source` for the argument `data` of [neargp()].
#'   `source_folder()` uses each file of a folder as a chunk, and `source_raster()` windows of a
#'   raster. `source_query()` reads the result of a query of a database by its cursor.
#' @seealso [clusters], [prediction_files], the article "Large data, clusters and GPUs"
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(400), y = runif(400), height = rnorm(400))
#' d$temp <- with(d, 10 - height + sin(5 * x) + cos(4 * y) + rnorm(400, sd = 0.2))
#' file <- tempfile(fileext = ".csv")
#' write.csv(d, file, row.names = FALSE)
#' fit <- neargp(temp ~ height, row_source(file, chunk_rows = 200), coords = ~ x + y,
#'   method = svgp(inducing = 20, move = FALSE),
#'   covariance = cov_matern(nu = 1.5))
#' fit
#' predict(fit, data.frame(x = 0.5, y = 0.5, height = 0), interval = "prediction")
#'
#' # The Vecchia approximation, in shards
#' neargp(temp ~ height, row_source(file), coords = ~ x + y, method = vecchia(10),
#'   covariance = cov_exponential(), control = neargp_control(shards = 2))
#'
#' # A folder of files, and the same rows by a function
#' folder <- tempfile()
#' dir.create(folder)
#' parts <- split(d, rep(1:4, each = 100))
#' for (i in 1:4) write.csv(parts[[i]], file.path(folder, paste0(i, ".csv")), row.names = FALSE)
#' source_folder(folder)
#' row_source(function(i) if (i <= 4) parts[[i]])
#' unlink(c(file, folder), recursive = TRUE)
#' @export
row_source <- function(x, read = NULL, chunk_rows = 65536L, start_rows = 50000L, ...) {
  check_given(missing(x), "x", "the names of files, or a function of the number of a chunk")
  chunk_rows <- check_count(chunk_rows, "chunk_rows")
  if (!is.null(read) && !is.function(read)) {
    abort_argument("read", "a function that reads a file, or NULL", read)
  }
  if (is_arrow_rows(x)) {
    check_no_more_arguments()
    x <- batch_reader(x, chunk_rows)
  }
  if (!is.function(x) && !(is.character(x) && length(x) && !anyNA(x))) {
    abort_argument("x", "names of files, a function or a dataset of arrow", x)
  }
  if (is.function(x) && !is.null(read)) {
    abort_argument("read", "left out where `x` is no name of a file", read)
  }
  if (is.character(x) && is.null(read)) check_text_arguments(list(...))
  structure(list(x = x, read = read, chunk_rows = chunk_rows,
    start_rows = check_count(start_rows, "start_rows", lower = 2L), arguments = list(...)),
    class = "neargp_row_source")
}

# Settings of a whole file, and of each chunk.
check_text_arguments <- function(arguments) {
  taken <- intersect(names(arguments), c("file", "text", "nrows", "skip", "col.names", "row.names"))
  if (!length(taken)) return(invisible())
  abort_neargp("argument",
    c(sprintf("`%s` of read.csv() cannot be given to row_source().", taken[1L]),
      i = "Rows are read `chunk_rows` at a time; a function `read` takes each file as a whole."))
}

is_row_source <- function(data) inherits(data, "neargp_row_source")

describe_source <- function(source) {
  if (is.function(source$x)) return("a function")
  if (length(source$x) == 1L) basename(source$x) else sprintf("%d files, %s and others",
    length(source$x), basename(source$x[1L]))
}

#' @export
print.neargp_row_source <- function(x, ...) {
  cat("Rows from ", describe_source(x),
    if (is.null(x$read) && !is.function(x$x)) sprintf(", %s at a time", format_count(x$chunk_rows)),
    "\n", sep = "")
  invisible(x)
}

abort_source <- function(message, ...) abort_neargp("source", message, ...)

# ---- reading -------------------------------------------------------------------------------------

# Calls visit(chunk, number, first) for each chunk in turn, `first` the number of its first row
# among all. `hashes`: of the chunks at an earlier reading, which must be the same. Returns those of
# this one.
for_each_chunk <- function(source, visit, hashes = NULL) {
  reader <- open_source(source)
  on.exit(reader$close())
  found <- character(0)
  first <- 1
  like <- NULL
  while (!is.null(chunk <- read_chunk(reader, length(found) + 1L))) {
    number <- length(found) + 1L
    like <- check_alike(chunk, like, number, reader$where())
    found[number] <- rlang::hash(chunk)
    if (!is.null(hashes)) check_same_chunk(found, hashes, number)
    attr(chunk, "row.names") <- row_numbers(first - 1 + seq_len(nrow(chunk)))
    in_chunk(number, visit(chunk, number, first))
    first <- first + nrow(chunk)
  }
  if (!is.null(hashes) && length(found) < length(hashes)) {
    abort_reread(sprintf("%d chunks, and then %d", length(hashes), length(found)))
  }
  found
}

# Names of rows are integers or strings.
row_numbers <- function(numbers) {
  if (max(numbers, 0) <= .Machine$integer.max) as.integer(numbers) else
    format(numbers, scientific = FALSE, trim = TRUE)
}

read_chunk <- function(reader, number) {
  chunk <- tryCatch(reader$read(number), error = function(e) {
    if (inherits(e, "neargp_error_source")) stop(e)
    abort_source(c(sprintf("Chunk %d of the source cannot be read%s.", number, reader$where()),
      i = reader$advice), parent = e)
  })
  if (is.null(chunk)) return(NULL)
  if (!is.data.frame(chunk) || is_sf(chunk)) {
    abort_source(c(sprintf("Chunk %d of the source is not a data frame but %s.", number,
      describe_value(chunk)),
      i = "Coordinates are columns of it, which `coords` names. After the last chunk a function returns NULL."))
  }
  check_column_names(chunk, sprintf("chunk %d", number))
  check_unique_columns(names(chunk), chunk, sprintf("chunk %d", number))
  plain_columns(structure(as.list(chunk), class = "data.frame",
    row.names = .set_row_names(nrow(chunk))))
}

# An error at a chunk says which.
in_chunk <- function(number, value) {
  rlang::try_fetch(value, neargp_error = function(error) {
    error$body <- c(error$body, x = sprintf("This is in chunk %d of the source.", number))
    stop(error)
  })
}

# All chunks must have these in common: columns, their classes and units, and the levels of factors.
chunk_form <- function(chunk) {
  lapply(chunk,
    function(column) list(class = if (is.numeric(column) && !is.object(column)) "numeric" else
      class(column), levels = levels(column), units = attr(column, "units")))
}

check_alike <- function(chunk, like, number, where) {
  form <- chunk_form(chunk)
  if (is.null(like)) return(form)
  if (!setequal(names(form), names(like))) {
    lacking <- setdiff(names(like), names(form))
    further <- setdiff(names(form), names(like))
    abort_source(sprintf("Chunk %d of the source%s has other columns than the first: %s.", number,
      where, paste(c(if (length(lacking)) paste("it lacks", format_some(lacking)),
        if (length(further)) paste("it has", format_some(further))), collapse = ", and ")))
  }
  for (name in names(like)) {
    if (!identical(form[[name]]$class, like[[name]]$class)) {
      abort_source(
        sprintf("`%s` is of class %s in chunk %d of the source, and was %s in the first.", name,
          form[[name]]$class[1L], number, like[[name]]$class[1L]))
    }
    if (!identical(form[[name]]$units, like[[name]]$units)) {
      abort_source(c(
        sprintf("`%s` has another unit in chunk %d of the source than in the first.", name, number),
        i = "Give it one unit in all chunks."))
    }
    if (!identical(form[[name]]$levels, like[[name]]$levels)) {
      abort_source(
        c(sprintf("The factor `%s` has other levels in chunk %d of the source than in the first.",
          name, number), i = "Give it all levels in each chunk, or leave it a character."))
    }
  }
  like
}

check_same_chunk <- function(found, hashes, number) {
  if (number > length(hashes)) abort_reread(sprintf("%d chunks, and then more", length(hashes)))
  if (found[number] != hashes[number]) {
    abort_reread(sprintf("other rows in chunk %d than before", number))
  }
}

abort_reread <- function(what) {
  abort_source(c(sprintf("The source does not give the same rows each time it is read: it had %s.",
    what), i = "Fits read their rows many times. A function must depend on the number of the chunk alone; write to a file what can be read only once."))
}
