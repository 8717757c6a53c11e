# Standard errors of the trend that include the uncertainty of the other parameters. The objective l
# is maximised over the coefficients b given the working parameters t of covariance and family. With
# b(t) the best coefficients, V their covariance matrix given t, C that of t and J = db/dt, the
# block of b in the inverse of minus the joint second derivatives of l is
#
#   V + J C J',
#
# since V is the inverse of the block of b, J = V d2l/dbdt', and C is the inverse of minus the
# second derivatives of l(b(t), t). V alone would take t for known. For a gaussian response the
# mixed second derivatives are zero on average, and generalised least squares uses V.

# Adds J C J' to a result; `slope` is J, a row for each coefficient in the core's columns.
# with_natural_trend() makes the covariance matrix of the trend of it. Predictions of the field and
# the trend together keep V, which is the covariance matrix given the parameters at which they
# compute the field.
with_parameter_uncertainty <- function(result, problem, slope) {
  if (is_gaussian(problem$family) || !length(slope) || !all(is.finite(slope))) return(result)
  informed <- problem$free & !at_bound(result$working, problem, result$information)
  spread <- working_covariance(result$information, informed)
  known <- !is.na(diag(spread))
  slope <- slope[, known, drop = FALSE]
  result$trend_spread <- slope %*% spread[known, known, drop = FALSE] %*% t(slope)
  result
}

# core_trend() for statements on the trend alone.
uncertain_trend <- function(object) {
  trend <- core_trend(object)
  if (!is.null(trend$spread)) trend$beta_vcov <- with_spread(trend$beta_vcov, trend$spread)
  trend
}
