# A part of a prediction that goes to files: what whoever makes it does, this process or a worker.

# `plan`: of new_prediction_plan(); `task`: its number and what of newdata is its own. The file's
# name, and whether it was made now; NULL for a part after the last one.
make_part <- function(plan, task) {
  newdata <- part_newdata(plan, task)
  if (is.null(newdata)) return(NULL)
  file <- part_file(plan, task$number)
  identity <- list(neargp = package_version_text(), prediction = plan$key,
    part = rows_hash(newdata, task$window))
  if (is_part_done(file, identity)) return(list(file = file, made = FALSE))
  check_replaceable(file, identity, plan$overwrite)
  unlink(leftovers_of(file))
  temporary <- part_name(file)
  on.exit(unlink(files_of(temporary)))
  write_part(plan, newdata, task, temporary)
  settle_part(temporary, file, identity)
  list(file = file, made = TRUE)
}

part_newdata <- function(plan, task) {
  if (!is.null(plan$source)) return(read_part(plan$source, task$number))
  task$rows %||% plan$raster
}

part_file <- function(plan, number) {
  sub("{part}", formatC(number, width = plan$digits, flag = "0", format = "d"), plan$output,
    fixed = TRUE)
}

# A hash of all that is known of the rows.
rows_hash <- function(newdata, window) {
  if (is_raster(newdata)) {
    values <- if (terra::hasValues(newdata)) window_values(newdata, window)
    geometry <- list(dim(newdata)[1:2], as.vector(terra::ext(newdata)), terra::crs(newdata))
    return(part_hash(list(geometry, window, names(values), unname(as.list(values)))))
  }
  plain <- drop_geometry(newdata)
  part_hash(c(list(names(plain)), unname(as.list(plain)), if (is_sf(newdata)) list(
    sf::st_coordinates(newdata), format(sf::st_crs(newdata)))))
}

write_part <- function(plan, newdata, task, file) {
  filename <- if (is_raster(newdata)) file_of_window(file, task$window)
  predicted <- without_far_message(do.call("predict", c(list(plan$fit, newdata,
    filename = filename)[c(TRUE, TRUE, !is.null(filename))], plan$arguments), quote = TRUE))
  if (!is_raster(newdata)) {
    write_rows(cbind_places(newdata, drop_geometry(predicted), plan$fit), file)
  }
}

# Coordinates, and times, before what is predicted there.
cbind_places <- function(newdata, predicted, fit) {
  locations <- single_fit(fit)$locations
  by_geometry <- is_sf(newdata) && !is.null(locations$names)
  names <- c(if (!by_geometry) all.vars(locations$terms), locations$time)
  places <- as.list(drop_geometry(newdata))[intersect(names, names(newdata))]
  if (is_sf(newdata)) places <- c(asplit_columns(sf::st_coordinates(newdata)), places)
  columns <- c(places, as.list(predicted))
  names(columns) <- make.unique(names(columns))
  structure(columns, class = "data.frame", row.names = .set_row_names(nrow(predicted)))
}

asplit_columns <- function(matrix) as.list(as.data.frame(matrix))

# How rows are written to files of each format.
row_writers <- list(csv = function(rows, file) write_text_rows(rows, file),
  parquet = function(rows, file) write_parquet_rows(rows, file))

row_format <- function(file) {
  Find(function(format) endsWith(file, paste0(".", format)), names(row_writers))
}

write_rows <- function(rows, file) row_writers[[row_format(file)]](rows, file)

write_parquet_rows <- function(rows, file) {
  package <- parquet_package()
  tryCatch(getExportedValue(package, "write_parquet")(rows, file),
    error = function(e) abort_file(file, "cannot be written", e))
}

# Numbers are written with as many digits as distinguish them: 15, or 17.
write_text_rows <- function(rows, file) {
  is_double <- vapply(rows, function(x) is.double(x) && !is.object(x), NA)
  is_text <- vapply(rows, function(x) is.character(x) || is.factor(x), NA)
  rows[is_double] <- lapply(rows[is_double], all_digits)
  tryCatch(utils::write.table(rows, file, sep = ",", quote = which(is_text), qmethod = "double",
    row.names = FALSE, fileEncoding = "UTF-8"), error = function(e) {
      abort_file(file, "cannot be written", e)
    }, warning = function(w) abort_file(file, "cannot be written", w))
}

all_digits <- function(x) {
  text <- rep(NA_character_, length(x))
  known <- which(!is.na(x))
  text[known] <- sprintf("%.15g", x[known])
  longer <- known[as.numeric(text[known]) != x[known]]
  text[longer] <- sprintf("%.17g", x[longer])
  text
}

# ---- what is there -------------------------------------------------------------------------------

# Next to each part a few lines say of what it is.
label_file <- function(file) paste0(file, ".neargp")

read_label <- function(file) {
  if (!file.exists(label_file(file))) return(NULL)
  tryCatch(as.list(read.dcf(label_file(file))[1L, ]), error = function(e) NULL)
}

is_of_part <- function(label, identity) {
  identical(label[names(identity)], identity)
}

is_part_done <- function(file, identity) {
  label <- read_label(file)
  is_of_part(label, identity) && identical(format_bytes_of(file), label$bytes)
}

format_bytes_of <- function(file) format(file.size(file), scientific = FALSE)

# Files that are there are kept, unless they are what a killed prediction has left of this part.
check_replaceable <- function(file, identity, overwrite) {
  if (!file.exists(file) || overwrite || is_of_part(read_label(file), identity)) {
    return(invisible())
  }
  abort_file(file, "is there already and is not this part of this prediction, of this fit at these rows",
    hint = "overwrite = TRUE replaces such files; parts of this prediction that are there are kept.")
}

# Parts that a killed process had begun.
leftovers_of <- function(file) {
  there <- list.files(dirname(file), all.files = TRUE)
  begun <- grepl("^([.]part[0-9a-f]+-)+", there)
  own <- startsWith(sub("^([.]part[0-9a-f]+-)+", "", there), basename(file))
  file.path(dirname(file), there[begun & own])
}

# The label comes first, with the size of the part: a kill between both leaves a label that no file
# fits. The part that was there before is gone by then. Its temporary name is this process's own,
# as that of the part.
settle_part <- function(temporary, file, identity) {
  unlink(c(files_of(file), label_file(file)))
  label <- c(identity, bytes = format_bytes_of(temporary))
  text <- charToRaw(paste0(names(label), ": ", label, "\n", collapse = ""))
  tryCatch(core_replace_file(label_file(temporary), text), neargp_error_core = function(error) {
    abort_replaced(file, error)
  })
  rename_parts(label_file(temporary), label_file(file))
  rename_parts(temporary, file)
}

# ---- on a worker ---------------------------------------------------------------------------------

begin_parts <- function(arguments) {
  plan <- arguments$plan
  if (!is.null(plan$raster)) plan$raster <- carried_raster(plan$raster)
  process_state$plans[[arguments$key]] <- with_ready_fit(plan)
  NULL
}

answer_part <- function(task) {
  plan <- process_state$plans[[task$key]]
  process_state$stop_file <- plan$stop_file
  on.exit(process_state$stop_file <- NULL)
  answered(function() in_part(task, make_part(plan, task)))
}

# Copies of the fit that keep what they predict from, next to the one that the user has.
with_ready_fit <- function(plan) {
  plan$fit <- of_each_fit(plan$fit, function(fit) {
    fit <- with_own_cache(fit)
    if (reads_shards(fit)) fit$source$cache <- new_shard_cache(fit, plan$shards %||% 8L)
    fit
  })
  plan
}

in_part <- function(task, value) {
  rlang::try_fetch(value, neargp_error = function(error) {
    error$body <- c(error$body, x = sprintf("This is in part %s.", format_count(task$number)))
    stop(error)
  })
}
