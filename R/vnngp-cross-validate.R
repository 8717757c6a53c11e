# Held-out rows of latent models: nothing of them may be left in the posterior, which is therefore found anew from the other rows, with
# the parameters and chosen inducing points of the full fit held. (Inducing points that are the locations of the data are those of the
# other rows.)

#' @export
restrict_rows.neargp_vnngp <- function(method, fit, rows) {
  problem <- fold_problem(fit, rows)
  layout <- problem$layout
  estimated <- match(fit$parameters$name, layout$name)
  layout$value[estimated] <- to_core(fit$parameters$working, layout$transform[estimated])
  layout$fixed[] <- TRUE
  problem$layout <- layout
  problem$free <- !layout$fixed
  if (!is.null(method$inducing)) {
    problem$inducing <- fit$posterior$coords
    method$inducing <- NULL
  }
  problem <- with_start(method, problem)
  with_estimates(fit, problem, fit_method(method, problem))
}
