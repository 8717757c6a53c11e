# Scores of a process with learners. Each fold repeats all of the fit: learners, their left-out
# predictions, the process and the weights.

#' @export
scores.neargp_learned <- function(object, newdata = NULL, observed = NULL, weights = NULL,
                                  level = 0.95, na.rm = FALSE, ...) {
  check_no_more_arguments()
  check_learned(object)
  check_level(level)
  if (is.null(newdata)) {
    left <- object$left_out
    y <- object$y[left$rows]
    return(structure(summarize_scores(y, score_rows(y, left$distribution, level), level,
      length(object$y) - length(y)), left_out = if (is.null(object$folds)) "row"))
  }
  check_learned_newdata(newdata)
  scored <- response_fit(object)
  truth <- new_observations(scored, newdata, observed, NULL)
  given <- predicted_numbers(object$process, newdata, "link")
  at <- list(weights = scored_weights(scored, newdata, new_weights(scored, newdata, weights)))
  process <- predictive_moments(predictive(object$process$method, object$process,
    list(mean = given$mean, variance = given$sd^2), at)$observation)
  distribution <- learned_distribution(object, newdata, process = process)
  scores_of_distribution(truth$y, predictive_moments(distribution), distribution,
    object$process$family, level, na.rm)
}

# The fit whose rows and responses are scored.
response_fit <- function(object) {
  UseMethod("response_fit")
}

#' @export
response_fit.default <- function(object) object

#' @export
response_fit.neargp_learned <- function(object) {
  process <- object$process
  process$data[c("y", "response_name")] <- list(object$y, object$response)
  process$terms <- object$terms
  process$formula[[2L]] <- object$formula[[2L]]
  process
}

# ---- cross-validation ----------------------------------------------------------------------------

#' @export
cross_validate.neargp_learned <- function(object, folds = 10, refit = TRUE, level = 0.95,
                                          verbose = rlang::is_interactive(), ...) {
  check_no_more_arguments()
  validate_cases(list(fit = list(fit = object, arguments = list())), folds, refit, level, verbose)
}

#' @export
predict_split.neargp_learned <- function(object, case, split, refit, level) {
  if (!refit) {
    abort_neargp("argument", c("`refit` must be TRUE for fits with learner() terms.",
      i = "Learners have seen the rows of each fold: cross_validate(refit = TRUE)."))
  }
  known <- learned_without(object, split, TRUE)
  held <- held_learned(known, object, split, object$data[split$held, , drop = FALSE],
    held_target(object$process, split, known$process))
  observed <- object$y[split$held]
  data.frame(row = split$held, fold = split$fold, observed = observed,
    score_rows(observed, held, level))
}

# The fit to the rows that a fold keeps. `refit`: estimates the parameters of the process again?
learned_without <- function(object, split, refit) {
  rows <- split$kept
  known <- object
  known$y <- object$y[rows]
  known$settings <- lapply(object$settings, settings_of_rows, rows, length(object$y))
  known$folds <- folds_of_rows(object$folds, rows)
  splits <- if (!is.null(known$folds)) kept_splits(known$folds, object$process, split)
  known$members <- train_members(known, object$process, object$data[rows, , drop = FALSE],
    known$y, splits)
  process <- object$process
  process$data$y[rows] <- process_response(object, known$members, known$y)
  with_process(known, fit_without_fold(process, split, refit), splits)
}

# Folds of some of the rows, with what they leave out near these.
folds_of_rows <- function(folds, rows) {
  if (is.null(folds)) return(NULL)
  kept <- lapply(attr(folds, "kept"), function(known) match(intersect(known, rows), rows))
  structure(as.vector(folds)[rows], buffer = attr(folds, "buffer"),
    kept = if (length(kept)) kept)
}

kept_splits <- function(folds, process, split) {
  if (length(unique(folds[!is.na(folds)])) > 1L) {
    process$data <- take_data_rows(process$data, split$kept)
    return(fold_splits(folds, process))
  }
  abort_neargp("folds", c(
    sprintf("Without fold %s all rows are in one fold of learner().", split$fold),
    i = "Give learner() more folds."))
}

# The distribution of the rows of a fold by the fit without it. `data`: these rows, and `at`: the
# same as targets of the process.
held_learned <- function(known, object, split, data, at) {
  process <- held_observations(known$process, object$process, split, at)$distribution
  combined_distribution(known, predictive_moments(process), learner_means(known, data))
}

# ---- importance ----------------------------------------------------------------------------------

#' @export
variable_importance.neargp_learned <- function(object, variables = NULL, by = c("permute", "refit"),
                                               folds = NULL, repeats = 5L, seed = NULL,
                                               verbose = rlang::is_interactive()) {
  check_learned(object)
  if (check_choice(by, "by", c("permute", "refit")) == "refit") {
    abort_learned("by = \"refit\"", "Use by = \"permute\".")
  }
  repeats <- check_count(repeats, "repeats")
  check_flag(verbose, "verbose")
  scored <- response_fit(object)
  groups <- variable_groups(with_learner_columns(scored, object), object$data, variables,
    "permute")
  state <- seed_generator(seed)
  on.exit(state$restore())
  folds <- resolve_folds(folds %||% 10, scored)
  orders <- permutations(groups, length(object$y), repeats)
  new_importance(scores_over_folds(fold_splits(folds, scored), names(groups), verbose,
    function(split) permuted_learned(object, groups, orders, split)), "permute")
}

# The scored fit with the columns of learners among its terms.
with_learner_columns <- function(scored, object) {
  columns <- unlist(lapply(object$settings, learner_columns, object$process))
  further <- setdiff(columns, unlist(importance_variables(scored, object$data)))
  if (!length(further)) return(scored)
  scored$terms <- stats::terms(stats::update(stats::formula(scored$terms),
    stats::reformulate(c(".", sprintf("`%s`", further)))))
  scored
}

# Log scores of a fold, and with the values of each group in other rows.
permuted_learned <- function(object, groups, orders, split) {
  known <- learned_without(object, split, FALSE)
  score <- function(data, at) {
    -predictive_log_density(object$y[split$held], held_learned(known, object, split, data, at))
  }
  permuted <- Map(function(group, orders) {
    rowMeans(do.call(cbind, lapply(orders, function(order) {
      data <- permuted_rows(object$data, group, order, split$held)
      score(data, complete_target(object$process, data, split$held))
    })))
  }, groups, orders)
  c(list(score(object$data[split$held, , drop = FALSE], held_target(object$process, split))),
    permuted)
}
