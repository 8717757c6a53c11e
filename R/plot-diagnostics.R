# Diagnostics of a fit from its leave-one-out predictions: each row predicted from the others, as an
# observation (noise included).

# Rows that determine a coefficient of the trend have no prediction from the others, as a warning
# has said.
predicted_rows <- function(loo) {
  known <- !is.na(loo$mean)
  if (!any(known)) {
    abort_neargp("loo",
      c("No row can be predicted from the others, so there is nothing to compare the rows with.",
        i = "Each would leave too few rows for the trend: take a shorter formula, or more rows."))
  }
  loo[known, ]
}

# Parameters of a page of diagnostics with so many rows and columns of plots, unless the page was
# divided before. Returns those to put back.
open_page <- function(panels) {
  old <- graphics::par(mgp = c(2.2, 0.5, 0), mar = c(3.6, 4.2, 2.6, 1), las = 1, tcl = -0.3)
  if (any(panels > 1L) && all(graphics::par("mfrow") == 1L)) {
    old <- c(old, graphics::par(mfrow = panels))
  }
  old
}

# An empty plot in the style of all diagnostics.
plot_frame <- function(xlim, ylim, main, xlab, ylab, asp = NA, log = "") {
  graphics::plot.new()
  graphics::plot.window(xlim, ylim, log = log, asp = asp)
  for (side in 1:2) {
    at <- graphics::axTicks(side)
    labels <- if (log == c("x", "y")[side]) each_plain_label(at) else TRUE
    graphics::axis(side, at, labels, lwd = 0, lwd.ticks = 0.8, cex.axis = 0.85)
  }
  graphics::box(lwd = 0.8)
  write_title(main, 1.25)
  graphics::title(xlab = xlab, cex.lab = fitting_size(xlab, 1L))
  graphics::title(ylab = ylab, line = 2.9, cex.lab = fitting_size(ylab, 2L))
}

# The size, at most `cex`, at which a label centred beside a plot ends within the figure.
fitting_size <- function(label, side, cex = 1) {
  if (is.null(label)) return(cex)
  along <- if (side %in% c(1L, 3L)) 1L else 2L
  middle <- mean(graphics::par("plt")[2L * along - 1:0])
  room <- 1.96 * min(middle, 1 - middle) * graphics::par("fin")[along]
  min(cex, room / max(graphics::strwidth(label, "inches"), 1e-6))
}

# The title of a plot, and a line of text between it and the plot.
write_title <- function(main, line) {
  graphics::title(main = main, font.main = 1, cex.main = fitting_size(main, 3L), line = line)
}

write_subtitle <- function(text, adj = 0.5) {
  if (is.null(text)) return(invisible())
  graphics::mtext(text, side = 3L, line = 0.1, adj = adj,
    cex = fitting_size(text, 3L, 0.7) * graphics::par("cex"))
}

# Rows to draw: all, or evenly spaced ones where there are more than eyes and files can take.
shown_rows <- function(n, at_most = 20000L) {
  if (n <= at_most) seq_len(n) else unique(round(seq(1, n, length.out = at_most)))
}

draw_scatter <- function(x, y, ...) {
  graphics::points(x, y, pch = 16, cex = max(0.35, 0.9 * point_size(length(x))),
    col = grDevices::adjustcolor("#0072B2", scatter_opacity(length(x))), ...)
}

scatter_opacity <- function(n) max(0.15, min(0.8, 40 / sqrt(n)))

shown_caption <- function(shown, n) {
  if (length(shown) == n) return(NULL)
  sprintf("%s of %s rows shown", format_count(length(shown)), format_count(n))
}

residuals_title <- "Leave-one-out residuals"

plot_loo_residuals <- function(fit, loo, main = residuals_title, ...) {
  loo <- predicted_rows(loo)
  shown <- shown_rows(nrow(loo))
  by_log <- is_shown_by_log(fit, loo)
  plot_frame(range(loo$mean), range(loo$z, -2.5, 2.5), main,
    sprintf("prediction of %s", fit$data$response_name), "standardised residual",
    log = if (by_log) "x" else "")
  graphics::abline(h = c(-1.96, 1.96), col = "grey60", lty = 3)
  graphics::abline(h = 0, col = "grey40")
  draw_scatter(loo$mean[shown], loo$z[shown], ...)
  graphics::lines(smoothed_residuals(loo, by_log), col = "#D55E00", lwd = 2)
  write_subtitle(shown_caption(shown, nrow(loo)), adj = 1)
}

# Predictions of counts and amounts, most of which are beside the least of them on a linear axis.
is_shown_by_log <- function(fit, loo) {
  predictor_scale(fit$family) == "log" && all(loo$mean > 0)
}

# What the field adds to: the link of the family, or the transform of the response.
predictor_scale <- function(family) {
  name <- family$transform$name %||% family$link
  if (name == "functions") "transformed" else name
}

smoothed_residuals <- function(loo, by_log = FALSE) {
  rows <- shown_rows(nrow(loo), 5000L)
  at <- if (by_log) log(loo$mean[rows]) else loo$mean[rows]
  smooth <- stats::lowess(at, loo$z[rows])
  if (by_log) smooth$x <- exp(smooth$x)
  smooth
}

# Quantiles with a 95% band for each order statistic: the i-th of n uniform ones is Beta(i, n + 1 -
# i). All of the tails, and of many rows some between.
quantile_table <- function(loo) {
  n <- nrow(loo)
  tails <- c(seq_len(min(500L, n)), seq(max(1L, n - 499L), n))
  shown <- sort(unique(c(tails, shown_rows(n, 5000L))))
  band <- function(p) stats::qnorm(stats::qbeta(p, shown, n + 1 - shown))
  data.frame(theory = stats::qnorm((shown - 0.5) / n), z = sort(loo$z)[shown], lower = band(0.025),
    upper = band(0.975))
}

plot_loo_qq <- function(loo, main = qq_title, ...) {
  loo <- predicted_rows(loo)
  table <- quantile_table(loo)
  plot_frame(range(table$theory), range(table$z, table$lower, table$upper), main, qq_labels[1L],
    qq_labels[2L])
  graphics::polygon(c(table$theory, rev(table$theory)), c(table$lower, rev(table$upper)),
    col = "grey88", border = NA)
  graphics::abline(0, 1, col = "grey40")
  graphics::points(table$theory, table$z, pch = 16, cex = max(0.35, 0.9 * point_size(nrow(loo))),
    col = "#0072B2", ...)
  graphics::box(lwd = 0.8)
}

qq_title <- "Quantiles of leave-one-out residuals"
qq_labels <- c("standard normal quantile", "standardised residual")

plot_loo_predictions <- function(fit, loo, main = "Leave-one-out predictions",
                                 score = loo_scores(fit, loo), ...) {
  loo <- predicted_rows(loo)
  shown <- shown_rows(nrow(loo))
  limits <- range(loo$mean, loo$observed)
  plot_frame(limits, limits, main, "predicted", sprintf("observed %s", fit$data$response_name))
  draw_scatter(loo$mean[shown], loo$observed[shown], ...)
  graphics::abline(0, 1, col = "grey40")
  # Above the frame: within it points may be anywhere.
  write_subtitle(paste(c(score_caption(score), shown_caption(shown, nrow(loo))), collapse = "; "))
}

score_caption <- function(score) {
  sprintf("RMSE %s, CRPS %s, %g%% coverage %.1f%%", format(score$rmse, digits = 3L),
    format(score$crps, digits = 3L), 100 * score$level, 100 * score$coverage)
}

plot_loo_map <- function(fit, loo, main = "Map of the residuals", ...) {
  drawn <- residual_map(fit, loo)
  draw_map(drawn$place, loo$z, drawn$scale, title = "z", main = main, ...)
}

residual_map <- function(fit, loo) {
  place <- fit_place(fit, original_coords(fit))
  place$symbols <- signed_symbols(loo$z)
  list(place = place, scale = color_scale(loo$z, "Blue-Red 3", limits = c(-3, 3)))
}
