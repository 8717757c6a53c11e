# The end of a search among neighbours. Each set of neighbours defines another objective, and so
# does each ordering of the observations. The values that count are those for neighbours in the
# metric of the parameters themselves.

# The parameters at which a round began and its neighbours were searched, with the value there, if
# that is the best so far.
best_beginning <- function(best, working, result) {
  value <- result$evaluated$value - result$gain
  if (isTRUE(value <= best$value)) best else list(working = working, value = value)
}

# The state with the value for fresh neighbours. If all metrics consist of one range, these are the
# present neighbours. If a round began with a value that is better by `least` than the one that the
# last round ended with, the state is that beginning.
with_fresh_neighbors <- function(problem, state, evaluate, least = problem$control$refresh_gain) {
  components <- covariance_at(problem, state$working)$components
  if (all(vapply(components, is_isotropic, NA))) return(state)
  state$evaluated <- evaluate(state$working)
  begun <- state$begun
  if (isTRUE(begun$value > state$evaluated$value + least)) {
    before <- if_computable(evaluate(begun$working))
    if (isTRUE(before$value > state$evaluated$value)) {
      state[c("working", "evaluated")] <- list(begun$working, before)
    }
  }
  check_start(state$evaluated)
  state
}

unsettled <- function(state, control) {
  state$converged <- FALSE
  state$message <- sprintf("neighbours still changed after %d refreshes (max_refreshes)",
    control$max_refreshes)
  state
}
