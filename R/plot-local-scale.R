# Maps of local range and standard deviation, or curves along one coordinate.

check_local_plots <- function(fit, which) {
  absent <- setdiff(intersect(which, c("range", "sd", "warp", "coefficients")), local_plots(fit))
  if (!length(absent)) return(invisible())
  one <- absent[1L]
  if (one == "coefficients") check_varying_coefficients(fit)
  if (one == "warp") {
    abort_neargp("local", c("The covariance of the fit does not include a `warp`.",
      i = "expand() and monotone() make one."))
  }
  abort_neargp("local",
    c(sprintf("The covariance of the fit does not include %s: its %s is the same everywhere.",
      c(range = "`range = ~`", sd = "`sd = ~`")[[one]], local_labels[[one]]),
      i = if (one == "sd")
      "The standard deviation of predictions is plot(fit, \"map\", what = \"sd\")."))
}

local_labels <- c(range = "range", sd = "standard deviation")

ggplot_local_scale <- function(fit, which, what, newdata, cells, time, palette, limits) {
  drawn <- local_scale_map(fit, which, what, newdata, cells, time, palette, limits)
  if (is_curve(fit)) {
    return(ggplot_band(local_curve_table(drawn), drawn$place$names, drawn$label, drawn$main,
      by_log = !drawn$is_error))
  }
  ggplot_map(drawn$place, if (drawn$is_error) drawn$error else log(drawn$value), drawn$scale,
    drawn$label, drawn$main)
}

# The values that the map or curve shows, their colours and their names.
local_scale_map <- function(fit, which, what, newdata, cells, time, palette = NULL, limits = NULL) {
  drawn <- local_scale_places(fit, which, newdata, cells, time)
  drawn$is_error <- what == "sd"
  if (drawn$is_error && all(is.na(drawn$error))) {
    abort_neargp("plot",
      c(sprintf("Standard errors of the local %s are not available: %s.", which,
        why_no_errors(fit)),
        i = "Use vecchia() or exact_gp()."))
  }
  drawn$main <- local_title(fit, which, drawn$is_error)
  drawn$label <- if (drawn$is_error) "error" else label_with_unit(which, drawn$unit)
  drawn$scale <- if (drawn$is_error) color_scale(drawn$error, palette %||% default_palette("sd"),
    limits) else
    log_color_scale(drawn$value, palette %||% default_palette("mean"), limits)
  drawn
}

# Locations with value and error of the logarithm there, and the unit of the value.
local_scale_places <- function(fit, which, newdata, cells, time) {
  component <- local_component(fit, which)
  if (is.null(newdata)) {
    raw <- map_grid(fit, cells, time)
    covariates <- local_columns(fit$locations, NULL, raw, "the grid of a map",
      kinds = paste0("log_", which))
    values <- local_scales_at(fit, cbind(embed_places(raw, fit$locations, "the grid of a map"),
      covariates), component)
    place <- fit_place(fit, raw)
  } else {
    newdata <- rows_of_grid(fit, newdata)
    values <- local_scales(fit, newdata, component)
    place <- newdata_place(fit, newdata)
  }
  value <- values[[which]]
  shown <- axis_unit(if (which == "range") local_range_unit(fit, component), value[!is.na(value)])
  list(place = place, value = value / shown$factor,
    error = values[[sprintf("log_%s_error", which)]], unit = shown$unit)
}

# The first component with a local field of that kind.
local_component <- function(fit, which) {
  kinds <- vapply(fit$locations$local, `[[`, "", "kind")
  fit$locations$local[[match(paste0("log_", which), kinds)]]$component
}

local_title <- function(fit, which, is_error) {
  components <- fit$covariance$components
  own <- local_component(fit, which)
  paste0(if (is_error) "Standard error of the local log " else "Local ", local_labels[[which]],
    if (length(components) > 1L) sprintf(", component %d (%s)", own,
      covariance_families[[components[[own]]$family]]$label))
}

# The pointwise 95% band is symmetric on the axis of the logarithm.
local_curve_table <- function(drawn) {
  value <- if (drawn$is_error) drawn$error else drawn$value
  half_width <- if (drawn$is_error) 0 else stats::qnorm(0.975) * drawn$error
  data.frame(x = drawn$place$x, value = value, lower = value * exp(-half_width),
    upper = value * exp(half_width))[order(drawn$place$x), ]
}
