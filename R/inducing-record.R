# An objective on inducing points in the form for L-BFGS, which asks for value and slope in turn,
# and a record of its evaluations.

# The last state and the best. Convergence is judged only where the objective rises, since a line
# search that went too far may take some evaluations to turn back.
new_bound_record <- function(n, report, patience, negligible, accept = function(state) NULL) {
  last <- list(x = NULL)
  best <- first <- NULL
  history <- double(0)
  note <- function(state) {
    if (is.null(first)) first <<- state$value
    rises <- is.null(best) || state$value > best$value
    if (rises) {
      best <<- state
      accept(state)
    }
    history <<- c(history, best$value / n)
    report(length(history), best$value)
    past <- length(history) - patience
    if (rises && past > 0L && history[length(history)] - history[past] < negligible) {
      rlang::cnd_signal(rlang::cnd("neargp_bound_converged"))
    }
  }
  at <- function(x, evaluate) {
    if (identical(x, last$x)) return(last$state)
    last <<- list(x = x, state = evaluate())
    note(last$state)
    last$state
  }
  result <- function(unconverged) {
    converged <- is.null(unconverged) || unconverged == "nothing to estimate"
    list(working = best$working, positions = best$positions, evaluated = best, gain = best$value -
      first, iterations = length(history), evaluations = length(history), converged = converged,
      message = unconverged %||% "the ELBO rises no more")
  }
  list(at = at, result = result, n = n, first = function() first, best = function() best,
    evaluations = function() length(history))
}

# Whether the optimiser has arrived within `most` iterations. `memory`: the number of steps whose
# slopes it keeps.
maximize_recorded <- function(record, state_at, start, lower, upper, most, memory) {
  loss <- recorded_loss(record, state_at)
  rlang::try_fetch(
    stats::optim(start, loss$value, loss$slope, method = "L-BFGS-B", lower = lower, upper = upper,
      control = list(maxit = most, lmm = memory, factr = 10))$convergence != 1L,
    neargp_bound_converged = function(condition) TRUE)
}

# Where a matrix is singular, or a step has gone much too far, the loss is flat, far above all
# others, so that a line search turns back. The loss itself may be 1e200, and interpolation by it
# would end in steps that are too small to see.
recorded_loss <- function(record, state_at) {
  n <- record$n
  worst <- function() record$first() / n - 10
  is_far <- function(state) {
    !is.finite(state$value) || state$value / n < worst() || !has_usable_slope(state)
  }
  list(
    value = function(x) if (is_far(state <- state_at(x))) -worst() else -state$value / n,
    slope = function(x) {
      state <- state_at(x)
      if (is_far(state)) double(length(x)) else -without_rounding(state$slope) / n
    })
}

# L-BFGS computes the square of the slope.
has_usable_slope <- function(state) is.finite(sum(state$slope^2))

# L-BFGS divides by the square of the slope, and distances from bounds by its elements.
without_rounding <- function(slope) {
  if (sum(slope^2) < 1e-300) return(double(length(slope)))
  replace(slope, abs(slope) < 1e-280, 0)
}
