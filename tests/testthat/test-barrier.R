# A square of 2 x 2 in cells of 0.1, with a wall at x = 1 that is open at the top.
walled_grid <- function(open_to = 1.7, wall = TRUE) {
  centers <- seq(0.05, 1.95, 0.1)
  z <- matrix(TRUE, 20, 20)
  if (wall) z[10, centers < open_to] <- FALSE
  list(x = centers, y = centers, z = z)
}

test_extended("without a barrier distances are Euclidean", {
  skip_if_not_installed("igraph")
  embedding <- barrier_embedding(walled_grid(wall = FALSE), dimensions = 2, landmarks = 30)
  expect_lt(embedding$stress, 0.01)
  d <- withr::with_seed(1, data.frame(x = runif(40, 0, 2), y = runif(40, 0, 2)))
  given <- dist(barrier_coordinates(d, embedding, ~ x + y)[c("b1", "b2")])
  ratio <- as.vector(given / dist(d))[as.vector(dist(d)) > 0.3]
  expect_lt(max(abs(ratio - 1)), 0.03)
  expect_lt(abs(mean(ratio) - 1), 0.01)
})

test_that("paths go around a barrier, and nowhere through it", {
  skip_if_not_installed("igraph")
  grid <- with_nodes(walled_grid(), walled_grid()$z)
  graph <- grid_graph(grid)
  along <- function(a, b) drop(igraph::distances(graph, grid$node[a], grid$node[b]))
  # around the corners of the closed cells, which paths keep half a cell away from
  a <- cbind(5, 5)
  b <- cbind(15, 5)
  corner <- sqrt(4^2 + 13^2) + sqrt(4^2 + 13^2) + 2
  expect_equal(along(a, b), corner * 0.1, tolerance = 0.014)
  # a wall without an opening, and a chain of cells that touch at corners only
  closed <- walled_grid(open_to = 3)
  expect_equal(igraph::components(grid_graph(with_nodes(closed, closed$z)))$no, 2)
  diagonal <- with_nodes(list(x = 1:4, y = 1:4), row(diag(4)) != col(diag(4)))
  expect_equal(igraph::components(grid_graph(diagonal))$no, 2)
})

test_that("what cannot be reached from the largest part is barrier", {
  skip_if_not_installed("igraph")
  parted <- walled_grid(open_to = 3)
  part <- largest_part(passable_grid(parted))
  parted$z[1:9, ] <- FALSE
  alone <- passable_grid(parted)
  expect_identical(part$grid$node, alone$node)
  expect_identical(igraph::distances(part$graph), igraph::distances(grid_graph(alone)))
})

test_that("without barriers paths are longer by what the angle between steps says", {
  skip_if_not_installed("igraph")
  for (width in c(1, 2)) {
    grid <- passable_grid(list(x = 0:12, y = width * 0:12, z = matrix(TRUE, 13, 13)))
    path <- igraph::distances(grid_graph(grid), 1)[-1L]
    to <- expand.grid(i = 0:12, j = 0:12)[-1L, ]
    stretch <- path / sqrt(to$i^2 + (width * to$j)^2)
    steps <- barrier_steps()
    angles <- sort(atan2(width * steps$j, steps$i))
    bound <- 1 / cos(max(diff(angles)) / 2)
    expect_gte(min(stretch), 1 - 1e-14)
    expect_lte(max(stretch), bound)
    expect_gt(max(stretch), 1 + 0.95 * (bound - 1))
  }
})

test_extended("across a wall places are as far as around it", {
  skip_if_not_installed("igraph")
  embedding <- barrier_embedding(walled_grid(), dimensions = 4, landmarks = 40)
  expect_lt(embedding$stress, 0.15)
  d <- data.frame(x = c(0.75, 1.15, 0.75), y = c(0.3, 0.3, 0.7))
  given <- as.matrix(dist(barrier_coordinates(d, embedding, c("x", "y"))[paste0("b", 1:4)]))
  expect_gt(given[1, 2], 4 * 0.4)
  expect_lt(abs(given[1, 3] - 0.4), 0.1)
  fewer <- barrier_embedding(walled_grid(), dimensions = 1, landmarks = 40)
  expect_gt(fewer$stress, embedding$stress)
  expect_output(print(embedding), "Dimensions: 4, stress 0")
})

# In landmark scaling landmarks are where classical scaling puts them.
test_that("all cells as landmarks are classical scaling", {
  skip_if_not_installed("igraph")
  small <- list(x = 1:6, y = 1:5, z = matrix(TRUE, 6, 5))
  small$z[3, 1:3] <- NA
  embedding <- barrier_embedding(small, dimensions = 2, landmarks = 27)
  graph <- grid_graph(passable_grid(small))
  D <- igraph::distances(graph)
  reference <- cmdscale(D, k = 2, eig = TRUE)
  expect_equal(as.vector(dist(embedding$coordinates)), as.vector(dist(reference$points)))
  straight <- as.matrix(dist(reference$points))
  expect_equal(embedding$stress, sqrt(sum((straight - D)^2) / sum(D^2)))
  centers <- expand.grid(x = 1:6, y = 1:5)[as.vector(!is.na(small$z)), ]
  at <- barrier_coordinates(centers, embedding, ~ x + y)
  expect_equal(unname(as.matrix(at[c("b1", "b2")])), unname(embedding$coordinates))
})

test_that("places in barriers and outside are told or refused", {
  skip_if_not_installed("igraph")
  embedding <- barrier_embedding(walled_grid(), landmarks = 10)
  at_wall <- data.frame(x = c(0.3, 0.97, NA), y = 0.5)
  expect_message(given <- barrier_coordinates(at_wall, embedding, ~ x + y), "row 2",
    class = "neargp_message_barrier")
  near <- barrier_coordinates(data.frame(x = 1.05, y = 0.55), embedding, ~ x + y)
  expect_equal(given$b1[2L], near$b1[1L], tolerance = 0.2)
  expect_true(all(is.na(given[3L, c("b1", "b2", "b3")])))
  expect_error(barrier_coordinates(at_wall, embedding, ~ x + y, snap = 0), "row 2",
    class = "neargp_error_barrier")
  expect_error(barrier_coordinates(data.frame(x = 5, y = 0), embedding, ~ x + y), "row 1",
    class = "neargp_error_barrier")
  expect_error(barrier_coordinates(cbind(at_wall, b1 = 1), embedding, ~ x + y), "b1",
    class = "neargp_error_columns")
  expect_error(barrier_coordinates(at_wall, embedding), class = "neargp_error_argument")
  expect_error(barrier_coordinates(at_wall, embedding, ~ x + q), class = "neargp_error_columns")
  expect_error(barrier_embedding(list(x = 1:2, y = 1:2, z = diag(3))),
    class = "neargp_error_argument")
  expect_error(barrier_embedding(list(x = 1:2, y = 1:2, z = matrix(NA, 2, 2))),
    class = "neargp_error_barrier")
})

test_that("the nearest passable cell is nearest by its distance, not by the number of cells", {
  skip_if_not_installed("igraph")
  flat <- list(x = 10 * 1:8, y = 1:12, z = matrix(1, 8, 12))
  flat$z[4:5, 4:9] <- NA
  embedding <- barrier_embedding(flat, landmarks = 20)
  place <- suppressMessages(barrier_coordinates(data.frame(x = 40, y = 8), embedding, ~ x + y,
    snap = 3))
  expect_identical(place$b1,
    barrier_coordinates(data.frame(x = 40, y = 10), embedding, ~ x + y)$b1)
})

test_extended("the nearest passable cells are those of a search through all", {
  node <- matrix(NA_integer_, 15, 11)
  open <- withr::with_seed(2, sample(length(node), 12))
  node[sort(open)] <- seq_along(open)
  cells <- which(!is.na(node), arr.ind = TRUE)
  at <- which(is.na(node), arr.ind = TRUE)
  off <- withr::with_seed(3, matrix(runif(2 * nrow(at), -0.5, 0.5), ncol = 2))
  off[1:70, ] <- 0
  for (widths in list(c(1, 1), c(5, 1))) for (snap in c(0L, 1L, 4L, 20L)) {
    wanted <- vapply(seq_len(nrow(at)), function(row) {
      steps <- abs(sweep(cells, 2, at[row, ]))
      squared <- colSums((widths * (t(cells) - (at + off)[row, ]))^2)
      squared[pmax(steps[, 1], steps[, 2]) > snap] <- Inf
      if (all(squared == Inf)) NA_integer_ else which.min(squared)
    }, 1L)
    expect_identical(nearest_nodes(at + off, at, node, widths, snap), wanted)
  }
})

test_extended("rasters are grids, and sf points have their CRS", {
  skip_if_not_installed("igraph")
  skip_if_not_installed("terra")
  skip_if_not_installed("sf")
  raster <- terra::rast(nrows = 8, ncols = 10, xmin = 0, xmax = 10, ymin = 0, ymax = 8,
    crs = "EPSG:32633", vals = 1)
  raster[2, 3] <- NA
  grid <- passable_grid(raster)
  expect_identical(which(is.na(grid$node), arr.ind = TRUE), cbind(row = 3L, col = 7L))
  expect_identical(passable_grid(!is.na(raster))$node, grid$node)
  embedding <- barrier_embedding(raster, landmarks = 10)
  points <- sf::st_as_sf(data.frame(x = 1:3 + 0.2, y = 4.3, v = 1), coords = c("x", "y"),
    crs = 32633)
  plain <- barrier_coordinates(cbind(v = 1, as.data.frame(sf::st_coordinates(points))), embedding,
    ~ X + Y)
  expect_equal(barrier_coordinates(points, embedding), plain[c("v", "b1", "b2", "b3")],
    ignore_attr = TRUE)
  expect_error(barrier_coordinates(sf::st_transform(points, 3857), embedding),
    class = "neargp_error_crs")
  terra::crs(raster) <- "EPSG:4326"
  expect_error(barrier_embedding(raster), class = "neargp_error_crs")
})
