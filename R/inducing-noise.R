# The ELBO on inducing points of rows whose noise follows a model of its own (noise.R). The core
# computes its value and gradient at the noise of the rows. The derivative in the noise v_i of each
# row follows from the posterior there. W_i is 1 / v_i, and e_i the row's residual from the
# posterior mean. The inducing points and effects give the row the variance s_i, and the points
# leave d_i unexplained. With the derivative tau_i in d_i of the trace term in
# variational/collapsed_bound.h,
#
#   `dF / d log v_i = 1/2 [ W_i (e_i^2 + s_i) + tau_i d_i - 1 ]`.

bound_of_noise <- function(problem, method) {
  layout <- problem$layout
  data <- problem$data
  columns <- response_columns(data)
  function(covariance, values, positions, effects) {
    noise <- row_noise(data, layout, values)
    result <- bound_of_columns(columns, noise$variance, data, covariance, 1, positions, method,
      TRUE, problem$context, effects)
    if (nzchar(result$failure)) return(result)
    known <- core_collapsed_predict(data$coords, core_inducing_prior(positions, covariance, 0,
      method$jitter, problem$context), core_inducing_posterior(result$weights, result$factor),
      problem$context)
    known$posterior <- known$posterior + effects_spread(columns - known$weighted, result)
    slopes <- noise_slopes(columns, known, result$beta, 1 / noise$variance, method$bound)
    result$gradient <- c(result$gradient,
      drop(crossprod(noise$derivatives, slopes / noise$variance)))
    in_layout_order(result, data, layout)
  }
}

noise_slopes <- function(columns, known, beta, precision, bound) {
  error <- drop((columns - known$weighted) %*% c(1, -beta))
  unexplained <- precision * known$unexplained
  trace <- if (bound == "tight") unexplained / (1 + unexplained) else unexplained
  0.5 * (precision * (error^2 + known$posterior) + trace - 1)
}
