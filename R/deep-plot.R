#' Plot a fit by deep Gaussian processes
#'
#' @description
#' Draws the training, residuals, calibration and predictions of a fit by [dspp()] or [dgp()].
#'
#' @details
#' | `which` | plot |
#' |---|---|
#' | `"trace"` | the objective by epoch, the log density of held-out observations, and the epoch that was kept |
#' | `"residuals"` | quantile residuals against fitted values |
#' | `"qq"` | their normal quantiles |
#' | `"pit"` | histogram of the PIT of held-out observations, flat if calibrated |
#' | `"map"` | predictions over one or two coordinates, as in [plot.neargp()] |
#'
#' Quantile residuals belong to the training data, so you should check predictions by `"pit"`. For
#' example, `plot(fit, which = "trace")` shows overfitting, if the curves diverge.
#'
#' @param x,object a fit by [neargp()] with [dspp()] or [dgp()].
#' @param which names of plots. Default `NULL`: `"trace"`, `"qq"` and `"pit"`, and the map for up to
#'   two coordinates.
#' @param what,newdata,cells,time see [plot.neargp()].
#' @param palette,limits,centered see [plot_map()], for the map.
#' @param ... for `plot()`, `palette`, `limits` and `centered`.
#' @return A ggplot object, or for several plots a list that prints as a page. `plot()` draws it and
#'   returns it invisibly. `autoplot()` returns the trace by default. Without ggplot2, `plot()`
#'   draws plain versions of `"map"` and `"residuals"`.
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(400))
#' d$y <- sin(12 * d$x^2) + rnorm(400, sd = 0.02 + 0.2 * d$x)
#' fit <- suppressWarnings(neargp(y ~ 1, d, coords = ~ x,
#'   method = dspp(width = 2, inducing = 20, epochs = 40, batch_size = 100,
#'     restarts = 1, regularization = 0.5)))
#' plot(fit)
#' @export
plot.neargp_deep_fit <- function(x, which = NULL, what = c("mean", "sd"), newdata = NULL,
                                 cells = 10000, time = NULL, ...) {
  check_fit(x)
  check_plot_arguments(autoplot.neargp_deep_fit)
  draw_plots(autoplot.neargp_deep_fit(x, which %||% drawable_plots(default_deep_plots(x)), what,
    newdata, cells, time, ...))
}

#' @rdname plot.neargp_deep_fit
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_deep_fit <- function(object, which = "trace", what = c("mean", "sd"),
                                     newdata = NULL, cells = 10000, time = NULL, palette = NULL,
                                     limits = NULL, centered = FALSE, ...) {
  check_fit(object)
  check_no_more_arguments()
  check_choices(which, "which", deep_plots(object))
  what <- check_choice(what, "what", c("mean", "sd"))
  check_count(cells, "cells", upper = 1e7)
  seen <- if (any(which %in% c("residuals", "qq"))) seen_residuals(object)
  plots_of(which, function(one) switch(one,
    trace = ggplot_trace(object$deep),
    residuals = ggplot_residuals(object, seen, main = seen_title),
    qq = ggplot_qq(seen, main = seen_title),
    pit = ggplot_pit(held_out_pit(object), "Rows held out"),
    map = ggplot_fit_map(object, what, newdata, cells, time, palette, limits, centered)))
}

default_deep_plots <- function(fit) {
  place <- fit$locations
  setdiff(deep_plots(fit), c("residuals",
    if (length(place$raw_names) > 2L || has_factors(place)) "map"))
}

# There is no map of several responses.
deep_plots <- function(fit) {
  c("trace", if (!length(fit$outputs)) "map", "residuals", "qq",
    if (length(fit$deep$validation$rows)) "pit")
}

seen_residuals <- function(fit) {
  stats::setNames(deep_residuals(fit)[c("fitted", "quantile")], c("mean", "z"))
}

seen_title <- "Quantile residuals, rows of the fit"

# The first epochs would leave no room for the others.
trace_limits <- function(trace) {
  series <- cbind(trace$objective, trace$validation)
  c(stats::quantile(series, 0.05, na.rm = TRUE, names = FALSE), max(series, na.rm = TRUE))
}

ggplot_trace <- function(deep) {
  trace <- deep$trace
  table <- data.frame(epoch = trace$epoch, value = c(trace$objective, trace$validation),
    series = rep(c("objective", "rows held out"), each = nrow(trace)))
  new_plot(table[!is.na(table$value), ], ggplot2::aes(.data$epoch, .data$value,
    colour = .data$series, linetype = .data$series), "Training", y = "log density a row",
    subtitle = sprintf("kept: epoch %d (dotted)", as.integer(deep$notes$epoch))) +
    ggplot2::geom_vline(xintercept = deep$notes$epoch, colour = "grey60", linetype = "dotted") +
    ggplot2::geom_line() +
    ggplot2::scale_colour_manual(NULL, values = c("grey40", "#D55E00")) +
    ggplot2::scale_linetype_manual(NULL, values = c("solid", "longdash")) +
    ggplot2::coord_cartesian(ylim = trace_limits(trace)) +
    ggplot2::theme(legend.position = "bottom")
}

# Several responses are drawn together.
held_out_pit <- function(object) {
  rows <- object$deep$validation$rows
  if (length(object$outputs)) {
    held_out <- object$data$place %in% sort(unique(object$data$place))[rows]
    pit <- stats::pnorm(deep_residuals(object)$quantile[held_out])
    return(data.frame(pit_lower = pit, pit_upper = pit))
  }
  pit <- predictive_pit(object$data$y[rows], training_distribution(object, NULL)[rows])
  data.frame(pit_lower = pit$lower, pit_upper = pit$upper)
}
