#' Scores of predicted class probabilities
#'
#' [scores()] of a factor, or of a fit to classes, with [calibration_curve()] and
#' [confusion_table()] to look closer.
#'
#' @details
#' | column | meaning |
#' |---|---|
#' | `n` | observations scored |
#' | `accuracy` | share of observations whose most probable class was right |
#' | `log_loss` | mean negative log probability of the observed class |
#' | `brier` | half the mean over observations of the sum over classes of (probability - outcome)^2, the outcome being 1 for the observed class and 0 for others |
#' | `auc` | of two classes: area under the ROC curve, the share of pairs of an observation of each class of which that of the second has the larger probability of it, ties counting half; `NA` where only one class is observed. Larger is better. It tells ranks alone, not whether probabilities are right |
#' | `calibration_error` | distance of the calibration curve of the predicted class from the diagonal |
#' | `n_missing` | observations left out because something was `NA` |
#'
#' The Brier score is half of what Brier (1950, eq. 2) has, for any number of classes: it is between
#' 0 and 1, and for two classes the mean of (p - y)^2, p being the probability of the second class
#' and y 1 where it was observed (Wilks 2011, eq. 8.36), which is the `brier` of binary responses in
#' [scores()], too.
#'
#' The calibration error goes over 15 bins of equal width of the probability of the predicted class:
#' it is the mean, weighted by the observations in a bin, of the absolute difference between that
#' probability and the share of right predictions (Guo et al. 2017).
#'
#' An observed class that has no probability, because no training row had it, is an error: its log
#' loss is infinite.
#'
#' @param object a factor of observed classes; or a fit to classes, whose training rows are scored,
#'   each predicted from the others (but with the trend and link of all rows), or else the rows of
#'   `newdata`; or its [cross_validate()]. `calibration_curve()` and `confusion_table()` also take
#'   fits to 0/1 responses by other methods, such as [vnngp()], and their cross-validation, as those
#'   of two classes.
#' @param prob matrix or data frame of probabilities, a row for each observation and a column for
#'   each class, named `<level>` or `prob_<level>` as [predict.neargp_classifier()] does. Of two
#'   classes also a vector: probabilities of the second one, such as the mean of a binomial
#'   response.
#' @param newdata data frame or sf object of other rows to score a fit on.
#' @param observed their classes: a vector, or the name of the column of `newdata`; by default the
#'   response of the formula.
#' @param na.rm `FALSE`: a missing class or probability is an error; `TRUE`: those rows are left
#'   out.
#' @param bins number of bins of equal width.
#' @param ... for a fit: `k` and `threads`, as for its predictions.
#' @return `scores()`: a data frame of class `neargp_scores` with one row and the columns above.
#'   `calibration_curve()`: a data frame with a row for each bin that is not empty: `lower`,
#'   `upper`, `n`, `predicted` (mean probability) and `observed` (share); for two classes of the
#'   second one's probability, else of that of the predicted class. `confusion_table()`: a table of
#'   counts, observed by predicted classes.
#' @section Errors: `neargp_error_missing`, `neargp_error_length`, `neargp_error_probability`
#'   (negative ones, or rows that do not sum to one), `neargp_error_factor_level` (an observed class
#'   without a column), `neargp_error_argument`.
#' @references
#' Brier, G. W. (1950). Verification of forecasts expressed in terms of probability. *Monthly
#' Weather Review* 78, 1–3.
#'
#' Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of modern neural
#' networks. arXiv:1706.04599, section 2.
#'
#' Wilks, D. S. (2011). *Statistical Methods in the Atmospheric Sciences*, 3rd edition, section
#' 8.4.2. Academic Press.
#' @examples
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
    abort_neargp("missing", "There is no row in which both class and probabilities are known.")
  }
  check_probabilities(prob, complete)
  number <- match(as.character(observed), colnames(prob))
  unknown <- which(complete & is.na(number))
  if (length(unknown)) {
    abort_neargp("factor_level", c(
      paste0("There is no probability for the observed class ",
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
