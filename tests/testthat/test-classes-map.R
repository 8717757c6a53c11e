test_that("a fit's map shows the classes that predict() gives", {
  data <- class_data(80)
  fit <- fixed_class_fit(data, k = 10L, formula = class ~ 1)
  drawn <- class_map(fit, NULL, 400)
  at <- data.frame(x = drawn$place$x, y = drawn$place$y)
  expect_identical(drawn$class, predict(fit, at, type = "class")$class)
  given <- class_map(fit, at[1:7, ], NULL)
  expect_identical(given$class, drawn$class[1:7])
  expect_equal(given$place$x, drawn$place$x[1:7])
  expect_drawn(plot(fit, "map", cells = 100))
  expect_true(has_class_map(fit))
})

test_that("a trend with covariates has a map of newdata only", {
  data <- class_data(80)
  fit <- fixed_class_fit(data, k = 10L)
  expect_false(has_class_map(fit))
  expect_error(plot(fit, "map"), "Give `newdata`", class = "neargp_error_plot")
  expect_drawn(plot(fit, "map", newdata = data[1:20, c("x", "y", "h")]))
})

test_that("a factor has a colour for each level, and its names in the legend", {
  scale <- class_scale(c("spruce", "aspen", "willow"))
  expect_identical(scale$labels, c(spruce = "spruce", aspen = "aspen", willow = "willow"))
  classes <- factor(c("willow", NA, "spruce"), c("spruce", "aspen", "willow"))
  expect_identical(scale_colors(scale, classes), scale$colors[c(3, NA, 1)])
  expect_length(unique(class_colors(8L)), 8L)
  lightness <- grDevices::convertColor(t(grDevices::col2rgb(class_colors(3L))) / 255, "sRGB",
    "Lab")[, 1L]
  expect_gt(min(diff(sort(lightness))), 15)
  expect_length(unique(class_colors(20L)), 20L)
  skip_if_not_installed("ggplot2")
  map <- plot_map(data.frame(x = 1:3, y = c(1, 2, 1), class = classes), draw = FALSE)
  fill <- built(map)$plot$scales$get_scales("fill")
  expect_identical(fill$get_labels(), levels(classes))
  expect_identical(setdiff(scale$colors, legend_fills(map)), character()) # no row is an aspen
  expect_identical(unname(fill$map(levels(classes))), scale$colors)
})

test_extended("a raster of classes knows their names", {
  skip_if_not_installed("terra")
  fit <- fixed_class_fit(class_data(80), k = 10L, formula = class ~ 1)
  raster <- terra::rast(nrows = 8, ncols = 8, xmin = 0, xmax = 1, ymin = 0, ymax = 1, crs = "local")
  layer <- predict(fit, raster, type = "class")
  centres <- stats::setNames(as.data.frame(terra::xyFromCell(raster, 1:64)), c("x", "y"))
  expect_identical(as.character(terra::as.data.frame(layer)$class),
    as.character(predict(fit, centres, type = "class")$class))
  expect_drawn(plot_map(layer))
})
