# Cells of a regular grid: how they are recognised and drawn, and which of them are dotted.

# Rows and columns of points on a regular grid, or NULL when they are none. Less than one cell in 25
# filled is no grid worth an image.
as_grid <- function(x, y) {
  column <- grid_index(x)
  row <- grid_index(y)
  if (is.null(column) || is.null(row)) return(NULL)
  size <- c(max(column$index), max(row$index))
  if (prod(size) > 25 * length(x) || anyDuplicated((row$index - 1) * size[1L] + column$index)) {
    return(NULL)
  }
  list(column = column$index, row = row$index, size = size, step = c(column$step, row$step),
       origin = c(min(x), min(y)))
}

# The grid of a map of cells: where less than one in four is filled, points are larger than cells.
drawn_grid <- function(place) {
  grid <- as_grid(place$x, place$y)
  if (!is.null(grid) && prod(grid$size) <= 4 * length(place$x)) grid
}

grid_index <- function(x) {
  distinct <- sort(unique(x))
  if (length(distinct) < 2L) return(NULL)
  gaps <- diff(distinct)
  gaps <- gaps[gaps > 1e-6 * diff(range(distinct))]
  smallest <- min(gaps)
  # The smallest gaps are one step, up to rounding: their mean is the better estimate.
  step <- mean(gaps[gaps < 1.01 * smallest])
  steps <- (distinct[length(distinct)] - distinct[1L]) / step
  if (steps > 1e5) return(NULL)
  step <- step * steps / max(1, round(steps))
  position <- (x - distinct[1L]) / step
  if (any(abs(position - round(position)) > 0.05)) return(NULL)
  list(index = as.integer(round(position)) + 1L, step = step)
}

draw_grid <- function(grid, colors) {
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

# Dots on the cells that are to be marked, about 40 along the longer side: white with an outline,
# for any colour below; a few cells between the dots have none, and no note then.
draw_dots <- function(place, grid) {
  marked <- dotted_cells(place, grid)
  if (!any(marked)) return(invisible())
  graphics::points(place$x[marked], place$y[marked], pch = 21, cex = 0.3, bg = "white",
    col = "grey20", lwd = 0.4)
  graphics::mtext(dotted_note, side = 3L, line = 0.1, adj = 0, cex = graphics::par("cex") *
    min(0.7, graphics::par("pin")[1L] / graphics::strwidth(dotted_note, "inches")))
}

dotted_cells <- function(place, grid) {
  if (is.null(place$dotted)) return(FALSE)
  apart <- max(1L, max(grid$size) %/% 40L)
  place$dotted %in% TRUE & grid$column %% apart == 0L & grid$row %% apart == 0L
}

dotted_note <- "dotted: the field is mostly unknown"

# `names` of the `...` of a plot method, for graphical parameters and those of the panels that it
# draws: points() only warns about names that it does not know, once for each plot, and panels
# without points() say nothing.
check_plot_arguments <- function(names, ..., called = sys.function(sys.parent())) {
  own <- setdiff(names(formals(called)), c("x", "..."))
  of_panels <- lapply(c(...), function(panel) names(formals(switch(panel, map = plot_map,
    variogram = plot.neargp_variogram))))
  unknown <- setdiff(names, c(own, unlist(of_panels), "type",
    names(graphics::par(no.readonly = TRUE))))
  if (!length(unknown)) return(invisible())
  abort_neargp("argument", c(sprintf("plot() has no argument %s.", format_some(unknown)),
    i = sprintf("Its own are %s. It also takes graphical parameters, see ?points%s.",
      format_some(own, 20L), if ("map" %in% c(...)) ", and arguments of plot_map()" else "")))
}
