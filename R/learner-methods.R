# Prints and coefficients of a process with learners, and the methods that are not offered.

check_learned <- function(object) check_fit(object$process)

#' @export
print.neargp_learned <- function(x, digits = max(3L, getOption("digits") - 3L), ...) {
  print_sections(sections(x, digits), digits)
  invisible(x)
}

#' @export
summary.neargp_learned <- function(object, ...) {
  check_no_more_arguments()
  structure(list(fit = object, process = summary(object$process), members = member_table(object)),
    class = c("summary.neargp_learned", "summary.neargp"))
}

#' @export
sections.neargp_learned <- function(x, digits, summary = NULL) {
  c(list(
    new_section(learned_title(x), c(Formula = deparse1(x$formula)), show = show_facts,
      apart = FALSE),
    new_section("Left-out predictions of the members:", member_table(x), left_out_remarks(x),
      show = show_member_table),
    new_section("--- Process ---")), sections(x$process, digits, summary$process))
}

learned_title <- function(x) {
  UseMethod("learned_title")
}

#' @export
learned_title.neargp_stack <- function(x) {
  paste("Gaussian process stacked with", format_some(names(x$members)))
}

#' @export
learned_title.neargp_kriged_residuals <- function(x) {
  paste("Gaussian process of the left-out errors of", names(x$members))
}

left_out_remarks <- function(x) {
  map <- describe_recalibration(x$recalibration)
  c(if (!is.null(x$folds)) "All members leave out the folds of learner(folds = ).",
    if (!is.null(map)) sprintf("Predictions of all are %s.", map))
}

show_member_table <- function(values, digits) {
  shown <- vapply(values, function(column) {
    ifelse(is.na(column), "", format(signif(column, digits), digits = digits, trim = TRUE))
  }, character(nrow(values)))
  print(matrix(shown, nrow(values), dimnames = dimnames(values)), quote = FALSE, right = TRUE)
}

# A row for each member and one for all: weight, R-squared, root mean squared error and log score of
# left-out predictions. The process of errors predicts no response by itself.
member_table <- function(object) {
  left <- object$left_out
  y <- object$y[left$rows]
  learners <- lapply(object$members, function(member) {
    new_normal(member$left_out[left$rows], rep(member$sd, length(y)))
  })
  process <- if (inherits(object, "neargp_stack")) {
    list(process = new_normal(left$process$mean, left$process$sd))
  }
  all <- stats::setNames(list(left$distribution), if (is.null(process)) "sum" else "stack")
  members <- c(process, learners, all)
  table <- as.data.frame(t(vapply(members, left_out_quality, double(3L), y = y)))
  if (is.null(process)) return(table)
  cbind(weight = c(unname(object$weights), NA), table)
}

left_out_quality <- function(distribution, y) {
  error <- y - predictive_mean(distribution)
  c(R2 = 1 - sum(error^2) / sum((y - mean(y))^2), rmse = sqrt(mean(error^2)),
    log_score = -mean(predictive_log_density(y, distribution)))
}

#' @export
coef.neargp_learned <- function(object, what = c("weights", "trend", "covariance"), ...) {
  check_no_more_arguments()
  what <- check_choice(what, "what", c("weights", "trend", "covariance"))
  if (what == "weights") object$weights else stats::coef(object$process, what = what)
}

#' @export
nobs.neargp_learned <- function(object, ...) length(object$y)

#' @export
formula.neargp_learned <- function(x, ...) x$formula

# ---- not offered ---------------------------------------------------------------------------------

abort_learned <- function(what, instead) {
  abort_neargp("learner", c(sprintf("%s is not supported with learner().", what), i = instead))
}

refuse_for_learned <- function(what) {
  abort_learned(what, "Use scores() or cross_validate(), or the process alone: fit$process.")
}

#' @export
logLik.neargp_learned <- function(object, ...) refuse_for_learned("logLik()")

#' @export
deviance.neargp_learned <- function(object, ...) refuse_for_learned("deviance()")

#' @export
vcov.neargp_learned <- function(object, ...) refuse_for_learned("vcov()")

#' @export
confint.neargp_learned <- function(object, parm, level = 0.95, ...) refuse_for_learned("confint()")

#' @export
anova.neargp_learned <- function(object, ...) refuse_for_learned("anova()")

#' @export
tidy.neargp_learned <- function(x, ...) refuse_for_learned("tidy()")

#' @export
glance.neargp_learned <- function(x, ...) refuse_for_learned("glance()")

#' @export
augment.neargp_learned <- function(x, ...) refuse_for_learned("augment()")

# ---- plots ---------------------------------------------------------------------------------------

#' @export
plot.neargp_learned <- function(x, which = c("predictions", "pit"), ...) {
  check_no_more_arguments()
  if (missing(which)) which <- drawable_plots(which)
  draw_plots(autoplot.neargp_learned(x, which))
}

#' @exportS3Method ggplot2::autoplot
autoplot.neargp_learned <- function(object, which = "predictions", ...) {
  check_no_more_arguments()
  check_choices(which, "which", left_out_plot_names)
  left <- object$left_out
  y <- object$y[left$rows]
  plots_of_left_out(which, data.frame(observed = y, score_rows(y, left$distribution, 0.95)),
    object$response)
}
