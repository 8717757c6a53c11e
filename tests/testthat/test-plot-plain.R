test_that("cells land where they belong, north up", {
  grid <- list(column = c(1L, 2L, 1L), row = c(1L, 1L, 2L), size = c(2L, 2L), step = c(1, 1),
    origin = c(0, 0))
  cells <- grid_cells(grid, c("red", "green", "blue"))
  expect_equal(cells, rbind(c("blue", NA), c("red", "green")))
})

# Calls of base graphics, by the names of its functions in the display list.
plain_calls <- function(plot) {
  grDevices::dev.control("enable")
  force(plot)
  calls <- grDevices::recordPlot()[[1L]]
  stats::setNames(lapply(calls, function(call) as.list(call[[2L]])[-1L]),
    vapply(calls, function(call) call[[2L]][[1L]]$name, ""))
}

# The coordinates of points, "p", or of a line, "l".
plain_xy <- function(plot, type) {
  calls <- plain_calls(plot)
  Find(function(call) call[[2L]] == type, calls[names(calls) == "C_plotXY"])[[1L]][c("x", "y")]
}

test_that("without ggplot2 a fit has a plain map, and says what else there is", {
  fit <- plotted_fit()
  local_plain_plots()
  expect_message(shown <- plot(fit, cells = 100), "draws \"map\" alone",
    class = "neargp_message_plot")
  expect_null(shown)
  calls <- plain_calls(plot(fit, "map", cells = 100, limits = c(-1, 1)))
  drawn <- map_predictions(fit, NULL, 100, NULL)
  grid <- drawn_grid(drawn$place)
  image <- calls[["C_raster"]][[1L]]
  expect_identical(dim(image), rev(as.integer(grid$size)))
  expect_identical(as.vector(image), as.vector(grDevices::as.raster(grid_cells(grid,
    scale_colors(color_scale(drawn$predictions$mean, "viridis", c(-1, 1)),
      drawn$predictions$mean)))))
})

test_that("without ggplot2 residuals, predictions, curves and variograms are plain", {
  fit <- plotted_fit()
  loo <- loo_table(fit)
  local_plain_plots()
  xy <- function(...) plain_xy(plot(...), "p")
  expect_equal(xy(fit, "residuals"), list(x = loo$mean, y = loo$z))
  expect_equal(xy(fit, "loo"), list(x = loo$mean, y = loo$observed))
  expect_equal(xy(fit, "residual_map"), lapply(list(x = 1, y = 2), function(i) {
    unname(fit$data$coords[, i])
  }))
  variogram <- empirical_variogram(fit, directions = c(0, 90))
  expect_equal(xy(variogram), list(x = variogram$distance, y = variogram$gamma))
  data <- simulated_data(60)
  line <- neargp(z ~ 1, data, coords = ~ x, method = vecchia(k = 5))
  expect_equal(xy(line, "map"), list(x = data$x, y = data$z))
  # without fitted curves, and without data below a curve
  attr(variogram, "curve") <- NULL
  expect_equal(xy(variogram), list(x = variogram$distance, y = variogram$gamma))
  table <- data.frame(x = 1:3, value = c(2, 5, 4))
  expect_equal(plain_xy(ggplot_band(table, "x", "y", "A curve"), "l"),
    list(x = table$x, y = table$value))
})

test_that("without ggplot2 the other plots ask for it", {
  fit <- plotted_fit()
  cv <- suppressMessages(cross_validate(fit, folds = 3, verbose = FALSE))
  set.seed(3)
  folds <- block_folds(cbind(runif(40), runif(40)), v = 2)
  map <- data.frame(x = 1:3, y = c(1, 2, 1), mean = 1:3)
  local_plain_plots()
  for (plot_one in list(function() plot(fit, "qq"), function() plot(cv, "pit"),
    function() plot(cv, "scores"), function() plot(folds),
    function() plot_map(map, draw = FALSE))) {
    expect_error(plot_one(), "needs the package ggplot2.*install.packages",
      class = "neargp_error_package")
  }
  expect_null(plot_map(map))
  expect_message(plot(cv), "draws \"predictions\" alone", class = "neargp_message_plot")
})

test_that("a plain map names its classes, and its numbers with their title", {
  local_plain_plots()
  labels_of <- function(...) {
    calls <- plain_calls(plot_map(...))
    unlist(lapply(calls[names(calls) == "C_text"], `[[`, 2L))
  }
  classes <- factor(c("willow", "aspen", NA), c("aspen", "willow"))
  places <- data.frame(x = 1:3, y = c(1, 2, 1), class = classes, mean = c(0, 5, 10))
  expect_setequal(labels_of(places, "class"), c("class", "willow", "aspen"))
  expect_setequal(labels_of(places, title = "mm", limits = c(0, 10)),
    c("mm", "0", "2", "4", "6", "8", "10"))
})
