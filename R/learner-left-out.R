# A learner that is trained on rows, and its predictions of these rows without themselves: out of
# bag where the model offers them, else from other folds. Its values at its own rows are never used.

# `settings`: by learner(); `y`: the responses of the rows of `frame`.
train_learner <- function(settings, frame, y) {
  formula <- settings$predictors
  named <- rlang::is_formula(formula)
  recipe <- new_recipe(frame, named)
  data <- by_recipe(recipe, frame)
  response <- utils::tail(make.unique(c(names(data), "response")), 1L)
  data[[response]] <- y
  formula <- if (named) stats::as.formula(call("~", as.name(response), formula[[2L]]),
    environment(formula)) else stats::reformulate(".", as.name(response), env = globalenv())
  list(settings = settings, recipe = recipe, model = run_learner(settings, formula, data))
}

# The call of the model names its data instead of containing them.
run_learner <- function(settings, formula, data) {
  env <- new.env(parent = environment(formula))
  environment(formula) <- env
  env$data <- data
  env$train <- settings$train
  arguments <- c(settings$arguments, open_defaults(settings))
  first <- stats::setNames(list(formula),
    if ("formula" %in% names(formals(args(settings$train)))) "formula" else "")
  call <- as.call(c(quote(train), first, list(data = quote(data)), arguments))
  on_learner(settings$label, "trained", eval(call, env))
}

# Arguments that learners get unless they are given.
learner_defaults <- list(ranger = list(num.trees = 500L, min.node.size = 3L))

open_defaults <- function(settings) {
  home <- environment(settings$train)
  known <- if (isNamespace(home)) learner_defaults[[getNamespaceName(home)]]
  known <- known[names(known) %in% names(formals(settings$train))]
  known[setdiff(names(known), names(settings$arguments))]
}

on_learner <- function(label, what, value) {
  tryCatch(value, neargp_error = stop, error = function(error) {
    abort_neargp("learner", c(sprintf("%s could not be %s.", label, what),
      i = "Check its arguments in learner(), and its `predict`."), parent = error)
  })
}

# The predictions of rows of `frame`, NA where a predictor is missing.
predict_learner <- function(trained, frame) {
  complete <- which(stats::complete.cases(frame))
  values <- rep(NA_real_, nrow(frame))
  if (!length(complete)) return(values)
  known <- structure(frame[complete, , drop = FALSE], kept = attr(frame, "kept"))
  newdata <- by_recipe(trained$recipe, known)
  label <- trained$settings$label
  predicted <- on_learner(label, "predicted", suppressMessages(
    if (is.null(trained$settings$predict)) stats::predict(trained$model, newdata) else
      trained$settings$predict(trained$model, newdata)))
  values[complete] <- predicted_numbers_of(predicted, length(complete), label)
  values
}

# Numbers from what predict methods return: vectors, matrices and data frames of one column, and
# lists with predictions.
predicted_numbers_of <- function(value, count, label) {
  if (is.list(value)) {
    value <- unclass(value)
    value <- if (length(value) == 1L) value[[1L]] else value$predictions %||% value$fit
  }
  if (is.numeric(value) && length(value) == count && all(is.finite(value))) return(as.double(value))
  abort_neargp("learner", c(sprintf("The predictions of %s must be a finite number for each row.",
    label), x = if (is.numeric(value) && length(value) == count)
    sprintf("%s of %s are missing or infinite.", sum(!is.finite(value)), count) else
    sprintf("For %s rows they are %s.", format_count(count), describe_value(value)),
    i = "Extract them: learner(predict = function(model, newdata) ...)."))
}

# ---- left out ------------------------------------------------------------------------------------

# Predictions of the training rows by trees that have not seen them; NULL without these.
out_of_bag <- function(model) {
  UseMethod("out_of_bag")
}

#' @export
out_of_bag.default <- function(model) NULL

#' @export
out_of_bag.ranger <- function(model) {
  if (identical(model$treetype, "Regression")) model$predictions
}

#' @export
out_of_bag.randomForest <- function(model) {
  if (identical(model$type, "regression")) model$predicted
}

# Each row predicted without itself, NA for rows that no fold holds. `splits`: of blocked folds,
# NULL without these.
left_out_learner <- function(trained, frame, y, splits) {
  own <- if (is.null(splits) && is.null(trained$settings$predict)) out_of_bag(trained$model)
  if (is.numeric(own) && length(own) == length(y) && all(is.finite(own))) return(as.double(own))
  cross_fitted(trained$settings, frame, y, splits %||% default_splits(length(y)))
}

default_splits <- function(n) splits_of(random_folds(n, min(10L, n)))

cross_fitted <- function(settings, frame, y, splits) {
  values <- rep(NA_real_, length(y))
  for (split in splits) {
    known <- suppressMessages(train_learner(settings_of_rows(settings, split$kept, length(y)),
      frame_rows(frame, split$kept), y[split$kept]))
    values[split$held] <- predict_learner(known, frame_rows(frame, split$held))
  }
  values
}

# Arguments with a value for each of the n rows, such as weights, follow the rows.
settings_of_rows <- function(settings, rows, n) {
  by_row <- vapply(settings$arguments, function(value) is.atomic(value) && length(value) == n, NA)
  settings$arguments[by_row] <- lapply(settings$arguments[by_row], `[`, rows)
  settings
}

frame_rows <- function(frame, rows) {
  structure(frame[rows, , drop = FALSE], row.names = .set_row_names(length(rows)),
    kept = attr(frame, "kept"))
}

# A learner trained on rows of data, with its predictions of rows that are left out, and the root
# mean square of their errors.
new_member <- function(settings, process, data, y, splits) {
  frame <- predictor_frame(settings, process, data, "data")
  check_complete_predictors(frame, settings$label)
  trained <- train_learner(settings, frame, y)
  left_out <- left_out_learner(trained, frame, y, splits)
  error <- sqrt(mean((y - left_out)^2, na.rm = TRUE))
  c(trained, list(left_out = left_out, sd = max(error, 1e-8 * stats::sd(y), .Machine$double.xmin)))
}

predict_member <- function(member, process, data) {
  predict_learner(member, predictor_frame(member$settings, process, data))
}
