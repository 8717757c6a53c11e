# The term of a formula that combines a Gaussian process with another regression.

#' Combine a Gaussian process with other learners
#'
#' @description
#' A `learner()` term in the formula of [neargp()] stacks a random forest or another regression with
#' the process. Experimental.
#'
#' ```r
#' fit <- neargp(precipitation ~ elevation + learner(lm, predictors = ~ elevation * lat),
#'   colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' fit
#' ```
#'
#' @details
#' Any function with a formula, data and a `predict()` method works, for example `ranger::ranger`,
#' `gbm::gbm` or `rpart::rpart`. `ranger()` grows 500 trees with `min.node.size = 3` by default.
#' Several terms are several members.
#'
#' Use [set.seed()] for reproducible learners. `weights` and offsets belong to the process. The
#' response must be Gaussian, without `transform`.
#'
#' @param f a function with arguments `formula` and `data`.
#' @param ... further arguments of `f`. Values for each observation follow the observations.
#' @param predict a function of the model and new data. Default `NULL`:
#'   [stats::predict()].
#' @param predictors names of columns, or a one-sided formula for `f`. Default `NULL`: all of the
#'   process, with its coordinates. 20 principal components replace more than 40 predictors, and
#'   more than a third of the observations.
#' @param folds folds as in [cross_validate()], or the name of their column, see [learned_fits].
#'   Default `NULL`: none.
#' @param combine `"stack"` (default) predicts by a mixture. `"residual"` is regression kriging: the
#'   prediction of one learner plus a Gaussian process of its left-out errors, whose trend is the
#'   formula.
#' @return `neargp()` returns an object of class `neargp_learned`, see [learned_fits].
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' set.seed(1)
#' fit <- neargp(precipitation ~ elevation + learner(lm, predictors = ~ elevation * lat), stations,
#'   coords = ~ lon + lat, crs = 4326)
#' fit
#' new <- data.frame(lon = -105, lat = 39.7, elevation = 1600)
#' predict(fit, new, interval = "prediction", threshold = 400)
#'
#' # A random forest, and regression kriging of its out-of-bag errors
#' if (requireNamespace("ranger", quietly = TRUE)) {
#'   forest <- neargp(precipitation ~ elevation + learner(ranger::ranger), stations,
#'     coords = ~ lon + lat, crs = 4326)
#'   kriged <- update(forest, . ~ elevation + learner(ranger::ranger, combine = "residual"))
#'   print(rbind(stack = scores(forest), kriging = scores(kriged)))
#' }
#' @export
learner <- function(f, ..., predict = NULL, predictors = NULL, folds = NULL,
                    combine = c("stack", "residual")) {
  check_given(missing(f), "f", "a function with arguments `formula` and `data`")
  label <- learner_label(substitute(f))
  check_trainable(f)
  arguments <- list(...)
  if (length(arguments) && !rlang::is_named(arguments)) {
    abort_neargp("argument", c("Further arguments of learner() need names.",
      i = "For example learner(ranger::ranger, num.trees = 1000)."))
  }
  if (!is.null(predict) && !is.function(predict)) {
    abort_argument("predict", "a function of the model and new data, or NULL", predict)
  }
  structure(list(train = f, label = label, arguments = arguments, predict = predict,
    predictors = check_predictors(predictors), folds = folds,
    combine = check_choice(combine, "combine", c("stack", "residual"))), class = "neargp_learner")
}

# Functions that are written in the term go by a short name.
learner_label <- function(expression) {
  if (is.name(expression) || is.call(expression) &&
      head_name(expression) %in% c("::", ":::", "$")) deparse1(expression) else "learner"
}

# Generics such as randomForest() take a formula for their first argument.
check_trainable <- function(f) {
  if (!is.function(f)) {
    abort_argument("f", "a function with arguments `formula` and `data`", f)
  }
  known <- names(formals(args(f)))
  if (all(c("formula", "data") %in% known) || "..." %in% known) return(invisible())
  abort_neargp("argument", c("The function of learner() must take `formula` and `data`.",
    x = sprintf("Its arguments are %s.", format_some(known, 12L)),
    i = "Wrap it: learner(function(formula, data) ...)."))
}

check_predictors <- function(predictors) {
  valid <- is.null(predictors) || is.character(predictors) && length(predictors) > 0L ||
    rlang::is_formula(predictors) && length(predictors) == 2L
  if (valid) return(predictors)
  abort_argument("predictors", "names of columns, or a formula such as ~ a + b", predictors)
}

#' @export
print.neargp_learner <- function(x, ...) {
  cat(sprintf("Learner for a formula of neargp(): %s\n", x$label))
  invisible(x)
}
