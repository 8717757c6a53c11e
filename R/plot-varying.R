# Maps of coefficients that vary, or curves along one coordinate.

plot_coefficients <- function(fit, what, newdata, cells, time, palette = NULL, limits = NULL,
                              centered = FALSE, title = NULL, main = NULL, ...) {
  maps <- coefficient_maps(fit, what == "sd", newdata, cells, time)
  for (name in names(maps$values)) {
    values <- maps$values[[name]]
    heading <- main %||% maps$main[[name]]
    if (length(maps$place$names) == 1L) {
      plot_warp_curve(curve_table(maps$place$x, values, maps$errors[[name]]),
        maps$place$names, title %||% name, heading, ...)
      next
    }
    draw_map(maps$place, values, color_scale(values, palette %||% default_palette(what, centered),
      limits, centered), title = title %||% maps$label, main = heading, ...)
  }
}

count_surfaces <- function(fit) length(drawn_surfaces(surfaces_of(fit)))

# Beside those of columns the intercept is told by maps of the process.
drawn_surfaces <- function(surfaces) {
  Filter(function(surface) surface$name != "(Intercept)", surfaces)
}

# Places, with the values that are drawn there, their standard deviations and titles, by name.
coefficient_maps <- function(fit, is_error, newdata, cells, time) {
  settings <- predict_settings(fit, local_mean = NULL, sectors = NULL, type = "coefficients")
  settings$context <- prediction_context(fit, cells, settings)
  whole <- cached_all_columns(fit, settings$context)
  surfaces <- drawn_surfaces(surfaces_of(whole))
  if (is.null(newdata)) {
    raw <- map_grid(fit, cells, time)
    target <- c(list(coords = embed_coordinates(raw, whole$locations, "the grid of a map"),
      complete = rep(TRUE, nrow(raw))), zero_design(whole, nrow(raw)))
    place <- fit_place(fit, raw)
  } else {
    newdata <- rows_of_grid(fit, newdata)
    target <- new_target(whole, newdata, "process")
    place <- newdata_place(fit, newdata)
  }
  moments <- surface_moments(whole, target, surfaces, settings)
  errors <- lapply(moments, function(one) sqrt(one$variance))
  list(place = place, values = if (is_error) errors else lapply(moments, `[[`, "mean"),
    errors = if (!is_error) errors, label = if (is_error) "sd" else "coefficient",
    main = vapply(surfaces, function(surface) paste0(if (is_error)
      "Standard deviation: coefficient of " else "Coefficient of ", surface$name), ""))
}

# Panels have one scale.
ggplot_coefficients <- function(fit, what, newdata, cells, time, palette = NULL, limits = NULL) {
  maps <- coefficient_maps(fit, what == "sd", newdata, cells, time)
  ggplot_panels(maps, further_scale(maps$values, what == "sd", palette, limits))
}
