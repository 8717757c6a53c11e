#' Plot a fit to several responses
#'
#' @description
#' Draws diagnostics, covariances and variograms of a fit to several responses.
#'
#' ```r
#' air <- na.omit(airquality)
#' fit <- neargp(cbind(log(Ozone), Temp) ~ 1, air, coords = ~ Wind + Solar.R)
#' plot(fit, which = "covariance")
#' ```
#'
#' @details
#' | `which` | plot |
#' |---|---|
#' | `"loo"` | observations against leave-one-out predictions, with scores |
#' | `"residual_map"` | standardised leave-one-out residuals in space |
#' | `"covariance"` | fitted covariances and cross-correlations by distance |
#' | `"variogram"` | [empirical_variogram()] of each response, with the fitted curve |
#' | `"inducing"` | for [svgp()], the inducing points over the data |
#'
#' @param x,object a fit by [neargp()] to several responses.
#' @param which the name of a plot. Default: `"loo"`.
#' @param outputs names of the responses to show. Default `NULL`: all.
#' @param ... not used.
#' @return A list of class `neargp_plots` with a ggplot object for each response, which prints as a
#'   page. `"covariance"`, `"inducing"` and a single response return one ggplot object. `plot()`
#'   draws it and returns it invisibly. Without ggplot2, `plot()` draws plain versions, except
#'   `"covariance"` and `"inducing"`.
#' @seealso [plot.neargp()], [predict.neargp_outputs()]
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(120), y = runif(120))
#' field <- sin(6 * d$x) + d$y
#' d$a <- field + rnorm(120, sd = 0.1)
#' d$b <- 2 * field + rnorm(120, sd = 0.3)
#' fit <- neargp(cbind(a, b) ~ 1, d, coords = ~ x + y, method = loo_k(k = 15))
#' plot(fit)
#' @export
plot.neargp_outputs <- function(x, which = "loo", outputs = x$outputs, ...) {
  check_no_more_arguments()
  draw_plots(autoplot.neargp_outputs(x, which, outputs))
}

#' @rdname plot.neargp_outputs
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_outputs <- function(object, which = "loo", outputs = object$outputs, ...) {
  check_no_more_arguments()
  check_output_plot(object, which)
  check_choices(outputs, "outputs", object$outputs)
  if (which == "covariance") return(ggplot_covariances(object, outputs))
  if (which == "inducing") return(ggplot_inducing(object))
  loo <- if (which != "variogram") loo_table(object)
  plots_of(outputs, function(output) ggplot_output(object, loo, output, which))
}

ggplot_output <- function(x, loo, output, which) {
  if (which == "variogram") {
    return(autoplot.neargp_variogram(empirical_variogram(x, output = output), main = output))
  }
  own <- loo[x$data$output == match(output, x$outputs), ]
  if (which == "residual_map") return(ggplot_residual_map(fit_of_output(x, output), own, output))
  ggplot_predictions(own, output, output, scores(own, observed = own$observed, na.rm = TRUE))
}

output_plots <- function(x) {
  c("loo", "residual_map", "covariance", "variogram",
    if (has_ability(x$method, "inducing_features")) "inducing")
}

check_output_plot <- function(x, which) {
  known <- paste0("\"", output_plots(x), "\"", collapse = ", ")
  if (is.character(which) && length(which) > 1L) {
    abort_neargp("argument", c(
      "`which` must be one plot of a fit to several responses: it contains a panel for each of them.",
      x = sprintf("It is %s.", format_some(paste0("\"", which, "\""))),
      i = sprintf("Draw one at a time: %s.", known)))
  }
  if (identical(which, "map")) {
    abort_neargp("argument", c(sprintf("`which` must be one of %s, not \"map\".", known),
      i = sprintf("For a map of a response: plot_map(predict(fit, newdata), \"mean_%s\").", x$outputs[1L])))
  }
  check_choice(which, "which", output_plots(x))
}

ggplot_covariances <- function(x, outputs) {
  curves <- lapply(pairs_of(outputs), function(pair) covariance_curve(x, pair))
  table <- do.call(rbind, curves)
  table$panel <- factor(table$panel, unique(table$panel))
  new_plot(table, ggplot2::aes(.data$distance, .data$value), "Fitted covariances",
    x = attr(curves[[1L]], "label"), y = "covariance") +
    ggplot2::geom_hline(yintercept = 0, colour = "grey60") +
    ggplot2::geom_line(colour = "#0072B2", linewidth = 0.8) +
    ggplot2::facet_wrap("panel", scales = "free_y")
}

# As much of a fit as plots of its rows need.
fit_of_output <- function(x, output) {
  structure(list(data = data_of_output(x$data, match(output, x$outputs)), locations = x$locations,
    family = x$family), class = "neargp")
}

pairs_of <- function(outputs) {
  index <- which(lower.tri(diag(length(outputs)), diag = TRUE), arr.ind = TRUE)
  lapply(seq_len(nrow(index)), function(i) outputs[index[i, 2:1]])
}

covariance_curve <- function(x, pair) {
  longest <- max(effective_ranges(x, which(x$layout$kind == "range")))
  distance <- seq(0, 1.5 * longest, length.out = 101L)
  shown <- axis_unit(x$locations$unit, distance)
  structure(data.frame(distance = distance / shown$factor,
    value = covariance_value(x, distance, outputs = pair),
    panel = if (pair[1L] == pair[2L]) pair[1L] else paste(pair, collapse = " and ")),
  label = distance_label(shown$unit))
}
