# A curve with its band.

# `table`: x, value and, of a band, lower and upper; `data`: points (x, y) below the curve.
ggplot_band <- function(table, x_label, y_label, main, by_log = FALSE, data = NULL) {
  if (!has_ggplot2()) {
    return(plain_curve(table, x_label, y_label, main, if (by_log) "y" else "", data))
  }
  plot <- new_plot(table, ggplot2::aes(.data$x), main, x = x_label, y = y_label)
  band <- if (!all(is.na(table$lower))) {
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), fill = "grey85")
  }
  points <- if (!is.null(data)) {
    ggplot2::geom_point(ggplot2::aes(y = .data$y), data = data, colour = "grey40",
      size = 1.5 * point_size(nrow(data)))
  }
  plot + band + points +
    ggplot2::geom_line(ggplot2::aes(y = .data$value), colour = "#0072B2", linewidth = 0.8) +
    (if (by_log) ggplot2::scale_y_log10(labels = each_plain_label))
}
