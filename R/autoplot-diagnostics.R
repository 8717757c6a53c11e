# Diagnostics by ggplot2, from the tables that plot() draws.

ggplot_residuals <- function(fit, loo, main = residuals_title) {
  loo <- predicted_rows(loo)
  shown <- shown_rows(nrow(loo))
  by_log <- is_shown_by_log(fit, loo)
  smooth <- as.data.frame(smoothed_residuals(loo, by_log))
  ggplot2::ggplot(loo[shown, ], ggplot2::aes(.data$mean, .data$z)) +
    ggplot2::geom_hline(yintercept = c(-1.96, 1.96), colour = "grey60", linetype = "dotted") +
    ggplot2::geom_hline(yintercept = 0, colour = "grey40") +
    ggplot_scatter(length(shown)) +
    ggplot2::geom_line(ggplot2::aes(.data$x, .data$y), data = smooth, colour = "#D55E00",
      linewidth = 1) +
    (if (by_log) ggplot2::scale_x_log10(labels = each_plain_label)) +
    ggplot2::labs(x = sprintf("prediction of %s", fit$data$response_name),
      y = "standardised residual", title = main, subtitle = shown_caption(shown, nrow(loo)))
}

ggplot_scatter <- function(n) {
  ggplot2::geom_point(colour = "#0072B2", size = 1.5 * point_size(n), alpha = scatter_opacity(n))
}

ggplot_qq <- function(loo, main = qq_title) {
  loo <- predicted_rows(loo)
  ggplot2::ggplot(quantile_table(loo), ggplot2::aes(.data$theory)) +
    ggplot2::geom_ribbon(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), fill = "grey80") +
    ggplot2::geom_abline(colour = "grey40") +
    ggplot2::geom_point(ggplot2::aes(y = .data$z), colour = "#0072B2",
      size = 1.5 * point_size(nrow(loo))) +
    ggplot2::labs(x = qq_labels[1L], y = qq_labels[2L], title = main)
}

ggplot_predictions <- function(loo, response, main, score) {
  loo <- predicted_rows(loo)
  shown <- shown_rows(nrow(loo))
  ggplot2::ggplot(loo[shown, ], ggplot2::aes(.data$mean, .data$observed)) +
    ggplot2::geom_abline(colour = "grey40") + ggplot_scatter(length(shown)) +
    ggplot2::labs(x = "predicted", y = sprintf("observed %s", response), title = main,
      subtitle = paste(c(score_caption(score), shown_caption(shown, nrow(loo))), collapse = "; "))
}

ggplot_pit <- function(predictions, main) {
  table <- pit_table(predictions)
  ggplot2::ggplot(table) +
    ggplot2::geom_rect(ggplot2::aes(xmin = .data$left, xmax = .data$right, ymin = .data$lower,
      ymax = .data$upper), fill = "grey80") +
    ggplot2::geom_rect(ggplot2::aes(xmin = .data$left, xmax = .data$right, ymin = 0,
      ymax = .data$density), fill = grDevices::adjustcolor("#0072B2", 0.3), colour = "#0072B2") +
    ggplot2::geom_hline(yintercept = 1, colour = "grey40") +
    ggplot2::labs(x = pit_label, y = "density", title = main, subtitle = pit_note(predictions))
}

ggplot_calibration <- function(given, bins, left_out, levels, response) {
  judged <- judged_classes(given$observed, given$prob, na.rm = TRUE)
  ggplot2::ggplot(calibration_table(judged, bins), ggplot2::aes(.data$predicted, .data$observed)) +
    ggplot2::geom_rect(ggplot2::aes(xmin = .data$lower, xmax = .data$upper, ymin = 0,
      ymax = .data$bar), fill = "grey88", colour = "white") +
    ggplot2::geom_abline(colour = "grey40") +
    ggplot2::geom_linerange(ggplot2::aes(ymin = .data$band_lower, ymax = .data$band_upper),
      colour = "grey60", linewidth = 2) +
    ggplot2::geom_line(data = function(table) table[table$joined, ], colour = "#0072B2") +
    ggplot2::geom_point(colour = "#0072B2") +
    ggplot2::coord_equal(xlim = c(0, 1), ylim = c(0, 1)) +
    ggplot2::labs(x = calibration_label(levels, response), y = calibration_share,
      title = sprintf("Calibration (%s)", left_out), subtitle = calibration_caption(judged))
}

ggplot_cv_calibration <- function(x, setting, bins) {
  given <- validated_classes(x, setting)
  ggplot_calibration(given, bins, cv_rows(x, given$setting), levels(given$observed), x$response)
}

ggplot_confusion <- function(counts, left_out) {
  classes <- rownames(counts)
  share <- counts / pmax(rowSums(counts), 1)
  table <- data.frame(predicted = factor(classes[col(counts)], classes),
    observed = factor(classes[row(counts)], rev(classes)), n = as.vector(counts),
    share = as.vector(share))
  numbers <- if (length(classes) <= 12L) {
    ggplot2::geom_text(ggplot2::aes(label = .data$n),
      colour = ifelse(table$share > 0.6, "white", "black"))
  }
  ggplot2::ggplot(table, ggplot2::aes(.data$predicted, .data$observed)) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data$share), colour = "white") + numbers +
    ggplot2::scale_fill_gradientn("share of\nobserved", limits = c(0, 1),
      colours = grDevices::hcl.colors(64L, "Blues", rev = TRUE)) +
    ggplot2::labs(title = confusion_title(left_out))
}

ggplot_scores <- function(x, score) {
  settings <- x$scores$setting
  named <- function(table) data.frame(score = table[[score]], setting = factor(table$setting,
    rev(settings)))
  ggplot2::ggplot(named(x$fold_scores), ggplot2::aes(.data$score, .data$setting)) +
    ggplot2::geom_point(shape = 1, colour = "grey50") +
    ggplot2::geom_point(data = named(x$scores), shape = 18, size = 3, colour = "#D55E00") +
    ggplot2::labs(x = score_label(score), y = NULL, title = "Held-out scores")
}

ggplot_trace <- function(deep) {
  trace <- deep$trace
  table <- data.frame(epoch = trace$epoch, value = c(trace$objective, trace$validation),
    series = rep(c("objective", "rows held out"), each = nrow(trace)))
  ggplot2::ggplot(table[!is.na(table$value), ], ggplot2::aes(.data$epoch, .data$value,
    colour = .data$series, linetype = .data$series)) +
    ggplot2::geom_vline(xintercept = deep$notes$epoch, colour = "grey70", linetype = "dotted") +
    ggplot2::geom_line() +
    ggplot2::scale_colour_manual(NULL, values = c("grey40", "#D55E00")) +
    ggplot2::scale_linetype_manual(NULL, values = c("solid", "longdash")) +
    ggplot2::coord_cartesian(ylim = trace_limits(trace)) +
    ggplot2::labs(y = "log density a row", title = "Training",
      subtitle = sprintf("kept: epoch %d (dotted)", as.integer(deep$notes$epoch)))
}
