# Plots of fits of several responses that share fields.

# Correlations of the responses, dark for strong ones.
#' @export
plot.neargp_joint <- function(x, ...) {
  refuse_other_plots(list(...))
  correlation <- correlations_of(joint_covariances(x))
  count <- nrow(correlation)
  old <- graphics::par(c("mai", "new"))
  on.exit(graphics::par(old))
  # widths of text are known on a page only
  graphics::plot.new()
  width <- 0.5 + max(graphics::strwidth(rownames(correlation), "inches"))
  graphics::par(mai = c(pmin(width, 0.4 * graphics::par("fin")[2:1]), 0.6, 0.2), new = TRUE)
  graphics::image(seq_len(count), seq_len(count), t(correlation[rev(seq_len(count)), ]),
    zlim = c(-1, 1), col = grDevices::hcl.colors(41L, "Blue-Red 3"), axes = FALSE, xlab = "",
    ylab = "", main = correlation_title(x))
  graphics::axis(1L, seq_len(count), rownames(correlation), las = 2L, tick = FALSE)
  graphics::axis(2L, rev(seq_len(count)), rownames(correlation), las = 1L, tick = FALSE)
  if (count <= shown_correlations) {
    graphics::text(rep(seq_len(count), each = count), rep(rev(seq_len(count)), count),
      sprintf("%.2f", correlation), col = colours_of_numbers(correlation))
  }
  invisible(x)
}

refuse_other_plots <- function(given) {
  if (!length(given)) return(invisible())
  abort_neargp("argument", c(
    "plot() of several responses shows their correlations, and takes no further arguments.",
    i = "Maps: plot_map(predict(fit, newdata), \"mean_<response>\").",
    i = "Residuals: residuals(fit), or cross_validate(fit)$predictions."))
}

# The categories of a composition are compared with the first.
correlation_title <- function(x) {
  if (is.null(x$composition)) return("Correlations of the responses")
  sprintf("Correlations of log ratios to %s", x$outputs[1L])
}

# Numbers on the dark ends of the colours are white.
colours_of_numbers <- function(correlation) {
  ifelse(abs(correlation) > 0.6 & !is.na(correlation), "white", "black")
}

# More correlations than those of so many responses are not written into the plot.
shown_correlations <- 12L

#' @exportS3Method ggplot2::autoplot
autoplot.neargp_joint <- function(object, ...) {
  check_no_more_arguments()
  correlation <- correlations_of(joint_covariances(object))
  outputs <- factor(rownames(correlation), rownames(correlation))
  table <- data.frame(first = outputs[col(correlation)], second = outputs[row(correlation)],
    correlation = c(correlation))
  plot <- new_plot(table, ggplot2::aes(.data$first, .data$second),
    correlation_title(object), x = NULL, y = NULL) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data$correlation)) +
    ggplot2::scale_fill_gradientn(NULL, limits = c(-1, 1),
      colours = grDevices::hcl.colors(41L, "Blue-Red 3")) +
    ggplot2::scale_y_discrete(limits = rev) + ggplot2::coord_equal()
  if (nrow(correlation) > shown_correlations) return(plot)
  plot + ggplot2::geom_text(ggplot2::aes(label = sprintf("%.2f", .data$correlation)),
    colour = colours_of_numbers(table$correlation))
}
