# newdata in numbers, and the way back to its class. The target has, for the complete rows only,
# embedded coordinates, trend matrix and offset; `restore` turns a data frame of results for all
# rows into the class of newdata. For the process alone (`part`) trend and offset are 0.

new_target <- function(object, newdata, part = "field") {
  if (part == "process") object <- without_trend(object)
  if (is_stars(newdata)) return(stars_target(object, newdata, part))
  newdata <- with_fitted_columns(object, newdata)
  check_newdata(object, newdata)
  plain <- drop_geometry(newdata)
  raw <- newdata_coordinates(object, newdata)
  needed <- object$required_columns[object$required_columns %in% names(plain)]
  complete <- stats::complete.cases(raw)
  if (length(needed)) complete <- complete & stats::complete.cases(plain[needed])
  check_newdata_finite(raw, plain[needed], complete)
  if (!all(complete)) {
    plain <- plain[complete, , drop = FALSE]
    raw <- raw[complete, , drop = FALSE]
  }
  design <- if (part == "process" || !nrow(plain)) zero_design(object, nrow(plain)) else
    newdata_design(object, plain)
  check_design_finite(design, which(complete))
  coords <- embed_coordinates(raw, object$locations, "newdata", plain)
  if (is_local(object)) check_local_columns(object, coords, which(complete))
  list(coords = coords, X = design$X, offset = design$offset,
    complete = complete, restore = restorer(newdata),
    noise_weights = if (!is.null(object$data$noise)) function() new_noise_weights(object, plain,
      raw),
    new_parameter_columns = if (!is.null(object$data$parameter_models)) function()
      new_parameter_columns(object, plain, raw))
}

stars_target <- function(object, newdata, part) {
  grid <- stars_frame(newdata, "newdata", names_of_model(object))
  newdata <- grid$grid
  check_grid_coordinates(object$locations)
  check_same_crs(grid$crs, object$locations)
  missing <- setdiff(object$required_columns,
    c(names(grid$columns), utils::head(object$locations$names, 2L)))
  if (length(missing)) {
    abort_neargp("newdata",
      c(sprintf("The grid lacks attributes or dimensions that the model needs: %s.",
        format_some(missing)),
        i = "Name them as the columns of the training data: names(), stars::st_set_dimensions(names = )."))
  }
  columns <- grid$columns
  target <- new_target_of_cells(object, columns[setdiff(names(columns), grid$places)],
    as.matrix(columns[grid$places]), is_covered(columns[names(newdata)], object),
    part)
  target$restore <- restorer(newdata)
  target
}

# Basis functions such as splines refuse to be evaluated in no rows. Several responses share the
# columns of the formula.
zero_design <- function(object, rows) {
  columns <- length(object$beta) %/% max(1L, length(object$outputs)) +
    if (is_compressed(object$data)) ncol(object$data$effects$Z) else count_coefficients(object$data)
  list(X = matrix(0, rows, columns), offset = rep(0, rows))
}

# Leaves the trend out, so that covariates are not needed, and do not count.
without_trend <- function(object) {
  object$required_columns <- intersect(object$required_columns,
    c(all.vars(object$locations$terms), object$locations$time,
      local_variables(object$covariance)))
  object
}

check_newdata_class <- function(newdata) {
  if (is.data.frame(newdata) || is_sf(newdata)) return(invisible())
  if (is_row_source(newdata)) {
    abort_neargp("newdata", c("The rows of a source are predicted into files.",
      i = "Name the files: predict(output = \"map_{part}.csv\")."))
  }
  abort_neargp("newdata",
    c(paste0("`newdata` must be an sf object or a data frame, or for predict() a SpatRaster or a ",
      "stars object, not ", describe_value(newdata), "."),
      i = gsub("\\bdata\\b(?!\\.frame)", "newdata", spatial_hint(newdata), perl = TRUE)))
}

check_newdata <- function(object, newdata) {
  check_newdata_class(newdata)
  columns <- if (inherits(newdata, "sfc")) character(0) else names(newdata)
  by_geometry <- is_sf(newdata) && !is.null(object$locations$names)
  found <- object$required_columns %in%
    c(columns, if (by_geometry) all.vars(object$locations$terms))
  missing <- object$required_columns[!found]
  if (length(missing)) {
    abort_neargp("newdata",
      c(paste0("`newdata` lacks ", if (length(missing) == 1L) "a column" else "columns",
        " that the model needs: ", format_some(missing), "."),
        i = column_hint(newdata, missing, "newdata"),
        i = if (!any(missing %in% without_groups(object)$required_columns))
          "re.form = NA predicts without effects of groups, and does not need their columns."))
  }
  check_unique_columns(object$required_columns, newdata, "newdata")
  check_column_classes(object$required_columns, newdata, "newdata")
}

newdata_coordinates <- function(object, newdata) {
  check_place_columns(newdata, object$locations, "newdata")
  raw_coordinates(newdata, object$locations, "newdata")
}

check_newdata_finite <- function(raw, columns, complete) {
  infinite <- function(x) {
    if (!is.numeric(x)) return(rep(FALSE, NROW(x)))
    if (is.null(dim(x))) is.infinite(x) else rowSums(is.infinite(as.matrix(x))) > 0
  }
  bad <- infinite(raw)
  for (column in columns) bad <- bad | infinite(column)
  if (any(bad & complete)) {
    abort_neargp("missing_values",
      c(paste0("`newdata` has infinite values in ", format_rows(which(bad & complete)), "."),
        i = "Replace them by NA to get NA predictions."))
  }
}

# Cells as rows of a data frame with their centres as coordinates.
new_target_of_cells <- function(object, columns, centers, covered, part) {
  locations <- object$locations
  if (is.null(locations$names)) {
    frame <- cbind(columns, data.frame(.x = centers[, 1L], .y = centers[, 2L]))
    object$locations <- with_center_columns(locations)
  } else if (is_nowhere(locations)) {
    frame <- columns
  } else {
    columns[locations$names[1:2]] <- list(centers[, 1L], centers[, 2L])
    frame <- columns
  }
  frame[!covered, ] <- NA
  new_target(object, frame, part)
}

# The locations of a fit to geometries for rows whose centres are columns.
with_center_columns <- function(locations) {
  locations$names <- c(".x", ".y", names(locations$factors))
  locations$terms <- sum_of(locations$names, globalenv())
  locations
}

# The target of such cells.
raster_target <- function(object, raster, cells, part = "field") {
  columns <- cell_columns(raster, window_of_cells(raster, cells))
  object$locations["time_unit"] <- list(NULL) # layers are numbers: dates come as days
  new_target_of_cells(object, columns, terra::xyFromCell(raster, cells),
    is_covered(columns, object), part)
}
