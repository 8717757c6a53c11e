# Places in the embedding of barrier.R.

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

# `grid`: as terra has it, NULL or "" for none.
check_grid_crs <- function(crs, grid) {
  grid <- if (is.null(grid) || !nzchar(grid)) sf::NA_crs_ else sf::st_crs(grid)
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
    abort_neargp("barrier", c(sprintf("Places lie outside of the grid: %s.",
      format_rows(rows[outside])), i = "Take a larger grid."))
  }
  cell <- pmin(pmax(round(place), 1L), rep(dim(node), each = nrow(place)))
  closed <- which(is.na(node[cell]))
  cell[closed, ] <- snapped_cells(place[closed, , drop = FALSE], embedding, snap, rows[closed])
  place[closed, ] <- cell[closed, ]
  interpolated_places(place, cell, node, embedding$coordinates)
}

# The nearest passable cell of places in barrier cells, of those up to `snap` cells away.
snapped_cells <- function(place, embedding, snap, rows) {
  if (!nrow(place)) return(place)
  open <- which(!is.na(embedding$node), arr.ind = TRUE)
  widths <- c(diff(embedding$x[1:2]), diff(embedding$y[1:2]))
  found <- t(apply(place, 1L, function(one) {
    steps <- abs(sweep(open, 2L, round(one)))
    near <- which(pmax(steps[, 1L], steps[, 2L]) <= snap)
    squared <- colSums((widths * (t(open[near, , drop = FALSE]) - one))^2)
    if (length(near)) open[near[which.min(squared)], ] else c(NA, NA)
  }))
  far <- which(is.na(found[, 1L]))
  if (length(far)) {
    abort_neargp("barrier", c(
      sprintf("Places lie in barriers, more than %d cells from a passable one: %s.", snap,
        format_rows(rows[far])), i = "Take a larger `snap`, leave them out, or take a finer grid."))
  }
  inform_neargp("barrier", sprintf("Places in barrier cells take the nearest passable cell: %s.",
    format_rows(rows)))
  found
}

# Bilinear, between the centre of the own cell and those of the cells on the place's side of it.
# Where one of these is closed, the slope is that towards the other side; the product term is there
# where all four are open.
interpolated_places <- function(place, cell, node, coordinates) {
  offset <- place - cell
  side <- ifelse(offset < 0, -1, 1)
  weight <- abs(offset)
  node_at <- function(i, j) {
    at <- cbind(cell[, 1L] + i, cell[, 2L] + j)
    inside <- at[, 1L] >= 1 & at[, 1L] <= nrow(node) & at[, 2L] >= 1 & at[, 2L] <= ncol(node)
    replace(rep(NA_integer_, nrow(at)), inside, node[at[inside, , drop = FALSE]])
  }
  from <- function(node) coordinates[node, , drop = FALSE]
  own <- from(node_at(0, 0))
  ahead <- list(from(node_at(side[, 1L], 0)) - own, from(node_at(0, side[, 2L])) - own)
  behind <- list(own - from(node_at(-side[, 1L], 0)), own - from(node_at(0, -side[, 2L])))
  product <- from(node_at(side[, 1L], side[, 2L])) - own - ahead[[1L]] - ahead[[2L]]
  slope <- Map(function(first, second) known_or(known_or(first, second), 0), ahead, behind)
  own + weight[, 1L] * slope[[1L]] + weight[, 2L] * slope[[2L]] +
    weight[, 1L] * weight[, 2L] * known_or(product, 0)
}

known_or <- function(x, other) ifelse(is.na(x), other, x)
