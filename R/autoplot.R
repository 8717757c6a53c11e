# Methods for ggplot2, registered when that package is loaded.

#' @rdname plot.neargp
#' @exportS3Method ggplot2::autoplot
#' @importFrom rlang .data
autoplot.neargp <- function(object, which = c("map", "variogram"), what = c("mean", "sd"),
                            newdata = NULL, cells = 10000, time = NULL, ...) {
  check_fit(object)
  which <- check_choice(which, "which", c("map", "variogram"))
  what <- check_choice(what, "what", c("mean", "sd"))
  if (which == "variogram") return(ggplot2::autoplot(empirical_variogram(object, ...)))
  drawn <- map_predictions(object, newdata, cells, time)
  if (length(drawn$place$names) == 1L) return(ggplot_curve(object, drawn))
  ggplot_map(drawn$place, drawn$predictions[[what]], what) + ggplot2::ggtitle(drawn$title)
}

ggplot_map <- function(place, values, what) {
  table <- data.frame(x = place$x, y = place$y, value = values)
  grid <- as_grid(place$x, place$y)
  option <- if (what == "sd") "magma" else "viridis"
  # Tiles of the step that as_grid() found: ggplot2 would take the smallest difference, rounding
  # errors included.
  layers <- if (is.null(grid)) {
    list(ggplot2::geom_point(ggplot2::aes(colour = .data$value), size = 1.5),
      ggplot2::scale_colour_viridis_c(what, option = option))
  } else {
    list(ggplot2::geom_tile(ggplot2::aes(fill = .data$value), width = grid$step[1L],
      height = grid$step[2L]), ggplot2::scale_fill_viridis_c(what, option = option))
  }
  ggplot2::ggplot(table, ggplot2::aes(.data$x, .data$y)) + layers + ggplot_axes(place)
}

ggplot_axes <- function(place) {
  shown <- axis_unit(place$unit, c(place$x, place$y))
  labeller <- function(side) {
    if (place$longlat) function(x) degree_labels(x, side) else
      function(x) plain_labels(x / shown$factor)
  }
  title <- function(name) if (!place$longlat) label_with_unit(name, shown$unit)
  list(
    ggplot2::scale_x_continuous(title(place$names[1L]), labels = labeller(1L)),
    ggplot2::scale_y_continuous(title(place$names[2L]), labels = labeller(2L)),
    if (place$longlat) ggplot2::coord_quickmap(expand = FALSE) else
    ggplot2::coord_equal(expand = FALSE)
  )
}

ggplot_curve <- function(fit, drawn) {
  table <- data.frame(x = drawn$place$x, drawn$predictions[c("mean", "lower", "upper")])
  data <- data.frame(x = original_coords(fit)[, 1L], y = fit$data$y)
  ggplot2::ggplot(table, ggplot2::aes(.data$x)) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), fill = "grey85") +
    ggplot2::geom_point(ggplot2::aes(y = .data$y), data = data, colour = "grey40", size = 1) +
    ggplot2::geom_line(ggplot2::aes(y = .data$mean), colour = "#0072B2") +
    ggplot2::labs(x = drawn$place$names, y = fit$data$response_name, title = drawn$title)
}

#' @rdname plot.neargp_variogram
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_variogram <- function(object, ...) {
  named <- function(table) {
    table$direction <- if (all(is.na(table$direction))) "all" else direction_labels(table$direction)
    as.data.frame(table)
  }
  several <- !all(is.na(object$direction))
  shown <- axis_unit(attr(object, "unit"), object$distance)
  plot <- ggplot2::ggplot(named(object), ggplot2::aes(.data$distance, .data$gamma,
    colour = .data$direction)) +
    ggplot2::geom_point(ggplot2::aes(size = .data$n_pairs), shape = 1) +
    ggplot2::scale_size_area("pairs", max_size = 4) +
    ggplot2::scale_colour_manual("direction", values = direction_colors,
      guide = if (several) "legend" else "none") +
    ggplot2::expand_limits(x = 0, y = 0) +
    ggplot2::scale_x_continuous(distance_label(shown$unit),
      labels = function(x) plain_labels(x / shown$factor)) +
    ggplot2::labs(y = "semivariance", subtitle = attr(object, "note"))
  curve <- attr(object, "curve")
  if (is.null(curve)) plot else plot + ggplot2::geom_line(data = named(curve))
}
