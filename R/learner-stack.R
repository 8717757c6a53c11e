# A Gaussian process and learners together: the weights of a stack, and distributions of new
# observations.
#
# Let p_k(y_i) be the density of row i by member k without row i, or without its fold. The weights
# maximise
#
#   sum_i log sum_k w_k p_k(y_i) + 2 sum_k log w_k,
#
# the second sum being a Dirichlet prior that is worth two rows of each member. The objective is
# concave. Steps of the EM algorithm increase it. With K members and n rows they are
#
#   r_ik = w_k p_k(y_i) / sum_l w_l p_l(y_i),    w_k = [2 + sum_i r_ik] / [n + 2K].

#' Fits with learners
#'
#' @description
#' Fits by [neargp()] with [learner()] terms: their weights, and the methods that they support.
#' Experimental.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1 + learner(lm, predictors = ~ elevation * lat),
#'   colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' coef(fit)
#' ```
#'
#' @details
#' The weights of a stack maximise `sum_i log sum_k w_k p_k(y_i) + 2 sum_k log w_k`, with the
#' density `p_k(y_i)` of observation i by member k without it (Yao et al. 2018). The standard
#' deviation of a learner is the root mean square of its left-out errors.
#'
#' Left-out predictions of learners are out of bag for `ranger()` and `randomForest()` without
#' `predict`, and else from 10 random folds. Those of the process are leave-one-out. With `folds`,
#' all members leave out the same folds, for example [block_folds()] for maps far from the data.
#' Leave-one-out scores of `combine = "residual"` are slightly optimistic: the learner of the other
#' errors has seen the observation. Use `cross_validate()`.
#'
#' `predict()` supports `interval = "prediction"`, quantiles and thresholds, for data frames, sf
#' points and SpatRasters. `scores()`, `loo_predict()`, `residuals()`, `simulate()`, `update()` and
#' `summary()` work as for other fits. `fitted()` takes left-out predictions of learners.
#' `cross_validate()` repeats all steps in each fold. `variable_importance()` permutes.
#' `simulate()` draws from one random member at a time, with independent errors of learners.
#'
#' @return An object of class `neargp_learned`, a list with the fit `process` and the trained
#'   `members`. `coef()` returns the weights, and `what = "trend"` or `"covariance"` the parameters
#'   of the process.
#' @references Yao, Y., Vehtari, A., Simpson, D. and Gelman, A. (2018). Using stacking to average
#'   Bayesian predictive distributions. *Bayesian Analysis* 13, 917–1007.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' set.seed(1)
#' fit <- neargp(precipitation ~ 1 + learner(lm, predictors = ~ elevation * lat), stations,
#'   coords = ~ lon + lat, crs = 4326)
#' summary(fit)
#' scores(fit)
#'
#' # Blocks of stations are left out of all members
#' blocks <- block_folds(fit$process, v = 5, size = 100)
#' far <- update(fit, . ~ 1 + learner(lm, predictors = ~ elevation * lat, folds = blocks))
#' rbind(rows = coef(fit), blocks = coef(far))
#' @name learned_fits
NULL

pseudo_rows <- 2

# `log_density`: a matrix of rows and members.
stacking_weights <- function(log_density, most_steps = 100000L, tolerance = 1e-12) {
  members <- ncol(log_density)
  density <- exp(log_density - largest_of_rows(log_density))
  weights <- rep(1 / members, members)
  for (step in seq_len(most_steps)) {
    joint <- sweep(density, 2L, weights, "*")
    following <- (colSums(joint / rowSums(joint)) + pseudo_rows) /
      (nrow(density) + pseudo_rows * members)
    change <- max(abs(following - weights))
    weights <- following
    if (change < tolerance) break
  }
  stats::setNames(weights, colnames(log_density))
}

# Moments of each row by the process without the row, or without its fold. Parameters are those of
# all rows. Rows that are not left out are NA, with standard deviation Inf.
left_out_process <- function(process, splits) {
  if (is.null(splits)) return(leave_one_out(process))
  n <- length(process$data$y)
  left <- list(mean = rep(NA_real_, n), sd = rep(Inf, n))
  for (split in splits) {
    known <- fit_without_fold(process, split, FALSE)
    moments <- predictive_moments(held_observations(known, process, split,
      held_target(process, split))$distribution)
    left$mean[split$held] <- moments$mean
    left$sd[split$held] <- moments$sd
  }
  left
}

# ---- distributions -------------------------------------------------------------------------------

# The distribution of new observations from the normal distributions of the process there, a list
# of mean and sd, and the means of the learners, a list of numbers.
combined_distribution <- function(object, process, means) {
  new_recalibrated(combined_members(object, process, means), object$recalibration)
}

combined_members <- function(object, process, means) {
  UseMethod("combined_members")
}

#' @export
combined_members.neargp_stack <- function(object, process, means) {
  sd <- lapply(object$members, function(member) rep(member$sd, length(process$mean)))
  new_normal_mixture(do.call(cbind, c(list(process$mean), unname(means))),
    do.call(cbind, c(list(process$sd), unname(sd))), log(unname(object$weights)))
}

#' @export
combined_members.neargp_kriged_residuals <- function(object, process, means) {
  new_normal_mixture(cbind(process$mean + means[[1L]]), cbind(process$sd), 0)
}

# ---- training ------------------------------------------------------------------------------------

train_members <- function(object, process, data, y, splits) {
  lapply(object$settings, new_member, process = process, data = data, y = y, splits = splits)
}

# The numbers that the process is fitted to: the responses, or what the learner leaves of them.
process_response <- function(object, members, y) {
  UseMethod("process_response")
}

#' @export
process_response.neargp_stack <- function(object, members, y) y

#' @export
process_response.neargp_kriged_residuals <- function(object, members, y) {
  y - members[[1L]]$left_out
}

# Completes `object`, whose members are trained, by the process and the weights.
with_process <- function(object, process, splits) {
  UseMethod("with_process")
}

#' @export
with_process.neargp_stack <- function(object, process, splits) {
  left <- left_out_process(process, splits)
  members <- c(list(process = left), lapply(object$members, function(member) {
    list(mean = member$left_out, sd = member$sd)
  }))
  rows <- rows_of_all(lapply(members, `[[`, "mean"))
  log_density <- vapply(members, function(member) {
    stats::dnorm(object$y, member$mean, member$sd, log = TRUE)[rows]
  }, double(length(rows)))
  object$weights <- stacking_weights(log_density)
  with_left_out(object, process, rows, left)
}

#' @export
with_process.neargp_kriged_residuals <- function(object, process, splits) {
  left <- left_out_process(process, splits)
  rows <- rows_of_all(list(left$mean, object$members[[1L]]$left_out))
  object$weights <- stats::setNames(c(1, 1), c("process", names(object$members)))
  with_left_out(object, process, rows, left)
}

# `rows`: those that all members predict without them; `left`: the moments of the process there.
with_left_out <- function(object, process, rows, left) {
  left <- lapply(left, `[`, rows)
  means <- lapply(object$members, function(member) member$left_out[rows])
  object$process <- process
  object$left_out <- list(rows = rows, process = left,
    distribution = combined_distribution(object, left, means))
  object
}

# The rows at which all of the numbers are known.
rows_of_all <- function(means) {
  rows <- which(stats::complete.cases(do.call(cbind, unname(means))))
  if (length(rows) < 2L) {
    abort_neargp("loo", c("No two rows can be predicted from the others by all members.",
      i = "Use a shorter formula, or other folds."))
  }
  rows
}
