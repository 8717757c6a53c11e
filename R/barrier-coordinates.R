# Locations in the embedding of barrier.R.

#' @rdname barrier_embedding
#' @export
barrier_coordinates <- function(data, embedding, coords = NULL, snap = 1L) {
  check_given(missing(data), "data", "a data frame or sf points")
  check_given(missing(embedding), "embedding", "made by barrier_embedding()")
  check_class(embedding, "embedding", "neargp_barrier", "made by barrier_embedding()")
  if (!is.data.frame(data)) abort_argument("data", "a data frame or sf points", data)
  snap <- check_count(snap, "snap", lower = 0L, upper = 1000L)
  added <- colnames(embedding$coordinates)
  if (any(added %in% names(data))) {
    abort_neargp("columns", c(sprintf("`data` has columns %s already.",
      format_some(intersect(added, names(data)))), i = "Rename them, or take them out."))
  }
  places <- places_beside_barrier(data, embedding, coords)
  complete <- which(stats::complete.cases(places))
  found <- matrix(NA_real_, nrow(places), length(added))
  found[complete, ] <- embedded_places(places[complete, , drop = FALSE], embedding, snap, complete)
  data <- drop_geometry(data)
  for (column in seq_along(added)) data[[added[column]]] <- found[, column]
  data
}

places_beside_barrier <- function(data, embedding, coords) {
  if (is_sf(data)) {
    if (!is.null(coords)) abort_argument("coords", "left out for sf points", coords)
    check_grid_crs(sf::st_crs(data), embedding$crs)
    return(sf_coordinates(data, "data"))
  }
  if (rlang::is_formula(coords)) coords <- all.vars(coords)
  if (!is.character(coords) || length(coords) != 2L) {
    abort_argument("coords", "two columns such as ~ x + y", coords)
  }
  check_columns_present(coords, data, "data")
  columns <- lapply(coords, function(name) data[[name]])
  if (!all(vapply(columns, is.numeric, NA))) {
    abort_neargp("coordinates", "The columns of `coords` must be numbers.")
  }
  do.call(cbind, columns)
}

check_grid_crs <- function(crs, grid) {
  grid <- sf_crs(grid)
  if (is.na(crs) && is.na(grid) || !is.na(crs) && !is.na(grid) && crs == grid) return(invisible())
  abort_neargp("crs", c("`data` is not in the coordinate reference system of the grid of barriers.",
    x = sprintf("The grid: %s; data: %s.", describe_crs(if (!is.na(grid)) grid), describe_crs(crs)),
    i = "Transform the data by sf::st_transform(), or set what is missing."))
}

# `rows`: their numbers in the data.
embedded_places <- function(places, embedding, snap, rows) {
  node <- embedding$node
  at <- function(value, axis) (value - axis[1L]) / (axis[2L] - axis[1L]) + 1
  place <- cbind(at(places[, 1L], embedding$x), at(places[, 2L], embedding$y))
  outside <- which(rowSums(place < 0.5 | place > rep(dim(node) + 0.5, each = nrow(place))) > 0)
  if (length(outside)) {
    abort_neargp("barrier", c(sprintf("Locations are outside the grid: %s.",
      format_rows(rows[outside])), i = "Use a larger grid."))
  }
  cell <- pmin(pmax(round(place), 1L), rep(dim(node), each = nrow(place)))
  closed <- which(is.na(node[cell]))
  cell[closed, ] <- snapped_cells(place[closed, , drop = FALSE], cell[closed, , drop = FALSE],
    embedding, snap, rows[closed])
  place[closed, ] <- cell[closed, ]
  interpolated_places(place, cell, node, embedding$coordinates)
}

# The nearest passable cells of locations in barrier cells, with a message or an error.
snapped_cells <- function(place, cell, embedding, snap, rows) {
  if (!nrow(place)) return(cell)
  found <- nearest_nodes(place, cell, embedding$node, cell_widths(embedding), snap)
  far <- which(is.na(found))
  if (length(far)) {
    abort_neargp("barrier", c(
      sprintf("Locations are inside barriers, more than %d cells from a passable cell: %s.", snap,
        format_rows(rows[far])), i = "Use a larger `snap` or a finer grid, or leave them out."))
  }
  inform_neargp("barrier", sprintf("Locations in barrier cells were moved to the nearest passable cell: %s.",
    format_rows(rows)))
  which(!is.na(embedding$node), arr.ind = TRUE)[found, , drop = FALSE]
}

# The node nearest to each location, of those up to `snap` cells from its cell: of equals the first,
# NA where there is none. Cells so many steps away are sought while they may be as near as the
# nearest.
nearest_nodes <- function(place, cell, node, widths, snap) {
  nearest <- rep(NA_integer_, nrow(place))
  least <- rep(Inf, nrow(place))
  for (steps in seq_len(min(snap, max(dim(node))))) {
    sought <- which(least >= ((steps - 0.5) * min(widths))^2)
    if (!length(sought)) break
    side <- -steps:steps
    around <- rbind(cbind(side, -steps), cbind(side, steps), cbind(-steps, side),
      cbind(steps, side))
    for (k in seq_len(nrow(around))) {
      at <- cbind(cell[sought, 1L] + around[k, 1L], cell[sought, 2L] + around[k, 2L])
      found <- nodes_at(node, at)
      squared <- (widths[1L] * (at[, 1L] - place[sought, 1L]))^2 +
        (widths[2L] * (at[, 2L] - place[sought, 2L]))^2
      before <- least[sought]
      closer <- which(!is.na(found) &
        (squared < before | squared == before & found < nearest[sought]))
      nearest[sought[closer]] <- found[closer]
      least[sought[closer]] <- squared[closer]
    }
  }
  nearest
}

# Bilinear, between the centre of the own cell and those of the cells on the location's side of it.
# Where one of these is closed, the slope is that towards the other side; the product term is there
# where all four are open.
interpolated_places <- function(place, cell, node, coordinates) {
  offset <- place - cell
  side <- ifelse(offset < 0, -1, 1)
  weight <- abs(offset)
  from <- function(i, j) {
    coordinates[nodes_at(node, cbind(cell[, 1L] + i, cell[, 2L] + j)), , drop = FALSE]
  }
  own <- from(0, 0)
  ahead <- list(from(side[, 1L], 0) - own, from(0, side[, 2L]) - own)
  behind <- list(own - from(-side[, 1L], 0), own - from(0, -side[, 2L]))
  product <- from(side[, 1L], side[, 2L]) - own - ahead[[1L]] - ahead[[2L]]
  slope <- Map(function(first, second) known_or(known_or(first, second), 0), ahead, behind)
  own + weight[, 1L] * slope[[1L]] + weight[, 2L] * slope[[2L]] +
    weight[, 1L] * weight[, 2L] * known_or(product, 0)
}

known_or <- function(x, other) ifelse(is.na(x), other, x)
