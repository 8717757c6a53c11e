# Cross-validation of responses that share fields. A fold leaves out locations with all their
# responses.

# `folds`: their number, or a fold for each row of all responses that leaves locations whole.
# `refit`: whether all parameters are estimated for each fold, or the trends alone.
#' @export
cross_validate.neargp_joint <- function(object, folds = 10, refit = FALSE, level = 0.95,
                                        verbose = rlang::is_interactive(), threads = NULL, ...) {
  check_no_more_arguments()
  check_flag(refit, "refit")
  check_level(level)
  check_flag(verbose, "verbose")
  began <- proc.time()[["elapsed"]]
  fold <- folds_of_places(object, folds)
  shared <- fitted_joint_problem(object, plain_context(threads))
  values <- sort(unique(fold))
  pieces <- apply_tasks(length(values), verbose, function(i) {
    predict_joint_fold(object, shared, fold, values[i], refit, level)
  })
  predictions <- bind_tables(pieces)
  predictions <- predictions[order(match(predictions$output, object$outputs), predictions$row), ]
  rownames(predictions) <- NULL
  structure(list(scores = scores_of_folds(object, predictions, level), predictions = predictions,
    folds = fold, refit = refit, level = level, elapsed = proc.time()[["elapsed"]] - began),
  class = "neargp_joint_cv")
}

#' @export
print.neargp_joint_cv <- function(x, ...) {
  cat(sprintf("Cross-validation, %d folds of locations, %s\n", length(unique(x$folds)),
    if (x$refit) "parameters estimated for each" else "parameters of all rows"))
  print(x$scores, ...)
  invisible(x)
}

#' @export
scores.neargp_joint_cv <- function(object, ...) object$scores

# `outputs`: the responses whose calibration is shown, by default all.
#' @export
plot.neargp_joint_cv <- function(x, outputs = NULL, ...) {
  check_plot_arguments(autoplot.neargp_joint_cv)
  draw_plots(autoplot.neargp_joint_cv(x, outputs))
}

#' @exportS3Method ggplot2::autoplot
autoplot.neargp_joint_cv <- function(object, outputs = NULL, ...) {
  check_no_more_arguments()
  outputs <- outputs %||% object$scores$output
  check_choices(outputs, "outputs", object$scores$output)
  if (is.null(object$predictions$pit_lower)) {
    abort_neargp("plot", c("Calibration of a composition is not drawn.",
      i = "Compare `predictions` of this object, observed / trials with mean."))
  }
  plots_of(outputs, function(output) {
    shown <- object$predictions[object$predictions$output == output, ]
    ggplot_pit(shown, sprintf("Calibration: %s", output), if (is_binary_table(shown))
      "0/1 data: flat for all probabilities that are right on average")
  })
}

# The fold of each location.
folds_of_places <- function(object, folds) {
  refuse_without_areas(object, "folds of locations")
  places <- nrow(object$posterior$coords)
  if (length(folds) == 1L) {
    unit <- fold_units(object)
    count <- check_count(folds, "folds", lower = 2L)
    check_fold_count(count, max(unit), "locations")
    return(sample(rep_len(seq_len(count), max(unit)))[unit])
  }
  place <- object$posterior$place
  folds <- fold_by_row(object, folds)
  if (length(folds) != length(place) || anyNA(folds)) {
    abort_argument("folds", sprintf("a number, or a fold for each of the %s rows of all responses",
      format_count(length(place))), folds)
  }
  first <- folds[match(seq_len(places), place)]
  if (!identical(as.vector(first[place]), as.vector(folds))) {
    abort_neargp("folds", "A location is in two folds: rows of one location need the same fold.")
  }
  first
}

# Scores of the rows of a fold, predicted from the others.
predict_joint_fold <- function(object, shared, fold, value, refit, level) {
  kept <- without_places(object, shared, which(fold != value), refit)
  rows_of_fold(kept, which(fold == value), value, level)
}

# Compositions have methods of these generics (composition-scores.R).

# The number of the unit that each location belongs to. Folds do not divide units.
fold_units <- function(object) UseMethod("fold_units")

#' @export
fold_units.default <- function(object) seq_len(nrow(object$posterior$coords))

# The fold of each row of all responses.
fold_by_row <- function(object, folds) UseMethod("fold_by_row")

#' @export
fold_by_row.default <- function(object, folds) folds

# `object`: the fit without the locations `held`.
rows_of_fold <- function(object, held, value, level) UseMethod("rows_of_fold")

#' @export
rows_of_fold.default <- function(object, held, value, level) {
  held <- which(object$whole$place %in% held)
  rows <- lapply(seq_along(object$parts), function(m) {
    own <- which(object$whole$response == m)
    at <- match(intersect(own, held), own)
    if (!length(at)) return(NULL)
    part <- part_of(object, object$outputs[m])
    data <- part$data
    settings <- predict_settings(part)
    moments <- linear_predictors(object, fields_at(object, data$coords[at, , drop = FALSE],
      settings), stats::setNames(list(list(data = data, X = full_design(data)[at, , drop = FALSE],
        offset = data$offset[at])), object$outputs[m]))
    distribution <- response_of_rows(part, moments$mean[, 1L], moments$covariance[, 1L, 1L], at)
    observed <- observed_response(data)[at]
    data.frame(output = object$outputs[m], row = at, fold = value, observed = observed,
      score_rows(observed, distribution, level))
  })
  bind_tables(Filter(Negate(is.null), rows))
}

scores_of_folds <- function(object, predictions, level) UseMethod("scores_of_folds")

#' @export
scores_of_folds.default <- function(object, predictions, level) {
  each <- lapply(object$outputs, function(output) {
    own <- predictions[predictions$output == output, ]
    cbind(output = output, as.data.frame(summarize_scores(own$observed, own, level)))
  })
  structure(bind_tables(each), class = c("neargp_scores", "data.frame"))
}

# The fit without some locations. Its parameters are those of all rows, or estimated again.
without_places <- function(object, shared, kept, refit) {
  shared <- with_some_places(shared, kept)
  state <- if (refit) joint_optimum(shared) else {
    search <- joint_search(shared, shared$start)
    latent <- joint_latent(shared, search)
    list(working = shared$start, search = search, latent = latent,
      objective = fields_objective(shared, latent))
  }
  state$objective$converge(state$working)
  values <- to_core(state$working, shared$layout$transform)
  object$whole <- object$posterior[c("coords", "place", "response")]
  object$posterior <- joint_posterior(shared, state, joint_coefficients(shared,
    core_latent_state(state$latent, shared$context), values))
  object$core_trend <- list(beta = object$posterior$beta, beta_vcov = object$posterior$beta_vcov)
  object$parameters$working <- state$working
  object <- with_all_loadings(object, sweep(joint_loadings(shared$layout, values,
    length(shared$parts)), 2L, object$signs, "*"))
  object$spread <- list(covariance = matrix(0, 0L, 0L), shifted = list(), rows = integer(0))
  object$kept <- kept
  object$parts <- Map(function(part, m) {
    own <- values_of_part(shared, m, values)
    part$family_parameters <- named_family_values(part$family, part$layout, own)
    part
  }, object$parts, seq_along(object$parts))
  with_own_cache(object)
}
