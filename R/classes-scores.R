#' Scores of classifications
#'
#' @description
#' Scores of predicted probabilities of categories, with the calibration curve and the confusion
#' table.
#'
#' ```r
#' fit <- neargp(Species ~ 1, iris, coords = ~ Petal.Length + Petal.Width, method = loo_k())
#' scores(fit)
#' confusion_table(fit)
#' ```
#'
#' @details
#' | column | meaning |
#' |---|---|
#' | `n`, `n_missing` | observations scored, and left out |
#' | `accuracy` | share of observations whose most probable category was right |
#' | `log_loss` | mean negative log probability of the observed category |
#' | `brier` | half the mean sum over categories of (probability - outcome)^2 |
#' | `auc` | area under the ROC curve of two categories; larger is better |
#' | `calibration_error` | distance of the calibration curve from the diagonal |
#'
#' `brier` is half of the score of Brier (1950) and between 0 and 1. For two categories it is the
#' mean of (p - y)^2. The calibration error averages, over 15 bins weighted by their observations,
#' the difference between probability and share of right predictions (Guo et al. 2017). You can
#' compare it between fits to the same data.
#'
#' @param object a factor of observed categories, a fit to categories, or its [cross_validate()].
#'   `calibration_curve()` and `confusion_table()` accept other 0/1 fits as well.
#' @param prob a matrix or data frame with a column `<level>` or `prob_<level>` for each category,
#'   or for two categories the probabilities of the second.
#' @param newdata new data to score a fit on. Default `NULL`: leave-one-out predictions, with the
#'   trend and link of all observations.
#' @param observed their categories, or the name of the column. Default `NULL`: the response.
#' @param na.rm `TRUE` leaves missing values out. `FALSE` (default) is an error.
#' @param bins the number of bins, an integer.
#' @param ... for a fit, `k` and `threads`.
#' @return `scores()`: a data frame with one row. `calibration_curve()`: a data frame with `lower`,
#'   `upper`, `n`, `predicted` and `observed` for each bin. `confusion_table()`: a table of observed
#'   by predicted categories.
#' @references Brier, G. W. (1950). Verification of forecasts expressed in terms of probability.
#'   *Monthly Weather Review* 78, 1–3. Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On
#'   calibration of modern neural networks. arXiv:1706.04599, section 2. Wilks, D. S. (2011).
#'   *Statistical Methods in the Atmospheric Sciences*, section 8.4.2. Academic Press.
#' @examples
#' fit <- neargp(Species ~ 1, iris, coords = ~ Petal.Length + Petal.Width, method = loo_k(k = 20))
#' scores(fit)
#' confusion_table(fit)
#' calibration_curve(fit, bins = 5)
#'
#' # Probabilities of other software
#' set.seed(1)
#' p <- runif(300)
#' observed <- factor(ifelse(runif(300) < p, "yes", "no"), levels = c("no", "yes"))
#' prob <- data.frame(prob_no = 1 - p, prob_yes = p)
#' scores(observed, prob = prob)
#' calibration_curve(observed, prob = prob, bins = 5)
#' confusion_table(observed, prob = prob)
#' @name classification_scores
NULL

#' @rdname classification_scores
#' @export
scores.factor <- function(object, prob, na.rm = FALSE, ...) {
  check_required()
  check_no_more_arguments()
  judged <- judged_classes(object, prob, na.rm)
  n <- length(judged$observed)
  own <- judged$prob[cbind(seq_len(n), judged$observed)]
  wanted <- matrix(0, n, ncol(judged$prob))
  wanted[cbind(seq_len(n), judged$observed)] <- 1
  new_scores(list(n = n, accuracy = mean(most_probable(judged$prob) == judged$observed),
    log_loss = -mean(log(own)), brier = mean(rowSums((judged$prob - wanted)^2)) / 2,
    auc = if (ncol(wanted) == 2L) area_under_roc(judged$prob[, 2L], wanted[, 2L]),
    calibration_error = calibration_error(judged), n_missing = judged$n_missing))
}

#' @rdname classification_scores
#' @export
scores.neargp_classifier <- function(object, newdata = NULL, observed = NULL, na.rm = FALSE, ...) {
  check_no_more_arguments(handed_on = c("k", "threads"))
  given <- classes_and_probabilities(object, newdata, observed, ...)
  scores(given$observed, prob = given$prob, na.rm = na.rm)
}

#' @rdname classification_scores
#' @export
calibration_curve <- function(object, ...) {
  check_required()
  UseMethod("calibration_curve")
}

#' @export
calibration_curve.default <- function(object, ...) abort_not_judged(object)

#' @rdname classification_scores
#' @export
calibration_curve.factor <- function(object, prob, bins = 10L, na.rm = FALSE, ...) {
  check_required()
  check_no_more_arguments()
  judged <- judged_classes(object, prob, na.rm)
  binned_calibration(event_of(judged), check_bins(bins))
}

#' @rdname classification_scores
#' @export
calibration_curve.neargp_classifier <- function(object, newdata = NULL, observed = NULL, bins = 10L,
                                                na.rm = FALSE, ...) {
  check_no_more_arguments(handed_on = c("k", "threads"))
  given <- classes_and_probabilities(object, newdata, observed, ...)
  calibration_curve(given$observed, prob = given$prob, bins = bins, na.rm = na.rm)
}

#' @rdname classification_scores
#' @export
confusion_table <- function(object, ...) {
  check_required()
  UseMethod("confusion_table")
}

#' @export
confusion_table.default <- function(object, ...) abort_not_judged(object)

#' @rdname classification_scores
#' @export
confusion_table.factor <- function(object, prob, na.rm = FALSE, ...) {
  check_required()
  check_no_more_arguments()
  judged <- judged_classes(object, prob, na.rm)
  class_of <- function(number) factor(colnames(judged$prob)[number], levels = colnames(judged$prob))
  table(observed = class_of(judged$observed), predicted = class_of(most_probable(judged$prob)))
}

#' @rdname classification_scores
#' @export
confusion_table.neargp_classifier <- function(object, newdata = NULL, observed = NULL,
                                              na.rm = FALSE, ...) {
  check_no_more_arguments(handed_on = c("k", "threads"))
  given <- classes_and_probabilities(object, newdata, observed, ...)
  confusion_table(given$observed, prob = given$prob, na.rm = na.rm)
}

# ---- what is judged ------------------------------------------------------------------------------

# Observed classes with their probabilities; of very many training rows `at_most` evenly spaced
# ones.
classes_and_probabilities <- function(object, newdata, observed, k = NULL, threads = NULL,
                                      at_most = Inf) {
  check_fit(object)
  if (is.null(newdata)) {
    rows <- shown_rows(length(object$data$y), at_most)
    prob <- class_columns(left_out_classes(object, k, threads, rows), "prob")
    return(list(observed = observed_classes(object)[rows], prob = prob))
  }
  prob <- drop_geometry(predict(object, newdata, k = k, threads = threads, verbose = FALSE))
  list(observed = as_observed(observed %||% object$formula[[2L]], newdata,
    environment(object$formula)), prob = prob)
}

as_observed <- function(observed, newdata, environment) {
  plain <- drop_geometry(newdata)
  if (is.language(observed)) {
    observed <- in_data("the response", eval(observed, plain, environment))
  } else if (is.character(observed) && length(observed) == 1L) {
    check_columns_present(observed, plain, "newdata")
    observed <- plain[[observed]]
  }
  if (length(observed) != nrow(plain)) {
    abort_neargp("length", sprintf("There are %d observed classes for the %d rows of `newdata`.",
      length(observed), nrow(plain)))
  }
  if (is.factor(observed)) observed else factor(observed)
}

# Numbers of the observed classes among the columns of the probabilities, complete rows only.
judged_classes <- function(observed, prob, na.rm) {
  check_flag(na.rm, "na.rm")
  prob <- probability_matrix(prob, levels(observed))
  colnames(prob) <- probability_levels(colnames(prob), levels(observed))
  if (nrow(prob) != length(observed)) {
    abort_neargp("length", sprintf("There are %d rows of probabilities for %d observed classes.",
      nrow(prob), length(observed)))
  }
  complete <- stats::complete.cases(prob) & !is.na(observed)
  if (!na.rm && !all(complete)) {
    abort_neargp("missing",
      c(paste0("Missing classes or probabilities in ", format_rows(which(!complete)), "."),
        i = "Use `na.rm = TRUE` to leave these rows out."))
  }
  if (!any(complete)) {
    abort_neargp("missing", "Category and probabilities are not known together in any row.")
  }
  check_probabilities(prob, complete)
  number <- match(as.character(observed), colnames(prob))
  unknown <- which(complete & is.na(number))
  if (length(unknown)) {
    abort_neargp("factor_level", c(
      paste0("A probability is missing for the observed category ",
        format_some(unique(as.character(observed[unknown]))), "."),
      x = paste0("In ", format_rows(unknown), "."),
      i = paste0("Known classes: ", format_some(colnames(prob), 12L), ".")))
  }
  list(observed = number[complete], prob = prob[complete, , drop = FALSE],
    n_missing = sum(!complete))
}

# Completes the probabilities of two classes, of which that of the second says all.
probability_matrix <- function(prob, levels) {
  if (!is.numeric(prob) || !is.null(dim(prob)) || length(levels) != 2L) return(as.matrix(prob))
  matrix(c(1 - prob, prob), ncol = 2L, dimnames = list(NULL, levels))
}

# Levels may themselves begin with "prob_".
probability_levels <- function(names, levels) {
  if (is.null(names)) {
    abort_argument("prob", "a matrix or data frame with a named column for each class", NULL)
  }
  if (all(names %in% levels)) names else sub("^prob_", "", names)
}

check_probabilities <- function(prob, complete) {
  wrong <- which(complete & (rowSums(prob < 0) > 0 | abs(rowSums(prob) - 1) > 1e-6))
  if (length(wrong)) {
    abort_neargp("probability",
      paste0("Probabilities must not be negative and must sum to 1; they do not in ",
        format_rows(wrong), "."))
  }
}

# ---- calibration ---------------------------------------------------------------------------------

# The event that is claimed, and its probability: the second of two classes, the predicted one of
# several.
event_of <- function(judged) {
  if (ncol(judged$prob) == 2L) {
    return(list(probability = judged$prob[, 2L], happened = judged$observed == 2L))
  }
  prediction_event(judged)
}

prediction_event <- function(judged) {
  top <- most_probable(judged$prob)
  list(probability = judged$prob[cbind(seq_along(top), top)], happened = top == judged$observed)
}

check_bins <- function(bins) check_count(bins, "bins", upper = 1e6)

binned_calibration <- function(event, bins) {
  edges <- seq(0, 1, length.out = bins + 1L)
  bin <- pmin(findInterval(event$probability, edges), bins)
  filled <- sort(unique(bin))
  mean_of <- function(x) as.vector(tapply(x, factor(bin, filled), mean))
  data.frame(lower = edges[filled], upper = edges[filled + 1L], n = tabulate(bin, bins)[filled],
    predicted = mean_of(event$probability), observed = mean_of(event$happened))
}

calibration_error <- function(judged, bins = 15L) {
  curve <- binned_calibration(prediction_event(judged), bins)
  sum(curve$n * abs(curve$predicted - curve$observed)) / sum(curve$n)
}

abort_not_judged <- function(object) {
  abort_argument("object",
    "observed classes (a factor), a fit of classes or of 0/1 responses, or its cross-validation",
    object)
}
