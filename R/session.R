# A session is the state of one call of neargp() while it runs, in addition to its problem. neargp()
# creates it and hands it on as `problem$session`. Problems that are fitted on the way share it:
# they go on in the line of progress of the fit, and their objectives use its journal. Folds and
# profiles begin with another problem, and therefore with a session that shows and keeps nothing.
# Predictions keep nothing but a progress bar, in the function that progress_reporter() returns.
#
# It is an environment, since problems and settings are copied:
#
#   `call`: the call of neargp(), for neargp_last().
#   `verbose`: whether progress is shown.
#   `progress`: the line of progress, NULL while there is none (R/progress.R).
#   `restore`: what a checkpoint changes while it is kept: its lock, and the instruction set.
#   `journal`: the journal of the checkpoint, NULL without one (R/checkpoint-journal.R).
#   `last`: what the optimiser has accepted, NULL before it begins (R/last-state.R).
new_session <- function(call = NULL, verbose = FALSE) {
  list2env(list(call = call, verbose = verbose, progress = NULL, restore = NULL, journal = NULL,
    last = NULL), parent = emptyenv())
}

# Returns the value of `work()`, a part of the fit. Messages and warnings are on lines of their own.
# However `work()` ends, the checkpoint is written and released, then the line of progress goes.
run_in_session <- function(session, work) {
  on.exit(end_progress(session))
  on.exit(end_checkpoint(session), add = TRUE, after = FALSE)
  withCallingHandlers(work(),
    message = function(condition) make_room(session, condition),
    warning = function(condition) make_room(session, condition),
    interrupt = function(condition) inform_interrupted(session),
    neargp_error = function(condition) add_last_state(session, condition))
}
