# The leave-one-out log score of class labels as a function of theta. Theta contains the working
# parameters of the covariance, the logarithm of the slope of the link, the coefficients of the
# trend inside it, and the intercept shift. The trend's columns are orthogonal, with one set of
# coefficients for each output. The intercept among the coefficients is the one among data. Far from
# data it is the intercept of the class prevalence (R/classes-prevalence.R) plus the intercept
# shift. The difference is the bias of src/core/loo/label_link.h. Formulas are there and in
# label_regression.h.
#
# A light ridge, per observation, regularises what the data barely determine. It is 1e-3 of the
# trend's mean square among data, since the softmax does not change when all outputs get the same.
# It is 1e-4 of the squared logarithm of the slope. The ridge on the square of the intercept shift
# is 1e-2 in up to three coordinates. Almost no row is far from all others there, so the score's
# preference would be the model's error. In more coordinates, where many are, it is 1e-4.

label_penalty <- c(slope = 1e-4, trend = 1e-3)

shift_penalty <- function(problem) if (ncol(problem$classes$labels$coords) > 3L) 1e-4 else 1e-2

# Columns of the trend: of two classes one, the log odds of the second.
trend_outputs <- function(classes) if (classes == 2L) 1L else classes

label_theta <- function(working, log_slope, trend, intercept_shift = double(0)) {
  c(working, log_slope, as.vector(trend), as.vector(intercept_shift))
}

# Without class prevalence the intercept is optimised as any other coefficient
# (R/classes-polya-gamma.R).
split_theta <- function(problem, theta) {
  p <- nrow(problem$layout)
  part <- list(working = theta[seq_len(p)], log_slope = theta[p + 1L],
    trend = theta_trend(problem, theta))
  part$bias <- double(ncol(part$trend))
  if (is.null(problem$classes$prevalence)) return(part)
  prior <- problem$classes$prevalence$intercept + theta_intercept_shift(problem, theta)
  part$bias <- part$trend[problem$loo$design$intercept, ] - prior
  part$trend <- replace_intercept(problem, part$trend, prior)
  part
}

# The coefficients of the trend in theta, with the intercept among data.
theta_trend <- function(problem, theta) {
  outputs <- trend_outputs(problem$classes$labels$classes)
  q <- ncol(problem$loo$design$X)
  matrix(theta[nrow(problem$layout) + 1L + seq_len(q * outputs)], q, outputs)
}

# The difference of the intercept far from data from that of the class prevalence.
theta_intercept_shift <- function(problem, theta) {
  if (is.null(problem$classes$prevalence)) double(0) else
    utils::tail(theta, trend_outputs(problem$classes$labels$classes))
}

replace_intercept <- function(problem, trend, value) {
  trend[problem$loo$design$intercept, ] <- value
  trend
}

# Observations with their conditioning sets, ready for the core.
label_plan <- function(problem, at, component, k) {
  sets <- leave_one_out_sets(problem$classes$labels, at, component, k, problem$context,
    label_content(problem$classes$labels, at))
  pointer <- core_label_model(sets$coords, sets$content, problem$classes$per_class, sets$targets,
    sets$neighbors)
  list(pointer = pointer, at = at, X = problem$loo$design$X[at$row, , drop = FALSE],
    offset = problem$data$offset[at$row])
}

# `span`: which of the plan's observations count.
label_objective <- function(problem, plan, span = seq_along(plan$at$row)) {
  terms <- label_terms(problem, plan, span)
  label_score_over_rows(problem, terms$n, rows_in_one_part(terms = terms,
    specification = covariance_specification(problem$layout, problem$groups)))
}

# `n`: observations of `rows`, a host.
label_score_over_rows <- function(problem, n, rows) {
  score_objective(problem, n, rows, function(theta) label_values(problem, theta),
    penalty = function(theta) n * theta_penalty(problem, theta),
    gradient = function(theta, known, sums) {
      trend_part <- matrix(sums$d_trend, ncol = ncol(known$trend))
      shift_part <- double(0)
      if (!is.null(problem$classes$prevalence)) {
        near <- sums$d_bias
        shift_part <- trend_part[problem$loo$design$intercept, ] - near
        trend_part <- replace_intercept(problem, trend_part, near)
      }
      label_theta(core_to_working_slope(problem$layout, known$values) * sums$d_covariance,
        sums$d_log_slope - 2 * n * label_penalty[["slope"]] * theta[nrow(problem$layout) + 1L],
        trend_part - 2 * n * label_penalty[["trend"]] * theta_trend(problem, theta),
        shift_part - 2 * n * shift_penalty(problem) * theta_intercept_shift(problem, theta))
    })
}

# The numbers on which the score depends.
label_values <- function(problem, theta) {
  part <- split_theta(problem, theta)
  values <- to_core(part$working, problem$layout$transform)
  list(values = values, nugget = nugget_of(problem$layout, values), slope = exp(part$log_slope),
    trend = part$trend, bias = part$bias)
}

# The sums over the observations that `span` counts of a plan.
label_terms <- function(problem, plan, span = seq_along(plan$at$row)) {
  count <- plan$at$count[span]
  class <- plan$at$class[span]
  X <- plan$X[span, , drop = FALSE]
  offset <- plan$offset[span]
  at <- function(known, with_gradient) {
    result <- core_label_score(plan$pointer, span[1L], span[length(span)], class, count,
      known$covariance, known$nugget, known$slope, link_shift(problem, X, offset, known$trend),
      link_bias(problem, known$bias), with_gradient, problem$context)
    if (result$failed > 0L) return(list(failed = 1L))
    sums <- list(failed = 0L, score = result$value)
    if (!with_gradient) return(sums)
    c(sums, list(d_covariance = result$gradient, d_log_slope = result$d_log_slope,
      d_trend = crossprod(X, trend_shift(problem, result$d_shift)),
      d_bias = trend_shift(problem, t(result$d_bias))))
  }
  list(at = at, n = sum(count))
}

theta_penalty <- function(problem, theta) {
  log_slope <- theta[nrow(problem$layout) + 1L]
  label_penalty[["slope"]] * log_slope^2 + label_penalty[["trend"]] *
    sum(theta_trend(problem, theta)^2) +
    shift_penalty(problem) * sum(theta_intercept_shift(problem, theta)^2)
}

# Maps the trend to the shift of each output, and derivatives in the shifts back (trend_shift()):
# two processes share the log odds of the second.
link_shift <- function(problem, X, offset, trend) {
  shift <- row_products(X, trend) + offset
  if (has_two_processes(problem)) cbind(0, shift) else shift
}

link_bias <- function(problem, bias) {
  if (has_two_processes(problem)) c(0, bias) else bias
}

trend_shift <- function(problem, d_shift) {
  if (has_two_processes(problem)) d_shift[, 2L, drop = FALSE] else d_shift
}

# Whether there are two processes for two classes, of which the second one alone gets a trend.
has_two_processes <- function(problem) {
  problem$classes$per_class && problem$classes$labels$classes == 2L
}

# ---- the design inside the link ------------------------------------------------------------------

# Orthogonal columns of unit mean square that span the same space as X (R/trend-basis.R). The sum of
# squared coefficients is then the mean square of the trend itself. The penalty depends on the
# trend, and not on how it is written (x + x^2, or poly(x, 2)), and no optimiser meets its collinear
# columns. The intercept comes first and stays: all others are centred.
scaled_design <- function(X) {
  basis <- trend_basis(X)
  sign <- ifelse(diag(basis$rotation) < 0, -1, 1)
  columns <- structure(sweep(basis_columns(basis, X), 2L, sign, "*"),
    dimnames = list(NULL, colnames(X)))
  list(X = columns, back = sweep(basis$back, 2L, sign, "*"), onward = sign * basis$onward,
    intercept = which(colnames(X) %in% "(Intercept)"))
}

unscaled_trend <- function(design, trend) {
  structure(design$back %*% trend, dimnames = list(colnames(design$X), colnames(trend)))
}

scaled_trend <- function(design, trend) unname(design$onward %*% trend)
