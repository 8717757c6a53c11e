# Inducing points over the rows, in the first two coordinates; of one coordinate, over the
# responses.
plot_inducing <- function(fit, ...) {
  drawn <- inducing_places(fit)
  plot_frame(range(drawn$rows$x, drawn$points$x), range(drawn$rows$y, drawn$points$y), drawn$main,
    drawn$names[1L], drawn$names[2L])
  graphics::points(drawn$rows$x, drawn$rows$y, pch = 16, cex = 0.6 * point_size(nrow(drawn$rows)),
    col = "grey70", ...)
  graphics::points(drawn$points$x, drawn$points$y, pch = 4, cex = 0.8, col = "#D55E00")
}

inducing_places <- function(fit) {
  coords <- original_coords(fit)
  points <- fit$inducing
  second <- ncol(coords) > 1L
  y <- if (second) coords[, 2L] else fit$data$y
  shown <- shown_rows(nrow(coords))
  list(rows = data.frame(x = coords[shown, 1L], y = y[shown]),
    points = data.frame(x = as.double(points[[1L]]),
      y = if (second) as.double(points[[2L]]) else min(y)),
    main = sprintf("%s inducing points", format_count(nrow(points))),
    names = c(colnames(coords)[1L], if (second) colnames(coords)[2L] else fit$data$response_name))
}
