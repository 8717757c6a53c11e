# Inducing points over the rows, in the first two coordinates; of one coordinate, over the
# responses.
ggplot_inducing <- function(fit) {
  drawn <- inducing_places(fit)
  plot <- new_plot(drawn$rows, ggplot2::aes(.data$x, .data$y), drawn$main, x = drawn$names[1L],
    y = drawn$names[2L]) +
    ggplot2::geom_point(colour = "grey70", size = point_size(nrow(drawn$rows))) +
    ggplot2::geom_point(data = drawn$points, shape = 4L, colour = "#D55E00")
  if (drawn$is_map) plot + ggplot_axes(drawn$place, expand = TRUE) else plot
}

# `place` of the rows and then the points, in one piece.
inducing_places <- function(fit) {
  coords <- raw_positions(places_of(fit$data$coords, fit$locations), fit$locations)
  second <- ncol(coords) > 1L
  y <- if (second) coords[, 2L] else fit$data$y
  x_points <- as.double(fit$inducing[[1L]])
  y_points <- if (second) as.double(fit$inducing[[2L]]) else rep(min(y), length(x_points))
  place <- fit_place(fit, cbind(c(coords[, 1L], x_points), c(y, y_points)))
  is_point <- seq_along(place$x) > nrow(coords)
  shown <- shown_rows(nrow(coords))
  list(rows = data.frame(x = place$x, y = c(y, y_points))[shown, ],
    points = data.frame(x = place$x, y = c(y, y_points))[is_point, ], place = place,
    is_map = length(fit$locations$raw_names) == 2L && !has_factors(fit$locations),
    main = sprintf("%s inducing points", format_count(nrow(fit$inducing))),
    names = c(colnames(coords)[1L], if (second) colnames(coords)[2L] else fit$data$response_name))
}
