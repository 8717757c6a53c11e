#' Map of predictions
#'
#' Draws predictions, or any column given for points, as a map: an image where
#' the points form a regular grid of which a quarter or more is filled, coloured
#' points elsewhere. Base graphics; the aspect ratio is right for longitude and latitude as well as
#' for the plane.
#'
#' @param predictions a data frame, an sf object of points or a terra `SpatRaster`,
#'   such as [predict()] returns.
#' @param what the column (layer) to draw: "mean", "sd" or the name of another; by
#'   default "mean", or the "class" of predicted classes. A factor has a colour for
#'   each of its levels.
#' @param coords for a data frame: where the rows are. Names of two columns, a
#'   one-sided formula (`~ lon + lat`), or a matrix or data frame of two columns.
#'   By default the columns `x` and `y`, or `lon` and `lat`, or `longitude` and
#'   `latitude`.
#' @param palette name of a palette of [grDevices::hcl.colors()], a vector of
#'   colours, or a function of their number. The defaults can be told apart by
#'   colour-blind readers: "viridis", "Lajolla" for `sd`, and "Blue-Red 3" centered
#'   on zero when `centered`.
#' @param limits two numbers: the range of the colour scale; values beyond take the
#'   colour of its end, which is pointed then and has the farthest of them beside it. By default the
#'   range of the values without outliers: at most one in a hundred at either end (of few values
#'   two), farther from the middle 90% of the values than 1.5 times their width.
#'   `range()` of the values has all of them on the scale.
#' @param centered `TRUE` for a scale symmetric about zero (residuals, differences).
#' @param longlat `TRUE` when the coordinates are longitude and latitude in degrees:
#'   sets the aspect ratio and the labels. Found out for sf and terra objects and
#'   for columns of these names.
#' @param title title of the legend, `what` by default.
#' @param main,xlab,ylab title of the map and of its axes.
#' @param cex,pch size and symbol of points; the default size falls with their number,
#'   and the default symbol has an outline when `centered`, where colours may be pale.
#' @param reset `FALSE` leaves margins and coordinates as they are so that
#'   [graphics::points()] or [graphics::lines()] can add to the map; `TRUE` puts
#'   the graphical parameters back. Places on both sides of the date line are drawn in one piece,
#'   at longitudes such as 170 to 190.
#' @param ... further arguments for [graphics::points()].
#' @return `predictions`, invisibly.
#' @section Errors:
#' `neargp_error_columns` when `what` or the coordinates are not there,
#' `neargp_error_geometry` for geometries other than points,
#' `neargp_error_argument` for the rest.
#' @seealso [plot()][plot.neargp], [predict()][predict.neargp]
#' @examples
#' grid <- expand.grid(x = seq(0, 1, 0.02), y = seq(0, 0.6, 0.02))
#' grid$mean <- sin(6 * grid$x) * cos(4 * grid$y)
#' plot_map(grid)
#' plot_map(grid[sample(nrow(grid), 200), ], centered = TRUE)
#' @export
plot_map <- function(predictions, what = NULL, coords = NULL, palette = NULL, limits = NULL,
                     centered = FALSE, longlat = NULL, title = what, main = "", xlab = NULL,
                     ylab = NULL, cex = NULL, pch = if (centered) 21 else 16, reset = TRUE, ...) {
  check_required()
  check_flag(centered, "centered")
  check_flag(reset, "reset")
  place <- map_place(predictions, coords, longlat)
  what <- what %||% if ("class" %in% names(place$data) && !"mean" %in% names(place$data))
    "class" else "mean"
  values <- map_values(place$data, what)
  scale <- if (is.factor(values)) class_scale(levels(values), palette) else
    color_scale(values, palette %||% default_palette(what, centered), limits, centered)
  draw_map(place, values, scale, title = title, main = main, xlab = xlab, ylab = ylab, cex = cex,
    pch = pch, reset = reset, ...)
  invisible(predictions)
}

# Where the rows are and how the axes are to look: x, y, data, longlat, unit, names.
map_place <- function(predictions, coords, longlat, unit = "") {
  if (!is.null(longlat)) check_flag(longlat, "longlat")
  if (inherits(predictions, "SpatRaster")) {
    longlat <- longlat %||% isTRUE(terra::is.lonlat(predictions))
    unit <- raster_unit(predictions)
    predictions <- terra::as.data.frame(predictions, xy = TRUE)
    coords <- c("x", "y")
  }
  if (is_sf(predictions)) {
    check_drawn_points(predictions)
    longlat <- longlat %||% isTRUE(sf::st_is_longlat(predictions))
    unit <- sf_unit(predictions)
    coords <- coordinate_matrix(predictions)
    predictions <- drop_geometry(predictions)
  }
  if (!is.data.frame(predictions)) {
    abort_neargp("argument", "`predictions` must be a data frame, an sf object or a SpatRaster.")
  }
  predictions <- plain_columns(predictions)
  xy <- map_coords(predictions, coords)
  longlat <- longlat %||% named_degrees(xy)
  list(x = if (longlat) joined_longitude(xy[, 1L]) else xy[, 1L], y = xy[, 2L], data = predictions,
    longlat = longlat, unit = unit, names = colnames(xy))
}

check_drawn_points <- function(predictions) {
  types <- unique(as.character(sf::st_geometry_type(predictions)))
  if (!any(grepl("POLYGON", types))) return(invisible())
  abort_neargp("geometry", c(
    sprintf("plot_map() draws points and cells of grids, not %s.", format_some(types)),
    i = "plot(predictions[\"mean\"]) of sf draws areas, and ggplot2::geom_sf(aes(fill = mean))."))
}

map_coords <- function(data, coords) {
  if (inherits(coords, "formula")) coords <- all.vars(coords)
  if (is.null(coords)) {
    usual <- list(c("x", "y"), c("lon", "lat"), c("longitude", "latitude"), c("long", "lat"),
      c("X", "Y"))
    known <- Filter(function(names) all(names %in% names(data)), usual)
    if (!length(known)) {
      abort_neargp("columns", c(
        "`coords` must say where the predictions are.",
        i = "Give the names of two columns, a formula such as `~ lon + lat`, or a matrix of coordinates."
      ))
    }
    coords <- known[[1L]]
  }
  if (is.character(coords)) {
    check_columns_present(coords, data, "predictions")
    coords <- as.data.frame(data)[coords]
  }
  xy <- coordinate_matrix(coords)
  if (ncol(xy) != 2L || nrow(xy) != nrow(data)) {
    abort_neargp("argument",
      sprintf("`coords` must be two columns with %d rows, not %d columns with %d rows.",
                                       nrow(data), ncol(xy), nrow(xy)))
  }
  if (is.null(colnames(xy))) colnames(xy) <- c("x", "y")
  xy
}

map_values <- function(data, what) {
  if (!is.character(what) || length(what) != 1L) {
    abort_argument("what", "the name of one column", what)
  }
  check_columns_present(what, data, "predictions")
  values <- data[[what]]
  if (is.factor(values)) return(values)
  if (!is.numeric(values)) {
    abort_argument("what", "the name of a numeric column or a factor", values)
  }
  as.numeric(values)
}

draw_map <- function(place, values, scale, title, main = "", xlab = NULL, ylab = NULL, cex = NULL,
                     pch = 16, reset = TRUE, ...) {
  check_label(title, "title")
  old <- draw_places(place, scale_colors(scale, values), legend = TRUE, main = main, xlab = xlab,
    ylab = ylab, cex = cex, pch = pch, ...)
  if (reset) on.exit(graphics::par(old))
  draw_legend_strip(scale, title)
}

# Frame, axes and coloured places: cells where they form a grid, else points. Returns the parameters
# to put back.
draw_places <- function(place, colors, legend, main = "", xlab = NULL, ylab = NULL, cex = NULL,
                        pch = 16, ...) {
  if (length(place$names) != 2L) {
    abort_neargp("plot", sprintf("A map needs two coordinates in space, and there are %d.",
      length(place$names)))
  }
  check_label(main, "main")
  check_label(xlab, "xlab")
  check_label(ylab, "ylab")
  grid <- drawn_grid(place)
  pad <- if (is.null(grid)) 0.03 * c(diff(range(place$x)), diff(range(place$y))) else grid$step / 2
  old <- open_map(range(place$x) + c(-1, 1) * pad[1L], range(place$y) + c(-1, 1) * pad[2L],
    place$longlat, legend)
  if (is.null(grid)) {
    draw_points(place, colors, cex, pch, ...)
  } else {
    draw_grid(grid, colors)
  }
  if (!is.null(grid)) draw_dots(place, grid)
  finish_map(place, main, xlab, ylab)
  old
}

# Text or mathematical notation, or NULL for none.
check_label <- function(label, name) {
  if (is.null(label) || is.language(label) || (is.atomic(label) && length(label) == 1L)) {
    return(invisible())
  }
  abort_argument(name, "one text", label)
}

# A symbol by its number or as a character.
check_symbol <- function(pch) {
  if (rlang::is_string(pch) && isTRUE(nchar(pch) == 1L)) return(pch)
  check_count(pch, "pch", 0L, 25L)
}

# Symbols 21 to 25 have an outline, so that pale colours are seen.
draw_points <- function(place, colors, cex, pch, ...) {
  pch <- place$symbols %||% check_symbol(pch)
  cex <- check_number(cex, "cex", 0, open = TRUE, null_ok = TRUE)
  cex <- cex %||% max(point_size(length(place$x)), roomy_point_size(length(place$x)))
  if (all(pch %in% 21:25)) {
    graphics::points(place$x, place$y, bg = colors, col = outline_colors(colors, cex), lwd = 0.5,
      pch = pch, cex = cex, ...)
  } else {
    graphics::points(place$x, place$y, col = colors, pch = pch, cex = cex, ...)
  }
}

# Triangles that point up and down: in grey, both ends of a centered scale are dark.
signed_symbols <- function(values) ifelse(values < 0, 25L, 24L)

# On small symbols a grey outline would hide the colour.
outline_colors <- function(colors, cex) if (cex < 0.6) colors else "grey45"

point_size <- function(n) max(0.2, min(1, 22 / sqrt(n)))

# The size of points on a large page, as large as spacing allows: half the distance of n points on a
# square grid over the plot, up to 1. A point of size 1 has a diameter of about 0.75 characters.
roomy_point_size <- function(n) {
  min(1, 0.5 * sqrt(prod(graphics::par("pin")) / n) / (0.75 * graphics::par("cin")[2L]))
}

# Opens a plot whose region has the shape of the map: one unit is as long up as across, or for
# degrees, as cos(latitude) across. Returns the parameters to put back.
open_map <- function(xlim, ylim, longlat, legend = TRUE) {
  old <- graphics::par("mar", "mgp", "las", "tcl")
  graphics::par(mar = c(3.4, 4.6, 2.6, if (legend) 5.2 else 1), mgp = c(2.2, 0.5, 0), las = 1,
    tcl = -0.3)
  graphics::plot.new()
  widen <- function(limits) if (diff(limits) > 0) limits else limits + c(-0.5, 0.5)
  xlim <- widen(xlim)
  ylim <- widen(ylim)
  aspect <- if (longlat) 1 / cos(mean(ylim) * pi / 180) else 1
  shape <- c(diff(xlim), diff(ylim) * aspect)
  # A map that is but a line would leave no room beside it: its narrow side is drawn wider than it
  # is.
  shape <- pmax(shape, max(shape) / 20)
  # The size of a panel is known only after plot.new(), and clipping follows new margins only at the
  # next one: hence twice.
  room <- graphics::par("pin")
  spare <- (room - shape * min(room / shape)) / 2
  graphics::par(mai = graphics::par("mai") + spare[c(2L, 1L, 2L, 1L)], new = TRUE)
  graphics::plot.new()
  graphics::plot.window(xlim, ylim, xaxs = "i", yaxs = "i")
  old
}

finish_map <- function(place, main, xlab, ylab) {
  shown <- axis_unit(place$unit, c(place$x, place$y))
  width <- 0
  for (side in 1:2) {
    at <- graphics::axTicks(side)
    labels <- if (place$longlat) degree_labels(at, side) else plain_labels(at / shown$factor)
    graphics::axis(side, at, labels, lwd = 0, lwd.ticks = 0.8, cex.axis = 0.85)
    if (side == 2L) width <- max(graphics::strwidth(labels, "inches", cex = 0.85))
  }
  graphics::box(lwd = 0.8)
  label <- function(name) if (place$longlat) "" else label_with_unit(name, shown$unit)
  write_title(main, 1.25)
  graphics::title(xlab = xlab %||% label(place$names[1L]))
  # Beside the tick labels, however wide they are.
  line_height <- graphics::par("mai")[2L] / graphics::par("mar")[2L]
  graphics::title(ylab = ylab %||% label(place$names[2L]),
    line = max(2.2, width / line_height + 1.1))
}

# Large numbers of metres are shown in kilometres.
axis_unit <- function(unit, values) {
  if (identical(unit, "m") && max(abs(values)) >= 1e4) list(factor = 1000, unit = "km") else
    list(factor = 1, unit = unit %||% "")
}

label_with_unit <- function(name, unit) if (nzchar(unit)) sprintf("%s (%s)", name, unit) else name

plain_labels <- function(x) {
  format(x, big.mark = ",", decimal.mark = ".", trim = TRUE,
    scientific = if (max(abs(x), na.rm = TRUE) < 1e7) 100 else 0)
}

# Each by itself, as on a logarithmic axis.
each_plain_label <- function(x) ifelse(is.na(x), NA, vapply(x, plain_labels, ""))

# 105 degrees W, 39.5 degrees N
degree_labels <- function(degrees, side) {
  degrees <- if (side == 1L) (degrees + 180) %% 360 - 180 else degrees
  letters <- if (side == 1L) c("W", "", "E") else c("S", "", "N")
  paste0(format(abs(degrees), trim = TRUE), "\u00b0",
    letters[sign(degrees) + 2L])
}
