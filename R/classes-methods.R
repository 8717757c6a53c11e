# Fits to class labels: what their methods for generics do otherwise than those of other fits. A
# classifier is a fit of class c("neargp_classifier", "neargp") with an element `classifier`:
# levels, trend, and the index of each row's location. loo_k() adds estimator and slope of the link.
# The trend's intercept is that far from data, `intercept_shift` how far it is from that of the
# class prevalence, and `bias` what is added among data.

# ---- print and summary ---------------------------------------------------------------------------

#' @export
sections.neargp_classifier <- function(x, digits, summary = NULL) {
  if (is.null(summary)) {
    left_out <- left_out_scores(x, at_most = 1000L)
    return(c(list(header_section(x)), left_out_sections(x, left_out),
      list(trend_section(x, NULL, trend_heading(x)), label_ranges_section(x, digits),
        ending_section(x))))
  }
  c(list(header_section(x)), left_out_sections(x, summary), list(class_trend_section(x, digits,
    summary), covariance_section(x, digits, summary), ending_section(x)))
}

# Settings of the estimator that readers of a paper follow. summary() alone shows them.
class_trend_section <- function(x, digits, summary) {
  slope <- c(describe_estimator(x$classifier), slope_of_link(x, digits))
  trend_section(x, summary, c(slope, trend_heading(x)), trend_among_data(x, digits)) %||%
    if (!is.null(slope)) new_section(slope)
}

# The scale of the process of labels carries no information: print() only shows how far it reaches.
label_ranges_section <- function(x, digits) {
  if (has_ability(x$method, "class_fields")) return(covariance_section(x, digits, NULL))
  values <- printed_covariance(x)
  ranges <- printed_ranges(x)
  remarks <- c(effective_range_line(x, effective_ranges(x), digits),
    level_line(level_correlations(x), digits))
  if (!is.null(ranges)) {
    return(new_section(covariance_line(x), list(ranges = ranges), remarks, show_with_ranges))
  }
  is_range <- names(values) %in% x$layout$name[x$layout$kind == "range"]
  new_section(covariance_line(x), with_units(values[is_range], x), remarks)
}

# Scores and confusion table of at most so many observations, each predicted without itself.
# None where a method leaves no row out.
left_out_scores <- function(x, at_most) {
  if (!has_ability(x$method, "leave_one_out")) return(list(scores = NULL, confusion = NULL))
  given <- classes_and_probabilities(x, NULL, NULL, at_most = at_most)
  list(scores = scores(given$observed, prob = given$prob),
    confusion = confusion_table(given$observed, prob = given$prob))
}

left_out_sections <- function(x, left_out) {
  if (is.null(left_out$scores)) return(NULL)
  shown <- as.data.frame(left_out$scores)
  scores <- unlist(shown[c("accuracy", "log_loss")])
  names(scores) <- c("accuracy", "log loss")
  rows <- if (shown$n < stats::nobs(x)) paste(format_count(shown$n), "of") else "all"
  title <- sprintf("Leave-one-out predictions of %s %s observations:", rows,
    format_count(stats::nobs(x)))
  list(new_section(title, scores),
    if (ncol(left_out$confusion) <= 12L) new_section(values = left_out$confusion,
      show = show_as_printed, apart = FALSE))
}

# A factor common to variance and nugget does not change the mean of the labels and multiplies their
# variance. A larger variance only draws probabilities towards those of the trend
# (src/core/loo/label_link.h). A variance or nugget at its lower limit is often only such a factor.
label_scale_note <- function(x, digits) {
  kind <- x$layout$kind
  estimate <- x$parameters$estimate
  if (is.null(x$classifier) || has_ability(x$method, "class_fields")) return(NULL)
  if (!any(x$parameters$at_boundary & kind %in% c("variance", "nugget") & estimate < 1)) {
    return(NULL)
  }
  ratio <- sum(estimate[kind == "variance"]) / x$nugget
  sprintf("Predictions depend on the ratio of variance and nugget alone, %s. Their size is the uncertainty.",
    format(signif(ratio, digits), digits = digits))
}

slope_of_link <- function(x, digits) {
  if (is.null(x$classifier$estimator) || x$classifier$estimator == "polya-gamma") return(NULL)
  sprintf("Slope of the link: %s (from predicted labels to linear predictors)",
    format(signif(x$classifier$slope, digits), digits = digits))
}

trend_heading <- function(x) {
  if (!is.matrix(x$beta)) return(sprintf("Trend (log odds of %s):", x$classifier$levels[2L]))
  sprintf("Trend (linear predictors of the classes, %s link):", x$family$link)
}

trend_among_data <- function(x, digits) {
  bias <- x$classifier$bias
  if (!length(bias) || !any(bias != 0)) return(NULL)
  shown <- format(signif(bias, digits), digits = digits, trim = TRUE)
  if (length(bias) > 1L) shown <- paste(colnames(x$classifier$trend), shown)
  sprintf("The intercept%s far from data. Near data, add %s.",
    if (length(bias) > 1L) "s are those" else " is the one", paste(shown, collapse = ", "))
}

#' @export
summary.neargp_classifier <- function(object, ...) {
  result <- NextMethod()
  result[c("scores", "confusion")] <- left_out_scores(object, at_most = 10000L)
  result
}

# ---- what does not apply -------------------------------------------------------------------------

abort_for_classes <- function(what, instead) {
  abort_neargp("family", c(sprintf("%s is not defined for a fit to categories.", what),
    i = instead))
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
    "predict() returns the probabilities of categories, row by row." else
    "The Gaussian process of the labels is a step to probabilities, not a model of a latent process.")
}

#' @export
augment.neargp_classifier <- function(x, data = NULL, newdata = NULL, ...) {
  check_fit(x)
  check_no_more_arguments()
  if (!is.null(newdata)) {
    return(in_foreign_class(newdata, function(rows) augment_classes(x, rows)))
  }
  # rows that na.exclude left out are put in there
  loo <- loo_predict(replace(x, "na_action", list(NULL)))
  with_training_columns(x, data, stats::setNames(loo, paste0(".loo_", names(loo))))
}

# The names of tidymodels, which yardstick and probably read.
augment_classes <- function(x, newdata) {
  if (!is.data.frame(newdata)) {
    abort_argument("newdata", "a data frame or sf points; predict() takes grids", newdata)
  }
  prob <- drop_geometry(stats::predict(x, newdata, type = "prob"))
  levels <- x$classifier$levels
  said <- data.frame(.pred_class = factor(levels[most_probable(as.matrix(prob))], levels))
  said[sub("^prob", ".pred", names(prob))] <- prob
  beside_newdata(newdata, said)
}

# ---- coefficients of several classes -------------------------------------------------------------

#' @export
tidy.neargp_classifier <- function(x, ...) {
  table <- NextMethod()
  if (!is.matrix(x$beta)) return(table)
  with_owner_column(table, "y.level", rep(colnames(x$beta), each = nrow(x$beta)),
    rep(rownames(x$beta), ncol(x$beta)))
}
