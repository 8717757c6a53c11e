# Standard errors of the trend that know how uncertain the other parameters are. The objective l is
# maximised over the coefficients b given the working parameters t of covariance and family. With
# b(t) the best coefficients, V their covariance matrix given t, C that of t and J = db/dt, the
# block of b in the inverse of minus the joint second derivatives of l is
#
#   V + J C J',
#
# since V is the inverse of the block of b, J = V d2l/dbdt', and C is the inverse of minus the
# second derivatives of l(b(t), t). V alone would take t for known. Of a gaussian response the
# mixed second derivatives are zero on average, and V is what generalised least squares has.

# `slope`: J, a row for each coefficient in the core's columns. Predictions keep V, which is the
# covariance matrix given the parameters at which they compute the field.
with_parameter_uncertainty <- function(result, problem, slope) {
  if (is_gaussian(problem$family) || !length(slope) || !all(is.finite(slope))) return(result)
  informed <- problem$free & !at_bound(result$working, problem, result$information)
  spread <- working_covariance(result$information, informed)
  known <- !is.na(diag(spread))
  slope <- slope[, known, drop = FALSE]
  result$held_vcov <- result$held_vcov %||% result$beta_vcov
  trend <- seq_len(nrow(slope))
  result$beta_vcov[trend, trend] <- result$beta_vcov[trend, trend] +
    slope %*% spread[known, known, drop = FALSE] %*% t(slope)
  result
}
