# A posterior on inducing points that Adam has moved, kept in its final state. `moments` are those
# of trend and field together, in the coordinates in which Adam moved. They are a mean and a root of
# the covariance matrix, a lower triangle. The columns of orthogonal_trend() come first.

# The result of fit_inducing(), with the parts that a fit keeps.
adam_result <- function(problem, method, reached) {
  epochs <- batch_epochs(method)
  found <- moved_posterior(problem, method, reached)
  state <- list(working = reached$working, positions = reached$positions, iterations = epochs,
    evaluations = epochs, converged = NA, message = paste0(epochs_message(epochs, reached$skipped),
      few_steps(method, problem, epochs)))
  state$evaluated <- list(value = found$value, beta = found$result$beta,
    beta_vcov = found$result$beta_vcov)
  state$found <- found$result
  state
}

# Adam moves by about its rate in a step. In few steps it does not reach distant optima, such as
# that of the trend.
few_steps <- function(method, problem, epochs, enough = 1000) {
  steps <- epochs * ceiling(length(problem$data$y) / method$batch_size)
  if (steps >= enough) return("")
  sprintf("; these were %s steps, where it takes a few thousand: a smaller batch_size or more epochs", format_count(steps))
}

# The mean of trend and field consists of m and M, and the root of the blocks R_bb, 0, R_mb, R_mm.
# Given the coefficients b, the mean of the field is M + C (b - m), where C = R_mb R_bb^-1. Its
# covariance matrix is R_mm R_mm'. The evidence lower bound is that at b = m, as where the trend is
# profiled out.
moved_posterior <- function(problem, method, reached) {
  trend <- batch_trend(problem)
  parts <- split_moments(reached$posterior, ncol(trend$X))
  at <- objective_of_moments(problem, method, reached, trend, parts)
  unit <- problem$data$basis$unit %||% 1
  inverse <- forwardsolve(parts$field_root, diag(nrow(parts$field_root)))
  svgp <- list(positions = reached$positions,
    weights = unname(cbind(parts$field - drop(parts$onto_trend %*% parts$trend),
      -parts$onto_trend %*% inverse_of(trend$matrix) / unit)),
    factor = t(chol(crossprod(inverse))), unexplained = unit^2 * mean(at$unexplained),
    moments = reached$posterior)
  result <- list(svgp = svgp, beta = drop(trend$matrix %*% parts$trend),
    beta_vcov = tcrossprod(trend$matrix %*% parts$trend_root))
  if (!is_gaussian(problem$family)) {
    result$svgp$pseudo_observations <- list(precision = at$curvature,
      natural = at$curvature * (at$linear_predictor - latent_response(problem$data)$offset) +
      at$slope, unexplained_share = 1)
    result$posterior <- list(linear_predictor = at$linear_predictor, slope = at$slope,
      pseudo_precision = at$curvature, variance_at_data = at$variance + at$unexplained,
      variance_given_nodes = at$unexplained)
  }
  list(result = result, value = at$value)
}

split_moments <- function(moments, columns) {
  of_trend <- seq_len(columns)
  root <- moments$root
  field <- setdiff(seq_along(moments$mean), of_trend)
  trend_root <- root[of_trend, of_trend, drop = FALSE]
  list(trend = moments$mean[of_trend], field = moments$mean[field], trend_root = trend_root,
    field_root = root[field, field, drop = FALSE],
    onto_trend = root[field, of_trend, drop = FALSE] %*% inverse_of(trend_root))
}

# The inverse, which also accepts the empty matrix of a model without a trend.
inverse_of <- function(matrix) if (length(matrix)) solve(matrix) else matrix

# The evidence lower bound over all rows, or the objective of ppgpr(), with each row's moments
# there.
objective_of_moments <- function(problem, method, reached, trend, parts) {
  response <- batch_response(problem)
  response$offset <- response$offset + drop(trend$X %*% parts$trend)
  response$design <- matrix(0, length(response$y), 0L)
  values <- to_core(reached$working, problem$layout$transform)
  at <- checked_bound(core_inducing_objective(problem$data$coords, response, reached$positions,
    problem_covariance(problem, values), family_core_name(problem$family),
    family_values(problem$family, problem$layout, values),
    list(mean = parts$field, root = parts$field_root),
    list(score = row_score(method), bound = method$bound,
      kl_weight = if (is_joint(method)) method$kl_weight else 1, jitter = method$jitter),
    FALSE, problem$context))
  if (!is.finite(at$value)) {
    abort_neargp("quadrature",
      c("The densities of all rows cannot be computed where Adam has ended.",
        i = "Use a smaller learning_rate or other starting values."))
  }
  at$linear_predictor <- response$offset + at$mean
  at
}
