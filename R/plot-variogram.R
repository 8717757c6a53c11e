#' Plot an empirical variogram
#'
#' Points whose area grows with the number of pairs, and the fitted curve when the
#' variogram comes from a fit. With directions, one colour and symbol each.
#'
#' @param x,object an empirical variogram made by [empirical_variogram()].
#' @param main,xlab,ylab title and axis labels.
#' @param ylim range of the axis of the semivariance; starts at zero by default.
#' @param ... further arguments for [graphics::points()].
#' @return `x`, invisibly; `autoplot()` a ggplot object.
#' @examples
#' set.seed(1)
#' x <- cbind(runif(400), runif(400))
#' plot(empirical_variogram(sin(6 * x[, 1]) + rnorm(400, sd = 0.2), coords = x))
#' @export
plot.neargp_variogram <- function(x, main = "Variogram", xlab = NULL, ylab = "semivariance",
                                  ylim = NULL, ...) {
  check_plot_arguments(names(list(...)))
  curve <- attr(x, "curve")
  groups <- unique(x$direction)
  shown <- axis_unit(attr(x, "unit"), x$distance)
  old <- graphics::par(mar = c(3.4, 4.2, 2.6, 1), mgp = c(2.2, 0.5, 0), las = 1, tcl = -0.3)
  on.exit(graphics::par(old))
  plot_frame(c(0, max(x$distance)) / shown$factor, ylim %||% c(0, max(x$gamma, curve$gamma)), main,
    xlab %||% distance_label(shown$unit, attr(x, "along") %||% "space"), ylab)
  for (g in seq_along(groups)) {
    own <- x$direction %in% groups[g]
    graphics::points(x$distance[own] / shown$factor, x$gamma[own],
      pch = c(21, 24)[(g - 1L) %% 2L + 1L], col = direction_colors[g],
      bg = grDevices::adjustcolor(direction_colors[g], 0.25), cex = pair_size(x$n_pairs)[own], ...)
    line <- curve[curve$direction %in% groups[g], ]
    if (NROW(line)) {
      graphics::lines(line$distance / shown$factor, line$gamma, col = direction_colors[g], lwd = 2,
        lty = c(1, 5)[(g - 1L) %% 2L + 1L])
    }
  }
  write_subtitle(variogram_caption(x))
  if (length(groups) > 1L) {
    graphics::legend("bottomright", direction_labels(groups),
      col = direction_colors[seq_along(groups)],
      pch = rep_len(c(21, 24), length(groups)), lty = if (!is.null(curve)) rep_len(c(1, 5),
        length(groups)), bty = "n", cex = 0.85)
  }
  invisible(x)
}

# What points and curve are.
variogram_caption <- function(x) {
  curve <- attr(x, "curve")
  if (is.null(curve)) return(attr(x, "note"))
  paste0("points: residuals, larger for more pairs; ", if (length(unique(curve$direction)) > 1L)
    "curves: " else "curve: ", attr(x, "note") %||% "the fit")
}

# Okabe and Ito's colours, distinguishable for colour-blind readers.
direction_colors <- c("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
  "#F0E442")

# Area in proportion to the square root of the number of pairs: the rarest stay visible.
pair_size <- function(n_pairs) 0.5 + 0.9 * (n_pairs / max(n_pairs))^0.25

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
