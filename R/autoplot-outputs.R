# Plots of several outputs by ggplot2: a panel for each output, or pair of outputs.

#' @rdname plot.neargp_outputs
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_outputs <- function(object, which = "loo", outputs = object$outputs, ...) {
  check_no_more_arguments()
  check_output_plot(object, which)
  check_choices(outputs, "outputs", object$outputs)
  switch(which,
    loo = ggplot_output_predictions(object, outputs),
    residual_map = ggplot_output_residuals(object, outputs),
    covariance = ggplot_covariances(object, outputs),
    variogram = ggplot_output_variograms(object, outputs),
    inducing = ggplot_inducing(object))
}

# The tables of `outputs`, one below the other.
output_panels <- function(outputs, table_of, label_of = identity) {
  tables <- lapply(outputs, table_of)
  labels <- vapply(seq_along(outputs), function(i) label_of(outputs[[i]]), "")
  do.call(rbind, Map(function(table, label) cbind(as.data.frame(table),
    panel = factor(label, labels)), tables, labels))
}

ggplot_output_predictions <- function(x, outputs) {
  loo <- loo_table(x)
  table_of <- function(output) predicted_rows(loo[x$data$output == match(output, x$outputs), ])
  caption <- function(output) {
    table <- table_of(output)
    told <- score_caption(scores(table, observed = table$observed, na.rm = TRUE))
    # Panels are narrow: coverage has a line of its own.
    paste0(output, "\n", sub(", ([0-9.]+% coverage)", "\n\\1", told))
  }
  table <- output_panels(outputs, function(output) {
    table <- table_of(output)
    table[shown_rows(nrow(table)), ]
  }, caption)
  ggplot2::ggplot(table, ggplot2::aes(.data$mean, .data$observed)) +
    ggplot2::geom_abline(colour = "grey40") + ggplot_scatter(nrow(table)) +
    ggplot2::facet_wrap("panel", scales = "free") +
    ggplot2::labs(x = "predicted", y = "observed", title = "Leave-one-out predictions")
}

ggplot_output_residuals <- function(x, outputs) {
  loo <- loo_table(x)
  table <- output_panels(outputs, function(output) {
    own <- loo[x$data$output == match(output, x$outputs), ]
    place <- residual_map(fit_of_output(x, output), own)$place
    data.frame(x = place$x, y = place$y, value = own$z, symbol = place$symbols)
  })
  frame <- fit_place(x, original_coords(x))
  ggplot2::ggplot(table, ggplot2::aes(.data$x, .data$y)) +
    ggplot2::geom_point(ggplot2::aes(fill = .data$value, shape = I(.data$symbol)), stroke = 0.2,
      colour = "grey45", size = 2.2 * point_size(nrow(table))) +
    ggplot_fill(color_scale(table$value, "Blue-Red 3", limits = c(-3, 3)), table$value, "z") +
    ggplot_axes(frame, expand = TRUE) + ggplot2::facet_wrap("panel") +
    ggplot2::labs(title = "Map of the residuals")
}

ggplot_covariances <- function(x, outputs) {
  curves <- lapply(pairs_of(outputs), function(pair) covariance_curve(x, pair))
  table <- do.call(rbind, curves)
  table$panel <- factor(table$panel, unique(table$panel))
  ggplot2::ggplot(table, ggplot2::aes(.data$distance, .data$value)) +
    ggplot2::geom_hline(yintercept = 0, colour = "grey60") +
    ggplot2::geom_line(colour = "#0072B2") + ggplot2::facet_wrap("panel", scales = "free_y") +
    ggplot2::labs(x = attr(curves[[1L]], "label"), y = "covariance", title = "Fitted covariances")
}

ggplot_output_variograms <- function(x, outputs) {
  variograms <- lapply(stats::setNames(nm = outputs), function(output) {
    empirical_variogram(x, output = output)
  })
  shown <- axis_unit(attr(variograms[[1L]], "unit"), unlist(lapply(variograms, `[[`, "distance")))
  points <- output_panels(outputs, function(output) variograms[[output]][c("distance", "gamma",
    "n_pairs")])
  curves <- output_panels(outputs, function(output) attr(variograms[[output]],
    "curve")[c("distance", "gamma")])
  ggplot2::ggplot(points, ggplot2::aes(.data$distance, .data$gamma)) +
    ggplot2::geom_point(ggplot2::aes(size = .data$n_pairs), shape = 1, colour = "#0072B2") +
    ggplot2::geom_line(data = curves, colour = "#0072B2") +
    ggplot2::scale_size_area("pairs", max_size = 4) + ggplot2::expand_limits(x = 0, y = 0) +
    ggplot2::scale_x_continuous(distance_label(shown$unit),
      labels = function(x) plain_labels(x / shown$factor)) +
    ggplot2::facet_wrap("panel", scales = "free_y") +
    ggplot2::labs(y = "semivariance", title = "Variograms",
      subtitle = variogram_caption(variograms[[1L]]))
}
