# Sources of rows whose chunks are where they are: files of a folder, windows of a raster.

#' @rdname row_source
#' @param folder name of a folder, each of whose files is a chunk, in the order of their names.
#' @param format `"csv"`, or `"parquet"` by package arrow or nanoparquet.
#' @export
source_folder <- function(folder, format = c("csv", "parquet"), start_rows = 50000L, ...) {
  check_given(missing(folder), "folder", "the name of a folder")
  if (!rlang::is_string(folder)) abort_argument("folder", "the name of a folder", folder)
  format <- check_choice(format, "format", c("csv", "parquet"))
  pattern <- c(csv = "\\.(csv|csv\\.gz)$", parquet = "\\.parquet$")[[format]]
  files <- sort(list.files(folder, pattern, full.names = TRUE, ignore.case = TRUE),
    method = "radix")
  if (!length(files)) {
    abort_source(sprintf("The folder %2$s does not contain files of format %1$s.", format, folder))
  }
  files <- normalizePath(files)
  if (format == "csv") return(row_source(files, start_rows = start_rows, ...))
  parquet_package()
  row_source(files, read = read_parquet_rows, start_rows = start_rows, ...)
}

# Reads a file as a plain data frame.
read_parquet_rows <- function(file, ...) {
  as.data.frame(getExportedValue(parquet_package(), "read_parquet")(file, ...))
}

# The package that reads and writes Parquet files.
parquet_package <- function() {
  if (rlang::is_installed("arrow")) return("arrow")
  if (!rlang::is_installed("nanoparquet")) {
    abort_neargp("package", c("Parquet files need the package nanoparquet or arrow.",
      i = "install.packages(\"nanoparquet\")"))
  }
  "nanoparquet"
}

#' @rdname row_source
#' @param file name of a raster that terra reads, whose layers and coordinates `x` and `y` are the
#'   columns; cells without any value are no rows.
#' @param window number of cells along the sides of a square window, each of which is a chunk.
#' @export
source_raster <- function(file, window = 1024L, start_rows = 50000L) {
  check_given(missing(file), "file", "the name of a raster file")
  if (!rlang::is_string(file)) abort_argument("file", "the name of a raster file", file)
  rlang::check_installed("terra", "to read a raster.")
  window <- check_count(window, "window")
  if (!file.exists(file)) abort_source(sprintf("The file %s does not exist.", file))
  file <- normalizePath(file)
  size <- dim(terra::rast(file))[1:2]
  corners <- expand.grid(column = seq(1L, size[2L], by = window), row = seq(1L, size[1L],
    by = window))
  read <- as_window_reader(file, window, as.matrix(corners))
  row_source(read, start_rows = start_rows)
}

# A function with what it needs and no more, as it travels to workers. It opens the raster itself:
# what terra has open stays in its process.
as_window_reader <- function(file, window, corners) {
  function(number) {
    if (number > nrow(corners)) return(NULL)
    window_rows(file, window, corners[number, ])
  }
}

window_rows <- function(file, window, corner) {
  raster <- terra::rast(file)
  first <- unname(corner[c("row", "column")])
  count <- pmin(window, dim(raster)[1:2] - first + 1L)
  values <- raster_values(raster, row = first[1L], nrows = count[1L], col = first[2L],
    ncols = count[2L], dataframe = TRUE)
  places <- data.frame(x = rep(terra::xFromCol(raster, first[2L] - 1L + seq_len(count[2L])),
    count[1L]), y = rep(terra::yFromRow(raster, first[1L] - 1L + seq_len(count[1L])),
    each = count[2L]))
  known <- rowSums(!is.na(values)) > 0
  rows <- cbind(places, values)[known, , drop = FALSE]
  structure(as.list(rows), class = "data.frame", row.names = .set_row_names(sum(known)))
}
