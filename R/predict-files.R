# Predictions that go to files, one for each part of the new rows, made here or by workers.

#' Predictions in files
#'
#' @description
#' `predict(fit, newdata, output = "map_{part}.csv")` writes predictions part by part, for maps that
#' exceed the memory and for [clusters].
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' grid <- expand.grid(lon = seq(-109, -102, 0.1), lat = seq(37, 41, 0.1))
#' predict(fit, grid, output = file.path(tempdir(), "map_{part}.csv"), chunk_size = 1000)
#' ```
#'
#' @details
#' The parts of a SpatRaster are windows of about `chunk_size` cells, written as `.tif`, `.tiff` or
#' `.grd`; [terra::vrt()] joins them. The parts of a data frame or sf points are rows in turn, and
#' those of a [row_source()] its chunks, written as `.csv` with all digits or as `.parquet`. The
#' default `chunk_size` is 1,000,000.
#'
#' The same call continues after a kill. A small file `.neargp` next to each part contains checksums
#' of the fit, the arguments and the rows. Complete parts are kept, with a message. Other files are
#' an error unless `overwrite = TRUE`. You can delete the small files at the end.
#'
#' With `cluster`, each worker receives the fit once, reads its windows or chunks, and writes its
#' files, so folders need the same name on all machines. Data frames and single text files are sent
#' in parts. Fits in shards read the shards near their parts.
#'
#' Stars grids, areas, `joint = TRUE`, covariances of several responses, `trials` of rows, and draws
#' are not supported. Use `terra::rast(grid)` for a stars grid, and `interval`, `threshold` or
#' quantiles in place of draws.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(200), y = runif(200))
#' d$z <- sin(6 * d$x) + rnorm(200, sd = 0.1)
#' fit <- neargp(z ~ 1, d, coords = ~ x + y, method = vecchia(10))
#' grid <- expand.grid(x = seq(0, 1, 0.05), y = seq(0, 1, 0.05))
#' folder <- tempfile()
#' dir.create(folder)
#' files <- predict(fit, grid, output = file.path(folder, "map_{part}.csv"), chunk_size = 100)
#' basename(files)
#' head(read.csv(files[1]), 3)
#' # Complete parts are kept
#' unlink(files[2])
#' again <- predict(fit, grid, output = file.path(folder, "map_{part}.csv"), chunk_size = 100)
#' unlink(folder, recursive = TRUE)
#' @return With `output`, [predict()][predict.neargp] returns the names of the files.
#' @seealso [predict.neargp()], [clusters], [row_source()].
#' @name prediction_files
NULL

predict_to_files <- function(object, newdata, given) {
  cluster <- check_cluster(given$cluster)
  verbose <- check_flag(given$verbose %||% rlang::is_interactive(), "verbose")
  check_apart(given)
  if (is_raster(newdata) && !is.null(object$outputs)) {
    abort_neargp("newdata", c("Predictions of several responses are not written to rasters.",
      i = "Give the cells as rows: source_raster() of its file, or terra::as.data.frame(r, xy = TRUE)."))
  }
  parts <- new_parts(newdata, check_count(given$chunk_size %||% 1e6, "chunk_size"))
  on.exit(parts$close())
  plan <- new_prediction_plan(object, given, parts)
  found <- list()
  kept <- 0L
  advance <- progress_reporter(parts$total, verbose)
  done <- function(task, value) {
    if (is.null(value)) return(queue$end())
    found[[as.character(task$number)]] <<- value$file
    kept <<- kept + !value$made
    advance()
  }
  queue <- new_task_queue(parts$task, part_order(object, parts), max(length(cluster), 1L))
  if (is.null(cluster)) make_parts_here(plan, queue, done, given$threads) else
    make_parts_on_cluster(plan, queue, done, given$threads, cluster)
  if (kept) inform_neargp("parts", sprintf("%s of %s parts were there already.",
    format_count(kept), format_count(length(found))))
  unlist(found[order(as.numeric(names(found)))], use.names = FALSE) %||% character(0)
}

make_parts_here <- function(plan, queue, done, threads) {
  plan$arguments$threads <- threads
  plan <- with_ready_fit(plan)
  while (!is.null(task <- queue$take(1L))) done(task, in_part(task, make_part(plan, task)))
}

make_parts_on_cluster <- function(plan, queue, done, threads, cluster) {
  if (!is.null(plan$raster)) plan$raster <- portable_raster(plan$raster)
  if (!is.null(plan$source)) check_travels(plan$source, cluster)
  plan$fit <- of_each_fit(plan$fit, function(fit) replace(fit, "cache", list(NULL)))
  with_workers(cluster, threads, single_fit(plan$fit), function(workers) {
    plan$arguments$threads <- workers$threads
    if (reads_shards(plan$fit)) plan$shards <- max(8L,
      ceiling(plan$fit$source$recipe$partition$count / length(workers$nodes)))
    key <- paste(plan$key, next_serial())
    plan$stop_file <- file.path(dirname(plan$output), paste0(".", basename(tempfile("stop"))))
    ended <- FALSE
    on.exit(if (!ended) stop_workers(workers, plan$stop_file))
    take <- queue$take
    queue$take <- function(at) {
      task <- take(at)
      if (!is.null(task)) c(task, list(key = key))
    }
    run_tasks(workers, list(key = key, plan = plan), "begin_parts", "answer_part", queue, done)
    ended <- TRUE
  })
}

# After an interrupt or an error: workers end the rows that they are at.
stop_workers <- function(workers, file) {
  file.create(file)
  on.exit(unlink(file))
  settle_workers(workers)
}

# ---- the plan ------------------------------------------------------------------------------------

# Arguments of how and where, which the predictions do not depend on.
arguments_of_running <- c("output", "cluster", "overwrite", "verbose", "threads", "filename",
  "chunk_size")

new_prediction_plan <- function(object, given, parts) {
  overwrite <- check_flag(given$overwrite %||% FALSE, "overwrite")
  arguments <- given[setdiff(names(given), arguments_of_running)]
  plan <- c(parts$carried, list(fit = object, arguments = arguments, overwrite = overwrite,
    output = check_output_name(given$output, parts), digits = parts$digits,
    shards = if (reads_shards(object)) object$source$recipe$partition$count,
    key = prediction_key(object, arguments)))
  plan$arguments$verbose <- FALSE
  plan
}

# Checksum of all that predictions depend on next to the rows.
prediction_key <- function(object, arguments) {
  of_run <- c("call", "elapsed", "cache", "threads", "cluster")
  kept <- of_each_fit(object, function(fit) unclass(fit)[setdiff(names(fit), of_run)])
  rlang::hash(plain_part(list(package_version_text(), class(object), unclass(kept),
    arguments[order(names(arguments))])))
}

# A hurdle model is two fits, to the same locations.
of_each_fit <- function(object, f) {
  if (!inherits(object, "neargp_hurdle")) return(f(object))
  object[] <- lapply(object, f)
  object
}

single_fit <- function(object) if (inherits(object, "neargp_hurdle")) object$presence else object

# Each part is predicted without the others.
check_apart <- function(given) {
  for (name in c("joint", "covariance")) {
    if (isTRUE(given[[name]])) abort_argument(name, "FALSE with `output`", given[[name]])
  }
  if (length(given$trials) > 1L) abort_argument("trials", "one number with `output`", given$trials)
  if (!is.null(given$filename)) abort_argument("filename", "left out with `output`", given$filename)
}

check_output_name <- function(output, parts) {
  if (!rlang::is_string(output) || lengths(regmatches(basename(output), gregexpr("{part}",
      basename(output), fixed = TRUE))) != 1L) {
    abort_argument("output", "the name of files with {part} in it, as \"map_{part}.csv\"", output)
  }
  folder <- path.expand(dirname(output))
  if (!dir.exists(folder)) abort_file(output, "is in a directory that does not exist")
  if (parts$is_raster) check_format(output) else check_row_format(output)
  file.path(normalizePath(folder), basename(output))
}

check_row_format <- function(output) {
  format <- row_format(output)
  if (identical(format, "parquet")) parquet_package()
  if (!is.null(format)) return(invisible())
  abort_file(output, "is not a table: rows are written to files that end in .csv or .parquet",
    hint = "For rasters give a SpatRaster as `newdata`: terra::rast(file).")
}

# Draws of different parts are different realisations, which do not match where the parts meet. A
# location near a border would have to be drawn given the draws beyond it, which are not available
# where it is drawn.
check_one_field <- function(newdata, further) {
  if (!is_row_source(newdata) && !"output" %in% further) return(invisible())
  abort_neargp("newdata", c("Draws of parts would not fit together: those of one field are made as a whole.",
    i = "Give locations that fit in memory as `newdata`: a coarser grid, or a region. predict(output = ) writes limits and probabilities of single locations."))
}

# ---- the parts -----------------------------------------------------------------------------------

# `carried`: the material of all parts. `total`: the number of parts, NA where it is not known.
# `task(number)`: the task of a part. `centers`: of parts, for fits in two coordinates, where known.
new_parts <- function(newdata, size) {
  parts <- if (is_row_source(newdata)) parts_of_source(newdata) else
    if (is_raster(newdata)) parts_of_raster(newdata, size) else parts_of_rows(newdata, size)
  parts$digits <- if (is.na(parts$total)) 5L else nchar(parts$total)
  parts$is_raster <- is_raster(newdata)
  parts$close <- parts$close %||% function() invisible()
  parts
}

parts_of_source <- function(source) {
  if (is.function(source$x) || !is.null(source$read) || length(source$x) > 1L) {
    return(list(carried = list(source = source),
      total = if (is.function(source$x)) NA_integer_ else length(source$x),
      task = function(number) list(number = number)))
  }
  # a file of text is read from its beginning, in one process
  reader <- open_source(source)
  list(total = NA_integer_, close = reader$close, task = function(number) {
    rows <- read_chunk(reader, number)
    if (!is.null(rows)) list(number = number, rows = rows)
  })
}

parts_of_raster <- function(raster, size) {
  rlang::check_installed("terra", "to read a raster.")
  windows <- raster_windows(raster, size)
  middle <- function(first, count) vapply(windows, function(window) window[[first]] +
    (window[[count]] - 1) / 2, 0)
  list(carried = list(raster = raster), total = length(windows),
    task = function(number) list(number = number, window = windows[[number]]),
    centers = cbind(terra::xFromCol(raster, round(middle("column", "columns"))),
      terra::yFromRow(raster, round(middle("row", "rows")))))
}

parts_of_rows <- function(newdata, size) {
  if (is_stars(newdata)) {
    abort_neargp("newdata", c("Parts of a stars grid are not written to files.",
      i = "Give a SpatRaster, terra::rast(newdata), or the cells as rows: as.data.frame(newdata), for a fit to sf points sf::st_as_sf(newdata, as_points = TRUE, long = TRUE)."))
  }
  if (is_areas(newdata)) refuse_areas_in_parts()
  check_newdata_class(newdata)
  if (inherits(newdata, "sfc")) newdata <- sf::st_sf(geometry = newdata)
  total <- ceiling(NROW(newdata) / size)
  list(total = total, task = function(number) {
    list(number = number, rows = newdata[seq((number - 1) * size + 1, min(number * size,
      NROW(newdata))), , drop = FALSE])
  })
}

refuse_areas_in_parts <- function() {
  abort_neargp("newdata", c("Predictions of areas cannot be written to text files or made by workers.",
    i = "Leave out `output` and `cluster`. If there are many areas, predict some at a time: each is predicted by itself."))
}

# Parts near each other follow each other. The order is that of the shards that contain their
# centres, where the fit reads shards. NULL where the number of parts is not known.
part_order <- function(object, parts) {
  if (is.na(parts$total)) return(NULL)
  numbers <- seq_len(parts$total)
  locations <- object$locations
  if (!reads_shards(object) || is.null(parts$centers) || length(locations$raw_names) != 2L ||
      !is.null(locations$local) || has_factors(locations) || !is.null(locations$time)) {
    return(numbers)
  }
  recipe <- object$source$recipe
  centers <- structure(parts$centers, dimnames = list(NULL, locations$raw_names))
  order(shard_of_coords(embed_coordinates(centers, locations, "newdata"), recipe,
    recipe$partition), numbers)
}
