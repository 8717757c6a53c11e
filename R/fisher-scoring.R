# The formula of the information is in src/core/conditional/cpu/vecchia_sums.h.
#
# Maximises a profile log-likelihood by Fisher scoring on the working parameters. Its steps,
# information^-1 gradient, are capped, kept inside the bounds, and halved until the value rises. A
# parameter at an end of its interval whose gradient points outwards leaves the active set. The
# search has converged when a further step is expected to gain less than `tolerance`. To second
# order this gain is half of gradient' information^-1 gradient. Along a ridge, gains fall by a
# constant ratio and add up. Steps therefore end only when their sum is also below `tolerance`,
# except in a coarse search.
#
# Where the model does not fit well, observed and expected curvature differ. Scoring alone then
# swings around the optimum for dozens of steps. BFGS updates therefore correct the expected
# information, so that it reproduces the change of the gradient over the last steps.

fisher_scoring <- function(objective, start, free, bounds, control, tolerance = control$tolerance) {
  working <- clamp(start, bounds, free)
  current <- objective$evaluate(working, information = TRUE)
  check_derivatives(check_start(current), free)
  evaluations <- 1L
  first <- current$value
  pairs <- list()
  values <- first
  gain_before <- Inf
  coarse <- tolerance > control$tolerance
  for (iteration in seq_len(control$max_iterations)) {
    active <- active_set(working, current$gradient, free, bounds)
    step <- scoring_step(current, active, control$max_step, pairs)
    left <- if (coarse) 0 else further_gain(step$predicted_gain, gain_before)
    gain_before <- step$predicted_gain
    if (max(gain_before, left) < tolerance) {
      return(optimizer_result(working, current, first, iteration - 1L, evaluations, TRUE,
        "converged"))
    }
    if (is_flat(values, 5L, tolerance) && step$predicted_gain < 0.5) {
      return(optimizer_result(working, current, first, iteration - 1L, evaluations, TRUE, flat))
    }
    accepted <- line_search(objective, working, current, step, bounds, free)
    evaluations <- evaluations + accepted$evaluations
    if (is.null(accepted$evaluated)) {
      return(stalled_result(working, current, first, iteration, evaluations, step$predicted_gain))
    }
    pairs <- remember_pair(pairs, accepted$working - working, current$gradient -
      accepted$evaluated$gradient)
    working <- accepted$working
    current <- accepted$evaluated
    note_accepted(objective, working)
    report_progress(objective$session, current$value, objective$n)
    values <- c(values, current$value)
  }
  converged <- is_flat(values, 10L, 0.1)
  optimizer_result(working, current, first, control$max_iterations, evaluations, converged,
    if (converged) flat else sprintf("stopped after %d iterations (max_iterations)",
      control$max_iterations))
}

# The sum of the gains of all steps after this one, by the geometric series of the last two gains.
further_gain <- function(gain, before) {
  ratio <- min(gain / before, 0.99)
  gain * ratio / (1 - ratio)
}

# Variance and nugget may act alike, as in white noise with a short range. A step without bounds
# then promises a little more than `tolerance` for ever, while steps of the permitted length gain
# next to nothing.
is_flat <- function(values, steps, gain) {
  n <- length(values)
  n > steps && values[n] - values[n - steps] < gain
}

flat <- "converged where the likelihood is flat"

# No fraction of the step raises the value. With a nearly noise-free, very smooth process,
# covariance matrices are almost singular, which limits the precision of gradients. The gain that is
# left is then far from significant.
stalled_result <- function(working, state, first, iterations, evaluations, predicted_gain) {
  small <- predicted_gain < 0.5
  optimizer_result(working, state, first, iterations, evaluations, small,
    if (small) "converged to the precision of the arithmetic" else
    "no step along the scoring direction raises the likelihood")
}

# `first` is the value at the start: the gain of the optimiser shows whether refreshed neighbours
# mattered.
optimizer_result <- function(working, state, first, iterations, evaluations, converged, message) {
  list(working = working, evaluated = state, gain = state$value - first, iterations = iterations,
    evaluations = evaluations, converged = converged, message = message)
}

clamp <- function(working, bounds, free) {
  working[free] <- pmin(pmax(working[free], bounds$lower[free]), bounds$upper[free])
  working
}

active_set <- function(working, gradient, free, bounds) {
  outward <- (working <= bounds$lower & gradient < 0) | (working >= bounds$upper & gradient > 0)
  free & !outward
}

# Where the data contain next to no information about a parameter, it would take the whole of a
# capped step for itself. Its information is therefore raised to |gradient| / max_step, at which its
# own step is max_step. The matrix is scaled to unit diagonal before it is solved, with a ridge when
# it is near-singular.
scoring_step <- function(state, active, max_step, pairs = list()) {
  full <- rep(0, length(active))
  if (!any(active)) return(list(step = full, predicted_gain = 0, slope = 0))
  gradient <- state$gradient[active]
  information <- secant_correction(state$information[active, active, drop = FALSE], pairs, active)
  diag(information) <- pmax(diag(information), abs(gradient) / max_step, .Machine$double.xmin)
  scale <- 1 / sqrt(diag(information))
  scaled <- information * outer(scale, scale)
  step <- scale * ridge_solve(scaled, scale * gradient)
  predicted_gain <- 0.5 * sum(gradient * step)
  step <- step * min(1, max_step / max(abs(step)))
  full[active] <- step
  list(step = full, predicted_gain = predicted_gain, slope = sum(gradient * step))
}

# The last three steps, and the fall of the gradient over each of them. A long step drops them all,
# since they describe little of the curvature here. A fixed nugget of 0 is -Inf on the working
# scale, where its step is not a number. This step counts as 0.
remember_pair <- function(pairs, step, fall) {
  step[!is.finite(step)] <- 0
  if (max(abs(step)) > 0.5) return(list())
  utils::tail(c(pairs, list(list(step = step, fall = fall))), 3L)
}

# Corrects B so that B s = y, for each pair whose curvature s'y is believable compared with s'Bs,
# `within` this factor: `B <- B - B s s'B / s'Bs + y y' / s'y`.
secant_correction <- function(information, pairs, active, within = 10) {
  for (pair in pairs) {
    s <- pair$step[active]
    y <- pair$fall[active]
    predicted <- drop(information %*% s)
    expected <- sum(s * predicted)
    observed <- sum(s * y)
    if (!isTRUE(observed > 1 / within * expected && observed < within * expected)) next
    corrected <- information - tcrossprod(predicted) / expected + tcrossprod(y) / observed
    if (all(is.finite(corrected))) information <- corrected
  }
  information
}

# The ridge leaves a condition number of at most 1e14, which solve() accepts.
ridge_solve <- function(matrix, vector) {
  values <- eigen(matrix, symmetric = TRUE, only.values = TRUE)$values
  ridge <- max(0, max(1e-6, 1e-14 * max(values)) - min(values))
  solve(matrix + diag(ridge, nrow(matrix)), vector)
}

# Backtracking: the minimum of the parabola through value and slope at 0 and the value at the failed
# step, within [0.1, 0.5] of it. Values that are means over random signs, and gradients that are
# other means, reach their optima at slightly different parameters. The last steps follow the
# gradient.
line_search <- function(objective, working, current, step, bounds, free, halvings = 12L) {
  fraction <- 1
  least <- current$value - if (step$predicted_gain < 0.01) objective$value_noise %||% 0 else 0
  for (trial in seq_len(halvings)) {
    candidate <- clamp(working + fraction * step$step, bounds, free)
    state <- objective$evaluate(candidate, information = TRUE)
    if (state$value > least && has_derivatives(state, free)) {
      return(list(working = candidate, evaluated = state, evaluations = trial))
    }
    drop <- current$value - state$value
    shrink <- if (is.finite(drop)) 0.5 * fraction * step$slope / (drop + fraction * step$slope) else
      0.25
    fraction <- fraction * min(0.5, max(0.1, shrink))
  }
  list(evaluated = NULL, evaluations = halvings)
}

# Squares of variances and derivatives beyond 1e154 overflow, where the likelihood itself may not.
has_derivatives <- function(state, free) {
  isTRUE(all(abs(state$gradient[free]) < 1e150, is.finite(state$information[free, free])))
}

check_derivatives <- function(state, free) {
  if (has_derivatives(state, free)) invisible(state) else abort_overflow()
}

abort_overflow <- function() {
  abort_neargp("scale", c("The derivatives of the objective overflow where the search begins.",
    i = "Parameters that are fixed or given as `start` are too far from the scale of the data to compute with: leave them out."))
}

check_start <- function(state) {
  if (is.finite(state$value)) return(invisible(state))
  if (!is.null(state$condition)) rlang::cnd_signal(state$condition)
  abort_cholesky(state$failed)
}

# Returns the value of `trial`, or `otherwise` where the model cannot be computed at its parameters:
# an optimiser that comes from better parameters turns back. Other errors remain errors.
if_computable <- function(trial, otherwise = NULL) {
  tryCatch(trial, neargp_error_cholesky = function(condition) otherwise,
    neargp_error_quadrature = function(condition) otherwise)
}

# `nugget`: whether there is one to raise.
abort_cholesky <- function(row, nugget = TRUE) {
  abort_neargp("cholesky", c(
    paste0("The covariance matrix of ", if (length(row) && row > 0L) paste("row", row,
      "and its neighbours") else "the data", " is not positive definite to working precision."),
    i = if (nugget)
    paste("Near-duplicate locations and a very smooth covariance do that if the nugget is almost zero: estimate the",
      "nugget, or fix a larger one."),
    i = if (nugget)
    "Or choose a rougher covariance, such as cov_matern(nu = 1.5) or cov_exponential()." else
      "Choose a rougher covariance, such as cov_matern(nu = 1.5) or cov_exponential(), or a shorter range."))
}
