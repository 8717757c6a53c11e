test_that("degrees are labelled by hemisphere", {
  expect_equal(degree_labels(c(-105, 0, 20, 190), 1L), c("105\u00b0W", "0\u00b0", "20\u00b0E",
    "170\u00b0W"))
  expect_equal(degree_labels(c(35.5, 36), 2L), c("35.5\u00b0N", "36.0\u00b0N"))
  expect_equal(degree_labels(c(-30, 0, 45), 2L), c("30\u00b0S", "0\u00b0", "45\u00b0N"))
})

test_that("one unit up is as long as one unit across", {
  skip_if_not_installed("ggplot2")
  height_of <- function(points, ...) {
    panel <- built(plot_map(points, draw = FALSE, ...))
    panel$layout$coord$aspect(panel$layout$panel_params[[1]])
  }
  expect_equal(height_of(data.frame(x = c(0, 3), y = c(0, 1), mean = 1:2)), 1 / 3)
  lonlat <- data.frame(lon = c(0, 3), lat = c(59, 61), mean = 1:2)
  expect_equal(height_of(lonlat), 2 / 3 / cospi(60 / 180), tolerance = 0.01)
  expect_equal(height_of(lonlat, longlat = FALSE), 2 / 3)
})

test_that("a map returns its table, and draws only if asked", {
  skip_if_not_installed("ggplot2")
  points <- data.frame(x = c(0, 3), y = c(0, 1), mean = 1:2)
  map <- expect_drawn(plot_map(points))
  expect_equal(map$data, data.frame(points[1:2], value = 1:2))
  kept <- withVisible(plot_map(points, main = "Rain", xlab = "east", title = "mm", draw = FALSE))
  expect_true(kept$visible)
  scales <- kept$value$scales
  expect_identical(kept$value$labels$title, "Rain")
  expect_identical(scales$get_scales("x")$name, "east")
  expect_identical(scales$get_scales("y")$name, "y")
  expect_identical(scales$get_scales("fill")$name, "mm")
  expect_identical(map$scales$get_scales("fill")$name, "mean")
  more <- built(kept$value + ggplot2::geom_point(data = data.frame(x = 1, y = 0.5)))
  expect_equal(more$data[[length(more$data)]][c("x", "y")], data.frame(x = 1, y = 0.5))
})

test_that("axes have units, large ones in kilometres", {
  skip_if_not_installed("ggplot2")
  place <- list(x = c(0, 50000), y = c(0, 30000), longlat = FALSE, unit = "m",
    names = c("east", "north"))
  map <- ggplot_map(place, 1:2, color_scale(1:2, "viridis"), "v", NULL)
  x <- map$scales$get_scales("x")
  expect_identical(x$name, "east (km)")
  expect_identical(x$labels(c(20000, NA)), c("20", ""))
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
  expect_drawn(plot_map(raster))
})

test_that("pale colours have an outline, which is thin on small symbols", {
  skip_if_not_installed("ggplot2")
  stroke <- function(n, ...) {
    points <- data.frame(x = runif(n), y = runif(n), mean = rnorm(n))
    built(plot_map(points, draw = FALSE, ...))$data[[1]]$stroke[1]
  }
  expect_identical(stroke(20), 0)
  expect_gt(stroke(20, centered = TRUE), 2 * stroke(5000, centered = TRUE))
})

test_that("wrong input is refused with its reason", {
  points <- data.frame(a = 1:3, b = 1:3, mean = letters[1:3])
  expect_error(plot_map(points), "must give the locations", class = "neargp_error_columns")
  expect_error(plot_map(points, coords = c("a", "b")), "numeric column",
    class = "neargp_error_argument")
  expect_error(plot_map(points, "sd", coords = c("a", "b")), "Column sd",
    class = "neargp_error_columns")
  expect_error(plot_map(points, coords = c("a", "z")), "Column z",
    class = "neargp_error_columns")
  expect_error(plot_map(points, coords = matrix(1, 2, 2)), "3 rows, not 2 columns with 2 rows",
    class = "neargp_error_argument")
  expect_error(plot_map(1:3), "data frame, an sf", class = "neargp_error_argument")
})

test_extended("settings of maps are checked", {
  grid <- expand.grid(x = 1:4, y = 1:4)
  grid$mean <- rnorm(16)
  wrong <- list(centered = NULL, centered = c(TRUE, NA), draw = NA, longlat = c(TRUE, FALSE),
    limits = numeric(0), limits = "a", limits = c(0, Inf), title = character(0), main = list(),
    xlab = c("a", "b"))
  for (i in seq_along(wrong)) {
    expect_error(do.call(plot_map, c(list(grid), wrong[i])), names(wrong)[i],
      class = "neargp_error_argument", info = i)
  }
  scattered <- data.frame(x = runif(30), y = runif(30), mean = rnorm(30))
  for (given in list(list(pch = 16), list(reset = FALSE), list(lwd = 2))) {
    expect_error(do.call(plot_map, c(list(scattered), given)), "does not accept the argument",
      class = "neargp_error_argument")
  }
  for (cex in list(-1, "a", c(1, 2))) expect_error(plot_map(scattered, cex = cex), "`cex`",
    class = "neargp_error_argument")
  expect_drawn(plot_map(scattered, cex = 2, limits = c(-1, 1), title = quote(mu)))
})

test_that("a map that is but a line is drawn, in a panel a twentieth as wide as high", {
  skip_if_not_installed("ggplot2")
  map <- plot_map(data.frame(x = 1e-3 * runif(20), y = c(0, 1e6), mean = rnorm(20)), draw = FALSE)
  panel <- built(map)$layout
  expect_equal(panel$coord$aspect(panel$panel_params[[1]]), 20, tolerance = 1e-6)
})

test_that("a map of areas says what draws them", {
  skip_if_not_installed("sf")
  areas <- sf::st_sf(mean = 1, geometry = sf::st_as_sfc(sf::st_bbox(c(xmin = 0, ymin = 0, xmax = 1,
    ymax = 1))))
  expect_error(plot_map(areas), "not POLYGON.*draws areas", class = "neargp_error_geometry")
})

test_extended("values beyond the colours are told, and missing ones transparent", {
  skip_if_not_installed("ggplot2")
  place <- list(x = runif(100), y = runif(100), longlat = FALSE, unit = "", names = c("x", "y"))
  values <- c(rnorm(98), 70, NA)
  plot <- ggplot_map(place, values, color_scale(values, "viridis"), "v", NULL)
  expect_identical(plot$labels$caption, "colours of the ends include values up to 70")
  expect_identical(beyond_caption(c(31.84, 400)),
    "colours of the ends include values down to 31.8 and up to 400")
  colors <- built(plot)$data[[1]]$fill
  expect_identical(colors[99], colors[which.max(values[1:98])])
  expect_true(is.na(colors[100]))
})

test_that("cells that are mostly unknown are dotted, on every second of 80 columns", {
  skip_if_not_installed("ggplot2")
  grid <- expand.grid(x = 1:80, y = 1:40)
  place <- list(x = grid$x, y = grid$y, longlat = FALSE, unit = "", names = c("x", "y"),
    dotted = grid$x > 40)
  plot <- ggplot_map(place, grid$x, color_scale(grid$x, "viridis"), "x", NULL)
  dots <- built(plot)$data[[2]]
  expect_equal(dots[c("x", "y")], expand.grid(x = seq(42, 80, 2), y = seq(2, 40, 2)),
    ignore_attr = TRUE)
  expect_identical(plot$labels$subtitle, dotted_note)
  place$dotted <- grid$x == 41 & grid$y == 21 # between the dots of every second column
  none <- ggplot_map(place, grid$x, color_scale(grid$x, "viridis"), "x", NULL)
  expect_identical(geoms(none), c("GeomTile", "GeomBlank"))
  expect_null(none$labels$subtitle)
})

test_extended("cells of a map overlap by less than is seen, so that no line is left between them", {
  skip_if_not_installed("ggplot2")
  cells <- expand.grid(x = 0:3, y = 0:2)
  place <- list(x = cells$x, y = cells$y)
  drawn <- ggplot2::ggplot(data.frame(cells, value = 1), ggplot2::aes(x, y)) +
    ggplot_cells(drawn_grid(place))
  built <- ggplot2::layer_data(drawn)
  overlap <- built$xmax[cells$x == 0] - built$xmin[cells$x == 1]
  expect_true(all(overlap > 0 & overlap < 0.05))
  expect_true(all(built$ymax[cells$y == 0] > built$ymin[cells$y == 1]))
})
