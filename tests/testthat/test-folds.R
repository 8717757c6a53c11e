uniform_points <- function(n = 1000, seed = 5) {
  set.seed(seed)
  cbind(x = runif(n, 0, 10), y = runif(n, 0, 5))
}

test_that("random folds are balanced and follow the seed", {
  set.seed(1)
  a <- random_folds(103, v = 10)
  set.seed(1)
  expect_identical(a, random_folds(103, v = 10))
  expect_identical(sort(unique(as.integer(a))), 1:10)
  expect_lte(diff(range(tabulate(a))), 1)
  expect_false(identical(as.integer(a), as.integer(random_folds(103, v = 10))))
  expect_length(random_folds(data.frame(a = 1:12), v = 3), 12)
})

test_that("square blocks stay whole, are as large as asked and are dealt evenly", {
  points <- uniform_points()
  folds <- block_folds(points, v = 5, size = 1)
  block <- attr(folds, "block")
  expect_true(all(tapply(folds, block, function(fold) length(unique(fold))) == 1))
  extent <- apply(points, 2, function(x) max(tapply(x, block, function(u) diff(range(u)))))
  expect_true(all(extent <= 1))
  expect_gt(max(extent), 0.8)
  expect_true(all(abs(tabulate(folds, 5) / 200 - 1) < 0.25))
})

test_that("blocks of unequal size are balanced, largest first", {
  block <- rep(1:6, c(300, 20, 100, 100, 60, 20))
  for (seed in 1:5) {
    set.seed(seed)
    expect_equal(tabulate(deal_blocks(block, 2)), c(300, 300))
  }
  set.seed(1)
  equal <- replicate(20, paste(deal_blocks(1:6, 3), collapse = ""))
  expect_gt(length(unique(equal)), 5)
})

test_that("the default size gives several blocks for each fold", {
  folds <- block_folds(uniform_points(), v = 5)
  expect_gt(max(attr(folds, "block")), 15)
  expect_lt(max(attr(folds, "block")), 60)
})

test_that("blocks follow the seed", {
  points <- uniform_points()
  set.seed(2)
  a <- block_folds(points, v = 4, size = 1)
  set.seed(2)
  expect_identical(a, block_folds(points, v = 4, size = 1))
})

test_that("k-means blocks are whole and compact", {
  points <- uniform_points()
  folds <- block_folds(points, v = 5, method = "kmeans", blocks = 20)
  block <- attr(folds, "block")
  expect_true(all(tapply(folds, block, function(fold) length(unique(fold))) == 1))
  within <- sum(tapply(points[, 1], block, function(x) sum((x - mean(x))^2)))
  expect_lt(within, 0.1 * sum((points[, 1] - mean(points[, 1]))^2))
})

test_that("blocks of longitude and latitude are kilometres wide, across the date line too", {
  set.seed(3)
  lonlat <- cbind(lon = runif(2000, 178, 182), lat = runif(2000, 58, 62))
  lonlat[, 1] <- ifelse(lonlat[, 1] > 180, lonlat[, 1] - 360, lonlat[, 1])
  folds <- block_folds(lonlat, v = 3, size = 50, longlat = TRUE)
  block <- attr(folds, "block")
  embedded <- core_embed_longlat(lonlat)
  diameter <- max(tapply(seq_along(block), block,
    function(rows) max(dist(embedded[rows, , drop = FALSE]))))
  expect_lt(diameter, 50 * sqrt(2) * 1.1)
  expect_gt(diameter, 50)
})

test_that("sf points are understood, other geometries refused", {
  skip_if_not_installed("sf")
  points <- uniform_points(200)
  set.seed(4)
  plain <- block_folds(points, v = 4, size = 1)
  set.seed(4)
  spatial <- block_folds(sf::st_as_sf(as.data.frame(points), coords = c("x", "y")), v = 4, size = 1)
  expect_identical(as.integer(spatial), as.integer(plain))
  line <- sf::st_sfc(sf::st_linestring(points))
  expect_error(block_folds(line, v = 2), "must have POINT", class = "neargp_error_geometry")
})

test_that("one coordinate is cut into segments", {
  folds <- block_folds(cbind(1:100), v = 4, size = 10)
  segments <- rle(attr(folds, "block"))
  expect_identical(segments$values, seq_along(segments$values))
  expect_true(all(segments$lengths[-c(1L, length(segments$lengths))] == 10L))
  expect_true(all(segments$lengths <= 10L))
  expect_true(all(tapply(folds, attr(folds, "block"), function(fold) length(unique(fold))) == 1L))
})

test_that("impossible folds are refused with the reason", {
  points <- uniform_points(100)
  expect_error(random_folds(5, v = 6), "`v` is 6; there are 5 rows", class = "neargp_error_folds")
  expect_error(random_folds(5, v = 1), "between 2", class = "neargp_error_folds")
  expect_error(block_folds(points, v = 10, size = 8), "blocks.*`size` below",
    class = "neargp_error_folds")
  expect_error(block_folds(points, v = 2, size = -1), "`size`", class = "neargp_error_argument")
  expect_error(block_folds(points, v = 2, buffer = -1), "`buffer`", class = "neargp_error_argument")
  expect_error(block_folds(rbind(points, c(NA, 1)), v = 2), "row 101",
    class = "neargp_error_coordinates")
  expect_error(block_folds(matrix("a", 5, 2), v = 2), "finite numbers",
    class = "neargp_error_coordinates")
  expect_error(block_folds(cbind(1:5, 95), v = 2, longlat = TRUE), "not longitude and latitude",
    class = "neargp_error_coordinates")
  expect_error(block_folds(matrix(1, 5, 2), v = 2), "the same", class = "neargp_error_folds")
})

test_that("print says what the folds are", {
  expect_output(print(random_folds(103, v = 10)), "10 folds of 103 rows: random")
  expect_output(print(block_folds(uniform_points(), v = 5, size = 1, buffer = 0.5)),
    "square blocks of side 1, buffer 0.5")
})

test_that("a number in the place of the data is reported as that", {
  expect_error(random_folds(5), "random_folds(data, v = 5)", fixed = TRUE,
    class = "neargp_error_folds")
  expect_error(block_folds(5), "block_folds(locations, v = 5)", fixed = TRUE,
    class = "neargp_error_argument")
  expect_error(block_folds(data.frame(x = 1:9, g = letters[1:9]), 3), "but g is of class character",
    class = "neargp_error_coordinates")
})

test_that("what has no places or rows is refused", {
  for (locations in list(NULL, mean, new.env(), ~x, "a", list(1))) {
    expect_error(block_folds(locations, v = 2), "Locations must be",
      class = "neargp_error_coordinates")
  }
  for (n in list(NA_real_, -2, 1.5, Inf)) expect_error(random_folds(n, v = 3), "`n` must be",
    class = "neargp_error_argument")
  expect_error(block_folds(cbind(1:9, 1:9), v = 2, longlat = NA), "`longlat`",
    class = "neargp_error_argument")
})
