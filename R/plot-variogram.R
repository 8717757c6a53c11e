#' Plot an empirical variogram
#'
#' Points whose area grows with the number of pairs, and the fitted curve when the
#' variogram comes from a fit. With directions, one colour and symbol each.
#'
#' @param x,object an empirical variogram made by [empirical_variogram()].
#' @param main,xlab,ylab title and axis labels.
#' @param ylim two numbers: the range of the axis of the semivariance, which starts at zero by
#'   default.
#' @param ... for `plot()`, arguments of `autoplot()`.
#' @return A ggplot object, whose `data` is the table of the points. `plot()` draws it and returns
#'   it invisibly. Without the package ggplot2, `plot()` draws a plain version and returns `NULL`.
#' @examples
#' set.seed(1)
#' x <- cbind(runif(400), runif(400))
#' plot(empirical_variogram(sin(6 * x[, 1]) + rnorm(400, sd = 0.2), coords = x))
#' @export
plot.neargp_variogram <- function(x, ...) {
  check_plot_arguments(autoplot.neargp_variogram)
  draw_plots(autoplot.neargp_variogram(x, ...))
}

#' @rdname plot.neargp_variogram
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_variogram <- function(object, main = "Variogram", xlab = NULL,
                                      ylab = "semivariance", ylim = NULL, ...) {
  check_no_more_arguments()
  check_label(main, "main")
  check_label(xlab, "xlab")
  check_label(ylab, "ylab")
  shown <- axis_unit(attr(object, "unit"), object$distance)
  x_label <- xlab %||% distance_label(shown$unit, attr(object, "along") %||% "space")
  if (!has_ggplot2()) {
    return(plain_variogram(object, main, x_label, ylab, ylim, shown$factor))
  }
  curve <- attr(object, "curve")
  named <- function(table) {
    directions <- unique(object$direction)
    table$direction <- factor(match(table$direction, directions), seq_along(directions),
      direction_labels(directions))
    as.data.frame(table)
  }
  new_plot(named(object), ggplot2::aes(.data$distance, .data$gamma, colour = .data$direction,
    fill = .data$direction), main, y = ylab, subtitle = variogram_caption(object)) +
    ggplot2::geom_point(ggplot2::aes(size = .data$n_pairs, shape = .data$direction)) +
    (if (!is.null(curve)) ggplot2::geom_line(ggplot2::aes(linetype = .data$direction),
      data = named(curve), linewidth = 0.8)) +
    variogram_scales(object) +
    ggplot2::expand_limits(x = 0, y = 0) + ggplot2::coord_cartesian(ylim = ylim) +
    ggplot2::scale_x_continuous(x_label, labels = function(x) plain_labels(x / shown$factor)) +
    ggplot2::theme(legend.position = "bottom", legend.box = "vertical",
      legend.spacing.y = ggplot2::unit(0, "pt"), legend.margin = ggplot2::margin())
}

# Directions differ in colour, symbol and line.
variogram_scales <- function(x) {
  guide <- if (all(is.na(x$direction))) "none" else "legend"
  each <- function(values) rep_len(values, length(direction_colors))
  list(ggplot2::scale_size_area("pairs", max_size = 4, breaks = unique(range(x$n_pairs)),
    labels = format_count),
    ggplot2::scale_colour_manual("direction", values = direction_colors, guide = guide),
    ggplot2::scale_fill_manual("direction", values = grDevices::adjustcolor(direction_colors, 0.25),
      guide = guide),
    ggplot2::scale_shape_manual("direction", values = each(c(21L, 24L)), guide = guide),
    ggplot2::scale_linetype_manual("direction", values = each(c("solid", "longdash")),
      guide = guide))
}

# The meaning of points and curve.
variogram_caption <- function(x) {
  curve <- attr(x, "curve")
  if (is.null(curve)) return(attr(x, "note"))
  paste0("points: residuals, larger for more pairs; ", if (length(unique(curve$direction)) > 1L)
    "curves: " else "curve: ", attr(x, "note") %||% "the fit")
}

# Okabe and Ito's colours, distinguishable for colour-blind readers.
direction_colors <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
  "#F0E442")

direction_labels <- function(directions) sprintf("%.0f\u00b0 from north", directions)

distance_label <- function(unit, along = "space") {
  if (along == "time") return(label_with_unit("lag in time", unit %||% ""))
  if (unit == "ranges") "distance / range" else label_with_unit("distance", unit %||% "")
}

#' @export
print.neargp_variogram <- function(x, digits = 4L, ...) {
  # Some of its rows or columns have lost what describes the whole.
  if (is.null(attr(x, "estimator"))) return(invisible(print.data.frame(x, digits = digits, ...)))
  cat(sprintf("Empirical variogram (%s estimator, %s pairs, classes of %s up to %s%s)\n",
    attr(x, "estimator"), format_count(sum(x$n_pairs)), format(attr(x, "width"), digits = digits),
    format(attr(x, "cutoff"), digits = digits),
    if (nzchar(attr(x, "unit"))) paste0(" ", attr(x, "unit")) else ""))
  table <- as.data.frame(x)
  if (all(is.na(table$direction))) table$direction <- NULL
  print.data.frame(table, digits = digits, row.names = FALSE, ...)
  invisible(x)
}
