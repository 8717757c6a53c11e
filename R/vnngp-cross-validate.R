# Held-out rows of latent models must leave nothing in the posterior. It is therefore found again
# from the other rows, with the parameters and chosen inducing points of the full fit. (Inducing
# points that are the locations of the data are those of the other rows.)

#' @export
restrict_rows.neargp_vnngp <- function(method, fit, rows, context) {
  refit_problem(fit, held_problem(method, fit, rows, context))
}

#' @export
held_problem.neargp_vnngp <- function(method, fit, rows, context) {
  if (is.null(method$inducing)) fit <- with_k_of_rows(fit, rows)
  problem <- hold_parameters(fit, fold_problem(fit, rows, context))
  if (!is.null(method$inducing)) {
    problem$inducing <- fit$posterior$coords
    problem$method$inducing <- NULL
  }
  problem[c("low_rank", "joint_trend")] <- fit$posterior[c("low_rank", "joint_trend")]
  problem
}
