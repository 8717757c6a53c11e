# The trend by generalised least squares, where the covariance is given.

# The coefficients of a fit as estimated from these rows of data alone, and their covariance matrix.
# They maximise the likelihood of the fit, given the covariance. For fits by scores this is
# Vecchia's likelihood in the maxmin ordering.
trend_of_rows <- function(fit, data, context) {
  if (ncol(data$X) == 0L && !has_effects(data)) {
    return(list(beta = fit$beta, beta_vcov = fit$beta_vcov))
  }
  trend <- estimated_trend(fit$method, fit, data, context)
  if (has_effects(data)) return(trend)
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
  if (is_compressed(data)) return(compressed_trend(fit, data, context))
  if (is_gaussian(fit$family)) data <- at_locations(data)
  gls_trend(data, as_specified(fit$core_covariance), trend_nugget(fit), earlier_neighbors(fit, data,
    context), context, fitted_effects(fit), unname(fit$nugget))
}

earlier_neighbors <- function(fit, data, context) {
  covariance <- fit$core_covariance
  covariance$nugget <- fit$nugget
  neighbors_before(list(data = data, method = fit$method, context = context),
    metric_component(covariance), min(fit$k, length(data$y) - 1L), "auto", 0)
}

# `effects`: blocks and their factors, of fitted_effects(). `nuggets`: of each output.
gls_trend <- function(data, covariance, nugget, neighbors, context, effects = NULL,
                      nuggets = nugget) {
  parts <- core_evaluate(local_problem(data, neighbors, context), covariance, nugget, FALSE,
    context)
  solved_trend(add_within(parts, within_terms(data$within), nuggets), count_observations(data),
    effects)
}

solved_trend <- function(parts, n, effects = NULL) {
  trend <- if (parts$failed > 0L) list(value = -Inf) else if (!is.null(effects))
    profile_effects(parts, n, effects$blocks, effects$factors) else profile_trend(parts, n)
  if (!is.finite(trend$value)) abort_cholesky(parts$failed)
  trend[c("beta", "beta_vcov")]
}

moments_of_trend <- function(object, X, offset, context = plain_context(object$threads)) {
  if (is_compressed(object$data)) return(compressed_moments(object, X, offset, NULL, context))
  columns <- design_columns(object$data, X)
  trend <- uncertain_trend(object)
  list(mean = base_mean(object$data, X, offset, columns) +
    drop(row_products(columns, trend$beta)), variance = row_forms(columns, trend$beta_vcov))
}
