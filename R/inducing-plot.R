# Inducing points over the rows, in the first two coordinates; of one coordinate, over the
# responses.
plot_inducing <- function(fit, ...) {
  coords <- original_coords(fit)
  points <- fit$inducing
  shown <- shown_rows(nrow(coords))
  second <- ncol(coords) > 1L
  y <- if (second) coords[, 2L] else fit$data$y
  y_points <- if (second) points[[2L]] else rep(min(y), nrow(points))
  plot_frame(range(coords[, 1L], points[[1L]]), range(y, y_points),
    sprintf("%s inducing points", format_count(nrow(points))),
    colnames(coords)[1L], if (second) colnames(coords)[2L] else fit$data$response_name)
  graphics::points(coords[shown, 1L], y[shown], pch = 16, cex = 0.6 * point_size(length(shown)),
    col = "grey70", ...)
  graphics::points(points[[1L]], y_points, pch = 4, cex = 0.8, col = "#D55E00")
}
