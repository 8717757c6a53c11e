test_that("the map grid is square, of the size asked, and inside the hull of the data", {
  fit <- plotted_fit()
  grid <- map_grid(fit, cells = 2000)
  found <- as_grid(grid[, 1], grid[, 2])
  expect_equal(found$step[1], found$step[2], tolerance = 1e-6)
  expect_lt(nrow(grid), 2100)
  expect_gt(nrow(grid), 1200)
  expect_true(all(inside_hull(fit$data$coords, fit$data$coords, margin = 1.001)))
  expect_equal(inside_hull(rbind(c(0.5, 0.5), c(2, 0.5), c(-0.1, 0.1)),
    cbind(c(0, 1, 1, 0), c(0, 0, 1, 1)), 1), c(TRUE, FALSE, FALSE))
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

test_that("projected coordinates that are called long and lat are not degrees", {
  data <- data.frame(long = c(3e5, 4e5, 5e5), lat = c(4e6, 5e6, 5.1e6))
  expect_false(named_degrees(data))
  expect_true(named_degrees(data.frame(long = 7:9, lat = 50:52, z = 1)))
  expect_true(named_degrees(cbind(Latitude = c(50, 60), Longitude = c(-170, 300))))
  expect_false(named_degrees(data.frame(lon = 0, lat = 100)))
  expect_false(named_degrees(data.frame(lon = 0)))
  expect_false(named_degrees(matrix(0, 2, 2)))
  data <- data.frame(long = runif(60) * 1e5, lat = runif(60) * 8e5, z = rnorm(60))
  fit <- neargp(z ~ 1, data, coords = ~ long + lat, method = vecchia(k = 5))
  expect_false(is_longlat_fit(fit))
  expect_drawn(plot(fit, which = "map", cells = 100))
})

test_extended("the title of a map has the time as it was given", {
  data <- data.frame(x = runif(40), y = runif(40), z = rnorm(40), day = as.Date("2020-03-01") +
    1:40)
  fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, time = ~ day,
    method = vecchia(k = 5)))
  expect_match(map_predictions(fit, NULL, 20, NULL)$title, "at day = 2020-04-10", fixed = TRUE)
  data$day <- as.POSIXct("2020-03-01 12:00", tz = "Pacific/Auckland") + 3600 * (1:40)
  fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, time = ~ day,
    method = vecchia(k = 5)))
  expect_match(map_predictions(fit, NULL, 20, as.POSIXct("2020-03-02", tz = "UTC"))$title,
    "at day = 2020-03-02 13:00:00", fixed = TRUE)
})

test_extended("data along a line have a map, whatever their scale", {
  set.seed(3)
  u <- runif(60)
  for (data in list(data.frame(x = u, y = 0.5), data.frame(x = u, y = 3 * u),
      data.frame(x = 1e-100 * u, y = 1e8 + u))) {
    data$z <- sin(6 * u) + rnorm(60, sd = 0.1)
    fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 5))
    expect_gt(nrow(map_grid(fit, 400)), 10)
    expect_drawn(plot(fit, which = "map", cells = 400))
  }
})

test_that("the number of cells is a number", {
  fit <- plotted_fit()
  for (cells in list("a", list(1), 2^30)) expect_error(plot(fit, which = "map", cells = cells),
    "`cells`", class = "neargp_error_argument")
})

test_that("maps of the world are cut at the date line, others where there are no data", {
  set.seed(12)
  world <- runif(500, -180, 180)
  expect_identical(joined_longitude(world), world)
  expect_identical(joined_longitude(c(world %% 360, NA)), c(world %% 360, NA))
  # Half of the data around 20 E: their mean direction says nothing of where a map ends.
  lonlat <- data.frame(lon = c(world[1:40], rnorm(40, 20)), lat = runif(80, -60, 60), z = rnorm(80))
  fit <- suppressWarnings(neargp(z ~ 1, lonlat, coords = ~ lon + lat, distance = "chordal",
    method = vecchia(k = 5)))
  expect_equal(unname(original_coords(fit)[, "lon"]), lonlat$lon, tolerance = 1e-9)
  fiji <- c(177, 179.5, -179, -178)
  expect_equal(joined_longitude(fiji), c(177, 179.5, 181, 182))
  expect_equal(map_place(data.frame(lon = fiji, lat = -17, mean = 1), NULL, NULL)$x,
    c(177, 179.5, 181, 182))
  expect_equal(turned_longitude(c(180 - 1e-12, -180, 360), -180), c(-180, -180, 0))
})

test_that("cells of a lattice outside the hull of the data are not on the map", {
  lattice <- expand.grid(x = 1:20, y = 1:20)
  data <- lattice[lattice$x + lattice$y <= 21, ]
  data$z <- rnorm(nrow(data))
  fit <- suppressWarnings(neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 5)))
  grid <- map_grid(fit)
  expect_true(all(grid[, "x"] + grid[, "y"] <= 22))
  expect_true(all(do.call(paste, data[1:2]) %in% paste(grid[, "x"], grid[, "y"])))
})

test_extended("data round the globe have a map without a hull, those of a continent one with it", {
  set.seed(14)
  z <- rnorm(200)
  world <- data.frame(lon = runif(200, -180, 180), lat = asin(runif(200, -1, 1)) * 180 / pi)
  cells <- function(places) {
    fit <- suppressWarnings(neargp(z ~ 1, cbind(places, z = z), coords = ~ lon + lat,
      distance = "chordal", method = vecchia(k = 5)))
    map_grid(fit, 400)
  }
  grid <- cells(world)
  expect_identical(nrow(grid), length(unique(grid[, 1])) * length(unique(grid[, 2])))
  continent <- cells(transform(world, lon = lon / 4, lat = lat / 4))
  expect_lt(nrow(continent), length(unique(continent[, 1])) * length(unique(continent[, 2])))
})

test_that("cells over data that are a line to rounding all count as inside", {
  for (seed in c(1, 4, 6)) {
    raw <- withr::with_seed(seed, cbind(runif(8) * 1e-22, sample(2:4, 8, TRUE)))
    step <- cell_size(raw, 400, FALSE)
    grid <- cells_over(raw, step)
    expect_true(all(inside_hull(grid, raw, margin = 1.02, slack = 0.5 * max(step))))
  }
})
