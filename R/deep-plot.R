#' Plot a fit by deep Gaussian processes
#'
#' @param x a fit by [neargp()] with [dspp()] or [dgp()].
#' @param which names of the plots: "trace", the objective a row by epochs, with the log density of
#'   the rows held out and the epoch that was kept; "residuals", quantile residuals of the training
#'   rows against fitted values; "qq", their normal quantiles; "pit", the distribution function of
#'   predictions at the rows held out, flat where they are calibrated; "map", predictions over one
#'   or two coordinates, as in [plot.neargp()]. Quantile residuals are of rows that the fit has
#'   seen. By default the first, third and fourth, and a map where there are no more than two
#'   coordinates.
#' @param what,newdata,cells,time,... as in [plot.neargp()].
#' @return `x`, invisibly; `autoplot()` draws one of them as a ggplot object, by default the trace.
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
  possible <- deep_plots(x)
  which <- which %||% setdiff(possible, c("residuals",
    if (length(x$locations$raw_names) > 2L || has_factors(x$locations)) "map"))
  check_choices(which, "which", possible)
  what <- check_choice(what, "what", c("mean", "sd"))
  check_plot_arguments(names(list(...)), "map")
  check_count(cells, "cells", upper = 1e7)
  device <- graphics::par("din")
  old <- open_page(grDevices::n2mfrow(length(which), asp = device[1L] / device[2L]))
  on.exit(graphics::par(old))
  seen <- if (any(which %in% c("residuals", "qq"))) seen_residuals(x)
  for (one in which) {
    switch(one,
      trace = plot_deep_trace(x$deep, ...),
      residuals = plot_loo_residuals(x, seen, main = seen_title, ...),
      qq = plot_loo_qq(seen, main = seen_title, ...),
      pit = plot_pit(held_out_pit(x), "Rows held out"),
      map = plot_fit_map(x, what, newdata, cells, time, ...)
    )
  }
  invisible(x)
}

deep_plots <- function(fit) {
  c("trace", "map", "residuals", "qq", if (length(fit$deep$validation$rows)) "pit")
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

plot_deep_trace <- function(deep, ...) {
  trace <- deep$trace
  plot_frame(range(trace$epoch), trace_limits(trace), "Training", "epoch", "log density a row")
  graphics::abline(v = deep$notes$epoch, col = "grey70", lty = 3L, lwd = 1.5)
  graphics::lines(trace$epoch, trace$objective, col = "grey40", lwd = 1.5, ...)
  if (!all(is.na(trace$validation))) {
    graphics::lines(trace$epoch, trace$validation, col = "#D55E00", lwd = 1.5, lty = 5L, ...)
  }
  graphics::legend("bottomright", c("objective", "rows held out", "kept"),
    col = c("grey40", "#D55E00", "grey70"), lty = c(1L, 5L, 3L), lwd = 1.5, bty = "n", cex = 0.85)
}

# Of several outputs all together.
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
