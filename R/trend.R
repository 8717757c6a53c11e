# The trend by generalised least squares, where the covariance is given.

# The coefficients of a fit as estimated from these rows of data alone, and their covariance matrix:
# its likelihood, or for fits by scores Vecchia's in the maxmin ordering, with the trend profiled
# out.
trend_of_rows <- function(fit, data, context) {
  if (ncol(data$X) == 0L) return(list(beta = fit$beta, beta_vcov = fit$beta_vcov))
  trend <- estimated_trend(fit$method, fit, data, context)
  names(trend$beta) <- names(fit$beta)
  dimnames(trend$beta_vcov) <- dimnames(fit$beta_vcov)
  trend
}

# Coefficients and their covariance matrix from the rows of `data`, by the likelihood of the method.
estimated_trend <- function(method, fit, data, context) {
  UseMethod("estimated_trend")
}

#' @export
estimated_trend.default <- function(method, fit, data, context) {
  gls_trend(data, as_specified(fit$core_covariance), trend_nugget(fit), earlier_neighbors(fit, data,
    context), context)
}

# Nuggets of several outputs are part of their covariance.
trend_nugget <- function(fit) if (is.null(fit$outputs)) fit$nugget else 0

earlier_neighbors <- function(fit, data, context) {
  neighbors_before(list(data = data, method = fit$method, context = context),
    metric_component(fit$core_covariance), min(fit$k, length(data$y) - 1L), "maxmin", 0)
}

gls_trend <- function(data, covariance, nugget, neighbors, context) {
  solved_trend(core_evaluate(local_problem(data, neighbors, context), covariance, nugget,
    FALSE, context), length(data$y))
}

solved_trend <- function(parts, n) {
  trend <- if (parts$failed > 0L) list(value = -Inf) else profile_trend(parts, n)
  if (!is.finite(trend$value)) abort_cholesky(parts$failed)
  trend[c("beta", "beta_vcov")]
}
