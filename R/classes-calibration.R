# Calibration and confusion of 0/1 responses with a mean: fits of vnngp(), or of loo_k() with
# another link than the logit, and their cross-validation. As of two classes, the second of which is
# the success.

binary_classes <- function(y, probability, levels) {
  levels <- levels %||% c("0", "1")
  list(observed = factor(levels[y + 1], levels = levels),
    prob = matrix(c(1 - probability, probability), ncol = 2L,
      dimnames = list(NULL, levels)))
}

# Collects 0/1 observations and their probabilities: each training row given the others, or the rows
# of newdata.
binary_observations <- function(object, newdata, observed, ...) {
  check_binary(is_binary_fit(object), sprintf("this is a %s", describe_kind(object)))
  if (is.null(newdata)) {
    check_leave_one_out(object)
    return(binary_classes(object$data$y, leave_one_out(object, ...)$mean, object$data$levels))
  }
  truth <- new_observations(object, newdata, observed, NULL)
  predicted <- unclass(predict(object, newdata, type = "response", verbose = FALSE, ...))
  binary_classes(truth$y, predicted$mean, object$data$levels)
}

describe_kind <- function(fit) {
  if (fit$family$family == "binomial") "binomial() response of several trials" else
    paste(family_call(fit$family), "response")
}

is_binary_fit <- function(fit) {
  fit$family$family == "binomial" && is.null(fit$data$trials) && !inherits(fit, "neargp_classifier")
}

check_binary <- function(binary, what) {
  if (binary) return(invisible())
  abort_neargp("family",
    c(sprintf("Calibration curves and confusion tables are for categories or 0/1 responses, and %s.",
      what), i = "For other responses check the PIT: scores(), or plot() of a cross-validation."))
}

#' @rdname classification_scores
#' @export
calibration_curve.neargp <- function(object, newdata = NULL, observed = NULL, bins = 10L,
                                     na.rm = FALSE, ...) {
  check_fit(object)
  check_no_more_arguments(handed_on = c("k", "threads"))
  given <- binary_observations(object, newdata, observed, ...)
  calibration_curve(given$observed, prob = given$prob, bins = bins, na.rm = na.rm)
}

#' @rdname classification_scores
#' @export
confusion_table.neargp <- function(object, newdata = NULL, observed = NULL, na.rm = FALSE, ...) {
  check_fit(object)
  check_no_more_arguments(handed_on = c("k", "threads"))
  given <- binary_observations(object, newdata, observed, ...)
  confusion_table(given$observed, prob = given$prob, na.rm = na.rm)
}

# ---- cross-validation ----------------------------------------------------------------------------

# Observed classes and probabilities of one setting, by default that of the best score.
validated_classes <- function(object, setting) {
  UseMethod("validated_classes")
}

#' @export
validated_classes.neargp_cv <- function(object, setting) {
  setting <- check_choice(setting %||% object$scores$setting[which.min(object$scores$crps)],
    "setting", object$scores$setting)
  shown <- object$predictions[object$predictions$setting == setting, ]
  check_binary(is_binary_table(shown), "these are others")
  c(binary_classes(shown$observed, shown$mean, object$levels), setting = setting)
}

is_binary_table <- function(predictions) {
  !is.null(predictions$binary) && all(predictions$binary %in% TRUE)
}

#' @rdname classification_scores
#' @param setting of a cross-validation of several: its name; by default that with the best score.
#' @export
calibration_curve.neargp_cv <- function(object, setting = NULL, bins = 10L, ...) {
  check_no_more_arguments()
  given <- validated_classes(object, setting)
  calibration_curve(given$observed, prob = given$prob, bins = bins)
}

#' @rdname classification_scores
#' @export
confusion_table.neargp_cv <- function(object, setting = NULL, ...) {
  check_no_more_arguments()
  given <- validated_classes(object, setting)
  confusion_table(given$observed, prob = given$prob)
}
