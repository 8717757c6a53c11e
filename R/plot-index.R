# Pictures of predict_index(): a panel for each quantity, with the intervals as ribbons over a
# numeric group such as the year, else as bars.

#' @export
plot.neargp_index <- function(x, ...) {
  check_plot_arguments(autoplot.neargp_index)
  draw_plots(autoplot.neargp_index(x, ...))
}

#' @exportS3Method ggplot2::autoplot
autoplot.neargp_index <- function(object, ...) {
  check_no_more_arguments()
  shown <- index_panels(object)
  plot <- new_plot(shown, ggplot2::aes(.data$group, .data$mean, colour = .data$series,
    group = .data$series), x = shown$label[1L], y = NULL) +
    ggplot2::facet_wrap("panel", scales = "free_y") +
    ggplot2::scale_colour_manual(NULL, aesthetics = c("colour", "fill"),
      breaks = setdiff(levels(shown$series), ""),
      values = stats::setNames(rep_len(direction_colors, nlevels(shown$series)),
        levels(shown$series)))
  if (nlevels(shown$series) < 2L) plot <- plot + ggplot2::guides(colour = "none", fill = "none")
  if (is.factor(shown$group)) return(plot + ggplot2::geom_pointrange(
    ggplot2::aes(ymin = .data$lower, ymax = .data$upper),
    position = ggplot2::position_dodge(width = 0.4)))
  whole <- is.numeric(shown$group) && all(shown$group == round(shown$group))
  if (whole) plot <- plot + ggplot2::scale_x_continuous(breaks = whole_breaks)
  plot + ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lower, ymax = .data$upper,
    fill = .data$series), colour = NA, alpha = 0.2) +
    ggplot2::geom_line(linewidth = 0.8) + ggplot2::geom_point()
}

# Years are marked without decimals.
whole_breaks <- function(limits) unique(round(pretty(limits)))

index_labels <- c(index = "Total", center_of_gravity = "Centre of gravity",
  effective_area = "Effective area", range_edge = "Range edge")

# The first group is the horizontal axis, further groups and the shares of edges are series.
index_panels <- function(x) {
  groups <- intersect(attr(x, "groups"), names(x))
  along <- if (length(groups)) x[[groups[1L]]] else factor(rep("all cells", nrow(x)))
  continuous <- is.numeric(along) || inherits(along, c("Date", "POSIXct"))
  if (!continuous || length(unique(along)) < 2L) along <- factor(along)
  axis <- x$axis %||% NA
  panel <- paste0(index_labels[x$statistic], ifelse(is.na(axis), "", paste0(", ", axis)))
  share <- x$prob %||% rep(NA, nrow(x))
  series <- trimws(do.call(paste, c(unclass(x)[groups[-1L]],
    list(ifelse(is.na(share), "", paste0(100 * share, "%"))))))
  data.frame(group = along, mean = x$mean, lower = x$lower, upper = x$upper,
    panel = factor(panel, unique(panel)), series = factor(series, unique(series)),
    label = if (length(groups)) groups[1L] else "")
}
