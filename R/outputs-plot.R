#' Plot a fit to several outputs
#'
#' @param x,object a fit of [neargp()] to several outputs.
#' @param which `"loo"`: observations against their leave-one-out predictions, with scores;
#'   `"residual_map"`: the standardised leave-one-out residuals where they are; `"covariance"`: the
#'   fitted covariances (on the diagonal) and cross-correlations of the structures as functions of
#'   distance; `"variogram"`: the empirical variogram of each output with the fitted one, as
#'   `empirical_variogram(x, output = )` gives it; `"inducing"`, of a fit by [svgp()]: its inducing
#'   points over the data.
#' @param outputs names of the outputs to show, all by default.
#' @param ... for the points.
#' @return `x`, invisibly; `autoplot()` a ggplot object. A panel for each output, of `"covariance"`
#'   one for each pair, of `"inducing"` one alone.
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
  check_plot_arguments(names(list(...)), "map", "variogram")
  check_output_plot(x, which)
  check_choices(outputs, "outputs", x$outputs)
  if (which == "inducing") {
    plot_inducing(x, ...)
    return(invisible(x))
  }
  pairs <- if (which == "covariance") pairs_of(outputs) else as.list(outputs)
  device <- graphics::par("din")
  old <- open_page(grDevices::n2mfrow(length(pairs), asp = device[1L] / device[2L]))
  on.exit(graphics::par(old))
  if (which == "covariance") {
    for (pair in pairs) plot_covariance_curve(x, pair)
    return(invisible(x))
  }
  if (which == "variogram") {
    for (output in outputs) plot(empirical_variogram(x, output = output), main = output, ...)
    return(invisible(x))
  }
  loo <- loo_table(x)
  for (output in outputs) plot_output(x, loo, output, which, ...)
  invisible(x)
}

output_plots <- function(x) {
  c("loo", "residual_map", "covariance", "variogram",
    if (has_ability(x$method, "inducing_features")) "inducing")
}

check_output_plot <- function(x, which) {
  known <- paste0("\"", output_plots(x), "\"", collapse = ", ")
  if (is.character(which) && length(which) > 1L) {
    abort_neargp("argument", c(
      "`which` must be one plot of a fit to several outputs: it has a panel for each of them.",
      x = sprintf("It is %s.", format_some(paste0("\"", which, "\""))),
      i = sprintf("Ask for one at a time, of %s.", known)))
  }
  if (identical(which, "map")) {
    abort_neargp("argument", c(sprintf("`which` must be one of %s, not \"map\".", known),
      i = sprintf("A map of an output: plot_map(predict(fit, newdata), \"mean_%s\").", x$outputs[1L])))
  }
  check_choice(which, "which", output_plots(x))
}

plot_output <- function(x, loo, output, which, ...) {
  own <- loo[x$data$output == match(output, x$outputs), ]
  single <- fit_of_output(x, output)
  if (which == "loo") plot_loo_predictions(single, own, main = output, ...) else
    plot_loo_map(single, own, main = output, ...)
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

plot_covariance_curve <- function(x, pair) {
  curve <- covariance_curve(x, pair)
  plot_frame(range(curve$distance), range(0, curve$value), curve$panel[1L],
    attr(curve, "label"), "covariance")
  graphics::lines(curve$distance, curve$value, col = "#0072B2", lwd = 1.5)
  graphics::abline(h = 0, col = "grey60")
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
