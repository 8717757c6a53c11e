# Folds of a cross-validation where they are, a panel for each.

#' @rdname folds
#' @param x,object folds made by `block_folds()`.
#' @param which numbers of the folds to show, one panel for each, with the other observations in
#'   grey. Default `NULL`: all, or the first 12.
#' @param cex size of the points, a positive number; the default falls from 1 with their number.
#' @param ... for `plot()`, `cex`; for `autoplot()` not used.
#' @export
plot.neargp_folds <- function(x, which = NULL, ...) {
  check_plot_arguments(autoplot.neargp_folds)
  draw_plots(autoplot.neargp_folds(x, which, ...))
}

#' @rdname folds
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_folds <- function(object, which = NULL, cex = NULL, ...) {
  check_no_more_arguments()
  place <- fold_place(object)
  which <- shown_folds(object, which)
  size <- 2 * (check_number(cex, "cex", 0, open = TRUE, null_ok = TRUE) %||%
    point_size(length(object)))
  places <- data.frame(x = place$x, y = place$y)
  held <- do.call(rbind, lapply(which, function(fold) {
    cbind(places[object %in% fold, ], panel = fold_labels(object, fold))
  }))
  held$panel <- factor(held$panel, fold_labels(object, which))
  new_plot(held, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::geom_point(data = places, colour = "grey80", size = size) +
    ggplot2::geom_point(colour = "#0072B2", size = size) +
    ggplot2::facet_wrap("panel") + ggplot_axes(place, expand = TRUE)
}

fold_place <- function(x) {
  shown <- attr(x, "shown")
  if (is.null(shown)) {
    abort_neargp("argument", c(
      "These folds contain no locations to plot.",
      i = "Random folds ignore locations. Use `block_folds()`."
    ))
  }
  degrees <- attr(x, "degrees")
  list(x = if (degrees) joined_longitude(shown[, 1L]) else shown[, 1L],
    y = if (ncol(shown) > 1L) shown[, 2L] else rep(0, nrow(shown)), longlat = degrees,
    unit = if (degrees) "" else attr(x, "unit"), names = colnames(shown)[1:2] %||% c("x", "y"))
}

shown_folds <- function(x, which) {
  v <- attr(x, "v")
  if (is.null(which)) return(seq_len(min(v, 12L)))
  if (!is.numeric(which) || !length(which) || !all(which %in% seq_len(v))) {
    abort_argument("which", sprintf("numbers of folds, 1 to %d", v), which)
  }
  which
}

fold_labels <- function(x, fold) {
  sprintf("Fold %d of %d: %s rows", as.integer(fold), attr(x, "v"),
    vapply(tabulate(x, attr(x, "v"))[fold], format_count, ""))
}
