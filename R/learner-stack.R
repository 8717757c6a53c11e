# A Gaussian process and learners together: the weights of a stack, and distributions of new
# observations.
#
# Let p_k(y_i) be the density of row i by member k without row i, or without its fold. The weights
# maximise
#
#   sum_i log sum_k w_k p_k(y_i) + 2 sum_k log w_k,
#
# the second sum being a Dirichlet prior that is worth two rows of each member. The step
#
#   r_ik = w_k p_k(y_i) / sum_l w_l p_l(y_i),    w_k = (sum_i r_ik + 2) / (n + 2 K)
#
# of the EM algorithm increases it, and it is concave.

pseudo_rows <- 2

# `log_density`: a matrix of rows and members.
stacking_weights <- function(log_density, most_steps = 100000L, tolerance = 1e-12) {
  members <- ncol(log_density)
  density <- exp(log_density - as.vector(do.call(pmax, asplit(log_density, 2L))))
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

# Mean and standard deviation of each row of the process without the row, or without its fold by
# the estimates of all rows; NA and Inf for rows that are not left out.
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
  UseMethod("combined_distribution")
}

#' @export
combined_distribution.neargp_stack <- function(object, process, means) {
  sd <- lapply(object$members, function(member) rep(member$sd, length(process$mean)))
  new_normal_mixture(do.call(cbind, c(list(process$mean), unname(means))),
    do.call(cbind, c(list(process$sd), unname(sd))), log(unname(object$weights)))
}

#' @export
combined_distribution.neargp_kriged_residuals <- function(object, process, means) {
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
