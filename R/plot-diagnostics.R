# Diagnostics of a fit from its leave-one-out predictions: each row predicted from the others, as an
# observation (noise included).

# Rows that determine a coefficient of the trend lack a prediction from the others, as a warning has
# said.
predicted_rows <- function(loo) {
  known <- !is.na(loo$mean)
  if (!any(known)) {
    abort_neargp("loo",
      c("No row can be predicted from the others, so the plot cannot be drawn.",
        i = "Without a row too few are left for the trend: use a shorter formula, or more rows."))
  }
  loo[known, ]
}

# Rows to draw: all, or evenly spaced ones where there are more than eyes and files can take.
most_drawn <- 20000L

shown_rows <- function(n, at_most = most_drawn) evenly_spaced(n, at_most)

ggplot_scatter <- function(n) {
  ggplot2::geom_point(colour = "#0072B2", size = 1.5 * point_size(n), alpha = scatter_opacity(n))
}

scatter_opacity <- function(n) max(0.15, min(0.8, 40 / sqrt(n)))

# The rows that points stand for. Where there are many, only those to be drawn were predicted.
count_rows <- function(loo) if (nrow(loo) > most_drawn) nrow(loo) else sum(!is.na(loo$mean))

shown_caption <- function(shown, n) {
  if (length(shown) == n) return(NULL)
  sprintf("%s of %s rows shown", format_count(length(shown)), format_count(n))
}

residuals_title <- "Leave-one-out residuals"

residuals_label <- "standardised residual"

ggplot_residuals <- function(fit, loo, main = residuals_title) {
  n <- count_rows(loo)
  loo <- predicted_rows(loo)
  shown <- shown_rows(nrow(loo))
  by_log <- is_shown_by_log(fit, loo)
  x_label <- sprintf("prediction of %s", fit$data$response_name)
  if (!has_ggplot2()) {
    return(plain_scatter(loo$mean[shown], loo$z[shown], x_label, residuals_label, main,
      log = if (by_log) "x" else "", h = c(-1.96, 0, 1.96)))
  }
  new_plot(loo[shown, ], ggplot2::aes(.data$mean, .data$z), main, x = x_label,
    y = residuals_label, subtitle = shown_caption(shown, n)) +
    ggplot2::geom_hline(yintercept = c(-1.96, 1.96), colour = "grey60", linetype = "dotted") +
    ggplot2::geom_hline(yintercept = 0, colour = "grey40") +
    ggplot_scatter(length(shown)) +
    ggplot2::geom_line(ggplot2::aes(.data$x, .data$y), colour = "#D55E00", linewidth = 1,
      data = as.data.frame(smoothed_residuals(loo, by_log))) +
    ggplot2::expand_limits(y = c(-2.5, 2.5)) +
    (if (by_log) ggplot2::scale_x_log10(labels = each_plain_label))
}

# Predictions of counts and amounts, most of which are next to the least of them on a linear axis.
is_shown_by_log <- function(fit, loo) {
  predictor_scale(fit$family) == "log" && all(loo$mean > 0)
}

# The scale to which the field adds: the link of the family, or the transform of the response.
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

ggplot_qq <- function(loo, main = qq_title) {
  n <- count_rows(loo)
  loo <- predicted_rows(loo)
  new_plot(quantile_table(loo), ggplot2::aes(.data$theory), main, x = "standard normal quantile",
    y = residuals_label, subtitle = shown_caption(seq_len(nrow(loo)), n)) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), fill = "grey85") +
    ggplot2::geom_abline(colour = "grey40") +
    ggplot2::geom_point(ggplot2::aes(y = .data$z), colour = "#0072B2",
      size = 1.5 * point_size(nrow(loo)))
}

qq_title <- "Quantiles of leave-one-out residuals"

loo_title <- "Leave-one-out predictions"

# Both axes share the range of predictions and observations.
ggplot_predictions <- function(loo, response, main, score) {
  loo <- predicted_rows(loo)
  shown <- shown_rows(nrow(loo))
  y_label <- sprintf("observed %s", response)
  if (!has_ggplot2()) {
    return(plain_scatter(loo$mean[shown], loo$observed[shown], "predicted", y_label, main,
      slope = 1))
  }
  new_plot(loo[shown, ], ggplot2::aes(.data$mean, .data$observed), main, x = "predicted",
    y = y_label,
    subtitle = paste(c(score_caption(score), shown_caption(shown, nrow(loo))), collapse = "; ")) +
    ggplot2::geom_abline(colour = "grey40") + ggplot_scatter(length(shown)) + ggplot_same_range()
}

ggplot_same_range <- function() {
  ggplot2::geom_blank(ggplot2::aes(.data$observed, .data$mean))
}

score_caption <- function(score) {
  paste(c(sprintf("RMSE %s, CRPS %s", format(score$rmse, digits = 3L),
    format(score$crps, digits = 3L)), if (!is.null(score$coverage))
    sprintf("%g%% coverage %.1f%%", 100 * score$level, 100 * score$coverage)), collapse = ", ")
}

ggplot_residual_map <- function(fit, loo, main = "Map of the residuals") {
  drawn <- residual_map(fit, loo)
  ggplot_map(drawn$place, loo$z, drawn$scale, "z", main)
}

residual_map <- function(fit, loo) {
  place <- fit_place(fit, original_coords(fit))
  place$symbols <- signed_symbols(loo$z)
  list(place = place, scale = color_scale(loo$z, "Blue-Red 3", limits = c(-3, 3)))
}
