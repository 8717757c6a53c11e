#' Cross-validation
#'
#' Predicts every training row from the rows of other folds and scores the
#' predictions: the honest way to choose between covariances, methods and
#' prediction settings, and to say how good a map is.
#'
#' @details
#' With `refit = FALSE`, the default, the covariance parameters stay those of the
#' full fit. All else leaves the fold out: no neighbour of a held-out row is in its
#' fold (nor within the `buffer` of the folds), and the trend is estimated anew from
#' the other rows, by generalised least squares, which costs one evaluation of the
#' likelihood for each fold. So trends with many coefficients pay for them, and
#' trends compared by large blocks for extrapolating. A handful of covariance
#' parameters estimated from all rows know little about any one of them: scores are
#' close to those with `refit = TRUE`. Refit when there are few rows or many
#' covariance parameters, and always where a covariance with `sd = ~`, `range = ~` or
#' `warp = ` is compared with another one: its coefficients are learned from all rows, those
#' held out included. Of six simulated stationary fields of 400 rows [expand()] won on every
#' one without `refit`, by 0.010 to 0.027 in the log score, and with it lost on five, by
#' 0.011 to 0.027, and was level on one (`bench/warp-refit.R`).
#'
#' Predictions are of the *observations*: their standard deviation includes the
#' noise, divided by the weight of the row. Responses that are not Gaussian are
#' scored by their own predictive distribution, see [scores()].
#'
#' Latent models ([vnngp()]) find the posterior of the field together with the trend
#' from the rows of the other folds, and [loo_k()] of responses that are not gaussian,
#' classes among them, finds trend, link and pseudo-observations by its score. That
#' takes several evaluations for each fold, and all steps of a stochastic optimiser:
#' up to the time of the fit itself.
#'
#' To choose settings for predictions far from the data, hold out blocks of the
#' size of the gaps: `folds = block_folds(fit, v = 10, size = )`.
#'
#' Where locations repeat, random folds judge predictions of further observations at known
#' locations. Use `folds = "location"` for predictions at new locations, with each location held out
#' as a whole.
#'
#' Folds are worked on in parallel when the package future.apply is installed and
#' a plan with several workers is set (`future::plan("multisession")`); otherwise
#' one after the other, each with `threads` threads.
#'
#' @param object a fit by [neargp()], or a named list of fits to the same response
#'   at the same rows, which are compared on the same folds. Where one of them is a fit to
#'   two classes by [loo_k()], 0/1 responses by other methods are scored as classes, too.
#' @param folds the number of random folds; "blocked" for ten folds of square
#'   blocks ([block_folds()] with its defaults); "location" for folds of whole locations, ten or as
#'   many as there are locations; or one value for each row that was
#'   fitted, as [random_folds()] and [block_folds()] make them; rows with `NA` are
#'   never held out, which lets you hold out shapes of your own. Or splits of the package
#'   rsample (and of those built on it) of the data that were fitted, each of whose rows is held out
#'   once at most: predictions are from the rows that a split leaves in.
#' @param refit estimate all parameters anew without each fold? The trend is in either case.
#' @param settings named list of settings to compare, each a list of arguments of
#'   [predict()][predict.neargp] that say what a prediction is conditioned on (`k`,
#'   `local_mean`, `sectors`), such as
#'   `list(few = list(k = 10), local = list(k = 100, local_mean = TRUE))`.
#' @param level level of the intervals that are scored.
#' @param verbose show progress?
#' @param cluster a cluster of package parallel, whose workers take the folds, with the same result
#'   (see [clusters]); `NULL` for none. A fit with random numbers, as by Adam, has others on
#'   workers.
#' @param ... the same arguments, and `threads`, common to all settings.
#' @return An object of class `neargp_cv`, a list of
#'   * `scores`: a data frame of [scores()], one row for each setting (of fits to
#'     classes with the columns of [classification_scores]: accuracy, log loss, Brier);
#'   * `fold_scores`: the same for each setting and fold;
#'   * `predictions`: `setting`, `row`, `fold`, `observed`, `mean`, `sd`; unless
#'     the response is Gaussian also the scores of each row (`crps`, `log_score`),
#'     its interval (`lower`, `upper`), its PIT (`pit_lower`, `pit_upper`: of a count
#'     it is between these), and the linear predictor (`link_mean`, `link_sd`); of classes
#'     `setting`, `row`, `fold`, `observed`, `class` and `prob_<level>`;
#'   * `folds`, `refit`, `level`, `response` (its name), `recalibrated` (whether a fit is, see
#'     [recalibrate()]), `levels` (of a factor), `place` (where the rows are), `elapsed` (seconds).
#'
#'   It has `print`, `plot` and `scores` methods; of classes and of 0/1 data also
#'   [calibration_curve()] and [confusion_table()].
#' @section Errors:
#' `neargp_error_folds` when folds do not fit the rows, `neargp_error_argument` for
#' settings of a wrong type, `neargp_error_k` when a fold leaves fewer rows than `k`,
#' `neargp_error_rank` when the trend cannot be estimated without a fold (a level that only this
#' fold has), `neargp_error_fits` when fits cannot be compared.
#'   A message of class `neargp_message_copies` where more than half of the held-out rows share
#'   their location with rows that predict them.
#'   A message of class `neargp_message_refit` where fits are compared without `refit` of which one
#'   has a covariance with `sd = ~`, `range = ~` or `warp = `.
#' @seealso [scores()] for what the columns mean, [random_folds()], [block_folds()].
#' @examples
#' cells <- land_temperature()
#' set.seed(1)
#' some <- cells[sample(nrow(cells), 400), ]
#' fit <- neargp(temperature ~ 1, data = some, coords = ~ lon + lat, distance = "euclidean",
#'   method = vecchia(k = 10))
#' cross_validate(fit, folds = 5)
#' compared <- cross_validate(fit, folds = block_folds(fit, v = 5, size = 0.1),
#'   settings = list(k10 = list(k = 10), k30 = list(k = 30)))
#' compared
#' if (requireNamespace("ggplot2", quietly = TRUE)) plot(compared)
#' @order 1
#' @export
cross_validate <- function(object, ...) {
  check_required()
  UseMethod("cross_validate")
}

#' @export
cross_validate.default <- function(object, ...) {
  abort_argument("object", "a fit of neargp(), or a named list of fits", object)
}

#' @rdname cross_validate
#' @order 2
#' @export
cross_validate.neargp <- function(object, folds = 10, refit = FALSE, settings = NULL, level = 0.95,
                                  verbose = rlang::is_interactive(), cluster = NULL, ...) {
  arguments <- rlang::list2(...)
  validate_cases(setting_cases(object, settings, arguments), folds, refit, level, verbose, cluster)
}

setting_cases <- function(fit, settings, arguments) {
  if (is.null(settings)) settings <- list(fit = list())
  check_named_lists(settings)
  lapply(settings, function(setting) list(fit = fit, arguments = utils::modifyList(arguments,
    setting)))
}

#' @rdname cross_validate
#' @order 3
#' @export
cross_validate.list <- function(object, folds = 10, refit = FALSE, level = 0.95,
                                verbose = rlang::is_interactive(), cluster = NULL, ...) {
  check_comparable_fits(object)
  arguments <- rlang::list2(...)
  inform_refit(object, refit)
  cases <- lapply(object, function(fit) list(fit = fit, arguments = arguments))
  validate_cases(cases, folds, refit, level, verbose, cluster)
}

# `level` is that of the intervals; classes have none.
validate_cases <- function(cases, folds, refit, level, verbose, cluster = NULL) {
  check_flag(refit, "refit")
  for (case in cases) check_fit(case$fit)
  fit <- cases[[1L]]$fit
  classes <- has_classifier(cases)
  if (!classes) check_level(level)
  check_flag(verbose, "verbose")
  for (case in cases) check_conditioning(case$arguments, if (classes) c("k", "threads") else c("k",
    "local_mean", "sectors", "threads"))
  start <- proc.time()[["elapsed"]]
  places <- as_places(fit)
  folds <- resolve_folds(folds, places)
  splits <- fold_splits(folds, places)
  tasks <- expand.grid(split = seq_along(splits), case = seq_along(cases))
  pieces <- if (is.null(check_cluster(cluster))) {
    apply_tasks(nrow(tasks), verbose, function(task) {
      validate_split(cases, tasks$case[task], splits[[tasks$split[task]]], refit, level)
    })
  } else validate_on_cluster(cases, tasks, splits, refit, level, cluster)
  predictions <- bind_tables(pieces)
  settings <- fit$outputs %||% names(cases)
  predictions <- predictions[order(match(predictions$setting, settings), predictions$row), ]
  recalibrated <- any(vapply(cases, function(case) !is.null(case$fit$family$recalibration), NA))
  new_validation(predictions, fit, folds, refit, level, recalibrated, start, classes)
}

resolve_folds <- function(folds, fit) {
  n <- length(fit$data$y)
  if (identical(folds, "blocked")) return(block_folds(fit))
  if (identical(folds, "location")) {
    index <- fold_location_index(fit)
    return(location_folds(index, max(2L, min(10L, max(index)))))
  }
  if (is_rsample(folds)) folds <- rsample_folds(folds, fit)
  if (is.numeric(folds) && length(folds) == 1L) return(random_folds(n, folds))
  if (!is.atomic(folds) || length(folds) != n || all(is.na(folds))) {
    abort_neargp("folds", c(
      sprintf("`folds` must be a number of folds, \"blocked\", \"location\", or one value for each of the %s rows that were fitted.", format_count(n)),
      x = if (length(folds) == n) "All its values are missing." else
      sprintf("It is %s.", describe_value(folds)),
      i = if (fit$n_dropped > 0)
      sprintf("%s rows of the data were dropped by `na.action` before the fit.",
        format_count(fit$n_dropped))
    ))
  }
  if (length(unique(folds)) < 2L) {
    abort_neargp("folds", "All rows are in the same fold: nothing would be left to predict from.")
  }
  folds
}

# `start`: when it began.
new_validation <- function(predictions, fit, folds, refit, level, recalibrated, start, classes) {
  rownames(predictions) <- NULL
  grouped <- function(by) {
    if (classes) grouped_scores(predictions, by, score = class_fold_scores) else
      grouped_scores(predictions, by, level)
  }
  structure(list(
    scores = grouped("setting"), fold_scores = grouped(c("setting", "fold")),
    predictions = predictions, folds = folds, refit = refit, level = level,
    response = paste(fit$outputs %||% fit$data$response_name, collapse = ", "),
    recalibrated = recalibrated, several_responses = !is.null(fit$outputs),
    levels = fit$data$levels,
    place = fit_place(fit, original_coords(as_places(fit))),
    elapsed = proc.time()[["elapsed"]] - start
  ), class = c(if (classes) "neargp_class_cv", "neargp_cv"))
}

# Where one of the fits is of classes, all are scored as such.
has_classifier <- function(cases) {
  any(vapply(cases, function(case) inherits(case$fit, "neargp_classifier"), NA))
}

# One fold of one setting.
validate_split <- function(cases, number, split, refit, level) {
  case <- cases[[number]]
  predicted <- if (has_classifier(cases)) predict_class_split(case, split, refit) else
    predict_split(case, split, refit, level)
  if (!is.null(case$fit$outputs)) return(predicted)
  data.frame(setting = names(cases)[number], predicted, check.names = FALSE)
}

# Fits by different families have different columns: those that a table lacks are NA.
bind_tables <- function(pieces) {
  columns <- Reduce(union, lapply(pieces, names))
  do.call(rbind, lapply(pieces, function(piece) {
    piece[setdiff(columns, names(piece))] <- NA
    piece[columns]
  }))
}

# Runs the tasks on the workers of a plan, or one after the other.
apply_tasks <- function(n, verbose, task) {
  if (workers_planned() > 1L) {
    return(future.apply::future_lapply(seq_len(n), task, future.seed = TRUE,
      future.packages = "neargp"))
  }
  if (!verbose) return(lapply(seq_len(n), task))
  bar <- cli::cli_progress_bar("Cross-validating", total = n)
  lapply(seq_len(n), function(i) {
    result <- task(i)
    cli::cli_progress_update(id = bar)
    result
  })
}

# A plan can only have been set when future is loaded; it is not loaded for the sake of asking.
workers_planned <- function() {
  if (!isNamespaceLoaded("future") || !requireNamespace("future.apply", quietly = TRUE)) return(1L)
  future::nbrOfWorkers()
}

response_fold_scores <- function(predictions, level) {
  if (!is.null(predictions$crps) && !anyNA(predictions$crps)) {
    return(summarize_scores(predictions$observed, predictions, level))
  }
  scores(predictions, observed = predictions$observed, level = level)
}

grouped_scores <- function(predictions, by, level,
                           score = function(piece) response_fold_scores(piece, level)) {
  groups <- unique(predictions[by])
  key <- do.call(paste, c(unname(predictions[by]), sep = "\r"))
  wanted <- do.call(paste, c(unname(groups), sep = "\r"))
  pieces <- split(predictions, factor(key, wanted))
  table <- bind_tables(lapply(pieces, score))
  table <- cbind(groups, table)
  table <- table[do.call(order, c(list(match(table$setting, unique(predictions$setting))),
    as.list(table[setdiff(by, "setting")]))), ]
  structure(table, row.names = seq_len(nrow(table)), class = c("neargp_scores", "data.frame"))
}
