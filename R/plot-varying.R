# Maps of coefficients that vary, or curves along one coordinate.

# Units and scales differ between coefficients.
ggplot_coefficients <- function(fit, what, newdata, cells, time, palette, limits, centered) {
  maps <- coefficient_maps(fit, what == "sd", newdata, cells, time)
  plots_of(names(maps$values), function(name) {
    values <- maps$values[[name]]
    main <- maps$main[[name]]
    if (length(maps$place$names) == 1L) {
      return(ggplot_band(curve_table(maps$place$x, values, maps$errors[[name]]), maps$place$names,
        name, main))
    }
    scale <- color_scale(values, palette %||% default_palette(what, centered), limits, centered)
    ggplot_map(maps$place, values, scale, maps$label, main)
  })
}

# Next to those of columns, maps of the process show the intercept.
drawn_surfaces <- function(surfaces) {
  Filter(function(surface) surface$name != "(Intercept)", surfaces)
}

# Locations, with the values that are drawn there, their standard deviations and titles, by name.
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
