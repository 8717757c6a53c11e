# Cross-validation of fits to classes: as of other fits, with probabilities in the place of mean and
# standard deviation.

#' @rdname cross_validate
#' @order 4
#' @export
cross_validate.neargp_classifier <- function(object, folds = 10, refit = FALSE, settings = NULL,
                                             verbose = rlang::is_interactive(), cluster = NULL,
                                             ...) {
  validate_cases(setting_cases(object, settings, rlang::list2(...)), folds, refit, NULL, verbose,
    cluster)
}

# The held-out rows of one fold: a probability for each class, from the labels of the other folds.
predict_class_split <- function(case, split, refit) {
  fit <- case$fit
  if (!inherits(fit, "neargp_classifier")) return(predict_binary_split(case, split, refit))
  class_table(split, observed_classes(fit)[split$held],
    held_classes(classes_without_fold(fit, split, refit), fit, split, held_target(fit, split),
      case$arguments))
}

# The fit without a fold, of classes or not.
without_fold <- function(fit, split, refit) {
  if (inherits(fit, "neargp_classifier")) return(classes_without_fold(fit, split, refit))
  fit_without_fold(fit, split, refit)
}

classes_without_fold <- function(fit, split, refit) {
  context <- refit_context(fit, split$kept)
  with_own_cache(if (refit) refit_classes(fit, split, context) else
    restrict_classes(fit$method, fit, split, context))
}

# Distributions of held-out rows. `at`: their coordinates, trend and offset.
held_classes <- function(known, fit, split, at, arguments = list()) {
  k <- classifier_k(known$method, known, arguments$k)
  settings <- new_prediction_settings(default_context(fit, length(split$held), k,
    arguments$threads), k)
  new_categorical(class_predictor(known$method, known, settings)(at$coords, at$X, at$offset),
    known$classifier$levels)
}

class_table <- function(split, observed, distribution) {
  data.frame(row = split$held, fold = split$fold, observed = observed,
    class_columns(distribution, "class"), class_columns(distribution, "prob"),
    check.names = FALSE)
}

# Predicts the held-out rows of a 0/1 response with a mean.
predict_binary_split <- function(case, split, refit) {
  predicted <- predict_split(case$fit, case, split, refit, 0.95)
  given <- binary_classes(predicted$observed, predicted$mean, case$fit$data$levels)
  class_table(split, given$observed, new_categorical(given$prob, levels(given$observed)))
}

refit_classes <- function(fit, split, context) {
  check_kept_classes(fit, split)
  refit_rows(fit, split$kept, context)
}

# Without the rows of a fold, the covariance parameters held.
restrict_classes <- function(method, fit, split, context) {
  UseMethod("restrict_classes")
}

#' @export
restrict_classes.default <- function(method, fit, split, context) refit_trend(fit, split$kept,
  context)

class_fold_scores <- function(predictions) {
  prob <- predictions[startsWith(names(predictions), "prob_")]
  scores(predictions$observed, prob = prob)
}

#' @export
validated_classes.neargp_class_cv <- function(object, setting) {
  setting <- check_choice(setting %||% object$scores$setting[which.min(object$scores$log_loss)],
    "setting", object$scores$setting)
  shown <- object$predictions[object$predictions$setting == setting, ]
  list(setting = setting, observed = shown$observed,
    prob = shown[startsWith(names(shown), "prob_")])
}

#' @export
plot.neargp_class_cv <- function(x, which = NULL, setting = NULL, score = "log_loss", bins = 10L,
                                 ...) {
  check_no_more_arguments()
  draw_plots(autoplot.neargp_class_cv(x, which %||% drawable_plots(default_class_cv_plots(x)),
    setting, score, bins))
}

#' @exportS3Method ggplot2::autoplot
autoplot.neargp_class_cv <- function(object, which = NULL, setting = NULL, score = "log_loss",
                                     bins = 10L, ...) {
  check_no_more_arguments()
  which <- which %||% default_class_cv_plots(object)[1L]
  check_choices(which, "which", class_cv_plots)
  check_class_score(object, score)
  given <- validated_classes(object, setting)
  plots_of(which, function(one) switch(one,
    scores = ggplot_scores(object, score),
    calibration = ggplot_cv_calibration(object, setting, check_bins(bins)),
    confusion = ggplot_confusion(confusion_table(given$observed, prob = given$prob),
      cv_rows(object, given$setting))))
}

default_class_cv_plots <- function(x) {
  if (nrow(x$scores) > 1L) "scores" else c("calibration", "confusion")
}

class_cv_plots <- c("scores", "calibration", "confusion")

check_class_score <- function(x, score) {
  check_choice(score, "score", setdiff(names(x$scores), c("setting", "n", "n_missing")))
}
