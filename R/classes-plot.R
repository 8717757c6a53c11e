#' Plots of a fit to classes
#'
#' A map, and diagnostics of a fit of [loo_k()] or [svgp()] to classes from its leave-one-out
#' predictions (of up to 10,000 rows), in base graphics. [odvgp()] leaves no rows out: its
#' diagnostics are of `newdata`.
#'
#' @details
#' * "map": the most probable class on a grid over the convex hull of the data, or at `newdata`.
#'   Only for two coordinates in space; without `newdata` only where the trend has no covariates but
#'   these.
#' * "calibration": the share of observations in which an event happened against the probability it
#'   was given, in bins, with pointwise 95% bands under perfect calibration; the event is the second
#'   of two classes, or the predicted one of several. Bars below show how many observations a bin
#'   has; the line joins bins of 5 or more.
#' * "confusion": [confusion_table()], shaded by the share of each observed class.
#' * "inducing": of a fit by [svgp()] or [odvgp()], the inducing points over the data, in the first
#'   two coordinates.
#'
#' @param x a fit of [neargp()] to classes.
#' @param which names of the plots, see Details; by default all of the first three that there are.
#' @param newdata,observed rows to judge the fit on instead of its own, as for
#'   [scores.neargp_classifier()]; for a map alone no classes need have been observed there.
#' @param bins number of bins of the calibration curve.
#' @param cells number of cells of the map's grid over the bounding box of the data.
#' @param ... not used.
#' @return `x`, invisibly; `autoplot()` one of the plots as a ggplot object, by default the first.
#' @examples
#' fit <- neargp(Species ~ 1, iris, coords = ~ ., method = loo_k(k = 20), family = categorical(),
#'   covariance = cov_matern(nu = 2.5))
#' plot(fit)
#' @export
plot.neargp_classifier <- function(x, which = NULL, newdata = NULL, observed = NULL, bins = 10L,
                                   cells = 10000, ...) {
  check_fit(x)
  check_no_more_arguments()
  which <- which %||% default_class_plots(x, newdata)
  check_choices(which, "which", class_plots(x))
  bins <- check_bins(bins)
  if ("map" %in% which) check_class_map(x, newdata)
  given <- if (any(which %in% c("calibration", "confusion"))) {
    classes_and_probabilities(x, newdata, observed, at_most = 10000L)
  }
  device <- graphics::par("din")
  old <- open_page(grDevices::n2mfrow(length(which), asp = device[1L] / device[2L]))
  on.exit(graphics::par(old))
  left_out <- judged_rows(newdata)
  for (one in which) {
    switch(one,
      map = plot_class_map(x, newdata, cells),
      calibration = plot_calibration(given, bins, left_out, x$classifier$levels,
        x$data$response_name),
      confusion = plot_confusion(confusion_table(given$observed, prob = given$prob, na.rm = TRUE),
        left_out),
      inducing = plot_inducing(x)
    )
  }
  invisible(x)
}

class_plots <- function(x) {
  c("map", "calibration", "confusion", if (has_ability(x$method, "inducing_features")) "inducing")
}

default_class_plots <- function(x, newdata) {
  map <- if (has_class_map(x) && is.null(newdata)) "map"
  if (!is.null(map) && !has_ability(x$method, "leave_one_out")) return(map)
  c(map, "calibration", "confusion")
}

judged_rows <- function(newdata) if (is.null(newdata)) "leave one out" else "new rows"

plot_calibration <- function(given, bins, left_out, levels, response) {
  judged <- judged_classes(given$observed, given$prob, na.rm = TRUE)
  curve <- calibration_table(judged, bins)
  plot_frame(c(0, 1), c(0, 1), sprintf("Calibration (%s)", left_out),
    calibration_label(levels, response), calibration_share)
  graphics::rect(curve$lower, 0, curve$upper, curve$bar, col = "grey92", border = "white")
  graphics::abline(0, 1, col = "grey40")
  graphics::segments(curve$predicted, curve$band_lower, curve$predicted, curve$band_upper,
    col = "grey60", lwd = 5, lend = 1)
  graphics::points(curve$predicted, curve$observed, pch = 16, col = "#0072B2")
  joined <- curve[curve$joined, ]
  graphics::lines(joined$predicted, joined$observed, col = "#0072B2")
  # Above the frame: within it the curve may be anywhere.
  write_subtitle(calibration_caption(judged))
}

# The calibration curve with the band that holds 95% of its points when all is well, and bars of the
# numbers of rows, the highest a fifth of the plot. A share of a few rows is 0 or 1, or next to it:
# a line over such bins would be a zigzag of chance.
calibration_table <- function(judged, bins) {
  curve <- binned_calibration(event_of(judged), bins)
  band <- function(p) stats::qbinom(p, curve$n, curve$predicted) / curve$n
  cbind(curve, band_lower = band(0.025), band_upper = band(0.975), bar = 0.2 * curve$n /
    max(curve$n), joined = curve$n >= 5L)
}

calibration_label <- function(levels, response) {
  levels <- levels %||% c("0", "1")
  event <- if (length(levels) == 2L) sprintf("%s = %s", response, levels[2L]) else
    "the predicted class"
  sprintf("probability of %s", event)
}

calibration_share <- "share in which it was so"

calibration_caption <- function(judged) {
  sprintf("error %.3f; lines: 95%% of points if calibrated; bars: rows", calibration_error(judged))
}

confusion_title <- function(left_out) sprintf("Observed and predicted classes (%s)", left_out)

plot_confusion <- function(counts, left_out) {
  classes <- nrow(counts)
  share <- counts / pmax(rowSums(counts), 1)
  shades <- grDevices::hcl.colors(64L, "Blues", rev = TRUE)
  labels <- abbreviate(rownames(counts), 10L)
  graphics::plot.new()
  # Labels of rows lie flat beside them, so that none is left out, in a margin as wide as they are.
  # Widths of text are known only after plot.new(), and margins hold only from the next one.
  lines <- max(graphics::strwidth(labels, "inches", cex = 0.85)) * graphics::par("mar")[2L] /
    graphics::par("mai")[2L]
  old <- graphics::par(mar = pmax(graphics::par("mar"), c(0, lines + 2.4, 0, 0)))
  on.exit(graphics::par(old))
  graphics::par(new = TRUE)
  graphics::plot.new()
  graphics::plot.window(c(0.5, classes + 0.5), c(classes + 0.5, 0.5), xaxs = "i", yaxs = "i")
  graphics::rect(col(counts) - 0.5, row(counts) - 0.5, col(counts) + 0.5, row(counts) + 0.5,
    col = shades[1L + round(63 * share)], border = "white")
  if (classes <= 12L) {
    graphics::text(col(counts), row(counts), counts, cex = 0.85,
      col = ifelse(share > 0.6, "white", "black"))
  }
  graphics::axis(1L, seq_len(classes), labels, lwd = 0, cex.axis = 0.85)
  graphics::axis(2L, seq_len(classes), labels, lwd = 0, cex.axis = 0.85, las = 1L)
  write_title(confusion_title(left_out), 1.25)
  write_subtitle("shade: share of the observed class")
  graphics::title(xlab = "predicted")
  graphics::title(ylab = "observed", line = max(2.2, lines + 1.1))
}
