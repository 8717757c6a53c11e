pattern <- function(n = 60, seed = 71) {
  set.seed(seed)
  data.frame(x = 2 * rbeta(n, 1, 2), y = runif(n))
}
box <- c(xmin = 0, xmax = 2, ymin = 0, ymax = 1)

test_that("counts and areas of a rectangle are those of each point and cell", {
  points <- pattern()
  cells <- point_pattern_data(points, box, cells = 50)
  expect_identical(dim(cells), c(50L, 4L))
  expect_equal(cells$area, rep(2 / 50, 50))
  by_hand <- vapply(seq_len(50), function(i) sum(abs(points$x - cells$x[i]) < 0.1 &
    abs(points$y - cells$y[i]) < 0.1), 0L)
  expect_identical(cells$count, by_hand)
  # the side of the cells does not divide the window, and cells at its edge are partly in it
  uneven <- point_pattern_data(points, box[c(3, 1, 4, 2)], spacing = 0.3)
  expect_equal(sum(uneven$area), 2)
  expect_identical(sum(uneven$count), 60L)
  expect_equal(max(uneven$area), 0.09)
  corners <- data.frame(x = c(0, 2, 0, 2, 1), y = c(0, 0, 1, 1, 0.5))
  expect_identical(sum(point_pattern_data(corners, box, cells = 18)$count), 5L)
})

test_extended("a polygon's cells have the area that is in it", {
  skip_if_not_installed("sf")
  corners <- rbind(c(0, 0), c(2, 0), c(0, 1), c(0, 0))
  triangle <- sf::st_sfc(sf::st_polygon(list(corners)), crs = 3035)
  points <- subset(pattern(), y < 1 - x / 2)
  points <- sf::st_as_sf(points, coords = c("x", "y"), crs = 3035)
  cells <- point_pattern_data(points, triangle, cells = 200)
  expect_equal(sum(cells$area), 1)
  expect_identical(sum(cells$count), nrow(points))
  at <- sf::st_coordinates(cells)
  # the height of a cell below the hypotenuse, on average over its width
  below <- function(x, y) 0.1 * mean(pmin(pmax(1 - (x + (1:999 / 1000 - 0.5) * 0.1) / 2 - y + 0.05,
    0), 0.1))
  expect_equal(cells$area, unname(mapply(below, at[, 1], at[, 2])), tolerance = 1e-4)
  expect_identical(sf::st_crs(cells), sf::st_crs(points))
})

test_that("the fit is the dense posterior of counts with the areas as exposure", {
  cells <- point_pattern_data(pattern(), box, cells = 32)
  cells <- cells[-c(3, 20), ]
  cells$area <- cells$area * seq(0.5, 1.5, length.out = 30)
  fit <- neargp(count ~ 0 + offset(log(area)), cells, coords = ~ x + y, family = poisson(),
    method = vnngp(k = 29, posterior = "laplace", jitter = 1e-10),
    covariance = cov_exponential(variance = 1.5, range = 0.7))
  K <- 1.5 * exp(-as.matrix(dist(cells[c("x", "y")])) / 0.7)
  K <- unname(K)
  f <- rep(0, 30)
  for (step in 1:50) {
    intensity <- cells$area * exp(f)
    # Newton's step of sum(count f - area exp(f)) - f' K^-1 f / 2
    f <- drop(K %*% solve(diag(30) + intensity * K, cells$count - intensity + intensity * f))
  }
  intensity <- cells$area * exp(f)
  variance <- diag(solve(solve(K) + diag(intensity)))
  predicted <- predict(fit, transform(cells, area = 1), type = "link")
  expect_equal(predicted$mean, f, tolerance = 1e-5)
  expect_equal(predicted$sd^2, variance, tolerance = 1e-4)
  # the intensity of a unit of area, log-normal
  per_area <- predict(fit, transform(cells, area = 1))$mean
  expect_equal(per_area, exp(f + variance / 2), tolerance = 1e-4)
})

test_extended("finer cells change the intensity by far less than its standard deviation", {
  set.seed(72)
  trees <- cbind(x = runif(15), y = runif(15))
  points <- trees[sample(15, 400, TRUE), ] + rnorm(800, sd = 0.08)
  points <- points[rowSums(points > 0 & points < 1) == 2, ]
  intensity <- function(cells) {
    counts <- point_pattern_data(points, c(xmin = 0, xmax = 1, ymin = 0, ymax = 1), cells)
    fit <- neargp(count ~ 1 + offset(log(area)), counts, coords = ~ x + y, family = poisson(),
      method = vnngp(k = 10), covariance = cov_matern(nu = 1.5))
    predict(fit, expand.grid(x = 1:5 / 6, y = 1:5 / 6, area = 1))
  }
  coarse <- intensity(400)
  fine <- intensity(900)
  expect_lt(max(abs(coarse$mean - fine$mean) / fine$sd), 0.5)
})

test_that("layers of a raster are covariates at the centres", {
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 10, ncols = 20, xmin = 0, xmax = 2, ymin = 0, ymax = 1, crs = "")
  xy <- terra::xyFromCell(raster, 1:200)
  terra::values(raster) <- xy[, 1] + 10 * xy[, 2]
  names(raster) <- "slope"
  cells <- point_pattern_data(pattern(), box, cells = 200, covariates = raster)
  expect_equal(cells$slope, cells$x + 10 * cells$y)
  names(raster) <- "area"
  expect_error(point_pattern_data(pattern(), box, covariates = raster), "`area`",
    class = "neargp_error_argument")
})

test_extended("what is no window, or not in it, is a classed error", {
  points <- pattern()
  for (wrong in list(c(0, 1, 0, 1), box[1:3], "all", c(xmin = 0, xmax = 0, ymin = 0, ymax = 1))) {
    expect_error(point_pattern_data(points, wrong), class = "neargp_error_window")
  }
  expect_error(point_pattern_data(points, replace(box, "ymax", 0.5)), "outside of `window`",
    class = "neargp_error_window")
  expect_error(point_pattern_data(points, box, spacing = 1e-9), "too many",
    class = "neargp_error_argument")
  expect_error(point_pattern_data(cbind(points, 1), box), "two coordinates",
    class = "neargp_error_coordinates")
  skip_if_not_installed("sf")
  degrees <- sf::st_as_sf(points, coords = c("x", "y"), crs = 4326)
  expect_error(point_pattern_data(degrees, sf::st_bbox(degrees)), "differ in size",
    class = "neargp_error_crs")
  planar <- sf::st_as_sf(points, coords = c("x", "y"), crs = 3035)
  square <- sf::st_as_sfc(sf::st_bbox(planar))
  expect_error(point_pattern_data(planar, sf::st_as_sfc(sf::st_bbox(planar), crs = 3857) |>
    sf::st_transform(3857)), "unlike",
    class = "neargp_error_crs")
  expect_error(point_pattern_data(points, square), class = "neargp_error_window")
})
