# Maximises a profile objective by quasi-Newton (the PORT routines of stats::nlminb) on its exact
# gradient. The value pass gives the trend by generalised least squares; the gradient pass then
# takes that trend as known (envelope theorem). Values are per row, so that tolerances mean the same
# at every n, and count from `level` where the unit of the response shifts them. `curvature`: a
# function that returns the second derivatives in the free parameters that are known so far, NULL
# where PORT starts without any.

quasi_newton <- function(objective, start, free, bounds, control, relative_tolerance = 1e-9,
                         level = 0, curvature = NULL) {
  working <- clamp(start, bounds, free)
  state_at <- state_record(objective, working, free)
  first <- state_at(working[free])$evaluated
  check_start(first)
  if (!any(free)) {
    return(optimizer_result(working, first, first$value, 0L, 1L, TRUE, "nothing to estimate"))
  }
  value <- function(parameters) level - state_at(parameters)$evaluated$value / objective$n
  gradient <- function(parameters) {
    at <- state_at(parameters)
    at$evaluated$slope %||% free_slope(objective, at$working, at$evaluated, free)
  }
  optimize_from <- function(from, relative_tolerance) {
    rlang::try_fetch(
      stats::nlminb(from, value, gradient, curvature, lower = bounds$lower[free],
        upper = bounds$upper[free],
        control = list(iter.max = 5L * control$max_iterations,
          eval.max = 10L * control$max_iterations,
          rel.tol = relative_tolerance, x.tol = 1e-6, step.max = control$max_step)),
      neargp_best_lost = function(condition) list(par = condition$at[free], convergence = 1L,
        iterations = condition$evaluations, message = conditionMessage(condition)))
  }
  result <- optimize_from(working[free], relative_tolerance)
  if (is_false_convergence(result)) result <- optimize_again(result, optimize_from)
  final <- state_at(result$par)
  optimizer_result(final$working, final$evaluated, first$value, result$iterations,
    final$evaluations, quasi_newton_converged(result), result$message)
}

# The state at free parameters, evaluated once where PORT asks for value and gradient in turn. PORT
# goes on from a value above all before it, where it asks for the gradient next. Where that is not
# finite, the value counts as -Inf, so that PORT turns back. It returns to the best parameters after
# a step that led nowhere. Where a posterior that is searched from elsewhere is not found there
# again, values depend on the way that led to them, and the search ends with the best.
state_record <- function(objective, working, free) {
  kept <- list2env(list(best = -Inf, evaluations = 0L), parent = emptyenv())
  evaluate <- function(working) {
    state <- objective$evaluate(working)
    if (!is.finite(state$value) && identical(working, kept$leader)) end_at_leader(kept)
    if (!any(free) || !(state$value > kept$best)) return(state)
    state$slope <- free_slope(objective, working, state, free)
    if (!all(is.finite(state$slope))) return(list(value = -Inf, failed = 0L))
    kept$best <- state$value
    kept$leader <- working
    kept$of_leader <- state
    note_accepted(objective, working)
    report_progress(objective$session, state$value, objective$n)
    state
  }
  function(parameters) {
    working[free] <- parameters
    if (!identical(kept$working, working)) {
      kept$evaluated <- evaluate(working)
      kept$working <- working
      kept$evaluations <- kept$evaluations + 1L
    }
    kept
  }
}

end_at_leader <- function(kept) {
  kept$working <- kept$leader
  kept$evaluated <- kept$of_leader
  rlang::cnd_signal(rlang::error_cnd("neargp_best_lost", at = kept$leader,
    message = "the posterior at the best parameters was not found again",
    evaluations = kept$evaluations))
}

free_slope <- function(objective, working, state, free) {
  -(state$gradient %||% objective$gradient(working, state$beta))[free] / objective$n
}

# The same, with each parameter in a unit of its own and counted from an `origin` of its own: steps
# and tolerances mean the same for all of them.
quasi_newton_in_units <- function(objective, start, unit, free, bounds, control, relative_tolerance,
                                  origin = 0, level = 0) {
  given <- function(scaled) origin + unit * scaled
  scaled <- list(n = objective$n, session = objective$session,
    evaluate = function(working, ...) objective$evaluate(given(working), ...),
    gradient = function(working, beta) unit * objective$gradient(given(working), beta),
    accept = function(working) note_accepted(objective, given(working)))
  bounds <- lapply(bounds[c("lower", "upper")], function(bound) (bound - origin) / unit)
  result <- quasi_newton(scaled, (start - origin) / unit, free, bounds, control, relative_tolerance,
    level)
  result$working <- given(result$working)
  result
}

# PORT reports "false convergence" where the gradient is not good enough to go on, as with a nearly
# noise-free, very smooth process. If a second run gains next to nothing (values are per row), this
# is the precision of the arithmetic, and not a bad step.
optimize_again <- function(result, optimize_from) {
  second <- optimize_from(result$par, 1e-7)
  second$iterations <- second$iterations + result$iterations
  if (is_false_convergence(second) && result$objective - second$objective < 1e-5) {
    second$convergence <- 0L
    second$message <- "converged to the precision of the arithmetic"
  }
  second
}

is_false_convergence <- function(result) grepl("false convergence", result$message)

# PORT's "singular convergence" is an optimum on a flat ridge: good for all purposes, though
# reported with convergence = 1.
quasi_newton_converged <- function(result) {
  result$convergence == 0L || grepl("singular convergence", result$message)
}

# Minus the matrix of second derivatives, by central differences of a gradient; zeros without one.
information_by_differences <- function(gradient, working, free, scales, step = 1e-4, at = NULL) {
  information_of_slopes(slopes_by_differences(gradient, working, free, scales, step, at), free)
}

# `slopes`: of a gradient, NULL where nothing is free.
information_of_slopes <- function(slopes, free) {
  information <- matrix(0, length(free), length(free))
  if (is.null(slopes)) return(information)
  hessian <- slopes[which(free), which(free), drop = FALSE]
  if (all(is.finite(hessian))) information[free, free] <- -(hessian + t(hessian)) / 2
  information
}

# The derivatives of the elements of `value`, a function of the working parameters. A column for
# each of these contains zeros where the parameter is not free. Differences are central, in steps of
# so many `scales`. Given the value `at` the parameters they are differences from that, in half the
# time.
slopes_by_differences <- function(value, working, free, scales, step = 1e-4, at = NULL) {
  slopes <- NULL
  for (a in which(free)) {
    h <- step * scales[a]
    shifted <- function(h) value(replace(working, a, working[a] + h))
    slope <- if (is.null(at)) (shifted(h) - shifted(-h)) / (2 * h) else (shifted(h) - at) / h
    slopes <- slopes %||% matrix(0, length(slope), length(working))
    slopes[, a] <- slope
  }
  slopes
}
