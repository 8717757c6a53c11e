#' Plots of a fit to classes
#'
#' A map, and diagnostics of a fit of [loo_k()] or [svgp()] to classes from its leave-one-out
#' predictions (of up to 10,000 rows). [odvgp()] leaves no rows out: its
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
#' @param x,object a fit of [neargp()] to classes.
#' @param which names of the plots, see Details; by default all of the first three that there are.
#' @param newdata,observed rows to judge the fit on instead of its own, as for
#'   [scores.neargp_classifier()]; for a map alone no classes need have been observed there.
#' @param bins number of bins of the calibration curve.
#' @param cells number of cells of the map's grid over the bounding box of the data.
#' @param ... not used.
#' @return A ggplot object, or for several plots a list of them that prints as a page, as for
#'   [plot.neargp()]. `plot()` draws it and returns it invisibly. `autoplot()` returns the first
#'   of the default plots by default. Without the package ggplot2, `plot()` draws a plain version of
#'   the map.
#' @examples
#' fit <- neargp(Species ~ 1, iris, coords = ~ ., method = loo_k(k = 20), family = categorical(),
#'   covariance = cov_matern(nu = 2.5))
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(fit)
#' @export
plot.neargp_classifier <- function(x, which = NULL, newdata = NULL, observed = NULL, bins = 10L,
                                   cells = 10000, ...) {
  check_fit(x)
  check_no_more_arguments()
  draw_plots(autoplot.neargp_classifier(x,
    which %||% drawable_plots(default_class_plots(x, newdata)), newdata, observed, bins, cells))
}

#' @rdname plot.neargp_classifier
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_classifier <- function(object, which = NULL, newdata = NULL, observed = NULL,
                                       bins = 10L, cells = 10000, ...) {
  check_fit(object)
  check_no_more_arguments()
  which <- which %||% default_class_plots(object, newdata)[1L]
  check_choices(which, "which", class_plots(object))
  bins <- check_bins(bins)
  if ("map" %in% which) check_class_map(object, newdata)
  given <- if (any(which %in% c("calibration", "confusion"))) {
    classes_and_probabilities(object, newdata, observed, at_most = 10000L)
  }
  plots_of(which, function(one) switch(one,
    map = ggplot_class_map(object, newdata, cells),
    calibration = ggplot_calibration(given, bins, judged_rows(newdata), object$classifier$levels,
      object$data$response_name),
    confusion = ggplot_confusion(confusion_table(given$observed, prob = given$prob, na.rm = TRUE),
      judged_rows(newdata)),
    inducing = ggplot_inducing(object)))
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

ggplot_calibration <- function(given, bins, left_out, levels, response) {
  judged <- judged_classes(given$observed, given$prob, na.rm = TRUE)
  new_plot(calibration_table(judged, bins), ggplot2::aes(.data$predicted, .data$observed),
    sprintf("Calibration (%s)", left_out), x = calibration_label(levels, response),
    y = "share in which it was so", subtitle = calibration_caption(judged)) +
    ggplot2::geom_rect(ggplot2::aes(xmin = .data$lower, xmax = .data$upper, ymin = 0,
      ymax = .data$bar), fill = "grey88", colour = "white") +
    ggplot2::geom_abline(colour = "grey40") +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$band_lower, ymax = .data$band_upper),
      colour = "grey60", linewidth = 2) +
    ggplot2::geom_line(data = function(table) table[table$joined, ], colour = "#0072B2") +
    ggplot2::geom_point(colour = "#0072B2") +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1))
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

calibration_caption <- function(judged) {
  sprintf("error %.3f; lines: 95%% of points if calibrated; bars: rows", calibration_error(judged))
}

ggplot_confusion <- function(counts, left_out) {
  classes <- rownames(counts)
  share <- counts / pmax(rowSums(counts), 1)
  table <- data.frame(predicted = factor(classes[col(counts)], classes),
    observed = factor(classes[row(counts)], rev(classes)), n = as.vector(counts),
    share = as.vector(share))
  new_plot(table, ggplot2::aes(.data$predicted, .data$observed),
    sprintf("Observed and predicted classes (%s)", left_out)) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data$share), colour = "white") +
    (if (length(classes) <= 12L) ggplot2::geom_text(ggplot2::aes(label = .data$n),
      colour = ifelse(table$share > 0.6, "white", "black"))) +
    ggplot2::scale_fill_gradientn("share of\nobserved", limits = c(0, 1),
      colours = grDevices::hcl.colors(64L, "Blues", rev = TRUE)) +
    ggplot2::scale_x_discrete(labels = function(names) abbreviate(names, 10L))
}
