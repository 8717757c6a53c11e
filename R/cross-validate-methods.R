#' @rdname cross_validate
#' @section Several responses: A fold holds out all responses of a row of the data, so `folds` needs
#' a value for each row. The responses are named in the column `setting`.
#' @export
cross_validate.neargp_outputs <- function(object, folds = 10, refit = FALSE, level = 0.95,
                                          verbose = rlang::is_interactive(), ...) {
  check_no_more_arguments()
  validate_cases(list(fit = list(fit = object, arguments = list())), folds, refit, level, verbose)
}

#' @rdname scores
#' @export
scores.neargp_cv <- function(object, ...) {
  check_no_more_arguments()
  object$scores
}

#' Plot a cross-validation
#'
#' @description
#' Draws scores by fold, predictions, calibration and errors of a [cross_validate()].
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' plot(cross_validate(fit, folds = 5))
#' ```
#'
#' @details
#' | `which` | plot |
#' |---|---|
#' | `"scores"` | the mean score of each setting, and its folds |
#' | `"predictions"` | observed against predicted values |
#' | `"pit"` | histogram of the PIT: flat if calibrated, a hump if intervals are too wide, a U if too narrow |
#' | `"map"` | errors in space |
#' | `"calibration"`, `"confusion"` | for 0/1 responses, see [plot.neargp_classifier()] |
#'
#' @param x,object the result of [cross_validate()].
#' @param which names of plots. Default `NULL`: `"scores"` for several settings; else
#'   `"predictions"` and `"pit"`, or `"calibration"` and `"confusion"` for 0/1 responses.
#' @param setting the setting to show. Default `NULL`: the one with the lowest `score`.
#' @param score the column of [scores()] that `"scores"` shows. Default: `"crps"`.
#' @param ... not used.
#' @return `autoplot()` returns a ggplot object, or a list that prints as a page, as for
#'   [plot.neargp()]. `plot()` draws it and returns it invisibly. Without ggplot2, `plot()` draws
#'   plain versions of `"predictions"` and `"map"`.
#' @examples
#' cells <- land_temperature()
#' set.seed(1)
#' some <- cells[sample(nrow(cells), 400), ]
#' fit <- neargp(temperature ~ 1, data = some, coords = ~ lon + lat, distance = "euclidean",
#'   method = vecchia(k = 10))
#' plot(cross_validate(fit, folds = 5))
#' @export
plot.neargp_cv <- function(x, which = NULL, setting = NULL, score = "crps", ...) {
  check_no_more_arguments()
  draw_plots(autoplot.neargp_cv(x, which %||% drawable_plots(default_cv_plots(x)), setting, score))
}

#' @rdname plot.neargp_cv
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_cv <- function(object, which = NULL, setting = NULL, score = "crps", ...) {
  check_no_more_arguments()
  which <- which %||% default_cv_plots(object)[1L]
  check_choices(which, "which", cv_plots)
  setting <- shown_setting(object, setting, score)
  shown <- object$predictions[object$predictions$setting == setting, ]
  title <- function(text) cv_title(object, text, setting)
  plots_of(which, function(one) switch(one,
    scores = ggplot_scores(object, score),
    predictions = ggplot_predictions(shown, object$response, title("Held-out predictions"),
      object$scores[object$scores$setting == setting, ]),
    pit = ggplot_pit(shown, title("Calibration")),
    calibration = ggplot_cv_calibration(object, setting, 10L),
    confusion = ggplot_confusion(confusion_table(object, setting = setting),
      cv_rows(object, setting)),
    map = ggplot_errors(object, shown, title("Errors (predicted - observed)"))))
}

cv_plots <- c("scores", "predictions", "pit", "map", "calibration", "confusion")

default_cv_plots <- function(x) {
  if (nrow(x$scores) > 1L) "scores" else
    if (is_binary_table(x$predictions)) c("calibration", "confusion") else c("predictions", "pit")
}

# The words about the setting if there are several.
cv_title <- function(x, title, setting) {
  if (nrow(x$scores) > 1L) sprintf("%s: %s", title, setting) else title
}

cv_rows <- function(x, setting) if (nrow(x$scores) > 1L) setting else "held out"

shown_setting <- function(x, setting, score) {
  check_choice(score, "score", setdiff(names(x$scores), c("setting", "n", "level", "n_missing")))
  check_choice(setting %||% x$scores$setting[which.min(x$scores[[score]])], "setting",
    x$scores$setting)
}

# A line for each setting: circles for the folds, a diamond for all rows together.
ggplot_scores <- function(x, score) {
  settings <- x$scores$setting
  named <- function(table) data.frame(score = table[[score]], setting = factor(table$setting,
    rev(settings)))
  new_plot(named(x$fold_scores), ggplot2::aes(.data$score, .data$setting), "Held-out scores",
    x = score_label(score), y = NULL) +
    ggplot2::geom_point(shape = 1, colour = "grey50") +
    ggplot2::geom_point(data = named(x$scores), shape = 18, size = 3, colour = "#D55E00")
}

score_label <- function(score) {
  sprintf("%s (circles: folds; diamonds: all rows)",
    gsub("_", " ", if (score %in% c("crps", "rmse", "mae")) toupper(score) else score))
}

ggplot_cv_calibration <- function(x, setting, bins) {
  given <- validated_classes(x, setting)
  ggplot_calibration(given, bins, cv_rows(x, given$setting), levels(given$observed), x$response)
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

ggplot_pit <- function(predictions, main, note = pit_note(predictions)) {
  table <- pit_table(predictions)
  new_plot(table, ggplot2::aes(xmin = .data$left, xmax = .data$right), main,
    x = "probability integral transform", y = "density", subtitle = note) +
    ggplot2::geom_rect(ggplot2::aes(ymin = .data$lower, ymax = .data$upper), fill = "grey85") +
    ggplot2::geom_rect(ggplot2::aes(ymin = 0, ymax = .data$density),
      fill = grDevices::adjustcolor("#0072B2", 0.3), colour = "#0072B2") +
    ggplot2::geom_hline(yintercept = 1, colour = "grey40")
}

pit_note <- function(predictions) {
  if (is_binary_table(predictions)) {
    "0/1 data: flat for all probabilities that are right on average; see which = \"calibration\""
  }
}

ggplot_errors <- function(x, predictions, main) {
  drawn <- error_map(x, predictions)
  ggplot_map(drawn$place, drawn$error, drawn$scale, "error", main)
}

error_map <- function(x, predictions) {
  error <- predictions$mean - predictions$observed
  place <- x$place
  place[c("x", "y")] <- list(place$x[predictions$row], place$y[predictions$row])
  place$symbols <- signed_symbols(error)
  limit <- stats::quantile(abs(error), 0.99, names = FALSE)
  list(place = place, error = error,
    scale = color_scale(error, "Blue-Red 3", limits = c(-1, 1) * limit))
}
