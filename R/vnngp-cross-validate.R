# Held-out rows of latent models: nothing of them may be left in the posterior, which is therefore found anew from the other rows, with
# the parameters of the full fit held.

#' @export
restrict_rows.neargp_vnngp <- function(method, fit, rows) {
  problem <- fold_problem(fit, rows)
  layout <- problem$layout
  estimated <- match(fit$parameters$name, layout$name)
  layout$value[estimated] <- to_core(fit$parameters$working, layout$transform[estimated])
  layout$fixed[] <- TRUE
  problem$layout <- layout
  problem$free <- !layout$fixed
  problem <- with_start(method, problem)
  with_estimates(fit, problem, fit_method(method, problem))
}
