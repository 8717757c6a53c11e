# Maps of further coordinates and curves of monotone warps, see warp.R.

count_warp_panels <- function(fit) {
  length(fit$core_covariance$components[[warped_component(fit)]]$warps)
}

plot_warp <- function(fit, what, newdata, cells, time, palette = NULL, limits = NULL,
  title = NULL, main = NULL, ...) {
  component <- warped_component(fit)
  is_error <- what == "sd"
  errors <- fit$parameters$std_error[component_rows(fit$layout, component, warp_kinds)]
  if (is_error && all(is.na(errors))) {
    abort_neargp("plot", c(
      sprintf("The fit has no standard errors of its warp: %s.", why_no_errors(fit)),
      i = "vecchia() and exact_gp() have them."))
  }
  kinds <- vapply(recipes_of(fit$locations, component, warp_kinds), `[[`, "", "kind")
  if ("monotone" %in% kinds) plot_monotone(fit, component, is_error, main, ...)
  if (!"expand" %in% kinds) return(invisible())
  drawn <- warp_places(fit, component, newdata, cells, time)
  unit <- range_units(fit$layout$name[component_rows(fit$layout, component, "range")[1L]],
    fit$locations)
  names <- grep("^warp[0-9]+$", names(drawn$values), value = TRUE)
  shown <- drawn$values[if (is_error) paste0(names, "_error") else names]
  scale <- further_scale(shown, is_error, palette, limits)
  for (name in names) {
    value <- shown[[match(name, names)]]
    heading <- main %||% paste0(if (is_error) "Standard error of further" else "Further",
      " coordinate ", sub("warp", "", name))
    label <- title %||% label_with_unit(if (is_error) "error" else "coordinate", unit)
    if (length(drawn$place$names) == 1L) {
      plot_warp_curve(drawn$place$x, value, if (!is_error) drawn$values[[paste0(name, "_error")]],
        drawn$place$names, label, heading, ...)
    } else {
      draw_map(drawn$place, value, scale, title = label, main = heading, ...)
    }
  }
}

# One scale for all further coordinates: one of little spread has little colour.
further_scale <- function(values, is_error, palette = NULL, limits = NULL) {
  color_scale(unlist(values),
    palette %||% default_palette(if (is_error) "sd" else "mean", FALSE), limits)
}

# Places with the further coordinates there.
warp_places <- function(fit, component, newdata, cells, time) {
  if (is.null(newdata)) {
    raw <- map_grid(fit, cells, time)
    columns <- local_columns(fit$locations, NULL, raw, "the grid of a map", kinds = warp_kinds)
    values <- warp_table(warped_at(fit,
      cbind(embed_places(raw, fit$locations, "the grid of a map"), columns), component))
    return(list(place = fit_place(fit, raw), values = values))
  }
  place <- if (is_sf(newdata)) map_place(newdata, NULL, is_longlat_fit(fit)) else
    fit_place(fit, raw_coordinates(newdata, fit$locations, "newdata"))
  list(place = place, values = warped_coordinates(fit, newdata, component))
}

# The warped beside the original coordinate, over the rows of the fit.
plot_monotone <- function(fit, component, is_error, main, ...) {
  for (recipe in recipes_of(fit$locations, component, "monotone")) {
    span <- range(fit$data$coords[, recipe$coordinate])
    x <- seq(span[1L], span[2L], length.out = 200L)
    coords <- matrix(0, length(x), ncol(fit$data$coords))
    coords[, recipe$coordinate] <- x
    coords[, recipe$columns] <- hat_integrals(x, recipe$knots)
    warps <- warped_at(fit, coords, component)
    warp <- Filter(function(warp) warp$name == recipe$coordinate_name && warp$kind == "monotone",
      warps)[[1L]]
    heading <- main %||% paste0(if (is_error) "Standard error of the warp of " else "Warp of ",
      recipe$coordinate_name)
    plot_warp_curve(x, if (is_error) warp$error else warp$value, if (!is_error) warp$error,
      recipe$coordinate_name,
      if (is_error) "error" else paste("warped", recipe$coordinate_name), heading,
      identity = !is_error, ...)
  }
}

# A curve with its pointwise 95% band. The identity is what a coordinate is without a warp.
plot_warp_curve <- function(x, value, error, x_label, label, main, identity = FALSE, ...) {
  order <- order(x)
  band <- if (!is.null(error)) value + stats::qnorm(0.975) * outer(error, c(-1, 1))
  plot_frame(range(x, na.rm = TRUE), range(value, band, if (identity) x, na.rm = TRUE), main,
    x_label, label)
  known <- order[stats::complete.cases(x, value, band)[order]]
  if (!is.null(band) && length(known)) {
    graphics::polygon(c(x[known], rev(x[known])), c(band[known, 1L], rev(band[known, 2L])),
      col = "grey88", border = NA)
  }
  if (identity) graphics::lines(range(x), range(x), lty = 2, col = "grey40")
  graphics::lines(x[order], value[order], col = "#0072B2", lwd = 2, ...)
  graphics::box(lwd = 0.8)
}
