# An interrupted fit of a deep Gaussian process leaves its best state so far to neargp_last().

# A function of a state that is the best of its run, its validation score and the rows held out.
# Without such rows each state is better than those before.
deep_record <- function(method, problem, response, seed) {
  if (is.null(problem$keep)) return(NULL)
  best <- -Inf
  function(state, score, held_out) {
    if (isTRUE(score <= best)) return(invisible())
    best <<- score
    problem$session$last$deep <- list(method = method,
      deep = list(state = state, validation = list(rows = held_out), seed = seed),
      rows = nrow(response$coords))
    keep_state(problem, working_of_state(state, response))
  }
}
