# Cross-validation of several outputs by places: all outputs of a held-out row are held out. Each
# output takes the part of a setting in the result.

#' @rdname cross_validate
#' @section Several outputs: All outputs of a held-out row of the data are held out; folds have a
#' value for each such row. The outputs take the part of `setting` in the result.
#' @export
cross_validate.neargp_outputs <- function(object, folds = 10, refit = FALSE, level = 0.95,
                                          verbose = rlang::is_interactive(), ...) {
  check_no_more_arguments()
  check_flag(refit, "refit")
  check_level(level)
  check_flag(verbose, "verbose")
  start <- proc.time()[["elapsed"]]
  folds <- resolve_folds(folds, as_places(object))
  wanted <- sort(unique(folds[!is.na(folds)]))
  pieces <- apply_tasks(length(wanted), verbose, function(task) {
    predict_outputs_fold(object, which(folds %in% wanted[task]), wanted[task], refit, level)
  })
  predictions <- do.call(rbind, pieces)
  predictions <- predictions[order(match(predictions$setting, object$outputs), predictions$row), ]
  rownames(predictions) <- NULL
  structure(list(
    scores = grouped_scores(predictions, "setting", level),
    fold_scores = grouped_scores(predictions, c("setting", "fold"), level),
    predictions = predictions, folds = folds, refit = refit, level = level,
    response = paste(object$outputs, collapse = ", "),
    place = fit_place(object, original_coords(as_places(object))),
    elapsed = proc.time()[["elapsed"]] - start
  ), class = "neargp_cv")
}

# The fit as folds need it: one row for each place.
as_places <- function(object) {
  first <- match(seq_len(object$data$places), object$data$place)
  object$data <- without_outputs(take_data_rows(object$data, first))
  as_one_output(object)
}

predict_outputs_fold <- function(object, held, fold, refit, level) {
  kept <- object
  rows <- !object$data$place %in% held
  kept$data <- take_data_rows(object$data, which(rows))
  kept <- on_refit_device(object, which(rows),
    if (refit) refit_outputs(kept) else restrict_rows(kept$method, kept, which(rows)))
  kept <- with_own_keeper(kept)
  target <- take_places(places_of_fit(object), held)
  target$complete <- rep(TRUE, length(held))
  moments <- outputs_moments(kept, target, outputs_predict_settings(kept))
  own <- which(!rows)
  data <- object$data
  at <- cbind(match(data$place[own], held), data$output[own])
  outputs_fold_scores(kept, moments, data, own, at, fold, level)
}

# Predictions of the held-out rows `own` of the data; `at`: place and output in the moments.
outputs_fold_scores <- function(kept, moments, data, own, at, fold, level) {
  UseMethod("outputs_fold_scores", kept$method)
}

#' @export
outputs_fold_scores.default <- function(kept, moments, data, own, at, fold, level) {
  data.frame(setting = kept$outputs[data$output[own]], row = data$place[own], fold = fold,
    observed = data$y[own], mean = moments$mean[at],
    sd = sqrt(moments$variance[at] + kept$nugget[data$output[own]] / data$weights[own]))
}

# A fit with its parameters, but with the rows of some places only. `fit`: it holds them already.
#' @export
restrict_rows.neargp_method_outputs <- function(method, fit, rows) with_fold_trend(fit)

# The same model for the data that the fit holds now, from its estimates; of a deep fit from the
# beginning, for it has seen the fold.
refit_outputs <- function(object) {
  check_kept_outputs(object$data)
  method <- with_k(object$method, object$data, object$family)
  settings <- new_settings(method, object$family, object$control, object$threads, object$covariance,
    fixed_nuggets(object))
  problem <- new_problem(object$data, object$locations, settings,
    if (begins_with_parameters(method)) object)
  problem <- with_start(problem$method, problem)
  solved <- fit_problem(problem)
  problem <- solved$problem
  result <- solved$result
  values <- to_core(result$working, problem$layout$transform)
  object$core_covariance <- as_core_covariance(problem$layout, problem$groups, values)
  object$beta <- stats::setNames(result$beta, names(object$beta))
  object$beta_vcov <- result$beta_vcov
  object$data <- problem$data
  object$core_trend <- result$core_trend
  if (!is.null(object$core_covariance$nuggets)) object$nugget[] <- object$core_covariance$nuggets
  complete_fit(object$method, object, result)
}

# Each output must still be known in more rows than its trend has coefficients.
check_kept_outputs <- function(data) {
  for (p in seq_along(data$outputs)) {
    y <- data$y[data$output == p]
    if (!length(y)) {
      abort_neargp("folds",
        c(sprintf("Without the rows of one of the folds no value is known of %s.", data$outputs[p]),
          i = "Spread the rows in which it is known over the folds, or use refit = FALSE."))
    }
    tryCatch(check_trend(list(X = own_columns(data, p), y = y, offset = 0,
      response_name = data$outputs[p])),
      neargp_error_rank = function(error) abort_fold_trend(error))
  }
}

fixed_nuggets <- function(object) {
  fixed <- object$layout$fixed[object$layout$kind == "nugget"]
  if (all(fixed)) unname(object$nugget)
}
