# Areas cut by the cells of a grid: the size and the centroid of the part of each cell in the area.
#
# An edge that goes up adds the region to its right, and one that goes down takes it away. Edges are
# cut at the lines of the grid. Each piece then changes its own cell by the trapezoid to its right,
# and the cells to the right of it by whole strips. Sums of these over all pieces are integrals over
# the area by Green's theorem, for any number of parts and holes. Coordinates are in units of a
# cell, from its middle. In terms of the height dv of a piece at u, v these integrals are:
#
#   Size:      integral of (1/2 - u) dv.
#   Moment u:  integral of (1/4 - u^2) / 2 dv.
#   Moment v:  integral of v (1/2 - u) dv.
#
# On the sphere dv is multiplied by the cosine of the latitude.

# Edges of polygons in the plane of their coordinates, outer rings clockwise and holes the other
# way.
polygon_edges <- function(geometry, longlat) {
  multiple <- suppressWarnings(sf::st_cast(geometry, "MULTIPOLYGON"))
  rings <- as.data.frame(sf::st_coordinates(multiple))
  ring <- cumsum(!duplicated(rings[c("L1", "L2", "L3")]))
  from <- which(diff(ring) == 0)
  edges <- list(area = rings$L3[from], x0 = rings$X[from], y0 = rings$Y[from],
    x1 = rings$X[from + 1L], y1 = rings$Y[from + 1L])
  first <- match(ring[from], ring)
  doubled <- (edges$x0 - rings$X[first]) * (edges$y1 - rings$Y[first]) -
    (edges$x1 - rings$X[first]) * (edges$y0 - rings$Y[first])
  counter <- sums_by_group(doubled, ring[from], max(ring))[ring[from]] > 0
  turned <- counter == (rings$L1[from] == 1L)
  edges <- as.data.frame(edges)
  edges[turned, c("x0", "y0", "x1", "y1")] <- edges[turned, c("x1", "y1", "x0", "y0")]
  if (longlat && sf::sf_use_s2()) along_great_circles(edges) else edges
}

# Splits edges on the sphere into pieces that are straight in longitude and latitude, each of at
# most a tenth of a degree. Meridians and edges along a pole are straight already.
along_great_circles <- function(edges) {
  turn <- abs(edges$x1 - edges$x0)
  straight <- turn >= 180 | pmin(abs(edges$y0), abs(edges$y1)) > 90 - 1e-9
  count <- ifelse(straight, 1L, pmax(1L, ceiling(10 * turn)))
  of <- rep(seq_along(count), count)
  ends <- lapply(c(1L, 0L), function(before) great_circle_points(edges[of, ],
    (sequence(count) - before) / count[of], straight[of]))
  data.frame(area = edges$area[of], x0 = ends[[1L]]$x, y0 = ends[[1L]]$y, x1 = ends[[2L]]$x,
    y1 = ends[[2L]]$y)
}

# The latitude of a great circle is tan(lat) = (tan(lat0) sin(d1) + tan(lat1) sin(d0)) / sin(d0 +
# d1) with the differences d0, d1 in longitude to its ends.
great_circle_points <- function(edges, t, straight) {
  ends <- t >= 1
  x <- ifelse(ends, edges$x1, edges$x0 + t * (edges$x1 - edges$x0))
  y <- ifelse(ends, edges$y1, edges$y0)
  within <- which(t > 0 & !ends & !straight)
  edges <- edges[within, ]
  at <- x[within]
  tangent <- tanpi(edges$y0 / 180) * sinpi((edges$x1 - at) / 180) +
    tanpi(edges$y1 / 180) * sinpi((at - edges$x0) / 180)
  y[within] <- atan(tangent / sinpi((edges$x1 - edges$x0) / 180)) * 180 / pi
  list(x = x, y = y)
}

# Great circles between points of a parallel are nearer to the pole.
boxes_of_edges <- function(boxes, edges) {
  ends <- vapply(split(c(edges$y0, edges$y1), rep(edges$area, 2L)), range, double(2L))
  boxes[2L, ] <- pmin(boxes[2L, ], ends[1L, ])
  boxes[4L, ] <- pmax(boxes[4L, ], ends[2L, ])
  boxes
}

# Grids over boxes: a row each of its `area`, its box, the number of its `columns` and `rows`, and
# the `scale` of its cells.
grids_over <- function(area, boxes, shape, scale) {
  data.frame(area, left = boxes[1L, ], bottom = boxes[2L, ], width = boxes[3L, ] - boxes[1L, ],
    height = boxes[4L, ] - boxes[2L, ], columns = shape[1L, ], rows = shape[2L, ], scale)
}

middles_of_cells <- function(grids) {
  count <- grids$columns * grids$rows
  own <- grids[rep(seq_along(count), count), ]
  number <- sequence(count) - 1
  y <- own$bottom + (number %/% own$columns + 0.5) * own$height / own$rows
  data.frame(area = own$area, x = own$left + (number %% own$columns + 0.5) * own$width /
    own$columns, y, share = cospi(y / 180))
}

# Grids of four over cells of others.
quarters_of <- function(cells, grids) {
  own <- grids[cells$grid, ]
  left <- own$left + cells$column * own$width / own$columns
  bottom <- own$bottom + cells$row * own$height / own$rows
  boxes <- rbind(left, bottom, left + own$width / own$columns, bottom + own$height / own$rows)
  grids_over(cells$area, boxes, matrix(2, 2L, nrow(cells)), own$scale / 4)
}

# The cells that overlap the area of their grid, by rows of each grid. `x` and `y` are the centroid
# of the part in the area. `share` is this part of a cell times the grid's scale, and `whole` says
# whether it is the whole cell.
cells_in_areas <- function(edges, grids, longlat) {
  count <- grids$columns * grids$rows
  grid <- rep(seq_along(count), count)
  number <- sequence(count) - 1
  cells <- data.frame(grid, column = number %% grids$columns[grid],
    row = number %/% grids$columns[grid])
  pieces <- cut_edges(edges, grids)
  at <- cumsum(c(0, count))[pieces$grid] + pieces$row * grids$columns[pieces$grid] +
    pieces$column + 1
  sums <- piece_integrals(pieces, grids[pieces$grid, ], longlat)
  own <- pieces$column >= 0
  right <- pieces$column + 1 < grids$columns[pieces$grid]
  in_cells <- function(x, y) {
    begun <- cumsum(sums_by_group(y[right], at[right] + 1, nrow(cells)))
    sums_by_group(x[own], at[own], nrow(cells)) + begun -
      c(0, begun)[seq_along(begun) - cells$column]
  }
  cells$size <- in_cells(sums$size, sums$height)
  cells$u <- in_cells(sums$u, 0 * sums$height) / cells$size
  cells$v <- in_cells(sums$v, sums$level) / cells$size
  centroids_of_cells(cells, grids[grid, ], longlat)
}

# The parts without those that are nothing but rounding. `own`: the grid of each cell.
centroids_of_cells <- function(cells, own, longlat) {
  whole <- piece_integrals(data.frame(row = cells$row, u0 = -0.5, u1 = -0.5, v0 = -0.5, v1 = 0.5),
    own, longlat)
  cells$whole <- abs(cells$size - whole$size) < 1e-9 * whole$size
  cells[cells$whole, c("u", "v", "size")] <- data.frame(0, whole$v / whole$size,
    whole$size)[cells$whole, ]
  kept <- cells$size > 1e-9 * stats::ave(cells$size, own$area, FUN = max) & cells$size > 0
  data.frame(cells[c("grid", "column", "row", "whole")], area = own$area,
    x = own$left + (cells$column + 0.5 + cells$u) * own$width / own$columns,
    y = own$bottom + (cells$row + 0.5 + cells$v) * own$height / own$rows,
    share = cells$size * own$scale)[kept, ]
}

# Edges cut at the lines of the grids of their areas, in units of a cell from its middle, `column`
# -1 for those to the left of the grid. Edges to its right, above or below change nothing.
cut_edges <- function(edges, grids) {
  pairs <- pairs_of_groups(edges$area, grids$area)
  edge <- edges[pairs$first, ]
  grid <- grids[pairs$second, ]
  u <- cbind(edge$x0 - grid$left, edge$x1 - grid$left) * grid$columns / grid$width
  v <- cbind(edge$y0 - grid$bottom, edge$y1 - grid$bottom) * grid$rows / grid$height
  near <- v[, 1L] != v[, 2L] & pmin(v[, 1L], v[, 2L]) < grid$rows & pmax(v[, 1L], v[, 2L]) > 0 &
    pmin(u[, 1L], u[, 2L]) < grid$columns
  u <- u[near, , drop = FALSE]
  v <- v[near, , drop = FALSE]
  cuts <- rbind(data.frame(edge = rep(seq_len(nrow(u)), 2L), t = rep(0:1, each = nrow(u))),
    crossings(u, grid$columns[near]), crossings(v, grid$rows[near]))
  cuts <- cuts[order(cuts$edge, cuts$t), ]
  last <- nrow(cuts)
  own <- cuts$edge[-last]
  kept <- which(own == cuts$edge[-1L] & cuts$t[-last] < cuts$t[-1L])
  own <- own[kept]
  at <- function(x, t) x[own, 1L] + t * (x[own, 2L] - x[own, 1L])
  from <- cuts$t[kept]
  to <- cuts$t[kept + 1L]
  middle <- (from + to) / 2
  column <- pmax(floor(at(u, middle)), -1)
  row <- floor(at(v, middle))
  number <- pairs$second[near][own]
  inside <- row >= 0 & row < grids$rows[number] & column < grids$columns[number]
  data.frame(grid = number, column, row, u0 = at(u, from) - column - 0.5,
    u1 = at(u, to) - column - 0.5, v0 = at(v, from) - row - 0.5,
    v1 = at(v, to) - row - 0.5)[inside, ]
}

# Where edges between the two columns of `x` meet the whole numbers 0, 1, ..., `most` of each.
crossings <- function(x, most) {
  first <- pmax(ceiling(pmin(x[, 1L], x[, 2L])), 0)
  count <- pmax(pmin(floor(pmax(x[, 1L], x[, 2L])), most) - first + 1, 0)
  count[x[, 1L] == x[, 2L]] <- 0
  edge <- rep(seq_along(count), count)
  line <- sequence(count, first)
  data.frame(edge, t = pmin(pmax((line - x[edge, 1L]) / (x[edge, 2L] - x[edge, 1L]), 0), 1))
}

# All pairs of elements of two vectors of groups that are in the same group.
pairs_of_groups <- function(first, second) {
  of_group <- split(seq_along(second), factor(second, unique(first)))[as.character(first)]
  list(first = rep(seq_along(first), lengths(of_group)), second = unlist(of_group, FALSE, FALSE))
}

# The integrals above, by three nodes of Gauss and Legendre, and `height` and `level`, those of 1
# and v over the height. `own`: the grid of each piece.
piece_integrals <- function(pieces, own, longlat) {
  result <- list(height = 0, level = 0, size = 0, u = 0, v = 0)
  for (node in 1:3) {
    t <- 0.5 + c(-1, 0, 1)[node] * sqrt(0.15)
    u <- pieces$u0 + t * (pieces$u1 - pieces$u0)
    v <- pieces$v0 + t * (pieces$v1 - pieces$v0)
    dv <- c(5, 8, 5)[node] / 18 * (pieces$v1 - pieces$v0)
    if (longlat) {
      dv <- dv * cospi((own$bottom + (pieces$row + 0.5 + v) * own$height / own$rows) / 180)
    }
    result <- Map(`+`, result, list(dv, dv * v, dv * (0.5 - u), dv * (0.25 - u^2) / 2,
      dv * v * (0.5 - u)))
  }
  result
}
