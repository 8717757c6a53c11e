# Cross-validation of fits to classes: as of other fits, with probabilities in the place of mean and standard deviation.

#' @rdname cross_validate
#' @order 4
#' @export
cross_validate.neargp_classifier <- function(object, folds = 10, refit = FALSE, settings = NULL, verbose = rlang::is_interactive(), ...) {
  validate_cases(setting_cases(object, settings, rlang::list2(...)), folds, refit, NULL, verbose)
}

# The held-out rows of one fold: a probability for each class, from the labels of the other folds.
predict_class_split <- function(case, split, refit) {
  fit <- case$fit
  data <- take_data_rows(fit$data, split$held)
  known <- if (refit) on_refit_device(fit, split$kept, refit_classes(fit, split)) else restrict_classes(fit, split$kept)
  settings <- list(k = classifier_k(known, case$arguments$k), threads = resolve_threads(case$arguments$threads))
  probability <- on_default_device(fit, length(split$held), settings$k, class_predictor(known, settings)(data$coords, data$X, data$offset))
  levels <- fit$classifier$levels
  data.frame(row = split$held, fold = split$fold, observed = observed_classes(fit)[split$held],
    class_columns(levels, probability, "class"), class_columns(levels, probability, "prob"), check.names = FALSE)
}

# Parameters are those of all rows; a class without a row among these has the probability that its trend gives it.
restrict_classes <- function(fit, rows) {
  fit$data <- take_data_rows(fit$data, rows)
  classifier <- fit$classifier
  fit$classifier$cell <- match(classifier$cell[rows], unique(classifier$cell[rows]))
  if (!is.null(classifier$omega)) fit$classifier$omega <- classifier$omega[rows, , drop = FALSE]
  fit
}

refit_classes <- function(fit, split) {
  lost <- setdiff(fit$classifier$levels, as.character(observed_classes(fit)[split$kept]))
  if (length(lost)) {
    abort_neargp("folds", c(sprintf("Without fold %s there is no row of the class %s, so that it cannot be fitted.", split$fold, lost[1L]),
      i = "Choose other folds, or keep the parameters: refit = FALSE."))
  }
  refit_rows(fit, split$kept)
}

class_fold_scores <- function(predictions) {
  prob <- predictions[startsWith(names(predictions), "prob_")]
  scores(predictions$observed, prob = prob)
}

#' @export
validated_classes.neargp_class_cv <- function(object, setting) {
  setting <- check_choice(setting %||% object$scores$setting[which.min(object$scores$log_loss)], "setting", object$scores$setting)
  shown <- object$predictions[object$predictions$setting == setting, ]
  list(setting = setting, observed = shown$observed, prob = shown[startsWith(names(shown), "prob_")])
}

#' @export
plot.neargp_class_cv <- function(x, which = NULL, setting = NULL, score = "log_loss", bins = 10L, ...) {
  check_no_more_arguments()
  which <- which %||% if (nrow(x$scores) > 1L) "scores" else c("calibration", "confusion")
  check_choices(which, "which", c("scores", "calibration", "confusion"))
  check_choice(score, "score", setdiff(names(x$scores), c("setting", "n", "n_missing")))
  given <- validated_classes(x, setting)
  told <- if (nrow(x$scores) > 1L) given$setting else "held out"
  old <- open_page(grDevices::n2mfrow(length(which))[2:1])
  on.exit(graphics::par(old))
  for (one in which) {
    switch(one,
      scores = plot_cv_scores(x, score),
      calibration = plot_calibration(given, check_count(bins, "bins"), told, levels(given$observed), x$response),
      confusion = plot_confusion(confusion_table(given$observed, prob = given$prob), told)
    )
  }
  invisible(x)
}
