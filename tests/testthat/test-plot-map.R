test_that("degrees are labelled by hemisphere", {
  expect_equal(degree_labels(c(-105, 0, 20, 190), 1L), c("105\u00b0W", "0\u00b0", "20\u00b0E",
    "170\u00b0W"))
  expect_equal(degree_labels(c(35.5, 36), 2L), c("35.5\u00b0N", "36.0\u00b0N"))
  expect_equal(degree_labels(c(-30, 0, 45), 2L), c("30\u00b0S", "0\u00b0", "45\u00b0N"))
})

test_that("one unit up is as long as one unit across", {
  withr::local_pdf(NULL, width = 9, height = 5)
  units <- function() {
    graphics::par("pin") / c(diff(graphics::par("usr")[1:2]), diff(graphics::par("usr")[3:4]))
  }
  points <- data.frame(x = c(0, 3), y = c(0, 1), mean = 1:2)
  plot_map(points, reset = FALSE)
  expect_equal(units()[1], units()[2])
  lonlat <- data.frame(lon = c(0, 3), lat = c(59, 61), mean = 1:2)
  plot_map(lonlat, reset = FALSE)
  expect_equal(units()[1], units()[2] * cospi(60 / 180), tolerance = 1e-6)
})

test_that("graphical parameters are put back, unless asked not to", {
  withr::local_pdf(NULL)
  before <- graphics::par("mar", "mgp", "las")
  points <- data.frame(x = c(0, 3), y = c(0, 1), mean = 1:2)
  expect_invisible(plot_map(points))
  expect_equal(graphics::par("mar", "mgp", "las"), before)
  plot_map(points, reset = FALSE)
  expect_false(identical(graphics::par("mar"), before$mar))
})

test_that("places come from columns, formulas, matrices, sf and terra objects", {
  data <- data.frame(east = c(1, 2, 4), north = c(5, 6, 9), mean = 1:3)
  for (coords in list(c("east", "north"), ~ east + north, as.matrix(data[1:2]))) {
    place <- map_place(data, coords, NULL)
    expect_equal(unname(c(place$x, place$y)), c(1, 2, 4, 5, 6, 9))
    expect_false(place$longlat)
  }
  expect_true(map_place(data.frame(lon = 1:2, lat = 3:4, mean = 1), NULL, NULL)$longlat)
  skip_if_not_installed("sf")
  points <- sf::st_as_sf(data, coords = c("east", "north"), crs = 4326)
  expect_true(map_place(points, NULL, NULL)$longlat)
  projected <- sf::st_as_sf(data, coords = c("east", "north"), crs = 32613)
  expect_equal(map_place(projected, NULL, NULL)$unit, "m")
  skip_if_not_installed("terra")
  raster <- terra::rast(nrows = 3, ncols = 4, xmin = 0, xmax = 4, ymin = 0, ymax = 3,
    crs = "EPSG:32613", vals = 1:12, names = "mean")
  place <- map_place(raster, NULL, NULL)
  expect_equal(as_grid(place$x, place$y)$size, c(4, 3))
  expect_equal(place$unit, "m")
  withr::local_pdf(NULL)
  expect_invisible(plot_map(raster))
})

test_that("the outline of small symbols takes their colour", {
  expect_equal(outline_colors("red", point_size(100)), "grey45")
  expect_equal(outline_colors("red", point_size(5000)), "red")
})

test_that("wrong input is refused with its reason", {
  points <- data.frame(a = 1:3, b = 1:3, mean = letters[1:3])
  expect_error(plot_map(points), "must say where", class = "neargp_error_columns")
  expect_error(plot_map(points, coords = c("a", "b")), "numeric column",
    class = "neargp_error_argument")
  expect_error(plot_map(points, "sd", coords = c("a", "b")), "no column sd",
    class = "neargp_error_columns")
  expect_error(plot_map(points, coords = c("a", "z")), "no column z",
    class = "neargp_error_columns")
  expect_error(plot_map(points, coords = matrix(1, 2, 2)), "3 rows, not 2 columns with 2 rows",
    class = "neargp_error_argument")
  expect_error(plot_map(1:3), "data frame, an sf", class = "neargp_error_argument")
})

test_that("points are as large as a large page has room for", {
  grDevices::pdf(NULL, width = 4, height = 4)
  withr::defer(grDevices::dev.off())
  graphics::plot.new()
  small <- roomy_point_size(4000)
  grDevices::pdf(NULL, width = 12, height = 12)
  withr::defer(grDevices::dev.off())
  graphics::plot.new()
  expect_gt(roomy_point_size(4000), 2 * small)
  expect_identical(roomy_point_size(4), 1)
})

test_extended("settings of maps are checked", {
  withr::local_pdf(NULL)
  grid <- expand.grid(x = 1:4, y = 1:4)
  grid$mean <- rnorm(16)
  wrong <- list(centered = NULL, centered = c(TRUE, NA), reset = NA, longlat = c(TRUE, FALSE),
    limits = numeric(0), limits = "a", limits = c(0, Inf), title = character(0), main = list(),
    xlab = c("a", "b"))
  for (i in seq_along(wrong)) {
    expect_error(do.call(plot_map, c(list(grid), wrong[i])), names(wrong)[i],
      class = "neargp_error_argument", info = i)
  }
  scattered <- data.frame(x = runif(30), y = runif(30), mean = rnorm(30))
  for (pch in list(NULL, c(1, 2), -3, "ab", mean)) expect_error(plot_map(scattered, pch = pch),
    "`pch`", class = "neargp_error_argument")
  for (cex in list(-1, "a", c(1, 2))) expect_error(plot_map(scattered, cex = cex), "`cex`",
    class = "neargp_error_argument")
  expect_invisible(plot_map(scattered, pch = "+", cex = 2, limits = c(-1, 1), title = quote(mu)))
})

test_that("a map that is but a line is drawn", {
  withr::local_pdf(NULL)
  expect_invisible(plot_map(data.frame(x = 1e-3 * runif(20), y = 1e6 * runif(20),
    mean = rnorm(20))))
})

test_that("a map of areas says what draws them", {
  skip_if_not_installed("sf")
  areas <- sf::st_sf(mean = 1, geometry = sf::st_as_sfc(sf::st_bbox(c(xmin = 0, ymin = 0, xmax = 1,
    ymax = 1))))
  expect_error(plot_map(areas), "not POLYGON.*draws areas", class = "neargp_error_geometry")
})
