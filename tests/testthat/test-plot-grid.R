test_that("the map grid is square, of the size asked, and inside the hull of the data", {
  fit <- plotted_fit()
  grid <- map_grid(fit, cells = 2000)
  found <- as_grid(grid[, 1], grid[, 2])
  expect_equal(found$step[1], found$step[2], tolerance = 1e-6)
  expect_lt(nrow(grid), 2100)
  expect_gt(nrow(grid), 1200)
  expect_true(all(inside_hull(fit$data$coords, fit$data$coords, margin = 1.001)))
  expect_equal(inside_hull(rbind(c(0.5, 0.5), c(2, 0.5), c(-0.1, 0.1)), cbind(c(0, 1, 1, 0), c(0, 0, 1, 1)), 1), c(TRUE, FALSE, FALSE))
})

test_that("data on a lattice are mapped on that lattice", {
  lattice <- as.matrix(expand.grid(seq(0, 3, 0.25), seq(0, 2, 0.5)))
  some <- lattice[-c(2, 9, 30), ]
  expect_equal(unname(data_lattice(some, 1000)), unname(lattice))
  expect_equal(sort(unique(data_lattice(some, 16)[, 1])), seq(0, 3, 0.5))
  expect_null(data_lattice(cbind(sqrt(1:9), exp((1:9) / 3)), 100))
})

test_that("original coordinates are those that were given", {
  set.seed(52)
  lonlat <- data.frame(lon = runif(60, 178, 182), lat = runif(60, -40, -36), z = rnorm(60))
  fit <- neargp(z ~ 1, lonlat, coords = ~ lon + lat, distance = "chordal", method = vecchia(k = 5))
  found <- original_coords(fit)
  expect_lt(max(abs((found[, "lon"] - lonlat$lon + 180) %% 360 - 180)), 1e-9)
  expect_lt(max(abs(found[, "lat"] - lonlat$lat)), 1e-9)
  # In one piece across the date line.
  expect_lt(diff(range(found[, "lon"])), 4)
  expect_true(is_longlat_fit(fit))
  planar <- plotted_fit()
  expect_equal(colnames(original_coords(planar)), c("x", "y"))
  expect_false(is_longlat_fit(planar))
})
