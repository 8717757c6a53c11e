# The rows of a hurdle model: all of them are those of `presence`, the present ones those of
# `positive`. Fitted values and leave-one-out predictions of these rows.

# The data, the response of each row, and the numbers of the rows in the positive fit.
hurdle_rows <- function(object) {
  presence <- object$presence
  positive <- object$positive
  present <- which(is_present(presence))
  y <- double(length(presence$data$y))
  same <- length(present) == length(positive$data$y) &&
    (!identical(presence$locations$embedded_names, positive$locations$embedded_names) ||
      isTRUE(all.equal(unname(presence$data$coords[present, , drop = FALSE]),
        unname(positive$data$coords))))
  if (!same) {
    abort_neargp("fits", c("`positive` is not a fit of the rows of `presence` that are present.",
      x = sprintf("There are %s of them, and %s rows of `positive`%s.",
        format_count(length(present)), format_count(length(positive$data$y)),
        if (length(present) == length(positive$data$y)) " at other locations" else ""),
      i = "Fit it to these rows, in their order; predict(), scores(newdata = ) and simulate() do not need this."))
  }
  y[present] <- observed_response(positive$data)
  list(data = fitted_rows(presence, needed_data(presence, "That of a hurdle model")), y = y,
    present = present)
}

# Scores of each row given the others, see score_rows().
left_out_hurdle <- function(object, rows, level) {
  parts <- left_out_parts(object, rows)
  table <- lapply(parts, function(part) score_rows(rows$y[part$rows], part$observation, level))
  table <- do.call(rbind, table)[order(unlist(lapply(parts, `[[`, "rows"))), ]
  if (nrow(table) < length(rows$y)) {
    abort_neargp("missing", c("Some rows alone determine a coefficient of the trend, and cannot be predicted from the others.",
      i = "Leave the term out, or merge levels."))
  }
  table
}

# Predictions by both fits: of absent rows, which are new to the positive fit, and of the present
# ones, which it leaves out.
left_out_parts <- function(object, rows) {
  presence <- object$presence
  p <- if (inherits(presence, "neargp_classifier"))
    predictive_mean(left_out_classes(presence)) else
    leave_one_out(presence, NULL, NULL)$mean
  left <- left_out(object$positive$method, object$positive)
  known <- rows$present[left$rows]
  absent <- setdiff(seq_along(p), rows$present)
  c(list(list(rows = known, observation = new_inflated(p[known], left$distribution))),
    if (length(absent)) list(list(rows = absent, observation = new_inflated(p[absent],
      positive_response(object$positive, rows$data[absent, , drop = FALSE])))))
}

fitted_hurdle <- function(object, rows) {
  p <- fitted_presence(object$presence)
  m <- double(length(p))
  m[rows$present] <- smoothed(object$positive$method, object$positive, NULL, NULL)
  absent <- setdiff(seq_along(p), rows$present)
  if (length(absent)) {
    m[absent] <- predictive_mean(positive_response(object$positive,
      rows$data[absent, , drop = FALSE]))
  }
  list(presence = p, mean = p * m)
}

fitted_presence <- function(presence) {
  if (inherits(presence, "neargp_classifier")) {
    abort_for_classes("The fitted probability of presence",
      "Use residuals(type = \"loo\") or scores(), or fit presence by vnngp() or svgp().")
  }
  smoothed(presence$method, presence, NULL, NULL)
}

#' @rdname neargp_hurdle
#' @export
fitted.neargp_hurdle <- function(object, ...) {
  check_no_more_arguments()
  stats::naresid(object$presence$na_action, fitted_hurdle(object, hurdle_rows(object))$mean)
}

#' @rdname neargp_hurdle
#' @export
residuals.neargp_hurdle <- function(object, type = c("response", "loo", "standardized"), ...) {
  check_no_more_arguments()
  type <- check_choice(type, "type", c("response", "loo", "standardized"))
  rows <- hurdle_rows(object)
  values <- if (type == "response") rows$y - fitted_hurdle(object, rows)$mean else {
    left <- left_out_hurdle(object, rows, 0.95)
    if (type == "loo") rows$y - left$mean else pit_residuals(left$pit_lower, left$pit_upper)
  }
  residuals_of_rows(object$presence, values)
}

# ---- shown ---------------------------------------------------------------------------------------

left_out_plot_names <- c("predictions", "pit")

# Plots of a table of observations and scores of their predictions from the others.
plots_of_left_out <- function(which, table, response) {
  plots_of(which, function(one) switch(one,
    predictions = ggplot_predictions(table, response, loo_title,
      summarize_scores(table$observed, table, 0.95)),
    pit = ggplot_pit(table, "Calibration")))
}

left_out_table <- function(object) {
  rows <- hurdle_rows(object)
  data.frame(observed = rows$y, left_out_hurdle(object, rows, 0.95))
}

#' @rdname neargp_hurdle
#' @export
plot.neargp_hurdle <- function(x, which = c("predictions", "pit"), ...) {
  check_no_more_arguments()
  if (missing(which)) which <- drawable_plots(which)
  draw_plots(autoplot.neargp_hurdle(x, which))
}

#' @rdname neargp_hurdle
#' @exportS3Method ggplot2::autoplot
autoplot.neargp_hurdle <- function(object, which = "predictions", ...) {
  check_no_more_arguments()
  check_choices(which, "which", left_out_plot_names)
  plots_of_left_out(which, left_out_table(object), object$positive$data$response_name)
}
