# Colour scales and the legend strip, shared by the maps. A scale is a list: `breaks` (n + 1),
# `colors` (n), `ticks`; of classes and logarithms `labels` of these; `beyond`, labels of the least
# and the largest value where they lie below and above the scale.

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
  if (diff(limits) <= 0) limits <- limits + c(-1, 1) * max(abs(limits[1L]) * 0.01, 1e-8)
  ticks <- pretty(limits, 6L)
  ticks <- ticks[ticks >= limits[1L] & ticks <= limits[2L]]
  if (!length(ticks)) ticks <- limits
  list(breaks = seq(limits[1L], limits[2L], length.out = n + 1L),
    colors = palette_colors(palette, n), ticks = ticks, beyond = values_beyond(values, limits))
}

# The range of the values without outliers, of which one would leave the others a single colour: at
# most one value in a hundred at either end (of few values two) that is farther from the middle 90%
# than 1.5 times their width.
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

# Values that differ by less than 1% are of one colour: their digits would tell nothing.
log_limits <- function(values) {
  known <- log(values[is.finite(values)])
  if (length(known) && diff(range(known)) < 0.01) mean(range(known)) + c(-0.005, 0.005)
}

default_palette <- function(what, centered = FALSE) {
  if (centered) "Blue-Red 3" else if (what == "sd") "Lajolla" else "viridis"
}

# A palette by name (of grDevices::hcl.pals()), as colours, or as a function of their number.
palette_colors <- function(palette, n) {
  if (is.function(palette)) return(palette(n))
  if (length(palette) > 1L) return(grDevices::colorRampPalette(palette)(n))
  known <- grDevices::hcl.pals()
  if (!is.character(palette) || !tolower(palette) %in% tolower(known)) {
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

# A strip as high as the plot, in the right margin: positions in inches from the edge of the plot
# region. It ends in a point where values lie beyond the scale, with the farthest of them beside it.
draw_legend_strip <- function(scale, title = NULL) {
  inch <- diff(graphics::grconvertX(c(0, 1), "inches", "user"))
  inch_up <- diff(graphics::grconvertY(c(0, 1), "inches", "user"))
  usr <- graphics::par("usr")
  left <- usr[2L] + 0.12 * inch
  right <- usr[2L] + 0.28 * inch
  beyond <- scale$beyond %||% c(NA_real_, NA_real_)
  tips <- usr[3:4]
  strip <- tips + c(1, -1) * ifelse(is.na(beyond), 0, min(0.17 * inch_up, 0.12 * diff(tips)))
  graphics::rasterImage(grDevices::as.raster(matrix(rev(scale$colors))), left, strip[1L], right,
    strip[2L], interpolate = FALSE, xpd = NA)
  for (end in which(!is.na(beyond))) {
    graphics::polygon(c(left, (left + right) / 2, right), c(strip[end], tips[end], strip[end]),
      col = scale$colors[c(1L, length(scale$colors))[end]], border = NA, xpd = NA)
  }
  outline <- strip_outline(left, right, strip, tips)
  graphics::polygon(outline$x, outline$y, border = "grey30", lwd = 0.6, xpd = NA)
  ends <- range(scale$breaks)
  at <- strip[1L] + (scale$ticks - ends[1L]) / diff(ends) * diff(strip)
  graphics::segments(right, at, right + 0.05 * inch, at, col = "grey30", lwd = 0.6, xpd = NA)
  labels <- scale$labels %||% format(scale$ticks, trim = TRUE)
  size <- rep(c(0.8, 0.65), c(length(at), sum(!is.na(beyond))))
  graphics::text(right + 0.09 * inch, c(at, tips[!is.na(beyond)]), c(labels, beyond_labels(beyond)),
    adj = c(0, 0.5), cex = size, xpd = NA)
  if (!is.null(title)) {
    graphics::mtext(title, side = 3L, line = if (is.na(beyond[2L])) 0.25 else 0.6,
      at = title_start(title, left), adj = 0, cex = 0.8 * graphics::par("cex"))
  }
}

# Around a strip whose ends are flat, or pointed where the tip is beyond them.
strip_outline <- function(left, right, strip, tips) {
  middle <- (left + right) / 2
  list(x = c(left, middle, right, right, middle, left),
    y = c(strip[1L], tips[1L], strip[1L], strip[2L], tips[2L], strip[2L]))
}

beyond_labels <- function(beyond) {
  vapply(beyond[!is.na(beyond)], function(value) paste("to", plain_labels(signif(value, 3L))), "")
}

# A title begins above the strip, unless it would run out of the figure on the right: then it ends
# there.
title_start <- function(title, left) {
  edge <- graphics::grconvertX(1, "nfc", "inches") - 0.03
  min(left, graphics::grconvertX(edge - graphics::strwidth(title, "inches", cex = 0.8), "inches",
    "user"))
}
