# Cells of a regular grid: how they are recognised, and which of them are dotted.

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

# The cells that carry a dot, about 40 along the longer side, of those that are to be marked. Dots
# are white with an outline, to show on any colour. A few marked cells between the dots get none,
# and then no note.
dotted_cells <- function(place, grid) {
  if (is.null(place$dotted)) return(FALSE)
  apart <- max(1L, max(grid$size) %/% 40L)
  place$dotted %in% TRUE & grid$column %% apart == 0L & grid$row %% apart == 0L
}

dotted_note <- "dotted: the process is mostly unknown"
