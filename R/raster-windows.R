# Windows of a raster: a list of the first `row` and `column` and the numbers of `rows` and
# `columns`.

new_window <- function(row, column, rows, columns) {
  list(row = row, column = column, rows = rows, columns = columns)
}

whole_window <- function(raster) new_window(1L, 1L, terra::nrow(raster), terra::ncol(raster))

# The window of cells one row after the other.
window_of_cells <- function(raster, cells) {
  corners <- terra::rowColFromCell(raster, cells[c(1L, length(cells))])
  new_window(corners[1L, 1L], corners[1L, 2L], diff(corners[, 1L]) + 1, diff(corners[, 2L]) + 1)
}

# Reads `value` of a raster, which a file that is cut off lacks.
read_from <- function(raster, value) {
  rlang::try_fetch(value, error = function(error) {
    files <- unique(terra::sources(raster))
    abort_file(paste(files[nzchar(files)], collapse = ", "), "cannot be read", error,
      hint = "Is it whole? The program that wrote it may have run out of disk.")
  })
}

raster_values <- function(raster, ...) read_from(raster, terra::values(raster, ...))

# The layers' values, a row for each cell.
window_values <- function(raster, window) {
  raster_values(raster, row = window$row, nrows = window$rows, col = window$column,
    ncols = window$columns, dataframe = TRUE)
}

# The same, without columns where there are no layers' values.
cell_columns <- function(raster, window = whole_window(raster)) {
  if (terra::hasValues(raster)) window_values(raster, window) else
    as.data.frame(matrix(NA, window$rows * window$columns, 0L))
}

# A raster without values that contains the cells of a window alone.
window_raster <- function(raster, window) {
  if (identical(window, whole_window(raster))) return(raster)
  half <- terra::res(raster) / 2
  x <- terra::xFromCol(raster, window$column + c(0, window$columns - 1)) + c(-half[1L], half[1L])
  y <- terra::yFromRow(raster, window$row + c(window$rows - 1, 0)) + c(-half[2L], half[2L])
  terra::rast(nrows = window$rows, ncols = window$columns, xmin = x[1L], xmax = x[2L],
    ymin = y[1L], ymax = y[2L], crs = terra::crs(raster))
}

# The raster of a window's cells.
raster_of_window <- function(raster, window) {
  cells <- window_raster(raster, window)
  if (terra::hasValues(raster)) terra::crop(raster, cells) else cells
}

# A raster in windows of about so many cells, squares where it is large enough, one row of them
# after the other.
raster_windows <- function(raster, cells) {
  size <- c(terra::nrow(raster), terra::ncol(raster))
  side <- max(1, floor(sqrt(cells)))
  rows <- min(size[1L], side)
  columns <- min(size[2L], max(1, cells %/% rows))
  rows <- min(size[1L], max(1, cells %/% columns))
  corners <- expand.grid(column = seq(1, size[2L], by = columns), row = seq(1, size[1L], by = rows))
  lapply(seq_len(nrow(corners)), function(i) {
    new_window(corners$row[i], corners$column[i], min(rows, size[1L] - corners$row[i] + 1),
      min(columns, size[2L] - corners$column[i] + 1))
  })
}

# The name of a file that is to contain the cells of a window alone.
file_of_window <- function(file, window) structure(file, window = window)

window_of_file <- function(file) attr(file, "window")

# ---- rasters that travel -------------------------------------------------------------------------

# Another process makes the raster from the names of files if it reads them, else, for few cells,
# from the values. Files that terra opened stay in its process.
portable_raster <- function(raster, most = 1e7) {
  recipe <- list(size = dim(raster)[1:2], extent = as.vector(terra::ext(raster)),
    crs = terra::crs(raster))
  if (!terra::hasValues(raster)) return(recipe)
  layers <- terra::sources(raster, bands = TRUE)
  recipe <- c(recipe, list(names = names(raster), files = layers$source, bands = layers$bands))
  if (all(nzchar(layers$source)) && is_same_raster(raster, recipe)) return(recipe)
  if (terra::ncell(raster) * terra::nlyr(raster) * 8 <= most) {
    return(list(packed = terra::wrap(raster)))
  }
  abort_neargp("cluster", c("The raster is in memory, or its files are not read as they are: workers would get all of it.",
    i = "Write it to a file: terra::writeRaster()."))
}

carried_raster <- function(recipe) {
  if (!is.null(recipe$packed)) return(terra::unwrap(recipe$packed))
  if (is.null(recipe$files)) {
    return(terra::rast(nrows = recipe$size[1L], ncols = recipe$size[2L],
      extent = terra::ext(recipe$extent), crs = recipe$crs))
  }
  missing <- unique(recipe$files[!file.exists(recipe$files)])
  if (length(missing)) abort_file(missing[1L], sprintf("is not on the machine %s",
    Sys.info()[["nodename"]]))
  layers <- terra::rast(Map(function(file, band) terra::rast(file)[[band]], recipe$files,
    recipe$bands))
  terra::ext(layers) <- terra::ext(recipe$extent)
  terra::crs(layers) <- recipe$crs
  names(layers) <- recipe$names
  layers
}

# Whether files are what the session has: the geometry, and values of three rows.
is_same_raster <- function(raster, recipe) {
  made <- tryCatch(carried_raster(recipe), error = function(e) NULL)
  if (is.null(made) || !isTRUE(all.equal(dim(made), dim(raster)))) return(FALSE)
  rows <- unique(round(seq(1, terra::nrow(raster), length.out = 3L)))
  all(vapply(rows, function(row) {
    window <- new_window(row, 1, 1, terra::ncol(raster))
    identical(window_values(made, window), window_values(raster, window))
  }, NA))
}
