# Methods for ggplot2, registered when that package is loaded: each draws one plot of plot(), from
# the same tables.

#' @rdname plot.neargp
#' @param palette,limits of `autoplot()`: as in [plot_map()].
#' @exportS3Method ggplot2::autoplot
autoplot.neargp <- function(object, which = NULL, what = c("mean", "sd"), newdata = NULL,
                            cells = 10000, time = NULL, palette = NULL, limits = NULL, ...) {
  check_fit(object)
  which <- which %||% default_plots(object)[1L]
  check_one_plot(which)
  if (is.character(which)) check_local_plots(object, which)
  check_choice(which, "which", fit_plots(object))
  what <- check_choice(what, "what", c("mean", "sd"))
  check_count(cells, "cells", upper = 1e7)
  if (which != "variogram") check_no_more_arguments()
  loo <- if (which %in% c("residuals", "residual_map", "qq", "loo")) loo_table(object)
  switch(which,
    map = ggplot_fit_map(object, what, newdata, cells, time, palette, limits),
    residuals = ggplot_residuals(object, loo),
    residual_map = ggplot_residual_map(object, loo),
    qq = ggplot_qq(loo),
    variogram = ggplot2::autoplot(empirical_variogram(object, ...)),
    loo = ggplot_predictions(loo, object$data$response_name, "Leave-one-out predictions",
      loo_scores(object, loo)),
    range = , sd = ggplot_local_scale(object, which, what, newdata, cells, time, palette, limits),
    warp = ggplot_warp(object, what, newdata, cells, time, palette, limits),
    coefficients = ggplot_coefficients(object, what, newdata, cells, time, palette, limits),
    inducing = ggplot_inducing(object),
    calibration = ggplot_calibration(binary_observations(object, NULL), 10L, judged_rows(NULL),
      object$data$levels, object$data$response_name))
}

check_one_plot <- function(which) {
  if (!is.character(which) || length(which) < 2L) return(invisible())
  abort_neargp("argument", c(sprintf("`which` must be one plot at a time, not %s.",
    format_some(which)), i = "plot() draws several on a page."))
}

#' @rdname plot.neargp_deep_fit
#' @param object a fit by [neargp()] with [dspp()] or [dgp()].
#' @param palette,limits of `autoplot()`: as in [plot_map()].
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_deep_fit <- function(object, which = "trace", what = c("mean", "sd"),
                                     newdata = NULL, cells = 10000, time = NULL, palette = NULL,
                                     limits = NULL, ...) {
  check_fit(object)
  check_no_more_arguments()
  check_choice(which, "which", deep_plots(object))
  what <- check_choice(what, "what", c("mean", "sd"))
  check_count(cells, "cells", upper = 1e7)
  switch(which,
    trace = ggplot_trace(object$deep),
    residuals = ggplot_residuals(object, seen_residuals(object), main = seen_title),
    qq = ggplot_qq(seen_residuals(object), main = seen_title),
    pit = ggplot_pit(held_out_pit(object), "Rows held out"),
    map = ggplot_fit_map(object, what, newdata, cells, time, palette, limits))
}

#' @exportS3Method ggplot2::autoplot
autoplot.neargp_deep_outputs <- function(object, which = "trace", ...) {
  check_choice(which, "which", setdiff(deep_plots(object), "map"))
  autoplot.neargp_deep_fit(object, which, ...)
}

#' @rdname plot.neargp_classifier
#' @param object a fit of [neargp()] to classes.
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_classifier <- function(object, which = NULL, newdata = NULL, observed = NULL,
                                       bins = 10L, cells = 10000, ...) {
  check_fit(object)
  check_no_more_arguments()
  which <- which %||% default_class_plots(object, newdata)[1L]
  check_choice(which, "which", class_plots(object))
  bins <- check_bins(bins)
  if (which == "inducing") return(ggplot_inducing(object))
  if (which == "map") {
    check_class_map(object, newdata)
    return(ggplot_class_map(object, newdata, cells))
  }
  given <- classes_and_probabilities(object, newdata, observed, at_most = 10000L)
  if (which == "confusion") {
    return(ggplot_confusion(confusion_table(given$observed, prob = given$prob, na.rm = TRUE),
      judged_rows(newdata)))
  }
  ggplot_calibration(given, bins, judged_rows(newdata), object$classifier$levels,
    object$data$response_name)
}

#' @rdname plot.neargp_cv
#' @param object the result of [cross_validate()].
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_cv <- function(object, which = NULL, setting = NULL, score = "crps", ...) {
  check_no_more_arguments()
  which <- which %||% default_cv_plots(object)[1L]
  check_choice(which, "which", cv_plots)
  setting <- shown_setting(object, setting, score)
  shown <- object$predictions[object$predictions$setting == setting, ]
  switch(which,
    scores = ggplot_scores(object, score),
    predictions = ggplot_predictions(shown, object$response,
      cv_title(object, "Held-out predictions", setting),
      object$scores[object$scores$setting == setting, ]),
    pit = ggplot_pit(shown, cv_title(object, "Calibration", setting)),
    calibration = ggplot_cv_calibration(object, setting, 10L),
    confusion = ggplot_confusion(confusion_table(object, setting = setting),
      cv_rows(object, setting)),
    map = ggplot_errors(object, shown, cv_title(object, error_title, setting)))
}

#' @exportS3Method ggplot2::autoplot
autoplot.neargp_class_cv <- function(object, which = NULL, setting = NULL, score = "log_loss",
                                     bins = 10L, ...) {
  check_no_more_arguments()
  which <- which %||% if (nrow(object$scores) > 1L) "scores" else "calibration"
  check_choice(which, "which", class_cv_plots)
  check_class_score(object, score)
  if (which == "scores") return(ggplot_scores(object, score))
  if (which == "calibration") return(ggplot_cv_calibration(object, setting, check_bins(bins)))
  given <- validated_classes(object, setting)
  ggplot_confusion(confusion_table(given$observed, prob = given$prob),
    cv_rows(object, given$setting))
}

#' @rdname folds
#' @param object the same.
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_folds <- function(object, which = NULL, ...) {
  check_no_more_arguments()
  place <- fold_place(object)
  which <- shown_folds(object, which)
  places <- data.frame(x = place$x, y = place$y)
  held <- do.call(rbind, lapply(which, function(fold) {
    cbind(places[object %in% fold, ], panel = fold_labels(object, fold))
  }))
  held$panel <- factor(held$panel, fold_labels(object, which))
  size <- 1.5 * point_size(length(object))
  ggplot2::ggplot(held, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::geom_point(data = places, colour = "grey80", size = size) +
    ggplot2::geom_point(colour = "#0072B2", size = size) +
    ggplot2::facet_wrap("panel") + ggplot_axes(place, expand = TRUE)
}

#' @rdname plot.neargp_variogram
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_variogram <- function(object, ...) {
  check_no_more_arguments()
  named <- function(table) {
    table$direction <- if (all(is.na(table$direction))) "all" else direction_labels(table$direction)
    as.data.frame(table)
  }
  several <- !all(is.na(object$direction))
  shown <- axis_unit(attr(object, "unit"), object$distance)
  guide <- if (several) "legend" else "none"
  plot <- ggplot2::ggplot(named(object), ggplot2::aes(.data$distance, .data$gamma,
    colour = .data$direction)) +
    ggplot2::geom_point(ggplot2::aes(size = .data$n_pairs, shape = .data$direction)) +
    ggplot2::scale_size_area("pairs", max_size = 4) +
    ggplot2::scale_colour_manual("direction", values = direction_colors, guide = guide) +
    ggplot2::scale_shape_manual("direction", values = rep_len(c(1L, 2L), length(direction_colors)),
      guide = guide) +
    ggplot2::expand_limits(x = 0, y = 0) +
    ggplot2::scale_x_continuous(distance_label(shown$unit, attr(object, "along") %||% "space"),
      labels = function(x) plain_labels(x / shown$factor)) +
    ggplot2::labs(y = "semivariance", title = "Variogram", subtitle = variogram_caption(object))
  curve <- attr(object, "curve")
  if (is.null(curve)) return(plot)
  plot + ggplot2::geom_line(ggplot2::aes(linetype = .data$direction), data = named(curve)) +
    ggplot2::scale_linetype_manual("direction",
      values = rep_len(c("solid", "longdash"), length(direction_colors)), guide = guide)
}
