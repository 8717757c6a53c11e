# Rows that are read in chunks, as often as a fit asks for them.

#' Rows that are read in chunks
#'
#' The data of a fit that need not fit in memory: files, or a function of yours, that give rows in
#' chunks. [neargp()] takes it for `data`; the rows are read anew for each pass over them, and what
#' is kept of them are sums.
#'
#' @section What can be fitted: Gaussian responses by [svgp()], whose bound is a sum over rows; in
#' shards also by other methods, and other responses, see below. A
#' first reading looks at all chunks for the count, the levels of factors and characters, and a
#' sample of `start_rows` rows. From the sample come starting values of parameters and positions,
#' and where `optimizer = "auto"` takes mini-batches, it takes them from the sample. All rows then
#' have the bound, its gradient and the posterior: two readings for each evaluation. A fit to no
#' more than `start_rows` rows is that in memory to the last digit; one to more rows is that in
#' memory with the same start. Memory is that of one chunk, the sample, and some matrices of M x M,
#' M the number of inducing points.
#'
#' @section In shards: With a `cluster` of [neargp()], or `neargp_control(shards = )`, by [svgp()],
#' [ppgpr()], [vecchia()], [loo_k()], [mll_k()] and [vnngp()], see [clusters]; by `loo_k()` also
#' counts, amounts and other numbers, and `cbind(successes, failures)`, but not [student_t()], nor
#' responses that only all rows tell, as classes, levels and limits. Rows are read by the worker
#' that has their shard, in all chunks that reach into it, once for each shard, and again where a
#' worker is lost: the files must be there on each machine, and a function travels to it with the
#' variables that it was made with. A whole file is then one chunk, and `chunk_rows` says nothing.
#' Chunks should be compact in space, as windows and regions are, so that few reach into a shard.
#' The first reading finds their boxes, by the workers, too; the shards are cut at medians of the
#' sample. [predict()][predict.neargp] reads the rows once more, but of [svgp()] and [ppgpr()].
#'
#' By [vnngp()], and of responses that are not gaussian by [svgp()] and [ppgpr()], each chunk is
#' read once, by a worker, and the columns that the call names, of all rows, come to this session,
#' which has a posterior of each row anyway. The fit is that to a data frame of the source, to the
#' last bit, and its family and formula have no limits but those of shards.
#'
#' @section The formula: Each row must have its values alone. `poly()`, `scale()`, splines without
#' `knots` and `Boundary.knots`, and `x - mean(x)` depend on the other rows of a chunk and are an
#' error; so is a `subset` that is not logical. Factors need the same levels in all chunks,
#' characters need not have all values in each. Missing values are an error that names chunk and
#' row, unless `na.action = na.omit` is given.
#'
#' @section Files of text: Each line of a file is a row, or an error that names the file and the
#'   line. A line is an error if its number of fields is not that of the header, or if it opens a
#'   quote that its field does not end with. Bytes of zero are errors, and so is a compressed file
#'   that is cut off. Blank lines and files with a header alone have no rows. `fill = TRUE` accepts
#'   short lines, and `quote = ""` takes quotes as plain signs.
#'
#' @section Fits from a source: They predict, and are printed and summarised, as all are; but for
#' those whose rows come to this session (see above) they hold none. What is about the rows of the
#' fit, as `residuals()`, `cross_validate()` and `plot()`, stops with `neargp_error_source`: predict
#' chunks of rows, and compare. `update(fit, start = fit)` goes on where the rows are the same.
#'
#' @param x names of files of one table, one after the other; or a function of the number of a
#'   chunk, from 1 on, that returns a data frame, and `NULL` after the last one. It must return the
#'   same rows whenever it is called.
#' @param read for files: `NULL` for text by [utils::read.csv()] (also compressed), each file with a
#'   header, `chunk_rows` rows at a time; or a function that reads a whole file as one chunk, such
#'   as `arrow::read_parquet`.
#' @param chunk_rows rows of text that are read at a time. Results do not depend on it.
#' @param start_rows rows in the sample.
#' @param ... further arguments of `read` or [utils::read.csv()], such as `sep` and `colClasses`. By
#'   default the first chunk has the classes of the columns.
#' @return `source_folder()` and `source_raster()` make such a source of the files of a folder, and
#'   of the windows of a raster. All return an object of class `neargp_row_source`, for the argument
#'   `data` of [neargp()].
#' @section Errors: `neargp_error_source`: a file that is missing or cannot be read, a line that is
#'   no row, no rows, columns, classes or levels that differ between chunks, rows or a count that
#'   differ between readings, a formula that depends on other rows, and a method or family that
#'   needs the rows in memory. Other errors are those of [neargp()], and name the chunk.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(2000), y = runif(2000), height = rnorm(2000))
#' d$temp <- with(d, 10 - height + sin(5 * x) + cos(4 * y) + rnorm(2000, sd = 0.2))
#' file <- tempfile(fileext = ".csv")
#' write.csv(d, file, row.names = FALSE)
#' fit <- neargp(temp ~ height, row_source(file, chunk_rows = 500), coords = ~ x + y,
#'   method = svgp(inducing = 20, move = FALSE),
#'   covariance = cov_matern(nu = 1.5))
#' fit
#' predict(fit, data.frame(x = 0.5, y = 0.5, height = 0), interval = "prediction")
#'
#' # Vecchia's approximation of them, in shards
#' neargp(temp ~ height, row_source(file), coords = ~ x + y, method = vecchia(10),
#'   covariance = cov_exponential(), control = neargp_control(shards = 2))
#'
#' # the same rows by a function
#' parts <- split(d, rep(1:4, each = 500))
#' row_source(function(i) if (i <= length(parts)) parts[[i]])
#' unlink(file)
#' @export
row_source <- function(x, read = NULL, chunk_rows = 65536L, start_rows = 50000L, ...) {
  check_given(missing(x), "x", "the names of files, or a function of the number of a chunk")
  if (!is.function(x) && !(is.character(x) && length(x) && !anyNA(x))) {
    abort_argument("x", "names of files or a function", x)
  }
  if (!is.null(read) && !is.function(read)) {
    abort_argument("read", "a function that reads a file, or NULL", read)
  }
  if (is.function(x) && !is.null(read)) {
    abort_argument("read", "left out where `x` is a function", read)
  }
  if (is.character(x) && is.null(read)) check_text_arguments(list(...))
  structure(list(x = x, read = read, chunk_rows = check_count(chunk_rows, "chunk_rows"),
    start_rows = check_count(start_rows, "start_rows", lower = 2L), arguments = list(...)),
    class = "neargp_row_source")
}

# What is of the whole of a file, or chosen for each chunk.
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
