# The term of a formula that combines a Gaussian process with another regression.

#' Combine a Gaussian process with other learners
#'
#' @description
#' A `learner()` term in the formula of [neargp()] stacks a random forest, boosting or another
#' regression with the Gaussian process. Experimental.
#'
#' ```r
#' fit <- neargp(precipitation ~ elevation + learner(lm, predictors = ~ elevation * lat),
#'   colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' fit
#' ```
#'
#' @details
#' Any function with a formula, data and a `predict()` method works, for example `ranger::ranger`,
#' `gbm::gbm` or `rpart::rpart`. Wrap other functions: `function(formula, data) ...`. `ranger()`
#' grows 500 trees with `min.node.size = 3` unless you set them. Several terms are several members.
#'
#' `combine = "stack"` predicts by a mixture. Member k predicts observation i without it, with the
#' density `p_k(y_i)`. The weights maximise `sum_i log sum_k w_k p_k(y_i) + 2 sum_k log w_k`, which
#' adds two observations to each member (Yao et al. 2018). The standard deviation of a learner is
#' the root mean square of its left-out errors, at all locations.
#'
#' `combine = "residual"` is regression kriging: the learner's prediction plus a Gaussian process of
#' its left-out errors. The formula is then the trend of these errors.
#'
#' A learner never predicts an observation that it was trained on. Its left-out predictions are out
#' of bag for `ranger()` and `randomForest()` regressions without `predict`, and else from 10 random
#' folds. With `folds`, all members leave out the same folds, the process by its estimates from all
#' observations. Use [block_folds()] for maps far from the data.
#'
#' Learners use R's random numbers, so [set.seed()] makes a fit reproducible. `weights` and offsets
#' belong to the process alone. The response must be one Gaussian response without `transform`.
#' `fit$process` is the fit of the process, and `fit$members` contains the trained learners.
#'
#' @param f a function with arguments `formula` and `data`.
#' @param ... further arguments of `f`.
#' @param predict a function of the model and new data that returns numbers. Default `NULL`:
#'   [stats::predict()].
#' @param predictors names of columns, or a one-sided formula that `f` gets as it is. Default
#'   `NULL`: all predictors of the process and its coordinates. More than 40 predictors, or a third
#'   of the observations if that is more, are replaced by 20 principal components.
#' @param folds folds as in [cross_validate()], or the name of their column. Default `NULL`: none.
#' @param combine `"stack"` (default) or `"residual"`, see Details.
#' @return `neargp()` then returns an object of class `neargp_learned`. Its `coef()` returns the
#'   weights, and `what = "trend"` or `"covariance"` the parameters of the process. `predict()`,
#'   `simulate()`, `scores()`, `loo_predict()`, `cross_validate()`, `fitted()`, `residuals()`,
#'   `update()` and `variable_importance(by = "permute")` use all members. `fitted()` is based on
#'   left-out predictions of learners. `cross_validate()` repeats all steps in each fold. Draws of
#'   `simulate()` are of one random member each, with independent errors for learners.
#' @references Yao, Y., Vehtari, A., Simpson, D. and Gelman, A. (2018). Using stacking to average
#'   Bayesian predictive distributions. *Bayesian Analysis* 13, 917–1007.
#' @seealso [random_effects] for other special terms, [recalibrate()]
#' @examples
#' stations <- colorado_precipitation()
#' set.seed(1)
#' fit <- neargp(precipitation ~ elevation + learner(lm, predictors = ~ elevation * lat), stations,
#'   coords = ~ lon + lat, crs = 4326)
#' summary(fit)
#' coef(fit)
#' new <- data.frame(lon = -105, lat = 39.7, elevation = 1600)
#' predict(fit, new, interval = "prediction", threshold = 400)
#' scores(fit)
#'
#' # A random forest, and regression kriging of its out-of-bag errors
#' if (requireNamespace("ranger", quietly = TRUE)) {
#'   forest <- neargp(precipitation ~ elevation + learner(ranger::ranger), stations,
#'     coords = ~ lon + lat, crs = 4326)
#'   print(coef(forest))
#'   kriged <- neargp(precipitation ~ 1 + learner(ranger::ranger, predictors = ~ elevation + lat,
#'     combine = "residual"), stations, coords = ~ lon + lat, crs = 4326)
#'   print(rbind(stack = scores(forest), kriging = scores(kriged)))
#' }
#'
#' # Blocks of stations are left out of all members
#' blocks <- block_folds(fit$process, v = 5, size = 100)
#' far <- update(fit, . ~ elevation + learner(lm, predictors = ~ elevation * lat, folds = blocks))
#' rbind(rows = coef(fit), blocks = coef(far))
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
