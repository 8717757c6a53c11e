# Maps and curves over places by ggplot2, with the scales, dots and symbols of plot_map().

# `values`: numbers, or a factor.
ggplot_map <- function(place, values, scale, title, main) {
  table <- data.frame(x = place$x, y = place$y, value = values)
  grid <- drawn_grid(place)
  layer <- if (is.null(grid)) ggplot_points(place, nrow(table)) else ggplot_cells(grid)
  dotted <- if (!is.null(grid)) dotted_cells(place, grid)
  dots <- if (any(dotted)) {
    list(ggplot2::geom_point(data = table[dotted, ], shape = 21, size = 0.5, stroke = 0.15,
      fill = "white", colour = "grey20"), ggplot2::labs(subtitle = dotted_note))
  }
  ggplot2::ggplot(table, ggplot2::aes(.data$x, .data$y)) + layer + dots +
    ggplot_fill(scale, values, title) + ggplot_axes(place, expand = is.null(grid)) +
    ggplot2::labs(title = main)
}

# Tiles of the step that drawn_grid() found: ggplot2 would take the smallest difference, rounding
# errors included. A hundredth wider, as devices leave a line between edges that round apart.
ggplot_cells <- function(grid) {
  sides <- 1.01 * grid$step
  ggplot2::geom_tile(ggplot2::aes(fill = .data$value), width = sides[1L], height = sides[2L])
}

# Outlined triangles where the sign is to be seen in grey, too.
ggplot_points <- function(place, n) {
  size <- 2.2 * point_size(n)
  if (is.null(place$symbols)) {
    return(ggplot2::geom_point(ggplot2::aes(fill = .data$value), shape = 21, stroke = 0,
      size = size))
  }
  ggplot2::geom_point(ggplot2::aes(fill = .data$value), shape = place$symbols, stroke = 0.2,
    colour = "grey45", size = size)
}

# The colours of a scale (plot-scale.R). Values beyond take the colour of its end, and a caption
# says how far they go; missing ones stay transparent.
ggplot_fill <- function(scale, values, title) {
  if (is.factor(values)) {
    return(ggplot2::scale_fill_manual(title, values = stats::setNames(scale$colors, levels(values)),
      drop = FALSE, na.value = NA))
  }
  ends <- range(scale$breaks)
  list(ggplot2::scale_fill_gradientn(title, colours = scale$colors, limits = ends,
    breaks = scale$ticks, labels = scale$labels %||% plain_labels,
    oob = function(x, range) pmin(pmax(x, range[1L]), range[2L]), na.value = NA),
    if (!all(is.na(scale$beyond))) ggplot2::labs(caption = beyond_caption(scale$beyond)))
}

beyond_caption <- function(beyond) {
  told <- paste(c("down", "up")[!is.na(beyond)], beyond_labels(beyond))
  paste("colours of the ends include values", paste(told, collapse = " and "))
}

ggplot_axes <- function(place, expand = FALSE) {
  shown <- axis_unit(place$unit, c(place$x, place$y))
  labeller <- function(side) {
    # Breaks beyond the limits of the axis are NA.
    function(x) {
      known <- !is.na(x)
      replace(rep("", length(x)), known, if (place$longlat) degree_labels(x[known], side) else
        plain_labels(x[known] / shown$factor))
    }
  }
  title <- function(name) if (!place$longlat) label_with_unit(name, shown$unit)
  list(
    ggplot2::scale_x_continuous(title(place$names[1L]), labels = labeller(1L),
      guide = ggplot2::guide_axis(check.overlap = TRUE)),
    ggplot2::scale_y_continuous(title(place$names[2L]), labels = labeller(2L)),
    if (place$longlat) ggplot2::coord_quickmap(expand = expand) else
      ggplot2::coord_equal(expand = expand)
  )
}

# `table`: x, value and, of a band, lower and upper.
ggplot_band <- function(table, x_label, y_label, main) {
  band <- if (!is.null(table$lower)) {
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), fill = "grey80")
  }
  ggplot2::ggplot(table, ggplot2::aes(.data$x)) + band +
    ggplot2::geom_line(ggplot2::aes(y = .data$value), colour = "#0072B2") +
    ggplot2::labs(x = x_label, y = y_label, title = main)
}

ggplot_fit_map <- function(fit, what, newdata, cells, time, palette, limits) {
  drawn <- map_predictions(fit, newdata, cells, time)
  if (length(drawn$place$names) == 1L) return(ggplot_fit_curve(fit, drawn))
  if (what == "sd") drawn$place$dotted <- NULL
  values <- drawn$predictions[[what]]
  ggplot_map(drawn$place, values, color_scale(values, palette %||% default_palette(what),
    limits), what, map_title(drawn, what))
}

# The data, unless the curve is a spatial effect alone, and the curve over them.
ggplot_fit_curve <- function(fit, drawn) {
  table <- data.frame(x = drawn$place$x, value = drawn$predictions$mean,
    drawn$predictions[c("lower", "upper")])
  plot <- ggplot_band(table, drawn$place$names, fit$data$response_name, drawn$title)
  if (!drawn$known) return(plot)
  data <- data.frame(x = original_coords(fit)[, 1L], y = observed_response(fit$data))
  points <- ggplot2::geom_point(ggplot2::aes(y = .data$y), data = data, colour = "grey40", size = 1)
  plot$layers <- append(plot$layers, list(points), 1L)
  plot
}

ggplot_residual_map <- function(fit, loo) {
  drawn <- residual_map(fit, loo)
  ggplot_map(drawn$place, loo$z, drawn$scale, "z", "Map of the residuals")
}

ggplot_errors <- function(x, predictions, main) {
  drawn <- error_map(x, predictions)
  ggplot_map(drawn$place, drawn$error, drawn$scale, "error", main)
}

ggplot_class_map <- function(fit, newdata, cells) {
  drawn <- class_map(fit, newdata, cells)
  ggplot_map(drawn$place, drawn$class, class_scale(fit$classifier$levels), "class",
    class_title(fit))
}

ggplot_local_scale <- function(fit, which, what, newdata, cells, time, palette, limits) {
  drawn <- local_scale_map(fit, which, what, newdata, cells, time, palette, limits)
  if (is_curve(fit)) {
    plot <- ggplot_band(local_curve_table(drawn), drawn$place$names, drawn$label, drawn$main)
    return(if (drawn$is_error) plot else plot + ggplot2::scale_y_log10())
  }
  ggplot_map(drawn$place, if (drawn$is_error) drawn$error else log(drawn$value), drawn$scale,
    drawn$label, drawn$main)
}

# A panel for each further coordinate, or where there is none for each monotone warp.
ggplot_warp <- function(fit, what, newdata, cells, time, palette, limits) {
  is_error <- what == "sd"
  check_warp_errors(fit, is_error)
  maps <- further_maps(fit, is_error, newdata, cells, time)
  if (is.null(maps)) return(ggplot_monotone(monotone_curves(fit, is_error), is_error))
  ggplot_panels(maps, further_scale(maps$values, is_error, palette, limits))
}

# Maps, or curves along one coordinate, beside each other on one scale: `values`, with `errors` or
# NULL, at a `place`, with a title (`main`) each and the `label` of all.
ggplot_panels <- function(maps, scale) {
  panel <- rep(factor(maps$main, maps$main), each = length(maps$place$x))
  if (length(maps$place$names) == 1L) {
    tables <- Map(function(value, error, main) cbind(curve_table(maps$place$x, value, error),
      panel = factor(main, maps$main)), maps$values, maps$errors %||% list(NULL), maps$main)
    return(ggplot_band(do.call(rbind, tables), maps$place$names, maps$label, NULL) +
      ggplot2::facet_wrap("panel"))
  }
  place <- maps$place
  grid <- drawn_grid(place)
  table <- data.frame(x = place$x, y = place$y, value = unlist(maps$values, use.names = FALSE),
    panel = panel)
  layer <- if (is.null(grid)) ggplot_points(place, length(place$x)) else ggplot_cells(grid)
  ggplot2::ggplot(table, ggplot2::aes(.data$x, .data$y)) + layer +
    ggplot_fill(scale, table$value, maps$label) +
    ggplot_axes(place, expand = is.null(grid)) + ggplot2::facet_wrap("panel")
}

ggplot_monotone <- function(curves, is_error) {
  titles <- vapply(curves, `[[`, "", "main")
  table <- do.call(rbind, lapply(curves, function(curve) {
    cbind(curve$table, panel = factor(curve$main, titles))
  }))
  plot <- ggplot_band(table, "coordinate", curves[[1L]]$label, NULL) +
    ggplot2::facet_wrap("panel", scales = "free")
  if (is_error) return(plot)
  plot + ggplot2::geom_line(ggplot2::aes(y = .data$x), linetype = "dashed", colour = "grey40")
}

ggplot_inducing <- function(fit) {
  drawn <- inducing_places(fit)
  ggplot2::ggplot(drawn$rows, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::geom_point(colour = "grey70", size = point_size(nrow(drawn$rows))) +
    ggplot2::geom_point(data = drawn$points, shape = 4, colour = "#D55E00") +
    ggplot2::labs(x = drawn$names[1L], y = drawn$names[2L], title = drawn$main)
}
