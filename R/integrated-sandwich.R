# Draws of the covariance parameters of a leave-one-out score, which is no likelihood. Its estimates
# are asymptotically normal with the sandwich covariance H^-1 J H^-1 (Godambe 1960; Varin, Reid and
# Firth 2011). H is minus the expected second derivatives of the score, and J the covariance matrix
# of its gradient. Draws have equal weights.
#
# The weights b_i of the neighbours and the variance f_i of row i given these make the rows w_i =
# (e_i - b_i) / sqrt(f_i) of a matrix W. With r = y - X beta the score is
#
#   S = -1/2 sum_i [ log 2 pi f_i + (w_i'r)^2 ].
#
# Its derivative in parameter a is -1/2 sum_i d_a log f_i - r'W'W_a r with W_a = d_a W. The
# covariance matrix of r at the estimates is Q. Let C_a = W_a Q W' and E_ab = W_a Q W_b'. Then the
# covariances of the derivatives are
#
#   J_ab = sum_ij [ C_a,ij C_b,ji + E_ab,ij (W Q W')_ij ].
#
# Each density integrates to 1, so that the covariance matrix of its own gradient is its part of H:
# H_ab is the sum of the terms with i = j. Both take the trend as known.

sandwich_fits <- function(object, context) {
  problem <- started_problem(fold_problem(object, seq_along(object$data$y), context))
  estimates <- object$parameters[match(problem$layout$name, object$parameters$name), ]
  working <- estimates$working - unit_shift(problem)
  free <- which(problem$free & !estimates$at_boundary)
  if (!length(free)) abort_all_at_limits()
  axes <- sandwich_axes(problem, working, free)
  units <- normal_points(max(posterior_draws, 4L * length(free)), length(free))
  design_of_draws(lapply(seq_len(nrow(units)), function(i) {
    working[free] <- working[free] + drop(axes %*% units[i, ])
    at <- clamp(working, problem$bounds, problem$free)
    if_computable(held_fit(object, problem, at, context))
  }))
}

# `fits` contains NULL for a draw that allows no predictions.
design_of_draws <- function(fits) {
  computed <- Filter(Negate(is.null), fits)
  lost <- length(fits) - length(computed)
  if (!length(computed)) abort_cholesky(0L)
  if (lost) warn_lost_draws(lost, length(fits))
  list(fits = computed, log_weights = rep(-log(length(computed)), length(computed)),
    is_posterior = FALSE, pareto_k = NA_real_)
}

warn_lost_draws <- function(lost, count) {
  warn_neargp("parameters", c(
    sprintf("%d of %d draws of the covariance parameters allow no predictions and are left out.",
      lost, count),
    i = "Use parameters = \"plug-in\" if they are many."))
}

abort_all_at_limits <- function() {
  abort_neargp("parameters",
    c("There is no parameter to integrate over: all are at a limit of their search intervals.",
      i = "Use parameters = \"plug-in\"."))
}

# A root of the covariance matrix of the free parameters. As in R/integrated-draws.R no direction
# is wider than the prior.
sandwich_axes <- function(problem, working, free) {
  parts <- sandwich_parts(problem, working, free)
  penalty <- diag(penalty_curvature(problem$layout, working)[free], length(free))
  precision <- prior_precision(with_default_priors(problem), working)[free]
  unit <- 1 / sqrt(pmax(precision, least_curvature))
  in_units <- function(matrix) matrix * outer(unit, unit)
  bread <- eigen(in_units(parts$H + penalty), symmetric = TRUE)
  inverse <- bread$vectors %*% (t(bread$vectors) /
    pmax(bread$values, 1e-10 * max(bread$values)))
  sandwich <- eigen(inverse %*% in_units(parts$J) %*% inverse, symmetric = TRUE)
  unit * sweep(sandwich$vectors, 2L, sqrt(pmin(pmax(sandwich$values, 0), 1)), "*")
}

# H and J of the `free` parameters.
sandwich_parts <- function(problem, working, free) {
  data <- problem$data
  values <- to_core(working, problem$layout$transform)
  rows_at <- whitening_rows(problem, working)
  W <- rows_at(working)
  slopes <- lapply(free, function(a) slope_of_rows(rows_at, working, a))
  Q <- core_covariance_matrix(data$coords, data$coords, problem_covariance(problem, values))
  diag(Q) <- diag(Q) + nugget_of(problem$layout, values) / data$weights
  across <- function(left, rows) t(times_rows(rows, t(left)))
  moved <- lapply(slopes, times_rows, Q)
  own <- lapply(moved, across, W)
  errors <- across(times_rows(W, Q), W)
  J <- H <- matrix(0, length(free), length(free))
  for (a in seq_along(free)) {
    for (b in seq_len(a)) {
      both <- across(moved[[a]], slopes[[b]])
      J[a, b] <- J[b, a] <- sum(own[[a]] * t(own[[b]])) + sum(both * errors)
      H[a, b] <- H[b, a] <- sum(diag(own[[a]]) * diag(own[[b]]) + diag(both) * diag(errors))
    }
  }
  # contrasts within locations consist of noise alone
  nugget <- diag(as.numeric(problem$layout$kind[free] == "nugget"), length(free))
  within <- nugget * sum(data$within$contrasts) / 2
  list(H = H + within, J = J + within)
}

# A function of the parameters: W as a list of the columns of its entries, `columns`, and their
# `values`, a row for each row of W. The neighbours are those at `working`.
whitening_rows <- function(problem, working) {
  data <- problem$data
  count <- length(data$y)
  neighbors <- neighbors_others(problem, component_at(problem, working),
    min(problem$method$k, count - 1L))
  columns <- cbind(seq_len(count), t(as.matrix(neighbors)))
  function(working) {
    values <- to_core(working, problem$layout$transform)
    nugget <- nugget_of(problem$layout, values)
    kriging <- core_kriging(data$coords, response_columns(data), 1 / data$weights,
      problem_covariance(problem, values), nugget)
    given <- core_krige(kriging, data$coords, neighbors, FALSE, problem$context,
      keep_weights = TRUE)
    if (given$failed > 0L) abort_cholesky(0L)
    list(columns = columns, values = cbind(1, -given$weights) /
      sqrt(given$variance + nugget / data$weights))
  }
}

slope_of_rows <- function(rows_at, working, a, step = 1e-4) {
  at <- function(h) rows_at(replace(working, a, working[a] + h))
  after <- at(step)
  after$values <- (after$values - at(-step)$values) / (2 * step)
  after
}

# The product of such rows with a matrix.
times_rows <- function(rows, matrix) {
  result <- 0
  for (j in seq_len(ncol(rows$columns))) {
    result <- result + rows$values[, j] * matrix[rows$columns[, j], , drop = FALSE]
  }
  result
}
