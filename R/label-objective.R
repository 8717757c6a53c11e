# The leave-one-out log score of class labels as a function of theta: the working parameters of the covariance, the logarithm of the
# slope of the link, and the coefficients of the trend inside it (of orthogonal columns, one set of coefficients for each output). Formulas
# are in src/core/methods/label_model.h and class_score.h.
#
# A light ridge, per observation, keeps apart what the data hardly tell apart: 1e-3 of the trend's mean square (the softmax does not change
# when all outputs get the same), 1e-4 of the squared logarithm of the slope.

label_penalty <- c(slope = 1e-4, trend = 1e-3)

# With two classes and one output or one process each, the trend is the log odds of the second.
trend_outputs <- function(classes) if (classes == 2L) 1L else classes

label_theta <- function(working, log_slope, trend) c(working, log_slope, as.vector(trend))

split_theta <- function(problem, theta) {
  p <- nrow(problem$layout)
  list(working = theta[seq_len(p)], log_slope = theta[p + 1L],
    trend = matrix(theta[-seq_len(p + 1L)], ncol(problem$design$X), trend_outputs(problem$labels$classes)))
}

# Observations with their conditioning sets, ready for the core.
label_plan <- function(problem, at, component, k) {
  sets <- leave_one_out_sets(problem$labels, at, component, k, problem$threads, label_content(problem$labels, at))
  pointer <- core_label_model(sets$coords, sets$content, problem$own_class, sets$targets, sets$neighbors)
  list(pointer = pointer, at = at, X = problem$design$X[at$row, , drop = FALSE], offset = problem$data$offset[at$row])
}

# `span`: which of the plan's observations count.
label_objective <- function(problem, plan, span = seq_along(plan$at$row)) {
  layout <- problem$layout
  count <- plan$at$count[span]
  class <- plan$at$class[span]
  X <- plan$X[span, , drop = FALSE]
  offset <- plan$offset[span]
  n <- sum(count)
  score <- function(theta, gradient) {
    part <- split_theta(problem, theta)
    values <- to_core(part$working, layout$transform)
    core_label_score(plan$pointer, span[1L], span[length(span)], class, count, as_core_covariance(layout, problem$groups, values),
      nugget_of(layout, values), exp(part$log_slope), link_shift(problem, X, offset, part$trend), gradient, problem$threads)
  }
  evaluate <- function(theta) {
    result <- score(theta, FALSE)
    if (result$failed > 0L || !is.finite(result$value)) return(list(value = -Inf, failed = 0L))
    list(value = result$value - n * theta_penalty(problem, theta), score = result$value, failed = 0L)
  }
  gradient <- function(theta, beta = NULL) {
    result <- score(theta, TRUE)
    if (result$failed > 0L) return(rep(NA_real_, length(theta)))
    part <- split_theta(problem, theta)
    covariance_part <- core_to_working_slope(layout, to_core(part$working, layout$transform)) * result$gradient
    trend_part <- crossprod(X, trend_shift(problem, result$d_shift))
    label_theta(covariance_part, result$d_log_slope - 2 * n * label_penalty[["slope"]] * part$log_slope,
      trend_part - 2 * n * label_penalty[["trend"]] * part$trend)
  }
  list(evaluate = evaluate, gradient = gradient, n = n)
}

theta_penalty <- function(problem, theta) {
  part <- split_theta(problem, theta)
  label_penalty[["slope"]] * part$log_slope^2 + label_penalty[["trend"]] * sum(part$trend^2)
}

# From the trend to the shift of each output, and back from derivatives in the shifts: two processes share the log odds of the second.
link_shift <- function(problem, X, offset, trend) {
  shift <- X %*% trend + offset
  if (problem$labels$classes == 2L && problem$own_class) cbind(0, shift) else shift
}

trend_shift <- function(problem, d_shift) {
  if (problem$labels$classes == 2L && problem$own_class) d_shift[, 2L, drop = FALSE] else d_shift
}

# ---- the design inside the link ---------------------------------------------------------------------------------------------------

# Columns that span what those of X do, orthogonal and of unit mean square (X = Q R), so that the sum of squared coefficients is the mean
# square of the trend itself: the penalty depends on what the trend is, and not on how it is written (x + x^2, or poly(x, 2)), and no
# optimiser meets its collinear columns. The intercept comes first and stays: all others are centred.
scaled_design <- function(X) {
  if (!ncol(X)) return(list(X = X, factor = matrix(0, 0L, 0L), intercept = integer(0)))
  decomposition <- qr(X)
  sign <- ifelse(diag(qr.R(decomposition)) < 0, -1, 1) * sqrt(nrow(X))
  orthogonal <- sweep(qr.Q(decomposition), 2L, sign, "*")
  colnames(orthogonal) <- colnames(X)
  list(X = orthogonal, factor = qr.R(decomposition) / sign, intercept = which(colnames(X) %in% "(Intercept)"))
}

unscaled_trend <- function(design, trend) {
  if (length(trend)) trend <- backsolve(design$factor, trend)
  rownames(trend) <- colnames(design$X)
  trend
}

scaled_trend <- function(design, trend) unname(design$factor %*% trend)
