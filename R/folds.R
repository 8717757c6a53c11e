#' Folds for cross-validation
#'
#' @description
#' Assigns observations to folds, at random or in spatial blocks, for [cross_validate()].
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' cross_validate(fit, folds = block_folds(fit, v = 5, size = 100))
#' ```
#'
#' @details
#' For predictions far from the data, hold out blocks of the size of the gaps (Roberts et al. 2017).
#' If locations repeat, `hold_out = "location"` measures predictions at new locations; otherwise a
#' message says so.
#'
#' `block_folds()` deals squares (in km for degrees) or k-means clusters to folds. Use [set.seed()]
#' to get the same folds again.
#'
#' @param n the number of rows, or a data frame, sf object or fit.
#' @param v the number of folds, an integer of at least 2. Default: 10.
#' @param hold_out `"row"` (default) or `"location"`, whole locations of a fit or sf points.
#' @param locations a fit, sf points, or a numeric matrix or data frame of coordinates.
#' @param size the side of the squares, in units of the coordinates. Default `NULL`: about five
#'   blocks for each fold.
#' @param method `"square"` (default) or `"kmeans"`.
#' @param blocks the number of k-means blocks, an integer. Default: `5 * v`.
#' @param buffer the distance within which observations are not used for a held-out one. Default: 0.
#' @param longlat `TRUE` if the columns of a matrix are degrees. Default: `FALSE`.
#' @return An integer vector of class `neargp_folds`, with `print()`, `plot()` and `autoplot()`. Any
#'   integers work in [cross_validate()].
#' @references Roberts, D. R. et al. (2017). Cross-validation strategies for data with temporal,
#'   spatial, hierarchical, or phylogenetic structure. *Ecography* 40, 913–929.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' set.seed(1)
#' random_folds(20, v = 4)
#' points <- cbind(x = runif(500), y = runif(500))
#' folds <- block_folds(points, v = 5, size = 0.2)
#' folds
#' table(folds)
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(folds)
#'
#' # Random and blocked folds measure different things
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' rbind(random = scores(cross_validate(fit, random_folds(fit, v = 5))),
#'   blocked = scores(cross_validate(fit, block_folds(fit, v = 5, size = 200))))
#' @name folds
NULL

#' @rdname folds
#' @export
random_folds <- function(n, v = 10, hold_out = c("row", "location")) {
  check_required()
  hold_out <- check_choice(hold_out, "hold_out", c("row", "location"))
  index <- known_location_index(n)
  if (hold_out == "location") {
    if (is.null(index)) {
      abort_argument("n", "a fit or sf points, whose locations are known, to hold out locations", n)
    }
    return(location_folds(index, v))
  }
  counted <- is.numeric(n) && length(n) == 1L
  n <- if (counted) check_count(n, "n") else nrow_of(n)
  if (counted && missing(v) && n < v) {
    abort_neargp("folds", c(sprintf("%s rows cannot be split into %d folds.", format_count(n), v),
      i = sprintf("The first argument is the data, or the number of its rows: random_folds(data, v = %s) has %s folds.", n, n)))
  }
  check_fold_count(v, n, "rows")
  folds <- new_folds(sample(rep_len(seq_len(v), n)), v, "random")
  inform_copies(splits_of(folds), index)
  folds
}

#' @rdname folds
#' @export
block_folds <- function(locations, v = 10, size = NULL, method = c("square", "kmeans"),
                        blocks = 5 * v, buffer = 0, longlat = FALSE) {
  check_required()
  method <- check_choice(method, "method", c("square", "kmeans"))
  if (is.numeric(locations) && length(locations) == 1L) {
    abort_neargp("argument",
      c("`locations` must be a fit, sf points, or a matrix or data frame of coordinates, not one number.",
        i = sprintf("For %s folds write block_folds(locations, v = %s).", locations, locations)))
  }
  check_number(buffer, "buffer", 0)
  place <- fold_locations(locations, longlat)
  check_fold_count(v, nrow(place$coords), "rows")
  block <- if (method == "square") {
    if (is.null(size)) size <- default_block_size(place$flat, v)
    check_positive(size, "size")
    square_blocks(place$flat, size)
  } else {
    kmeans_blocks(place$coords, blocks)
  }
  check_fold_count(v, length(unique(block)), "blocks", size)
  new_folds(deal_blocks(block, v), v, method,
    block = block, size = if (method == "square") size, buffer = buffer,
    shown = place$shown, degrees = place$degrees, unit = place$unit
  )
}

new_folds <- function(fold, v, kind, ...) {
  structure(as.integer(fold), v = as.integer(v), kind = kind, ..., class = "neargp_folds")
}

# Locations in the three forms that folds need: `coords`, in which distances (buffer, k-means) are
# measured; `flat`, the plane that is cut into squares; `shown`, as the user gave them.
fold_locations <- function(locations, longlat) {
  check_flag(longlat, "longlat")
  time <- NULL
  if (inherits(locations, "neargp_outputs")) locations <- as_places(locations)
  if (inherits(locations, "neargp")) {
    place <- input_locations(locations$locations)
    metric <- place$metric
    time <- place$time
    shown <- original_coords(locations)
    unit <- place$unit
    coords <- input_places(locations$data, locations$locations)
    longlat <- metric == "longlat"
    degrees <- is_longlat_fit(locations)
  } else {
    shown <- coordinate_matrix(locations)
    if (is_sf(locations)) longlat <- isTRUE(sf::st_is_longlat(locations))
    if (longlat) check_longlat(shown, "locations")
    coords <- if (longlat) core_embed_longlat(shown[, 1:2, drop = FALSE]) else shown
    unit <- if (longlat) "km" else sf_unit(locations)
    degrees <- longlat || named_degrees(shown)
  }
  flat <- if (longlat) sinusoidal(shown[, 1L], shown[, 2L]) else
    shown[, seq_len(min(2L, ncol(shown))), drop = FALSE]
  with_equal_locations(list(coords = unname(coords), flat = unname(flat), shown = shown,
    longlat = longlat, degrees = degrees, unit = unit), time = !is.null(time))
}

# Unit of the coordinates of an sf object; "" for degrees, when unknown, and for other objects.
sf_unit <- function(x) {
  crs <- if (is_sf(x)) sf::st_crs(x) else NA
  if (is.na(crs) || isTRUE(sf::st_is_longlat(x))) "" else crs_unit(crs)
}

# Equal-area projection in kilometres about the centre of the data: x = R (lon - lon0) cos(lat),
# y = R lat. The centre is the circular mean of the longitudes, so that the date line does not cut.
sinusoidal <- function(longitude, latitude) {
  radius <- 6371.0088
  offset <- turned_longitude(longitude - mean_direction(longitude), -180) * pi / 180
  cbind(radius * offset * cos(latitude * pi / 180), radius * latitude * pi / 180)
}

# About five squares for each fold in the bounding box.
default_block_size <- function(flat, v) {
  side <- apply(flat, 2L, function(x) diff(range(x)))
  side <- side[side > 0]
  if (!length(side)) {
    abort_neargp("folds", "All locations are the same: they cannot be split into blocks.")
  }
  (prod(side) / (5 * v))^(1 / length(side))
}

square_blocks <- function(flat, size) {
  cell <- apply(flat, 2L, function(x) floor((x - min(x)) / size + stats::runif(1L)))
  cell <- matrix(cell, nrow(flat))
  key <- cell[, 1L]
  if (ncol(cell) > 1L) key <- key * (max(cell[, 2L]) + 1) + cell[, 2L]
  match(key, unique(key))
}

# k-means on at most 10,000 rows, then every row to the nearest centre: linear in the rows.
kmeans_blocks <- function(coords, blocks, largest = 10000L) {
  check_count(blocks, "blocks")
  used <- if (nrow(coords) > largest) sample.int(nrow(coords), largest) else seq_len(nrow(coords))
  distinct <- unique(coords[used, , drop = FALSE])
  blocks <- min(blocks, nrow(distinct) - 1L)
  if (blocks < 2L) {
    abort_neargp("folds",
      "Fewer than three distinct locations: they cannot be split into blocks.")
  }
  # Any partition into compact clusters serves, so that stopping before convergence is no matter.
  clusters <- suppressWarnings(stats::kmeans(distinct, blocks, iter.max = 50L,
    algorithm = "MacQueen"))
  nearest <- drop(as.matrix(core_neighbors_to(clusters$centers, coords, 1L, plain_context())))
  match(nearest, unique(nearest))
}

# Largest block first, to the fold with the fewest rows so far.
deal_blocks <- function(block, v) {
  size <- tabulate(block)
  shuffled <- sample.int(length(size))
  fold_of <- integer(length(size))
  rows <- numeric(v)
  for (b in shuffled[order(-size[shuffled])]) {
    lightest <- which.min(rows)
    fold_of[b] <- lightest
    rows[lightest] <- rows[lightest] + size[b]
  }
  fold_of[block]
}

check_fold_count <- function(v, available, what, size = NULL) {
  check_count(v, "v")
  if (v < 2 || v > available) {
    abort_neargp("folds", c(
      sprintf("`v` must be between 2 and the number of %s.", what),
      x = sprintf("`v` is %d; there are %s %s.", v, format_count(available), what),
      if (what == "blocks" && !is.null(size)) c(i = sprintf("Use fewer folds or a `size` below %s.",
        format(size, digits = 3L)))
    ))
  }
}

nrow_of <- function(object) {
  n <- if (inherits(object, "neargp_outputs")) object$data$places else
    if (inherits(object, "neargp")) length(object$data$y) else NROW(object)
  if (!length(n) || is.na(n) || n < 1L) {
    abort_neargp("argument", "`n` must be a number of rows or an object that has rows.")
  }
  n
}

#' @export
print.neargp_folds <- function(x, ...) {
  kind <- switch(attr(x, "kind"),
    random = "random",
    location = "whole locations",
    square = sprintf("square blocks of side %s",
      trimws(paste(format(attr(x, "size"), digits = 4L), attr(x, "unit")))),
    kmeans = sprintf("%d k-means blocks", max(attr(x, "block")))
  )
  buffer <- attr(x, "buffer")
  cat(sprintf("%d folds of %s rows: %s%s\n", attr(x, "v"), format_count(length(x)), kind,
    if (isTRUE(buffer > 0)) trimws(sprintf(", buffer %s %s", format(buffer, digits = 4L),
      attr(x, "unit"))) else ""
  ))
  size <- range(tabulate(x, attr(x, "v")))
  cat(sprintf("Rows in a fold: %s to %s\n", format_count(size[1L]), format_count(size[2L])))
  invisible(x)
}
