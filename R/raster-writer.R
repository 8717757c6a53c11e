# Layers written block by block, so that neither they nor what they are made of need fit in memory.

# `columns_at`: a function of cell numbers, of whole rows, that returns a data frame with a row for
# each. `classes`: the categories of the layer, a data frame of value and class.
raster_by_blocks <- function(template, settings, columns_at, classes = NULL) {
  window <- window_of_file(settings$file) %||% whole_window(template)
  blocks <- raster_blocks(template, settings$chunk_size, window)
  template <- window_raster(template, window)
  advance <- progress_reporter(length(blocks), settings$verbose)
  writer <- NULL
  on.exit(if (!is.null(writer)) writer$abandon())
  for (cells in blocks) {
    values <- data.matrix(columns_at(cells))
    if (is.null(writer)) {
      writer <- new_raster_writer(template, colnames(values), c(settings$file), classes)
    }
    writer$write(values)
    advance()
  }
  result <- writer$finish()
  writer <- NULL
  result
}

# Without a file the layers are in memory where there is room, else in a temporary file of terra.
# The writer writes a file under a temporary name in the same folder, reads it back, and renames it
# when it is whole. An earlier file of that name stays until then. Numbers have 8 bytes, as in
# memory; those of classes one.
new_raster_writer <- function(template, names, file, classes) {
  layers <- terra::rast(template, nlyrs = length(names))
  names(layers) <- names
  if (!is.null(classes)) levels(layers) <- classes
  if (!is.null(classes) && endsWith(file %||% "", ".grd")) {
    abort_file(file, "cannot store the names of categories; use a file that ends in .tif")
  }
  part <- if (is.null(file)) "" else part_name(file)
  type <- if (is.null(classes)) "FLT8S" else if (nrow(classes) < 255L) "INT1U" else "INT2U"
  tried <- function(step) {
    rlang::try_fetch(step, error = function(error) {
      abort_file(file %||% tempdir(), "cannot be written", error)
    })
  }
  tried(terra::writeStart(layers, part, overwrite = TRUE, datatype = type))
  blocks <- list()
  row <- 1
  list(
    write = function(values) {
      rows <- nrow(values) / terra::ncol(template)
      tried(terra::writeValues(layers, values, row, rows))
      blocks[[length(blocks) + 1L]] <<- list(row = row, rows = rows, hash = cells_hash(values))
      row <<- row + rows
    },
    finish = function() {
      done <- tried(terra::writeStop(layers))
      if (any(nzchar(terra::sources(done)))) check_written(done, blocks, file %||% tempdir())
      if (is.null(file)) return(done)
      rename_parts(part, file)
      written <- tried(terra::rast(file))
      terra::crs(written) <- terra::crs(template)
      written
    },
    abandon = function() {
      try(suppressWarnings(terra::writeStop(layers)), silent = TRUE)
      if (!is.null(file)) unlink(files_of(part))
    })
}

# GDAL reports a full disk by warnings alone, after the last block, and the file that it leaves
# opens as a whole one.
check_written <- function(layers, blocks, file) {
  for (block in blocks) {
    found <- tryCatch(suppressWarnings(cells_hash(terra::values(layers, row = block$row,
      nrows = block$rows))), error = function(error) NULL)
    if (identical(found, block$hash)) next
    abort_file(file, sprintf("was not written whole: its rows from %s on differ from what was written",
      format_count(block$row)),
      hint = "Is there room on the disk? The incomplete file is deleted.")
  }
}

# Files keep one kind of missing value, and no names of cells.
cells_hash <- function(values) {
  values <- as.double(values)
  rlang::hash(replace(values, is.na(values), NA_real_))
}

part_name <- function(file) {
  file.path(dirname(file), sprintf(".%s-%s", basename(tempfile("part")), basename(file)))
}

# A raster and what GDAL and terra keep next to it, where it is there; other files may begin with
# its name, and are not its own.
files_of <- function(file) {
  beside <- if (endsWith(file, ".grd")) sub("grd$", "gri", file)
  own <- c(file, beside, paste0(file, c(".aux.xml", ".aux.json", ".ovr", ".msk")))
  own[file.exists(own)]
}

rename_parts <- function(part, file) {
  before <- files_of(file)
  parts <- files_of(part)
  prefix <- nchar(basename(part)) - nchar(basename(file))
  targets <- file.path(dirname(file), substring(basename(parts), prefix + 1L))
  unlink(setdiff(before, c(file, targets)))
  if (!length(parts) || !all(suppressWarnings(file.rename(parts, targets)))) {
    abort_replaced(file)
  }
}

abort_replaced <- function(file, parent = NULL) {
  abort_file(file, "cannot be replaced by the one that is written next to it", parent,
    hint = "Does another process write the same files? One at a time can.")
}

# Formats that hold numbers of 8 bytes, any number of layers and their names.
check_format <- function(file) {
  if (grepl("\\.([Tt][Ii][Ff][Ff]?|grd)$", file)) return(invisible())
  abort_file(file,
    "cannot be written: formats but a few lose numbers of 8 bytes or names of layers",
    hint = "Use a name that ends in .tif, .tiff or .grd; terra::writeRaster() converts such a file.")
}

# `filename` of predict(), NULL for none.
raster_file <- function(newdata, filename, overwrite) {
  if (!is.null(window_of_file(filename))) return(filename)
  check_flag(overwrite, "overwrite")
  if (is.null(filename)) {
    if (overwrite) abort_argument("overwrite", "left out without a `filename`", overwrite)
    return(NULL)
  }
  if (!rlang::is_string(filename) || !nzchar(filename)) {
    abort_argument("filename", "the name of one file or NULL", filename)
  }
  if (!is_raster(newdata)) {
    abort_argument("filename", "left out unless `newdata` is a SpatRaster", filename)
  }
  require_package("terra", "for SpatRaster objects")
  file <- path.expand(filename)
  if (!dir.exists(dirname(file))) abort_file(file, "is in a directory that does not exist")
  if (dir.exists(file)) abort_file(file, "is a directory")
  check_format(file)
  if (!file.exists(file)) return(file)
  if (!overwrite) abort_file(file, "is there already: overwrite = TRUE replaces it")
  if (normalizePath(file) %in% normalizePath(terra::sources(newdata), mustWork = FALSE)) {
    abort_file(file, "is that of `newdata`, which is read while predictions are written")
  }
  file
}

abort_file <- function(file, why, parent = NULL, hint = NULL) {
  abort_neargp("file", c(sprintf("The file %s %s.", encodeString(file, quote = "\""), why),
    i = hint), parent = parent)
}
