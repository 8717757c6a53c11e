# Observations against the predictions of a hurdle model: scores, and cross-validation.

#' @rdname neargp_hurdle
#' @export
scores.neargp_hurdle <- function(object, newdata = NULL, observed = NULL, level = 0.95, ...) {
  check_no_more_arguments()
  check_level(level)
  if (is.null(newdata)) return(scores_of_left_out_hurdle(object, observed, level))
  check_given(is.null(observed), "observed", "the observations of `newdata`, or their column")
  newdata <- known_map(newdata)
  y <- hurdle_observations(observed, newdata)
  distribution <- hurdle_distribution(object, newdata)
  unknown <- which(is.na(predictive_mean(distribution)))
  if (length(unknown)) {
    abort_neargp("missing", c("Missing covariates or locations in `newdata`.",
      x = sprintf("They are in %s.", format_rows(unknown)), i = "Leave these rows out."))
  }
  summarize_scores(y, score_rows(y, distribution, level), level)
}

scores_of_left_out_hurdle <- function(object, observed, level) {
  if (!is.null(observed)) {
    abort_argument("observed", "NULL without newdata: the training rows are scored", observed)
  }
  rows <- hurdle_rows(object)
  left <- left_out_hurdle(object, rows, level)
  summarize_scores(rows$y, left, level)
}

hurdle_observations <- function(observed, newdata) {
  if (rlang::is_string(observed)) {
    check_columns_present(observed, drop_geometry(newdata), "newdata")
    observed <- newdata[[observed]]
  }
  observed <- plain_column(observed)
  if (!is.numeric(observed) || length(observed) != nrow(newdata) || anyNA(observed)) {
    abort_argument("observed", "a number for each row of `newdata`, or the name of their column",
      observed)
  }
  if (any(observed < 0)) {
    abort_neargp("response", sprintf("Observed values in %s are negative.",
      format_rows(which(observed < 0))))
  }
  as.double(observed)
}

# ---- cross-validation ----------------------------------------------------------------------------

#' @rdname neargp_hurdle
#' @export
cross_validate.neargp_hurdle <- function(object, folds = 10, refit = FALSE, level = 0.95,
                                         verbose = rlang::is_interactive(), ...) {
  check_no_more_arguments()
  check_flag(refit, "refit")
  check_level(level)
  check_flag(verbose, "verbose")
  start <- proc.time()[["elapsed"]]
  rows <- hurdle_rows(object)
  folds <- resolve_folds(folds, object$presence)
  splits <- fold_splits(folds, object$presence)
  pieces <- apply_tasks(length(splits), verbose, function(i) {
    predict_hurdle_split(object, rows, splits[[i]], refit, level)
  })
  predictions <- do.call(rbind, pieces)
  predictions <- predictions[order(predictions$row), ]
  as_response <- object$presence
  as_response$data[c("response_name", "levels")] <- list(object$positive$data$response_name, NULL)
  new_validation(predictions, as_response, folds, refit, level,
    !is.null(object$positive$family$recalibration), start, classes = FALSE)
}

# The held-out rows of one fold, by both fits without them.
predict_hurdle_split <- function(object, rows, split, refit, level) {
  of_positive <- function(which) stats::na.omit(match(which, rows$present))
  positive <- list(fold = split$fold, held = of_positive(split$held),
    kept = as.integer(of_positive(split$kept)))
  if (length(positive$kept) < 2L) {
    abort_neargp("folds", sprintf("Without fold %s fewer than two positive rows are left.",
      split$fold))
  }
  known <- list(presence = without_fold(object$presence, split, refit),
    positive = without_fold(object$positive, positive, refit))
  observation <- hurdle_distribution(known, rows$data[split$held, , drop = FALSE])
  y <- rows$y[split$held]
  data.frame(setting = "hurdle", row = split$held, fold = split$fold, observed = y,
    score_rows(y, observation, level))
}
