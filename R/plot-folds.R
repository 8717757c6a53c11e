# Folds of a cross-validation where they are, a panel for each.

#' @rdname folds
#' @param x folds made by `block_folds()`.
#' @param which numbers of the folds to show, each in a panel of its own beside the other rows in
#'   grey; by default all, or the first 12 of more.
#' @param cex,pch size and symbol of the points.
#' @param ... further arguments for [graphics::points()].
#' @export
plot.neargp_folds <- function(x, which = NULL, cex = NULL, pch = 16, ...) {
  check_plot_arguments(names(list(...)), "map")
  place <- fold_place(x)
  which <- shown_folds(x, which)
  device <- graphics::par("din")
  old <- open_page(grDevices::n2mfrow(length(which), asp = device[1L] / device[2L]))
  on.exit(graphics::par(old))
  for (fold in which) {
    own <- x %in% fold
    # The fold comes last, over the others.
    order <- order(own)
    panel <- place
    panel[c("x", "y")] <- list(place$x[order], place$y[order])
    draw_places(panel, ifelse(own, "#0072B2", "grey80")[order], legend = FALSE,
      main = fold_labels(x, fold), cex = cex, pch = pch, ...)
  }
  invisible(x)
}

fold_place <- function(x) {
  shown <- attr(x, "shown")
  if (is.null(shown)) {
    abort_neargp("argument", c(
      "These folds have no locations to plot.",
      i = "Random folds do not look at locations; `block_folds()` does."
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
