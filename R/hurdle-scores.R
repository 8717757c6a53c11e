# What is observed against what a hurdle model predicts: scores, and cross-validation.

#' @rdname neargp_hurdle
#' @export
scores.neargp_hurdle <- function(object, newdata = NULL, observed = NULL, level = 0.95, ...) {
  check_no_more_arguments()
  check_level(level)
  if (is.null(newdata)) return(scores_of_left_out_hurdle(object, observed, level))
  check_given(is.null(observed), "observed", "the observations of `newdata`, or their column")
  hurdle <- hurdle_mixture(object, newdata)
  y <- hurdle_observations(observed, newdata)
  summarize_scores(y, hurdle_scores(y, hurdle, level), level)
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

# The CRPS is E |Y - y| - E |Y - Y'| / 2, Y' another draw. Of the positive part that is c(y), and at
# y = 0 m - D / 2, D = E |Y - Y'|, so that D = 2 (m - c(0)). Together, with 0 in the place of either
# draw,
#   (1 - p) y + p (c(y) + D / 2) - p^2 D / 2 - p (1 - p) m.
hurdle_scores <- function(y, hurdle, level) {
  p <- hurdle$p
  is_positive <- y > 0
  part <- take_mixture(hurdle$positive, which(is_positive))
  m <- mixture_mean(hurdle$positive)
  least <- if (mixture_family(hurdle$positive)$discrete) 0 else .Machine$double.xmin
  at_zero <- mixture_crps(rep(least, length(y)), hurdle$positive)
  own <- replace(at_zero, is_positive, mixture_crps(y[is_positive], part))
  spread <- 2 * (m - at_zero)
  log_density <- log1p(-p)
  log_density[is_positive] <- log(p[is_positive]) + mixture_density(y[is_positive], part,
    log = TRUE)
  # P(Y < y) and P(Y <= y)
  pit <- mixture_pit(y[is_positive], part)
  within <- function(value) replace(double(length(y)), is_positive,
    1 - p[is_positive] + p[is_positive] * value)
  data.frame(mean = hurdle_mean(hurdle), sd = sqrt(hurdle_variance(hurdle)),
    crps = (1 - p) * y + p * (own + spread / 2) - p^2 * spread / 2 - p * (1 - p) * m,
    log_score = -log_density, lower = hurdle_quantile((1 - level) / 2, hurdle),
    upper = hurdle_quantile((1 + level) / 2, hurdle), pit_lower = within(pit$lower),
    pit_upper = ifelse(is_positive, within(pit$upper), 1 - p), binary = FALSE)
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
  hurdle <- hurdle_mixture(known, rows$data[split$held, , drop = FALSE])
  y <- rows$y[split$held]
  data.frame(setting = "hurdle", row = split$held, fold = split$fold, observed = y,
    hurdle_scores(y, hurdle, level))
}
