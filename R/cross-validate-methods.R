#' @rdname cross_validate
#' @section Several outputs: All outputs of a held-out row of the data are held out; folds have a
#' value for each such row. The outputs take the part of `setting` in the result.
#' @export
cross_validate.neargp_outputs <- function(object, folds = 10, refit = FALSE, level = 0.95,
                                          verbose = rlang::is_interactive(), ...) {
  check_no_more_arguments()
  validate_cases(list(fit = list(fit = object, arguments = list())), folds, refit, level, verbose)
}

#' @rdname cross_validate
#' @param x the result of `cross_validate()`.
#' @param digits number of significant digits to print.
#' @export
print.neargp_cv <- function(x, digits = 4L, ...) {
  fold <- as.vector(x$folds)
  fold <- fold[!is.na(fold)]
  cat(sprintf("Cross-validation of %s: %s rows in %d folds%s\nParameters: %s\n%s", x$response,
    format_count(length(fold)), length(unique(fold)), describe_fold_kind(x$folds),
    if (x$refit) "estimated anew for each fold" else
    "covariance of the full fit, trend anew for each fold",
    if (isTRUE(x$recalibrated)) "Recalibration: the map of all rows, held-out ones included\n" else
      ""))
  print_cv_scores(x$scores, digits)
  invisible(x)
}

describe_fold_kind <- function(folds) {
  switch(attr(folds, "kind") %||% "given", random = " (random)",
    location = " (whole locations)", square = " (square blocks)",
    kmeans = " (k-means blocks)", "")
}

print_cv_scores <- function(table, digits) {
  if (nrow(table) == 1L) table$setting <- NULL
  print(table, digits = digits)
}

#' @rdname scores
#' @export
scores.neargp_cv <- function(object, ...) {
  check_no_more_arguments()
  object$scores
}

#' Plot a cross-validation
#'
#' @param x the result of [cross_validate()].
#' @param which names of the plots: "scores", the mean CRPS (or another `score`) of
#'   each setting, with its folds; "predictions", observed against predicted; "pit",
#'   the histogram of the predictive distribution function at the observations,
#'   flat when predictions are calibrated, hump-shaped when their spread is too
#'   large, U-shaped when it is too small; "map", the errors where they are. Of 0/1
#'   data, whose PIT hardly tells good probabilities from bad ones, also "calibration"
#'   and "confusion" as [plot.neargp_classifier()] has them. By default "scores" for
#'   several settings, for one "predictions" and "pit", or of 0/1 data the latter two.
#' @param setting the setting that "predictions", "pit" and "map" show, by default
#'   the one with the least `score`.
#' @param score the column of [scores()] that "scores" shows.
#' @param ... further arguments for [graphics::points()].
#' @return `x`, invisibly; `autoplot()` one of the plots as a ggplot object, by default the first.
#' @examples
#' cells <- land_temperature()
#' set.seed(1)
#' some <- cells[sample(nrow(cells), 400), ]
#' fit <- neargp(temperature ~ 1, data = some, coords = ~ lon + lat, distance = "euclidean",
#'   method = vecchia(k = 10))
#' plot(cross_validate(fit, folds = 5))
#' @export
plot.neargp_cv <- function(x, which = NULL, setting = NULL, score = "crps", ...) {
  check_plot_arguments(names(list(...)), "map")
  which <- which %||% default_cv_plots(x)
  check_choices(which, "which", cv_plots)
  setting <- shown_setting(x, setting, score)
  old <- open_page(grDevices::n2mfrow(length(which))[2:1])
  on.exit(graphics::par(old))
  shown <- x$predictions[x$predictions$setting == setting, ]
  main <- function(title) cv_title(x, title, setting)
  for (one in which) {
    switch(one,
      scores = plot_cv_scores(x, score, ...),
      predictions = plot_loo_predictions(list(data = list(response_name = x$response)), shown,
        main = main("Held-out predictions"), score = x$scores[x$scores$setting == setting, ], ...),
      pit = plot_pit(shown, main("Calibration")),
      calibration = plot_binary_calibration(x, setting),
      confusion = plot_confusion(confusion_table(x, setting = setting), cv_rows(x, setting)),
      map = plot_cv_errors(x, shown, main(error_title), ...)
    )
  }
  invisible(x)
}

cv_plots <- c("scores", "predictions", "pit", "map", "calibration", "confusion")

default_cv_plots <- function(x) {
  if (nrow(x$scores) > 1L) "scores" else
    if (is_binary_table(x$predictions)) c("calibration", "confusion") else c("predictions", "pit")
}

# What is told of the setting where there are several.
cv_title <- function(x, title, setting) {
  if (nrow(x$scores) > 1L) sprintf("%s: %s", title, setting) else title
}

cv_rows <- function(x, setting) if (nrow(x$scores) > 1L) setting else "held out"

shown_setting <- function(x, setting, score) {
  check_choice(score, "score", setdiff(names(x$scores), c("setting", "n", "level", "n_missing")))
  check_choice(setting %||% x$scores$setting[which.min(x$scores[[score]])], "setting",
    x$scores$setting)
}

# Plots one line for each setting: small points for the folds, a large one for all rows together.
plot_cv_scores <- function(x, score, ...) {
  settings <- x$scores$setting
  at <- rev(seq_along(settings))
  folds <- x$fold_scores
  width <- max(graphics::strwidth(settings, "inches", cex = 0.85)) + 0.35
  old <- graphics::par(mai = replace(graphics::par("mai"), 2L, max(width, 0.6)))
  on.exit(graphics::par(old))
  graphics::plot.new()
  graphics::plot.window(range(folds[[score]], x$scores[[score]]), c(0.5, length(settings) + 0.5))
  graphics::abline(h = at, col = "grey90")
  graphics::points(folds[[score]], at[match(folds$setting, settings)], pch = 1, cex = 0.7,
    col = "grey50", ...)
  graphics::points(x$scores[[score]], at, pch = 18, cex = 1.6, col = "#D55E00")
  graphics::axis(1L, lwd = 0, lwd.ticks = 0.8, cex.axis = 0.85)
  graphics::axis(2L, at, settings, lwd = 0, cex.axis = 0.85)
  graphics::box(lwd = 0.8)
  write_title("Held-out scores", 1.25)
  label <- score_label(score)
  graphics::title(xlab = label, cex.lab = fitting_size(label, 1L))
}

score_label <- function(score) {
  sprintf("%s (circles: folds; diamonds: all rows)",
    gsub("_", " ", if (score %in% c("crps", "rmse", "mae")) toupper(score) else score))
}

plot_binary_calibration <- function(x, setting) {
  given <- validated_classes(x, setting)
  plot_calibration(given, 10L, cv_rows(x, setting), levels(given$observed), x$response)
}

# Probability integral transform in 20 classes, with the band that holds 95% of a class when all is
# well.
pit_table <- function(predictions, classes = 20L) {
  n <- nrow(predictions)
  if (is.null(predictions$pit_upper) || anyNA(predictions$pit_upper)) {
    predictions$pit_lower <- predictions$pit_upper <- stats::pnorm(predictions$observed,
      predictions$mean, predictions$sd)
  }
  left <- (seq_len(classes) - 1) / classes
  band <- stats::qbinom(c(0.025, 0.975), n, 1 / classes) / n * classes
  data.frame(left = left, right = left + 1 / classes,
    density = diff(pit_distribution(seq(0, 1, length.out = classes + 1L), predictions$pit_lower,
      predictions$pit_upper)) * classes, lower = band[1L], upper = band[2L])
}

plot_pit <- function(predictions, main) {
  table <- pit_table(predictions)
  plot_frame(c(0, 1), c(0, max(table$density, table$upper)), main, pit_label, "density")
  graphics::rect(0, table$lower[1L], 1, table$upper[1L], col = "grey88", border = NA)
  graphics::rect(table$left, 0, table$right, table$density, border = "#0072B2",
    col = grDevices::adjustcolor("#0072B2", 0.3))
  graphics::abline(h = 1, col = "grey40")
  write_subtitle(pit_note(predictions))
  graphics::box(lwd = 0.8)
}

pit_label <- "probability integral transform"

pit_note <- function(predictions) {
  if (is_binary_table(predictions)) {
    "0/1 data: flat for all probabilities that are right on average; see which = \"calibration\""
  }
}

plot_cv_errors <- function(x, predictions, main, ...) {
  drawn <- error_map(x, predictions)
  draw_map(drawn$place, drawn$error, drawn$scale, title = "error", main = main, ...)
}

error_title <- "Errors (predicted - observed)"

error_map <- function(x, predictions) {
  error <- predictions$mean - predictions$observed
  place <- x$place
  place[c("x", "y")] <- list(place$x[predictions$row], place$y[predictions$row])
  place$symbols <- signed_symbols(error)
  limit <- stats::quantile(abs(error), 0.99, names = FALSE)
  list(place = place, error = error,
    scale = color_scale(error, "Blue-Red 3", limits = c(-1, 1) * limit))
}
