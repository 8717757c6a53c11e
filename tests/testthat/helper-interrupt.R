# Interrupts a fit when its optimiser has accepted so many states, and has what `look` sees of its
# problem.
local_interrupt <- function(after, look = function(problem) NULL, env = parent.frame(),
                            stop = rlang::interrupt) {
  original <- recording_states
  withr::defer(utils::assignInNamespace("recording_states", original, "neargp"), env)
  utils::assignInNamespace("recording_states", function(problem) {
    look(problem)
    problem <- original(problem)
    keep <- problem$keep
    count <- 0
    problem$keep <- function(...) {
      keep(...)
      count <<- count + 1
      if (count == after) stop()
    }
    problem
  }, "neargp")
}
