#' Map of predictions
#'
#' @description
#' Draws predictions, or any column at points, as a map.
#'
#' ```r
#' plot_map(subset(land_temperature(), !held_out), "temperature")
#' ```
#'
#' @details
#' The map is an image if the points fill a quarter of a regular grid, and coloured points
#' otherwise. You can add layers to it, for example `+ ggplot2::theme_bw()`. Without ggplot2 it uses
#' base graphics.
#'
#' @param predictions a data frame, sf points or a terra `SpatRaster`, such as [predict()] returns.
#' @param what the name of a column (layer). Default `NULL`: `"mean"`, or `"class"` of a
#'   classification.
#' @param coords for a data frame, two column names, a formula such as `~ lon + lat`, or a matrix.
#'   Default `NULL`: `x` and `y`, `lon` and `lat`, or `longitude` and `latitude`.
#' @param palette a name of [grDevices::hcl.colors()], colours, or a function. Default `NULL`:
#'   palettes for colour-blind readers.
#' @param limits two numbers, the range of the colour scale; values beyond take the colour of its
#'   end. Default `NULL`: the range without outliers. Use `range()` of the values for all.
#' @param centered `TRUE` for a scale symmetric about zero. Default: `FALSE`.
#' @param longlat `TRUE` for degrees. Default `NULL`: from the names.
#' @param title the title of the legend. Default: `what`.
#' @param main,xlab,ylab titles of the map and of its axes.
#' @param cex the size of points, a positive number. Default `NULL`: by their number.
#' @param draw `FALSE` returns the map without drawing it, so that you can add layers. Default:
#'   `TRUE`.
#' @param ... not used.
#' @return A ggplot object with `data` of columns `x`, `y` and `value`; `NULL` without ggplot2. Maps
#'   across the date line are drawn in one piece.
#' @seealso [plot.neargp()], [predict.neargp()]
#' @examples
#' grid <- expand.grid(x = seq(0, 1, 0.02), y = seq(0, 0.6, 0.02))
#' grid$mean <- sin(6 * grid$x) * cos(4 * grid$y)
#' plot_map(grid)
#' plot_map(grid[sample(nrow(grid), 200), ], centered = TRUE)
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   plot_map(grid, draw = FALSE) + ggplot2::geom_point(data = data.frame(x = 0.25, y = 0.1))
#' }
#' @export
plot_map <- function(predictions, what = NULL, coords = NULL, palette = NULL, limits = NULL,
                     centered = FALSE, longlat = NULL, title = what, main = NULL, xlab = NULL,
                     ylab = NULL, cex = NULL, draw = TRUE, ...) {
  check_required()
  check_no_more_arguments()
  check_flag(centered, "centered")
  check_flag(draw, "draw")
  if (!draw) require_ggplot2()
  place <- map_place(predictions, coords, longlat)
  place$outlined <- centered
  what <- what %||% if ("class" %in% names(place$data) && !"mean" %in% names(place$data))
    "class" else "mean"
  labels <- list(title = title, main = main, xlab = xlab, ylab = ylab)
  for (name in names(labels)) check_label(labels[[name]], name)
  check_number(cex, "cex", 0, open = TRUE, null_ok = TRUE)
  values <- map_values(place$data, what)
  scale <- if (is.factor(values)) class_scale(levels(values), palette) else
    color_scale(values, palette %||% default_palette(what, centered), limits, centered)
  map <- ggplot_map(place, values, scale, title, main, xlab, ylab, cex)
  if (draw) draw_plots(map) else map
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
        "`coords` must give the locations of the predictions.",
        i = "Give the names of two columns, a formula such as `~ lon + lat`, or a matrix of coordinates.",
        i = "For example plot_map(cbind(newdata, predict(fit, newdata)), \"mean\", coords = ~ lon + lat)."
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

# Text or mathematical notation, or NULL for none.
check_label <- function(label, name) {
  if (is.null(label) || is.language(label) || (is.atomic(label) && length(label) == 1L)) {
    return(invisible())
  }
  abort_argument(name, "one text", label)
}

# `values`: numbers, or a factor. `place$symbols`: shapes of the points. `place$outlined`: whether
# points get an outline, as colours may be pale.
ggplot_map <- function(place, values, scale, title, main, xlab = NULL, ylab = NULL, cex = NULL) {
  if (length(place$names) != 2L) {
    abort_neargp("plot", sprintf("A map needs two coordinates in space, and there are %d.",
      length(place$names)))
  }
  if (!has_ggplot2()) return(plain_map(place, values, scale, title, main, xlab, ylab, cex))
  table <- data.frame(x = place$x, y = place$y, value = values)
  grid <- drawn_grid(place)
  new_plot(table, ggplot2::aes(.data$x, .data$y), main) +
    (if (is.null(grid)) ggplot_points(place, cex %||% point_size(nrow(table))) else
      ggplot_cells(grid)) +
    ggplot_dots(table, place, grid) + ggplot_fill(scale, values, title) +
    ggplot_axes(place, is.null(grid), xlab, ylab)
}

# Tiles of the step that drawn_grid() found: ggplot2 would take the smallest difference, rounding
# errors included. They are a hundredth wider, as devices leave a line between edges that round to
# different pixels. `show.legend`: ggplot2 from 3.5 on draws no key of a level that the data lack.
ggplot_cells <- function(grid) {
  sides <- 1.01 * grid$step
  ggplot2::geom_tile(ggplot2::aes(fill = .data$value), width = sides[1L], height = sides[2L],
    show.legend = c(fill = TRUE))
}

# On small symbols a grey outline would hide the colour.
ggplot_points <- function(place, cex) {
  outlined <- isTRUE(place$outlined) || !is.null(place$symbols)
  ggplot2::geom_point(ggplot2::aes(fill = .data$value), shape = place$symbols %||% 21L,
    stroke = if (outlined) 0.3 * min(cex, 1) else 0, colour = "grey45", size = 2.5 * cex,
    show.legend = c(fill = TRUE), na.rm = TRUE)
}

# Dots on the cells where the field is mostly unknown.
ggplot_dots <- function(table, place, grid) {
  dotted <- if (is.null(grid)) FALSE else dotted_cells(place, grid)
  if (!any(dotted)) return(NULL)
  list(ggplot2::geom_point(data = table[dotted, ], shape = 21L, size = 0.5, stroke = 0.15,
    fill = "white", colour = "grey20"), ggplot2::labs(subtitle = dotted_note))
}

# The colours of a scale (plot-scale.R). Values beyond take the colour of its end, and a caption
# says how far they go; missing ones stay transparent. The legend shows each level of a factor
# once: without limits ggplot2 from 3.5 on adds a key for missing values.
ggplot_fill <- function(scale, values, title) {
  if (is.factor(values)) {
    return(ggplot2::scale_fill_manual(title, values = stats::setNames(scale$colors, levels(values)),
      limits = levels(values), na.value = NA))
  }
  ends <- range(scale$breaks)
  list(ggplot2::scale_fill_gradientn(title, colours = scale$colors, limits = ends,
    breaks = scale$ticks, labels = scale$labels %||% plain_labels,
    oob = function(x, range) pmin(pmax(x, range[1L]), range[2L]), na.value = NA),
    if (!all(is.na(scale$beyond))) ggplot2::labs(caption = beyond_caption(scale$beyond)))
}

beyond_caption <- function(beyond) {
  told <- paste(c("down", "up")[!is.na(beyond)], beyond_labels(beyond))
  paste("colours of the ends include values", paste(told, collapse = " and "))
}

ggplot_axes <- function(place, expand = FALSE, xlab = NULL, ylab = NULL) {
  shown <- axis_unit(place$unit, c(place$x, place$y))
  labeller <- function(side) {
    # Breaks beyond the limits of the axis are NA.
    function(x) {
      known <- !is.na(x)
      replace(rep("", length(x)), known, if (place$longlat) degree_labels(x[known], side) else
        plain_labels(x[known] / shown$factor))
    }
  }
  list(
    ggplot2::scale_x_continuous(xlab %||% axis_title(place, 1L), labels = labeller(1L),
      guide = ggplot2::guide_axis(check.overlap = TRUE)),
    ggplot2::scale_y_continuous(ylab %||% axis_title(place, 2L), labels = labeller(2L)),
    if (place$longlat) ggplot2::coord_quickmap(expand = expand) else
      ggplot2::coord_equal(expand = expand),
    widen_map(place),
    ggplot2::theme(panel.grid = ggplot2::element_blank())
  )
}

# A map that is but a line would leave no room next to it: its narrow side is drawn wider than it
# is.
widen_map <- function(place) {
  shape <- if (place$longlat) cos(mean(range(place$y)) * pi / 180) else 1
  least <- max(diff(range(place$x)) * shape, diff(range(place$y))) / 20 * c(-0.5, 0.5)
  ggplot2::expand_limits(x = mean(range(place$x)) + least / shape, y = mean(range(place$y)) + least)
}

# Triangles that point up and down: in grey, both ends of a centered scale are dark.
signed_symbols <- function(values) ifelse(values < 0, 25L, 24L)

point_size <- function(n) max(0.2, min(1, 22 / sqrt(n)))

# Degrees need no title.
axis_title <- function(place, side) {
  if (place$longlat) return("")
  label_with_unit(place$names[side], axis_unit(place$unit, c(place$x, place$y))$unit)
}

# Large numbers of metres are shown in kilometres.
axis_unit <- function(unit, values) {
  if (identical(unit, "m") && max(abs(values)) >= 1e4) list(factor = 1000, unit = "km") else
    list(factor = 1, unit = unit %||% "")
}

label_with_unit <- function(name, unit) if (nzchar(unit)) sprintf("%s (%s)", name, unit) else name

plain_labels <- function(x) {
  largest <- max(abs(x), na.rm = TRUE)
  format(x, big.mark = ",", decimal.mark = ".", trim = TRUE,
    scientific = if (largest == 0 || (largest >= 1e-4 && largest < 1e7)) 100 else 0)
}

# Each by itself, as on a logarithmic axis, beyond whose limits breaks are NA.
each_plain_label <- function(x) {
  replace(rep(NA_character_, length(x)), !is.na(x), vapply(x[!is.na(x)], plain_labels, ""))
}

# 105 degrees W, 39.5 degrees N
degree_labels <- function(degrees, side) {
  degrees <- if (side == 1L) (degrees + 180) %% 360 - 180 else degrees
  letters <- if (side == 1L) c("W", "", "E") else c("S", "", "N")
  paste0(format(abs(degrees), trim = TRUE), "\u00b0",
    letters[sign(degrees) + 2L])
}
