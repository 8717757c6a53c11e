# Distances around barriers, as coordinates. The distances are lengths of shortest paths over the
# passable cells of a grid. Multidimensional scaling embeds them, so that any covariance of
# Euclidean distance and any method can use them.

#' Coordinates around barriers
#'
#' @description
#' Computes coordinates in which two shores of a spit are as far from each other as by water, for
#' processes that do not cross land, walls or mountains.
#'
#' ```r
#' sea <- list(x = 1:20, y = 1:20, z = matrix(TRUE, 20, 20))
#' sea$z[10, 1:16] <- FALSE
#' embedding <- barrier_embedding(sea, landmarks = 40)
#' barrier_coordinates(data.frame(x = c(8, 12), y = 2), embedding, ~ x + y)
#' ```
#'
#' @details
#' `barrier_embedding()` measures distances around barriers on a grid. It arranges the cells in a
#' space in which straight distances are close to these. `barrier_coordinates()` returns the
#' coordinates `b1`, `b2`, ... of your locations there. Use them as `coords` in [neargp()], with any
#' method and any [covariance] (Løland and Høst 2003).
#'
#' * The axes of the embedding are arbitrary. Use one range, without `ard = TRUE` or `anisotropy`,
#'   and name the covariance, because the default for three coordinates differs.
#' * `stress` is the relative error of the distances, and should be below 0.05. You can lower it by
#'   more `dimensions`: a straight wall needs four. Around an island some stress remains.
#' * The trend can use the original coordinates. To see whether barriers matter, compare with a fit
#'   to the original coordinates by [cross_validate()].
#' * For a map, convert the cells as well: `cells <- as.data.frame(raster, xy = TRUE)`, then
#'   `predict(fit, barrier_coordinates(cells, embedding, ~ x + y))`. You cannot use `predict(fit,
#'   raster)`.
#'
#' @section Distances:
#' Distances are shortest paths between centres of passable cells, in 32 directions. On square cells
#' they exceed straight lines by at most 1.3%. Cells should be about square: the excess is up to 12%
#' on cells four times as long as wide. Barriers and passages should be at least a cell thick.
#'
#' Landmark scaling (de Silva and Tenenbaum 2004) arranges the cells. Time and memory grow with
#' cells times landmarks: 10,000 cells and 100 landmarks take a few seconds. Locations are
#' interpolated between the centres of open cells. A message reports locations in barrier cells,
#' such as stations at the shore, that move to the nearest passable cell. Cells outside the largest
#' connected part are barriers.
#'
#' @param barrier a terra SpatRaster in a projected coordinate reference system or without one, with
#'   `NA` or FALSE at barriers in its first layer. You can also give a list as for
#'   [graphics::image()]: `x` and `y`, increasing and equally spaced, and the matrix `z` with a row
#'   for each `x`.
#' @param dimensions the number of coordinates, an integer. Default: 3.
#' @param landmarks the number of landmarks, an integer of at least `dimensions + 1`. Default: 100,
#'   or all cells of smaller grids.
#' @param data a data frame, or sf points in the coordinate reference system of the raster.
#' @param embedding the result of `barrier_embedding()`.
#' @param coords the two coordinate columns of a data frame: names, or a formula such as `~ x + y`.
#'   Leave it out for sf points.
#' @param snap the largest distance, in cells, between a location in a barrier cell and a passable
#'   cell. Default: 1.
#' @param x an embedding.
#' @param ... not used.
#' @return `barrier_embedding()` returns a list of class `neargp_barrier`, with `coordinates` of the
#'   passable cells, `stress` and `share`, the share of the landmarks' squared distances that the
#'   dimensions contain. `barrier_coordinates()` returns `data` with the columns `b1`, `b2`, ..., in
#'   the unit of the coordinates, without the geometry of sf points. Missing coordinates return
#'   `NA`.
#' @references Løland, A. and Høst, G. (2003). Spatial covariance modelling in a complex coastal
#'   domain by multidimensional scaling. *Environmetrics* 14, 307–321. de Silva, V. and Tenenbaum,
#'   J. B. (2004). *Sparse multidimensional scaling using landmark points*. Technical report,
#'   Stanford University. Rathbun, S. L. (1998). Spatial modelling in irregularly shaped regions:
#'   kriging estuaries. *Environmetrics* 9, 109–129.
#' @seealso [neargp()], [covariance]
#' @examplesIf requireNamespace("igraph", quietly = TRUE)
#' # Two bays with a wall between them, open at the top
#' centers <- seq(0.025, 0.975, 0.05)
#' sea <- list(x = centers, y = centers, z = matrix(TRUE, 20, 20))
#' sea$z[10, 1:16] <- FALSE
#' embedding <- barrier_embedding(sea, landmarks = 60)
#' embedding
#' set.seed(1)
#' d <- data.frame(x = runif(150), y = runif(150))
#' d <- d[abs(d$x - 0.475) > 0.03, ]
#' d$z <- ifelse(d$x < 0.475, 1, -1) * pmax(0.9 - d$y, 0) + rnorm(nrow(d), sd = 0.1)
#' d <- barrier_coordinates(d, embedding, ~ x + y)
#' by_water <- neargp(z ~ 1, d, coords = ~ b1 + b2 + b3, covariance = cov_exponential())
#' by_air <- neargp(z ~ 1, d, coords = ~ x + y, covariance = cov_exponential())
#' c(by_water = scores(by_water)$crps, by_air = scores(by_air)$crps)
#' place <- barrier_coordinates(data.frame(x = c(0.4, 0.55), y = 0.1), embedding, ~ x + y)
#' predict(by_water, place)
#' @export
barrier_embedding <- function(barrier, dimensions = 3L, landmarks = 100L) {
  check_given(missing(barrier), "barrier", "a SpatRaster or a list of x, y and z")
  dimensions <- check_count(dimensions, "dimensions", upper = 20L)
  landmarks <- check_count(landmarks, "landmarks", lower = dimensions + 1L)
  require_package("igraph", "for distances around barriers")
  part <- largest_part(passable_grid(barrier))
  scaled <- landmark_scaling(part$graph, dimensions, landmarks)
  structure(c(part$grid[c("x", "y", "node", "crs")], scaled), class = "neargp_barrier")
}

# ---- the grid ------------------------------------------------------------------------------------

# Centres of columns and rows, and a matrix with the number of each passable cell, NA elsewhere.
passable_grid <- function(barrier) {
  if (is_raster(barrier)) barrier <- raster_as_image(barrier)
  valid <- is.list(barrier) && is.numeric(barrier$x) && is.numeric(barrier$y) &&
    is.matrix(barrier$z) && identical(dim(barrier$z), c(length(barrier$x), length(barrier$y))) &&
    is_equally_spaced(barrier$x) && is_equally_spaced(barrier$y)
  if (!valid) {
    abort_argument("barrier",
      "a SpatRaster, or a list of x, y (equally spaced, increasing) and a matrix z", barrier)
  }
  # A height or depth of 0 is passable.
  open <- !is.na(barrier$z)
  if (is.logical(barrier$z)) open <- open & barrier$z
  with_nodes(list(x = barrier$x, y = barrier$y, crs = barrier$crs), open)
}

is_equally_spaced <- function(x) {
  step <- diff(x)
  length(x) > 1L && all(is.finite(x)) && all(step > 0) && max(step) - min(step) < 1e-6 * max(step)
}

raster_as_image <- function(raster) {
  require_package("terra", "for SpatRaster objects")
  if (isTRUE(terra::is.lonlat(raster, perhaps = FALSE, warn = FALSE))) {
    abort_neargp("crs", c("`barrier` is in longitude and latitude, where the cells differ in size.",
      i = "Project it: terra::project(barrier, \"EPSG:...\")."))
  }
  values <- terra::as.matrix(raster[[1L]], wide = TRUE)
  if (terra::is.bool(raster[[1L]])) storage.mode(values) <- "logical"
  list(x = terra::xFromCol(raster, seq_len(ncol(values))),
    y = rev(terra::yFromRow(raster, seq_len(nrow(values)))),
    z = t(values)[, rev(seq_len(nrow(values))), drop = FALSE], crs = terra::crs(raster))
}

with_nodes <- function(grid, open) {
  if (sum(open) < 2L) {
    abort_neargp("barrier", "The grid contains fewer than two connected passable cells.")
  }
  grid$node <- matrix(NA_integer_, nrow(open), ncol(open))
  grid$node[open] <- seq_len(sum(open))
  grid
}

# The numbers of cells, rows of `at`: NA for barriers and outside of the grid.
nodes_at <- function(node, at) {
  inside <- which(at[, 1L] >= 1 & at[, 1L] <= nrow(node) & at[, 2L] >= 1 & at[, 2L] <= ncol(node))
  replace(rep(NA_integer_, nrow(at)), inside, node[at[inside, , drop = FALSE]])
}

# Steps, in cells, to every second one of the 32 directions; the others are these backwards.
barrier_steps <- function(reach = 3L) {
  steps <- expand.grid(i = 0:reach, j = -reach:reach)
  divisor <- function(a, b) if (b == 0) a else divisor(b, a %% b)
  prime <- mapply(function(i, j) divisor(i, abs(j)) == 1, steps$i, steps$j)
  steps[prime & (steps$i > 0 | steps$j > 0), ]
}

# The cells, corners included, that the line from the centre of the cell at 0 to the centre of the
# cell at `i`, `j` touches.
touched_cells <- function(i, j) {
  crossings <- function(n) if (n == 0) NULL else (seq_len(abs(n)) - 0.5) / abs(n)
  t <- c(crossings(i), crossings(j))
  sides <- expand.grid(t = t, di = c(-1e-6, 1e-6), dj = c(-1e-6, 1e-6))
  unique(cbind(round(i * sides$t + sides$di), round(j * sides$t + sides$dj)))
}

cell_widths <- function(grid) c(grid$x[2L] - grid$x[1L], grid$y[2L] - grid$y[1L])

# Cells and steps between them that touch no barrier, with their lengths as weights.
grid_graph <- function(grid) {
  width <- cell_widths(grid)
  cells <- which(!is.na(grid$node), arr.ind = TRUE)
  moved <- function(by) nodes_at(grid$node, cbind(cells[, 1L] + by[1L], cells[, 2L] + by[2L]))
  steps <- barrier_steps()
  edges <- lapply(seq_len(nrow(steps)), function(row) {
    step <- unlist(steps[row, ])
    touched <- touched_cells(step[1L], step[2L])
    free <- which(Reduce(`&`, lapply(seq_len(nrow(touched)),
      function(k) !is.na(moved(touched[k, ])))))
    cbind(free, moved(step)[free], rep(sqrt(sum((step * width)^2)), length(free)))
  })
  edges <- do.call(rbind, edges)
  graph <- igraph::make_empty_graph(nrow(cells), directed = FALSE)
  igraph::add_edges(graph, as.vector(t(edges[, 1:2, drop = FALSE])),
    attr = list(weight = edges[, 3L]))
}

# The largest connected part of the grid and its graph. Nodes keep their order.
largest_part <- function(grid) {
  graph <- grid_graph(grid)
  parts <- igraph::components(graph)
  kept <- which(parts$membership == which.max(parts$csize))
  list(grid = with_nodes(grid, !is.na(grid$node) & grid$node %in% kept),
    graph = igraph::induced_subgraph(graph, kept))
}

# ---- scaling -------------------------------------------------------------------------------------

# Let D2 be the squared distances of the landmarks, and let l and v be the leading eigenvalues and
# vectors of -1/2 D2, doubly centred. A cell at the squared distances d2 from the landmarks is at
# -1/2 l^(-1/2) v'(d2 - mean(D2)) (de Silva and Tenenbaum 2004, section 2). For a landmark this is
# its classical scaling.
landmark_scaling <- function(graph, dimensions, count) {
  cells <- igraph::vcount(graph)
  from <- distances_to_landmarks(graph, min(count, cells))
  squared <- from$distance^2
  among <- squared[, from$landmark, drop = FALSE]
  means <- rowMeans(among)
  centred <- -0.5 * (among - outer(means, means, "+") + mean(among))
  decomposed <- eigen(centred, symmetric = TRUE)
  positive <- which(decomposed$values > 1e-9 * decomposed$values[1L])
  used <- utils::head(positive, dimensions)
  coordinates <- -0.5 * t(squared - means) %*% sweep(decomposed$vectors[, used, drop = FALSE], 2L,
    sqrt(decomposed$values[used]), "/")
  if (length(used) < dimensions) {
    coordinates <- cbind(coordinates, matrix(0, cells, dimensions - length(used)))
  }
  colnames(coordinates) <- paste0("b", seq_len(dimensions))
  list(coordinates = coordinates, landmark = from$landmark,
    stress = embedding_stress(coordinates, from),
    share = sum(decomposed$values[used]) / sum(decomposed$values[positive]))
}

# Each landmark is the cell farthest from those before it, the first one farthest from cell 1.
distances_to_landmarks <- function(graph, count) {
  distance <- function(cell) drop(igraph::distances(graph, cell, algorithm = "dijkstra"))
  landmark <- integer(count)
  found <- matrix(0, count, igraph::vcount(graph))
  nearest <- distance(1L)
  for (k in seq_len(count)) {
    landmark[k] <- which.max(nearest)
    found[k, ] <- distance(landmark[k])
    nearest <- if (k == 1L) found[k, ] else pmin(nearest, found[k, ])
  }
  list(landmark = landmark, distance = found)
}

embedding_stress <- function(coordinates, from) {
  errors <- vapply(seq_along(from$landmark), function(k) {
    straight <- sqrt(colSums((t(coordinates) - coordinates[from$landmark[k], ])^2))
    sum((straight - from$distance[k, ])^2)
  }, 0)
  sqrt(sum(errors) / sum(from$distance^2))
}

#' @rdname barrier_embedding
#' @export
print.neargp_barrier <- function(x, ...) {
  cat(sprintf("Embedding of %s passable cells of a grid of %d x %d by %d landmarks\n",
    format_count(nrow(x$coordinates)), nrow(x$node), ncol(x$node), length(x$landmark)))
  cat(sprintf("Dimensions: %d, stress %s, %s%% of squared distances\n", ncol(x$coordinates),
    format(x$stress, digits = 2L), format(100 * x$share, digits = 3L)))
  invisible(x)
}
