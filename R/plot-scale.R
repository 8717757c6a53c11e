# Colour scales of maps. A scale is a list with n + 1 `breaks`, n `colors`, and `ticks`. With
# classes and logarithms it also contains `labels` of the ticks. `beyond`: the least and the largest
# value, where they lie below and above the scale.

# `centered` scales are symmetric about zero, for residuals and differences.
color_scale <- function(values, palette, limits = NULL, centered = FALSE, n = 128L) {
  check_flag(centered, "centered")
  values <- values[is.finite(values)]
  if (!is.null(limits) && !(is.numeric(limits) && length(limits) == 2L && all(is.finite(limits)))) {
    abort_argument("limits", "two numbers, the ends of the scale, or NULL", limits)
  }
  if (is.null(limits)) {
    limits <- if (length(values)) range_of_most(values) else c(0, 1)
    if (centered) limits <- c(-1, 1) * max(abs(limits))
  }
  # beyond the largest numbers there are none for the ends of a scale
  limits <- pmin(pmax(limits, -1e307), 1e307)
  if (diff(limits) <= 0) limits <- limits + c(-1, 1) * max(abs(limits[1L]) * 0.01, 1e-8)
  ticks <- pretty(limits, 6L)
  ticks <- ticks[ticks >= limits[1L] & ticks <= limits[2L]]
  if (!length(ticks)) ticks <- limits
  list(breaks = seq(limits[1L], limits[2L], length.out = n + 1L),
    colors = palette_colors(palette, n), ticks = ticks, beyond = values_beyond(values, limits))
}

# The range of the values without outliers, since a single outlier would leave the others one
# colour. Outliers are at most one value in a hundred at either end (of few values two). They are
# farther from the middle 90% than 1.5 times its width.
range_of_most <- function(values) {
  n <- length(values)
  if (n < 20L) return(range(values))
  sorted <- sort(values)
  middle <- stats::quantile(sorted, c(0.05, 0.95), names = FALSE)
  if (diff(middle) <= 0) return(range(values))
  fence <- middle + c(-1.5, 1.5) * diff(middle)
  most <- max(2L, n %/% 100L)
  c(min(sorted[1L + most], sorted[sorted >= fence[1L]]),
    max(sorted[n - most], sorted[sorted <= fence[2L]]))
}

# The least and the largest value, each NA unless it lies beyond its end of the scale.
values_beyond <- function(values, limits) {
  if (!length(values)) return(c(NA_real_, NA_real_))
  ends <- range(values)
  replace(ends, c(ends[1L] >= limits[1L], ends[2L] <= limits[2L]), NA_real_)
}

# A scale of positive values, by their logarithms, with ticks at numbers of the values themselves.
log_color_scale <- function(values, palette, limits = NULL) {
  if (!is.null(limits) && !(is.numeric(limits) && length(limits) == 2L && all(is.finite(limits)) &&
      all(limits > 0))) {
    abort_argument("limits", "two numbers greater than 0, the ends of the scale, or NULL", limits)
  }
  limits <- if (is.null(limits)) log_limits(values) else log(limits)
  scale <- color_scale(log(values), palette, limits)
  ends <- exp(range(scale$breaks))
  ticks <- if (ends[2L] > 10 * ends[1L]) grDevices::axisTicks(log10(ends), log = TRUE,
    nint = 6L) else pretty(ends, 6L)
  ticks <- ticks[ticks >= ends[1L] & ticks <= ends[2L]]
  if (!length(ticks)) ticks <- signif(ends, 3L)
  scale$ticks <- log(ticks)
  scale$labels <- vapply(ticks, plain_labels, "")
  scale$beyond <- exp(scale$beyond)
  scale
}

# Values that differ by less than 1% are of one colour: their digits would show nothing.
log_limits <- function(values) {
  known <- log(values[is.finite(values)])
  if (length(known) && diff(range(known)) < 0.01) mean(range(known)) + c(-0.005, 0.005)
}

default_palette <- function(what, centered = FALSE) {
  if (centered) "Blue-Red 3" else if (what == "sd") "Lajolla" else "viridis"
}

are_colors <- function(x) !is.null(tryCatch(grDevices::col2rgb(x), error = function(e) NULL))

# A palette by name (of grDevices::hcl.pals()), as colours, or as a function of their number.
palette_colors <- function(palette, n) {
  if (is.function(palette)) return(palette(n))
  if (length(palette) > 1L && are_colors(palette)) return(grDevices::colorRampPalette(palette)(n))
  known <- grDevices::hcl.pals()
  if (!rlang::is_string(palette) || !tolower(palette) %in% tolower(known)) {
    abort_neargp("argument", c(
      "`palette` must be the name of a palette, two colours or more, or a function of their number.",
      i = "See `grDevices::hcl.pals()` for the names."
    ))
  }
  grDevices::hcl.colors(n, palette)
}

# Values beyond the scale take the colour of its end; missing ones stay transparent.
scale_colors <- function(scale, values) {
  scale$colors[findInterval(as.numeric(values), scale$breaks, all.inside = TRUE)]
}

beyond_labels <- function(beyond) {
  vapply(beyond[!is.na(beyond)], function(value) paste("to", plain_labels(signif(value, 3L))), "")
}
