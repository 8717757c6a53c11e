# Plots of fits of several responses that share fields.

# Correlations of the responses, dark for strong ones.
#' @export
plot.neargp_joint <- function(x, ...) {
  correlation <- correlations_of(joint_covariances(x))
  count <- nrow(correlation)
  old <- graphics::par(mar = c(6, 6, 3, 1))
  on.exit(graphics::par(old))
  graphics::image(seq_len(count), seq_len(count), t(correlation[rev(seq_len(count)), ]),
    zlim = c(-1, 1), col = grDevices::hcl.colors(41L, "Blue-Red 3"), axes = FALSE, xlab = "",
    ylab = "", main = "Correlations of the responses", ...)
  graphics::axis(1L, seq_len(count), rownames(correlation), las = 2L, tick = FALSE)
  graphics::axis(2L, rev(seq_len(count)), rownames(correlation), las = 1L, tick = FALSE)
  if (count <= shown_correlations) {
    graphics::text(rep(seq_len(count), each = count), rep(rev(seq_len(count)), count),
      sprintf("%.2f", correlation))
  }
  invisible(x)
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
    "Correlations of the responses", x = NULL, y = NULL) +
    ggplot2::geom_tile(ggplot2::aes(fill = .data$correlation)) +
    ggplot2::scale_fill_gradientn(NULL, limits = c(-1, 1),
      colours = grDevices::hcl.colors(41L, "Blue-Red 3")) +
    ggplot2::scale_y_discrete(limits = rev) + ggplot2::coord_equal()
  if (nrow(correlation) > shown_correlations) return(plot)
  plot + ggplot2::geom_text(ggplot2::aes(label = sprintf("%.2f", .data$correlation)))
}
