# Maps of further coordinates and curves of monotone warps, see warp.R.

# A curve for each monotone warp, and a map or curve for each further coordinate.
ggplot_warp <- function(fit, what, newdata, cells, time, palette, limits) {
  is_error <- what == "sd"
  check_warp_errors(fit, is_error)
  further <- further_maps(fit, is_error, newdata, cells, time)
  pages <- list(
    plots_of(monotone_curves(fit, is_error), ggplot_monotone, is_error),
    if (!is.null(further)) ggplot_further(further, is_error, palette, limits))
  plots_of(pages, identity)
}

# On one scale.
ggplot_further <- function(maps, is_error, palette, limits) {
  scale <- further_scale(maps$values, is_error, palette, limits)
  plots_of(seq_along(maps$values), function(i) {
    value <- maps$values[[i]]
    if (length(maps$place$names) == 1L) {
      return(ggplot_band(curve_table(maps$place$x, value, maps$errors[[i]]), maps$place$names,
        maps$label, maps$main[i]))
    }
    ggplot_map(maps$place, value, scale, maps$label, maps$main[i])
  })
}

# The identity is what a coordinate is without a warp.
ggplot_monotone <- function(curve, is_error) {
  plot <- ggplot_band(curve$table, curve$name, curve$label, curve$main)
  if (is_error || is.null(plot)) return(plot)
  plot + ggplot2::geom_line(ggplot2::aes(y = .data$x), linetype = "dashed", colour = "grey40")
}

check_warp_errors <- function(fit, is_error) {
  rows <- component_rows(fit$layout, warped_component(fit), warp_kinds)
  if (is_error && all(is.na(fit$parameters$std_error[rows]))) {
    abort_neargp("plot", c(
      sprintf("The fit returned no standard errors of its warp: %s.", why_no_errors(fit)),
      i = "vecchia() and exact_gp() have them."))
  }
}

# Further coordinates where they are to be drawn, with standard errors next to values; NULL if the
# warp adds none.
further_maps <- function(fit, is_error, newdata, cells, time) {
  component <- warped_component(fit)
  if (!length(recipes_of(fit$locations, component, "expand"))) return(NULL)
  drawn <- warp_places(fit, component, newdata, cells, time)
  unit <- range_units(fit$layout$name[component_rows(fit$layout, component, "range")[1L]],
    fit$locations)
  names <- grep("^warp[0-9]+$", names(drawn$values), value = TRUE)
  errors <- drawn$values[paste0(names, "_error")]
  list(place = drawn$place, values = if (is_error) errors else drawn$values[names],
    errors = if (!is_error) errors,
    label = label_with_unit(if (is_error) "error" else "coordinate", unit),
    main = paste0(if (is_error) "Standard error of further" else "Further", " coordinate ",
      sub("warp", "", names)))
}

# One scale for all further coordinates: one of little spread has little colour.
further_scale <- function(values, is_error, palette = NULL, limits = NULL) {
  color_scale(unlist(values),
    palette %||% default_palette(if (is_error) "sd" else "mean"), limits)
}

# Locations with the further coordinates there.
warp_places <- function(fit, component, newdata, cells, time) {
  if (is.null(newdata)) {
    raw <- map_grid(fit, cells, time)
    columns <- local_columns(fit$locations, NULL, raw, "the grid of a map", kinds = warp_kinds)
    values <- warp_table(warped_at(fit,
      cbind(embed_places(raw, fit$locations, "the grid of a map"), columns), component))
    return(list(place = fit_place(fit, raw), values = values))
  }
  newdata <- rows_of_grid(fit, newdata)
  list(place = newdata_place(fit, newdata), values = warped_coordinates(fit, newdata, component))
}

# The warped next to the original coordinate, over the rows of the fit, for each monotone warp.
monotone_curves <- function(fit, is_error) {
  component <- warped_component(fit)
  lapply(recipes_of(fit$locations, component, "monotone"), function(recipe) {
    span <- range(fit$data$coords[, recipe$coordinate])
    x <- seq(span[1L], span[2L], length.out = 200L)
    coords <- matrix(0, length(x), ncol(fit$data$coords))
    coords[, recipe$coordinate] <- x
    coords[, recipe$columns] <- monotone_columns(x, recipe)
    warp <- Filter(function(warp) warp$name == recipe$coordinate_name && warp$kind == "monotone",
      warped_at(fit, coords, component))[[1L]]
    list(table = curve_table(x, if (is_error) warp$error else warp$value,
      if (!is_error) warp$error), name = recipe$coordinate_name,
      label = if (is_error) "error" else paste("warped", recipe$coordinate_name),
      main = paste0(if (is_error) "Standard error of the warp of " else "Warp of ",
        recipe$coordinate_name))
  })
}

# Values in the order of x with a pointwise 95% band, where there are standard errors.
curve_table <- function(x, value, error = NULL) {
  table <- data.frame(x = x, value = value)
  if (!is.null(error)) {
    table$lower <- value - stats::qnorm(0.975) * error
    table$upper <- value + stats::qnorm(0.975) * error
  }
  table[order(x), ]
}
