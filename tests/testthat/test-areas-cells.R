# Points and weights of areas against what polygons are in closed form: their centroids and sizes.

unit_of_shapes <- function() {
  turn <- seq(0, 2 * pi, length.out = 101L)
  circle <- cbind(cos(turn), sin(turn))[c(1:100, 1L), ]
  box <- function(x0, x1, y0, y1) list(cbind(c(x0, x1, x1, x0, x0), c(y0, y0, y1, y1, y0)))
  sf::st_sfc(sf::st_polygon(list(cbind(c(0, 1, 0, 0), c(0, 0, 1, 0)))),
    sf::st_multipolygon(list(box(0, 0.3, 0, 1), box(0.7, 1, 0, 0.2))),
    sf::st_polygon(list(circle, circle[101:1, ] * 0.4 + rep(c(0.3, 0.2), each = 101L))),
    sf::st_polygon(list(rbind(c(0, 0), c(4, 0), c(4, 1), c(0.1, 0.1), c(0.4, 4), c(0, 0)))),
    # an arrow of unequal arms with the rings in the other direction, and far from the origin
    sf::st_polygon(list(cbind(c(5, 5.4, 6, 5.2, 5), c(0, 1, 0.1, 0.2, 0)) + 5e6)))
}

points_of_shapes <- function(geometry, count, longlat = FALSE) {
  boxes <- unbroken_boxes(geometry)
  size <- as.double(sf::st_area(geometry)) / (if (longlat) 1e6 else 1)
  points_in_areas(geometry, boxes, sqrt(size / count), longlat)
}

test_that("points of areas add up to their size, and their mean is the centroid", {
  skip_if_not_installed("sf")
  shapes <- unit_of_shapes()
  for (count in c(1, 16, 300)) {
    points <- points_of_shapes(shapes, count)
    expect_false(is.unsorted(points$area))
    expect_equal(rowsum(points$xy * points$weight, points$area) / drop(rowsum(points$weight,
      points$area)), sf::st_coordinates(sf::st_centroid(shapes)), tolerance = 1e-9,
      ignore_attr = TRUE)
    # a cell is the size by the count, or less where whole ones are over the box
    cells <- vapply(shapes, function(shape) prod(grid_shape(as.double(sf::st_bbox(shape)),
      sqrt(sf::st_area(shape) / count), FALSE)), 0)
    boxes <- polygon_boxes(shapes)
    cell <- (boxes[3L, ] - boxes[1L, ]) * (boxes[4L, ] - boxes[2L, ]) / cells
    expect_equal(drop(rowsum(points$weight, points$area)) * cell, sf::st_area(shapes),
      tolerance = 1e-8, ignore_attr = TRUE)
    inside <- lies_in_own(points$xy, points$area, shapes)
    expect_gt(sum(points$weight[inside]), 0.995 * sum(points$weight))
  }
  parts <- points_of_shapes(shapes[2L], 100)
  expect_equal(sum(parts$weight[parts$xy[, 1L] < 0.5]) / sum(parts$weight), 0.3 / 0.36)
})

test_that("squares have the middles of equal cells", {
  square <- unit_squares(1L)
  points <- points_of_shapes(square, 16)
  expect_identical(points$weight, rep(1, 16L))
  expect_equal(points$xy, as.matrix(expand.grid(1:4, 1:4) - 0.5) / 4, ignore_attr = TRUE)
})

test_extended("on the sphere sizes are those of the sphere, and means of latitudes by them", {
  skip_if_not_installed("sf")
  ring <- rbind(c(5, 40), c(25, 42), c(18, 60), c(5, 40))
  hole <- rbind(c(14, 45), c(17, 45), c(16, 50), c(14, 45))
  shapes <- sf::st_sfc(sf::st_polygon(list(ring)), sf::st_polygon(list(ring, hole)),
    sf::st_multipolygon(list(list(ring), list(rbind(c(60, 70), c(90, 70), c(75, 80), c(60, 70))))),
    crs = 4326)
  points <- points_of_shapes(shapes, 40, longlat = TRUE)
  # the coordinates of the mean direction are those of the centroid on the sphere
  direction <- function(xy) cbind(cospi(xy[, 1L] / 180), sinpi(xy[, 1L] / 180)) *
    cospi(xy[, 2L] / 180)
  fine <- points_of_shapes(shapes, 40000, longlat = TRUE)
  mean_of <- function(points, x) rowsum(x * points$weight, points$area) /
    drop(rowsum(points$weight, points$area))
  expect_equal(mean_of(points, points$xy), mean_of(fine, fine$xy), tolerance = 1e-6)
  expect_equal(mean_of(fine, direction(fine$xy)) / mean_of(points, direction(points$xy)),
    matrix(1, 3L, 2L), tolerance = 2e-3, ignore_attr = TRUE)
  part <- function(points) sum(points$weight[points$area == 3L & points$xy[, 1L] > 40]) /
    sum(points$weight[points$area == 3L])
  sizes <- as.double(sf::st_area(sf::st_cast(shapes[3L], "POLYGON")))
  expect_equal(part(points), sizes[2L] / sum(sizes), tolerance = 1e-5)
})

test_that("a ring around a pole, which is no polygon of the plane, has points all around it", {
  skip_if_not_installed("sf")
  annulus <- sf::st_sfc(sf::st_polygon(list(cbind(c(-170, -50, 70, 170, -170), -70),
    cbind(c(100, -140, -20, 100), -80))), crs = 4326)
  points <- points_of_shapes(annulus, 200, longlat = TRUE)
  expect_true(all(lies_in_own(points$xy, points$area, annulus)))
  expect_gt(length(unique(round(points$xy[, 1L] / 30))), 10L)
})

test_that("the mean over a triangle of a plane is its value at the centroid", {
  skip_if_not_installed("sf")
  places <- expand.grid(x = seq(0, 1, 0.1), y = seq(0, 1, 0.1))
  places$z <- places$x
  fit <- neargp(z ~ 1, places, coords = ~ x + y, method = exact_gp(), nugget = 1e-6,
    covariance = cov_matern(nu = 2.5, variance = 10, range = 2))
  found <- suppressMessages(predict_areas(fit, unit_of_shapes()[1:2]))
  truth <- c(1 / 3, (0.3 * 0.15 + 0.06 * 0.85) / 0.36)
  expect_lt(max(abs(found$mean - truth) / found$sd), 1)
})
