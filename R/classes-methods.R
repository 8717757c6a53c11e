# Fits to class labels: what their methods for generics do otherwise than those of other fits. A
# classifier is a fit of class c("neargp_classifier", "neargp") with an element `classifier`:
# levels, trend, and the index of each row's location. Of loo_k() there are estimator and slope of
# the link besides; the trend's intercept is that far from data, `intercept_shift` how far it is
# from that of the class prevalence, and `bias` what is added among data. Of svgp() there are the
# covariance matrices of the trends.

# ---- print and summary ---------------------------------------------------------------------------

#' @export
print.neargp_classifier <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  check_fit(x)
  print_header(x)
  print_classes(x)
  print_link(x, digits)
  cat(covariance_line(x))
  cat(paste_named(stats::coef(x, what = "covariance"), digits), "\n", sep = "")
  print_remarks(x, digits)
  invisible(x)
}

print_classes <- function(x) {
  counts <- tabulate(class_numbers(x$data), length(x$classifier$levels))
  cat("Classes:   ",
    format_some(sprintf("%s (%s)", x$classifier$levels, vapply(counts, format_count, "")), 8L),
    "\n", sep = "")
  distinct <- length(unique(x$classifier$location_index))
  if (distinct < length(x$data$y)) {
    cat("           at ", format_count(distinct), " distinct locations\n", sep = "")
  }
  if (!is.null(x$classifier$estimator)) {
    cat("Estimator: ", x$classifier$estimator, compared_estimators(x$classifier), "\n", sep = "")
  }
}

# Reports by what the estimator was chosen: the scores of all rows, or where these hardly differ
# those of rows held out (fit_method.neargp_loo_k_classes()).
compared_estimators <- function(classifier) {
  if (!length(classifier$compared)) return(NULL)
  decisive <- classifier$held_out %||% classifier$compared
  sprintf(" (score %s%s)", if (length(classifier$held_out)) "of held-out rows " else "",
    paste(sprintf("%.1f by %s", decisive, names(classifier$compared)), collapse = ", "))
}

# A factor common to variance and nugget leaves the mean of the labels as it is and multiplies the
# variance of it, which does no more than draw probabilities towards the trend's
# (src/core/loo/label_link.h). Either at its lower bound is often no more than such a factor.
label_scale_note <- function(x, digits) {
  kind <- x$layout$kind
  estimate <- x$parameters$estimate
  if (is.null(x$classifier) || has_ability(x$method, "class_fields")) return(NULL)
  if (!any(x$parameters$at_boundary & kind %in% c("variance", "nugget") & estimate < 1)) {
    return(NULL)
  }
  ratio <- sum(estimate[kind == "variance"]) / x$nugget
  sprintf("    the mean of the labels depends on the ratio of variance and nugget alone, %s; their size is its uncertainty\n",
    format(signif(ratio, digits), digits = digits))
}

print_link <- function(x, digits) {
  print_link_slope(x, digits)
  if (!length(x$beta)) return(invisible())
  if (is.matrix(x$beta)) {
    cat(trend_heading(x))
    print(t(signif(x$beta, digits)))
  } else {
    cat(trend_heading(x), paste_named(x$beta, digits), "\n", sep = "")
  }
  cat(trend_among_data(x, digits))
}

print_link_slope <- function(x, digits) {
  has_slope <- !is.null(x$classifier$estimator) && x$classifier$estimator != "polya-gamma"
  if (has_slope || length(x$beta)) cat("\n")
  if (has_slope) {
    cat("Slope of the link: ", format(signif(x$classifier$slope, digits), digits = digits),
      " (from predicted labels to linear predictors)\n", sep = "")
  }
}

trend_heading <- function(x) {
  if (!is.matrix(x$beta)) return(sprintf("Trend (log odds of %s):\n", x$classifier$levels[2L]))
  sprintf("Trend (linear predictors of the classes, %s link):\n", x$family$link)
}

trend_among_data <- function(x, digits) {
  bias <- x$classifier$bias
  if (!length(bias) || !any(bias != 0)) return(NULL)
  shown <- format(signif(bias, digits), digits = digits, trim = TRUE)
  if (length(bias) > 1L) shown <- paste(colnames(x$classifier$trend), shown)
  lines <- sprintf("That is far from data; among data add to the intercept%s %s",
    if (length(bias) > 1L) "s:" else "", paste(shown, collapse = ", "))
  paste0(paste(strwrap(lines, width = getOption("width") + 1L, exdent = 2L), collapse = "\n"), "\n")
}

#' @export
summary.neargp_classifier <- function(object, ...) {
  check_fit(object)
  check_no_more_arguments()
  given <- classes_and_probabilities(object, NULL, NULL, at_most = 10000L)
  result <- unclass(summary.neargp(with_flat_trend(object)))
  result$fit <- object
  structure(c(result, list(scores = scores(given$observed, prob = given$prob),
    confusion = confusion_table(given$observed, prob = given$prob))),
    class = c("summary.neargp_classifier", "summary.neargp"))
}

#' @export
print.summary.neargp_classifier <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  fit <- x$fit
  print_header(fit)
  print_classes(fit)
  if (all(is.na(x$coefficients[, "Std. Error"]))) print_link(fit, digits) else {
    print_link_slope(fit, digits)
    cat(trend_heading(fit))
    stats::printCoefmat(x$coefficients, digits = digits, signif.legend = FALSE)
  }
  print_summary_covariance(x, digits)
  print_remarks(fit, digits)
  cat("\nLeave one out: each row predicted from ",
    if (has_ability(fit$method, "class_fields")) "the others" else "its nearest others", "\n",
    sep = "")
  print(x$scores)
  if (ncol(x$confusion) <= 12L) print(x$confusion)
  invisible(x)
}

# ---- what does not apply -------------------------------------------------------------------------

abort_for_classes <- function(what, instead) {
  abort_neargp("family", c(sprintf("%s is not defined for a fit to classes.", what), i = instead))
}

#' @export
residuals.neargp_classifier <- function(object, ...) {
  abort_for_classes("residuals()",
    "Use loo_predict() for leave-one-out probabilities, and scores() or plot() to judge them.")
}

#' @export
fitted.neargp_classifier <- function(object, ...) {
  abort_for_classes("fitted()", "Use loo_predict() for leave-one-out probabilities.")
}

#' @export
simulate.neargp_classifier <- function(object, nsim = 1, seed = NULL, ...) {
  abort_for_classes("simulate()",
    if (has_ability(object$method, "class_fields"))
    "predict() has the probabilities of classes, row by row." else
    "The labels' Gaussian process is a way to probabilities, not a model of a latent field.")
}

#' @export
augment.neargp_classifier <- function(x, data = NULL, newdata = NULL, ...) {
  check_fit(x)
  check_no_more_arguments()
  if (!is.null(newdata)) return(augment_classes(x, newdata))
  # rows that na.exclude left out are put in there
  loo <- loo_predict(replace(x, "na_action", list(NULL)))
  with_training_columns(x, data, stats::setNames(loo, paste0(".loo_", names(loo))))
}

augment_classes <- function(x, newdata) {
  if (!is.data.frame(newdata)) {
    abort_argument("newdata", "a data frame or sf points; predict() takes grids", newdata)
  }
  prob <- drop_geometry(stats::predict(x, newdata, type = "prob"))
  levels <- x$classifier$levels
  said <- stats::setNames(prob, paste0(".", names(prob)))
  said$.class <- factor(levels[most_probable(as.matrix(prob))], levels)
  beside_newdata(newdata, said)
}

# ---- coefficients of several classes -------------------------------------------------------------

# The trend as a vector, "class:term", as methods for a single one expect it.
with_flat_trend <- function(object) {
  if (!is.matrix(object$beta)) return(object)
  by_class <- function(term, class) paste0(class, ":", term)
  names <- if (length(object$beta)) as.vector(outer(rownames(object$beta), colnames(object$beta),
    by_class))
  object$beta <- stats::setNames(as.vector(object$beta), names)
  object$beta_vcov <- matrix(NA_real_, length(names), length(names), dimnames = list(names, names))
  blocks <- object$classifier$trend_vcov
  for (class in seq_along(blocks)) {
    own <- (class - 1L) * nrow(blocks[[class]]) + seq_len(nrow(blocks[[class]]))
    object$beta_vcov[own, ] <- 0
    object$beta_vcov[own, own] <- blocks[[class]]
  }
  object$data$X <- matrix(0, 0L, length(names), dimnames = list(NULL, names))
  object
}

#' @export
tidy.neargp_classifier <- function(x, ...) {
  table <- tidy.neargp(with_flat_trend(x), ...)
  if (!is.matrix(x$beta)) return(table)
  with_owner_column(table, "y.level", rep(colnames(x$beta), each = nrow(x$beta)),
    rep(rownames(x$beta), ncol(x$beta)))
}

#' @export
vcov.neargp_classifier <- function(object, ...) vcov.neargp(with_flat_trend(object), ...)

#' @export
confint.neargp_classifier <- function(object, parm, level = 0.95, ...) {
  confint.neargp(with_flat_trend(object), parm, level, ...)
}
