# Plots in base graphics for sessions without ggplot2: a map, a curve, points against points, and a
# variogram. Each returns NULL, as there is no ggplot object.

# Those of the plots that `which` may name.
plain_plots <- c("map", "residuals", "residual_map", "loo", "predictions", "variogram", "range",
  "sd", "warp", "coefficients")

plain_map <- function(place, values, scale, title, main, xlab = NULL, ylab = NULL, cex = NULL) {
  old <- graphics::par(mar = c(4, 4, 3, 7), las = 1L)
  on.exit(graphics::par(old))
  grid <- drawn_grid(place)
  pad <- if (is.null(grid)) c(0, 0) else grid$step / 2
  shown <- axis_unit(place$unit, c(place$x, place$y))
  graphics::plot(range(place$x) + c(-1, 1) * pad[1L], range(place$y) + c(-1, 1) * pad[2L],
    type = "n", axes = FALSE, main = main, xlab = xlab %||% axis_title(place, 1L),
    ylab = ylab %||% axis_title(place, 2L),
    asp = if (place$longlat) 1 / cos(mean(range(place$y)) * pi / 180) else 1)
  for (side in 1:2) {
    at <- graphics::axTicks(side)
    graphics::axis(side, at, if (place$longlat) degree_labels(at, side) else
      plain_labels(at / shown$factor))
  }
  colors <- scale_colors(scale, values)
  if (is.null(grid)) plain_points(place, colors, cex) else plain_cells(grid, colors)
  graphics::box()
  graphics::legend("topleft", rev(scale$labels %||% plain_labels(scale$ticks)), title = title,
    fill = rev(scale_colors(scale, scale$ticks)), inset = c(1.02, 0), xpd = TRUE, bty = "n",
    cex = 0.8)
  invisible()
}

# Symbols with an outline, as colours may be pale.
plain_points <- function(place, colors, cex) {
  graphics::points(place$x, place$y, pch = place$symbols %||% 21L, bg = colors,
    col = ifelse(is.na(colors), NA, "grey45"), lwd = 0.5,
    cex = cex %||% point_size(length(place$x)))
}

plain_cells <- function(grid, colors) {
  from <- grid$origin - grid$step / 2
  to <- from + grid$size * grid$step
  graphics::rasterImage(grDevices::as.raster(grid_cells(grid, colors)), from[1L], from[2L], to[1L],
    to[2L], interpolate = FALSE)
}

# The first row of an image is the top one, the north.
grid_cells <- function(grid, colors) {
  cells <- matrix(NA_character_, grid$size[2L], grid$size[1L])
  cells[cbind(grid$size[2L] + 1L - grid$row, grid$column)] <- colors
  cells
}

# `table`: x, value and, of a band, lower and upper; `data`: points below the curve.
plain_curve <- function(table, x_label, y_label, main, log = "", data = NULL) {
  graphics::plot(range(table$x), range(unlist(table[-1L]), data$y, na.rm = TRUE), type = "n",
    log = log, xlab = x_label, ylab = y_label, main = main)
  known <- table[stats::complete.cases(table), ]
  if (!is.null(known$lower)) {
    graphics::polygon(c(known$x, rev(known$x)), c(known$lower, rev(known$upper)), col = "grey88",
      border = NA)
  }
  if (!is.null(data)) graphics::points(data$x, data$y, pch = 16L, cex = 0.5, col = "grey40")
  graphics::lines(table$x, table$value, col = "#0072B2", lwd = 2)
}

# With the lines of abline() that `h` or `slope` name.
plain_scatter <- function(x, y, x_label, y_label, main, log = "", h = NULL, slope = NULL) {
  graphics::plot(x, y, pch = 16L, cex = point_size(length(x)), col = "#0072B2", log = log,
    xlab = x_label, ylab = y_label, main = main)
  graphics::abline(h = h, col = "grey40")
  if (!is.null(slope)) graphics::abline(0, slope, col = "grey40")
}

plain_variogram <- function(x, main, x_label, y_label, ylim, factor) {
  curve <- attr(x, "curve")
  group <- function(table) match(table$direction, unique(x$direction))
  graphics::plot(x$distance / factor, x$gamma, col = direction_colors[group(x)], xlab = x_label,
    ylab = y_label, main = main, xlim = c(0, max(x$distance)) / factor,
    ylim = ylim %||% c(0, max(x$gamma, curve$gamma)))
  for (line in if (!is.null(curve)) split(curve, group(curve))) {
    graphics::lines(line$distance / factor, line$gamma, col = direction_colors[group(line)[1L]])
  }
}
