# Maps of classes: a colour for each, with its name next to it.

class_scale <- function(levels, palette = NULL) {
  n <- length(levels)
  list(breaks = seq_len(n + 1L) - 0.5,
    colors = if (is.null(palette)) class_colors(n) else palette_colors(palette, n),
    ticks = seq_len(n), labels = abbreviate(levels, 12L))
}

# Up to eight colours that colour-blind readers can distinguish (Okabe and Ito 2008), without black.
# Readers of a print in grey can distinguish the first three.
class_colors <- function(n) {
  # blue, orange, yellow, bluish green, reddish purple, vermillion, sky blue, gray; not black
  places <- c(6L, 2L, 5L, 4L, 8L, 7L, 3L, 9L)
  if (n <= 8L) return(unname(grDevices::palette.colors(9L, "Okabe-Ito"))[places[seq_len(n)]])
  grDevices::hcl.colors(n, "Spectral")
}

# The most probable class on the grid of a fit's map, or at newdata.
ggplot_class_map <- function(fit, newdata, cells) {
  drawn <- class_map(fit, newdata, cells)
  ggplot_map(drawn$place, drawn$class, class_scale(fit$classifier$levels), "class",
    class_title(fit))
}

class_title <- function(fit) sprintf("Most probable %s", fit$data$response_name)

class_map <- function(fit, newdata, cells) {
  if (is.null(newdata)) {
    coords <- map_grid(fit, cells)
    newdata <- as.data.frame(coords)
    place <- fit_place(fit, coords)
    if (is.null(fit$locations$names)) {
      newdata <- sf::st_as_sf(newdata, coords = 1:2, crs = fit$locations$crs)
    }
    return(list(place = place, class = stats::predict(fit, newdata, type = "class",
      verbose = FALSE)$class))
  }
  predicted <- stats::predict(fit, newdata, type = "class", verbose = FALSE)
  if (is.data.frame(predicted) && !is_sf(predicted)) {
    return(list(place = fit_place(fit, raw_coordinates(newdata, fit$locations, "newdata")),
      class = predicted$class))
  }
  place <- map_place(predicted, NULL, is_longlat_fit(fit))
  list(place = place, class = place$data$class)
}

# A map needs two coordinates, and a trend of nothing else.
has_class_map <- function(fit) {
  known <- colnames(original_coords(fit))
  length(fit$locations$raw_names) == 2L && !has_factors(fit$locations) &&
    is.null(fit$locations$time) &&
    is.null(fit$offset_argument) &&
    all(all.vars(stats::delete.response(fit$terms)) %in% known)
}

check_class_map <- function(fit, newdata) {
  if (!is.null(newdata) || has_class_map(fit)) return(invisible())
  abort_neargp("plot", c("A map needs two coordinates in space, and a trend without other covariates.",
    i = "Give `newdata` with the covariates, or plot diagnostics: which = c(\"calibration\", \"confusion\")."))
}
