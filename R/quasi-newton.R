# Maximises a profile objective by quasi-Newton (the PORT routines of stats::nlminb) on its exact gradient. The value pass gives the
# trend by generalised least squares; the gradient pass then takes that trend as known (envelope theorem). Values are per row, so
# that tolerances mean the same at every n.

quasi_newton <- function(objective, start, free, bounds, control, relative_tolerance = 1e-9) {
  working <- clamp(start, bounds, free)
  cache <- new.env(parent = emptyenv())
  state_at <- function(parameters) {
    working[free] <- parameters
    if (!identical(cache$working, working)) {
      cache$state <- objective$evaluate(working)
      cache$working <- working
      cache$evaluations <- (cache$evaluations %||% 0L) + 1L
    }
    cache
  }
  check_start(state_at(working[free])$state)
  first <- cache$state$value
  if (!any(free)) return(optimizer_result(working, cache$state, first, 0L, 1L, TRUE, "nothing to estimate"))
  value <- function(parameters) -state_at(parameters)$state$value / objective$n
  gradient <- function(parameters) {
    at <- state_at(parameters)
    -objective$gradient(at$working, at$state$beta)[free] / objective$n
  }
  result <- stats::nlminb(working[free], value, gradient, lower = bounds$lower[free], upper = bounds$upper[free],
    control = list(iter.max = 5L * control$max_iterations, eval.max = 10L * control$max_iterations,
      rel.tol = relative_tolerance, x.tol = 1e-6, step.max = control$max_step))
  final <- state_at(result$par)
  optimizer_result(final$working, final$state, first, result$iterations, cache$evaluations, quasi_newton_converged(result), result$message)
}

# PORT's "singular" and "false" convergence on a flat ridge are optima for all purposes when its own gradient test is met; those
# messages come with convergence = 1 and are taken as failure only for the iteration limits and for false convergence.
quasi_newton_converged <- function(result) result$convergence == 0L || grepl("singular convergence", result$message)
