#' Plots of a classification
#'
#' @description
#' A map of the predicted categories, and diagnostics from leave-one-out predictions.
#'
#' ```r
#' fit <- neargp(Species ~ 1, iris, coords = ~ Petal.Length + Petal.Width, method = loo_k())
#' plot(fit)
#' ```
#'
#' @details
#' * `"map"`: the most probable category on a grid over the data, or at `newdata`. It needs two
#'   coordinates, and `newdata` if the trend contains covariates.
#' * `"calibration"`: observed shares against predicted probabilities in bins, with pointwise 95%
#'   bands. The event is the second of two categories, or the predicted one of several. Bars show
#'   the observations in each bin, and the line joins bins of 5 or more.
#' * `"confusion"`: [confusion_table()], shaded by the share of each observed category.
#' * `"inducing"`: the inducing points of [svgp()] or [odvgp()] over the data.
#'
#' Diagnostics use up to 10,000 observations. [odvgp()] needs `newdata` for them.
#'
#' @param x,object a fit by [neargp()] to categories.
#' @param which names of plots. Default `NULL`: all available plots of the first three.
#' @param newdata,observed new data to evaluate, as for [scores.neargp_classifier()]. Default
#'   `NULL`: the data of the fit.
#' @param bins the number of bins of the calibration curve, an integer.
#' @param cells the number of cells of the map's grid, an integer.
#' @param ... not used.
#' @return A ggplot object, or a list of them that prints as a page, see [plot.neargp()].
#'   `autoplot()` returns the first plot. Without ggplot2, `plot()` draws a plain map.
#' @seealso [calibration_curve()], [confusion_table()]
#' @examples
#' fit <- neargp(Species ~ 1, iris, coords = ~ Petal.Length + Petal.Width,
#'   method = loo_k(k = 20), family = categorical(), covariance = cov_matern(nu = 2.5))
#' if (requireNamespace("ggplot2", quietly = TRUE)) {
#'   plot(fit)
#'   ggplot2::autoplot(fit, which = "confusion")
#' }
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
