#' Cross-validation
#'
#' @description
#' Predicts every observation from the other folds and scores the predictions, to compare models and
#' to measure the accuracy of a map.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' cross_validate(fit, folds = 5)
#' ```
#'
#' @details
#' With `refit = FALSE`, the covariance parameters are those of the full fit, and the trend is
#' re-estimated for each fold. Scores are close to those with `refit = TRUE`, unless the
#' observations are few or the parameters many. You should refit to compare covariances with `sd =
#' ~`, `range = ~` or `warp = `.
#'
#' For predictions far from the data, hold out blocks of the size of the gaps: `folds =
#' block_folds(fit, v = 10, size = )`. If locations repeat, random folds measure predictions at
#' known locations. `folds = "location"` measures predictions at new ones.
#'
#' Predictions are of observations, so their standard deviation includes the noise. [vnngp()], and
#' [loo_k()] with other families, estimate the process again for each fold. You can run folds in
#' parallel with `future::plan("multisession")` and future.apply, or on a `cluster`.
#'
#' @param object a fit by [neargp()], or a named list of fits to the same responses, compared on the
#'   same folds. Next to a [loo_k()] fit of two categories, other 0/1 fits are scored as categories.
#' @param folds the number of random folds, `"blocked"` for ten folds of square blocks, or
#'   `"location"` for whole locations. It can be a vector with one value per observation as from
#'   [random_folds()] and [block_folds()], in which `NA` is never held out, or splits by rsample.
#'   Default: 10.
#' @param refit `TRUE` re-estimates all parameters for each fold. `FALSE` (default) re-estimates
#'   only the trend.
#' @param settings a named list of lists of arguments of [predict()][predict.neargp] to compare:
#'   `k`, `local_mean`, `sectors`, `maxdist`, `parameters`. For example, `list(few = list(k = 10),
#'   many = list(k = 100))`. Default `NULL`: the defaults.
#' @param level the probability of the scored intervals, a number between 0 and 1. Default: 0.95.
#' @param verbose `TRUE` or `FALSE`: show progress? Default: in interactive sessions.
#' @param cluster a cluster of package parallel that computes the folds, see [clusters]. Fits with
#'   random numbers (Adam) use others there. Default `NULL`: none.
#' @param ... arguments of [predict()][predict.neargp] for all settings, and `threads`.
#' @return An object of class `neargp_cv`, a list with
#'   * `scores` and `fold_scores`: data frames of [scores()] for each setting, and for each fold.
#'     For categories these are [classification_scores];
#'   * `predictions`: `setting`, `row`, `fold`, `observed`, `mean` and `sd`. Other families add
#'     `crps`, `log_score`, `lower`, `upper`, `pit_lower`, `pit_upper`, `link_mean` and `link_sd`.
#'     Categories return `class` and `prob_<level>`;
#'   * `folds`, `refit`, `level`, `response`, `recalibrated`, `levels`, `place` and `elapsed`
#'     (seconds).
#'
#'   Use `print()`, [plot()][plot.neargp_cv] and `scores()`, and for categories and 0/1 data
#'   [calibration_curve()] and [confusion_table()].
#' @seealso [scores()] for the columns, [random_folds()], [block_folds()], [loo_predict()] for
#'   leave-one-out predictions without refitting.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Which covariance? Compare on the same folds
#' stations <- colorado_precipitation()
#' matern <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5))
#' set.seed(1)
#' compared <- cross_validate(list(matern = matern,
#'   exponential = update(matern, covariance = cov_exponential()),
#'   no_elevation = update(matern, . ~ 1)), folds = 5)
#' compared
#'
#' # Which neighbours, for gaps of 100 km? Hold out blocks
#' vecchia <- update(matern, method = vecchia(k = 10))
#' blocked <- cross_validate(vecchia, folds = block_folds(vecchia, v = 5, size = 100),
#'   settings = list(k10 = list(k = 10), k60 = list(k = 60)))
#' blocked
#' head(blocked$predictions, 3)
#'
#' # Re-estimate all parameters
#' scores(cross_validate(matern, folds = 5, refit = TRUE))
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

# `level`: of the intervals, which classes lack.
validate_cases <- function(cases, folds, refit, level, verbose, cluster = NULL) {
  check_flag(refit, "refit")
  for (case in cases) check_fit(response_fit(case$fit))
  fit <- response_fit(cases[[1L]]$fit)
  classes <- has_classifier(cases)
  if (!classes) check_level(level)
  check_flag(verbose, "verbose")
  for (case in cases) check_conditioning(case$arguments, if (classes) c("k", "threads") else c("k",
    "local_mean", "sectors", "maxdist", "threads", "parameters"))
  start <- proc.time()[["elapsed"]]
  places <- as_places(fit)
  folds <- resolve_folds(folds, places)
  splits <- fold_splits(folds, places)
  tasks <- expand.grid(split = seq_along(splits), case = seq_along(cases))
  cluster <- check_cluster(cluster)
  pieces <- if (is.null(cluster)) {
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
    predict_split(case$fit, case, split, refit, level)
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
