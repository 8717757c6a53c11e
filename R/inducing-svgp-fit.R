# A fit by svgp(), from the optimiser's result to the lines of print().

#' @export
fit_method.neargp_svgp <- function(method, problem) {
  check_bound_noise(problem)
  refuse_effects_by_batches(method, problem$data)
  if (is_sharded(problem)) problem <- with_bound_in_shards(problem)
  reached <- fit_inducing(method, problem)
  result <- inducing_result(method, problem, reached,
    wanted_curvature(method, with_fitted_network(problem, reached$network), reached))
  result$shards <- problem$data$shards
  if (is.null(reached$found)) c(result, list(inducing = reached$positions)) else result
}

# `reached$found`: the further results of Adam. `curvature`: of bound_curvature(), NULL where no
# standard errors are wanted.
inducing_result <- function(method, problem, reached, curvature) {
  result <- method_result(reached,
    score = if (is_joint(method)) "predictive score" else "evidence lower bound",
    information = curvature$information)
  result$network <- reached$network
  if (is.null(reached$found)) result$value <- evidence_bound(method, reached$evaluated) else
    result[names(reached$found)] <- reached$found
  result
}

check_bound_noise <- function(problem) {
  known <- problem$data$noise$known
  if (!any(problem$layout$value[problem$layout$kind == "nugget"] %in% 0) ||
      (!is.null(known) && all(known > 0))) {
    return(invisible())
  }
  abort_neargp("nugget",
    c(sprintf("%s needs noise: with nugget = 0 the process at the inducing points cannot follow all data.",
      method_call(problem$method)),
      i = "Estimate the nugget (nugget = NULL) or fix a positive one; vecchia() and exact_gp() interpolate."))
}

# The ELBOs of classes and of several responses do not support a weight of the divergence.
refuse_kl_weight <- function(method, response) {
  if (bound_kl_weight(method) == 1) return(invisible())
  abort_neargp("method", c(sprintf("`kl_weight` is not for %s.", response),
    i = "Leave `kl_weight` out."))
}

wanted_curvature <- function(method, problem, reached, step = 1e-4) {
  if (method$std_error %||% (sum(problem$free) <= 12L)) bound_curvature(problem, reached, step)
}

# The posterior is computed again, unless Adam has moved it, since the optimiser used another unit
# of the response.
#' @export
complete_fit.neargp_svgp <- function(method, fit, result, context) {
  fit <- with_inducing_points(fit, result)
  if (!is.null(fit$svgp$weights)) return(fit)
  if (is.null(result$shards)) return(with_inducing_posterior(fit, context))
  fit$data$shards <- result$shards
  fit <- with_inducing_posterior(fit, context, specified_covariance(covariance_specification(
    fit$layout, component_groups(fit$covariance, fit$locations)), to_core(result$working,
      fit$layout$transform)))
  fit$data$shards <- NULL
  fit
}

with_inducing_points <- function(fit, result) {
  fit <- with_fitted_network(fit, result$network)
  fit$svgp <- result$svgp %||% list(positions = result$inducing)
  fit$inducing <- position_frame(fit$svgp$positions, fit$locations)
  fit
}

# The distribution of the field at the inducing points given the rows that the fit holds now.
with_inducing_posterior <- function(fit, context, covariance = as_specified(fit$core_covariance)) {
  of_posterior <- c("weights", "factor", "unexplained")
  fit$svgp[of_posterior] <- bound_at(fit$data, covariance, fit$nugget, fit$svgp$positions,
    fit$method, context, fitted_effects(fit))[of_posterior]
  fit
}

# The share of the field's variance that inducing points leave unexplained at the data, on average.
unexplained_share <- function(fit) {
  fit$svgp$unexplained / if (is.null(fit$outputs)) field_variance(fit) else 1
}

#' @export
fit_details.neargp_svgp <- function(method, fit) {
  share <- unexplained_share(fit)
  advice <- if (share > 0.1) ": more points, or vecchia(), predict better" else ""
  c(Inducing = sprintf("%s points, %s", format_count(nrow(fit$inducing)),
    if (method$move) "moved" else "held"),
    Bound = sprintf("%s; unexplained share of the process variance %s%s", method$bound,
      format(signif(share, 2L)), advice),
    `KL weight` = if (bound_kl_weight(method) != 1) sprintf("%s in what was maximised",
      format(method$kl_weight)),
    Posterior = if (isFALSE(fit$svgp$settled))
    "not settled after 100 steps: probabilities and the ELBO may be slightly inaccurate")
}
