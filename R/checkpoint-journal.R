# The journal of a fit with a checkpoint: the answers of its objectives. To go on, a fit runs from
# its beginning once more. The journal answers its questions until the answers are used up. Any
# optimiser then arrives where it was, with all of its internal state, none of which needs to be
# stored. This works if everything between the questions depends on the data, the settings and R's
# random numbers alone.
# The journal also keeps two kinds of states, of which the newest replaces the one before. Some
# objectives keep a part of the best answer so far, at which the next evaluation begins (`apart`). A
# loop such as Adam's, whose state is small compared with what it computes, keeps this state
# (in_stage()). Its rounds then need not be repeated.

# The journal is an environment in the session of the fit. Without a checkpoint it is NULL.
# `inside`: whether an answer, or a loop by itself, is being computed.
is_journaled <- function(session) !is.null(session$journal) && !session$journal$inside

is_replaying <- function(journal) journal$at < length(journal$known)

# `file`: of open_checkpoint().
begin_journal <- function(session, file) {
  session$journal <- list2env(c(file[c("path", "length", "known", "states")], list(at = 0L,
    new = list(), changed = list(), names = 0L, inside = FALSE, failed = FALSE,
    rewrite_at = rewrite_length(file$length),
    next_write = core_monotonic_seconds() + write_share * file$cost)), parent = emptyenv())
}

end_journal <- function(session) {
  if (is.null(session$journal)) return(invisible())
  write_journal(session)
  session$journal <- NULL
}

# Returns `answer()`, unless the journal holds the answer to this `question`: the numbers that the
# caller chose, on which the answer depends. Errors are answers. Questions within an answer are part
# of it.
journaled <- function(session, question, answer, apart = NULL) {
  if (!is_journaled(session)) return(answer())
  journal <- session$journal
  # a sum is a vector of its own, without what R may note about one that was handed on
  question <- rlang::hash(as.double(question) + 0)
  if (is_replaying(journal)) return(replayed(journal, question, apart))
  journal$inside <- TRUE
  on.exit(journal$inside <- FALSE)
  found <- tryCatch(list(value = answer()), neargp_error = portable_error)
  suspendInterrupts(note_answer(journal, question, found, apart))
  journal$inside <- FALSE
  write_when_due(session)
  as_answered(found)
}

# An objective of leave-one-out scores, whose values and gradients are few numbers.
journaled_objective <- function(objective) {
  session <- objective$session
  evaluate <- objective$evaluate
  gradient <- objective$gradient
  objective$evaluate <- function(theta, ...) {
    journaled(session, c(0, theta), function() evaluate(theta))
  }
  objective$gradient <- function(theta, beta = NULL) {
    journaled(session, c(1, theta), function() gradient(theta))
  }
  objective
}

as_answered <- function(found) {
  if (is.null(found$condition)) found$value else rlang::cnd_signal(found$condition)
}

# Without the calls that it went through, which hold whatever data they were given. That memory ran
# out, or workers were lost, is none of the question.
portable_error <- function(condition) {
  if (inherits(condition, c("neargp_error_memory", "neargp_error_cluster"))) {
    rlang::cnd_signal(condition)
  }
  condition[c("trace", "call", "parent")] <- NULL
  list(condition = condition)
}

# `apart`: the part of an answer that is kept separately, if the answer `improves`. It is the
# element `what`, turned into plain numbers by `pack`, under a `name` of journal_name(). `drop`:
# elements that nobody reads again.
note_answer <- function(journal, question, found, apart) {
  journal$at <- journal$at + 1L
  stored <- found
  if (!is.null(apart) && is.list(found$value)) {
    stored$value <- found$value[setdiff(names(found$value), c(apart$what, apart$drop))]
    if (apart$improves(found$value)) {
      part <- found$value[[apart$what]]
      journal$changed[[apart$name]] <- list(at = journal$at, make = function() apart$pack(part))
    }
  }
  journal$new[[length(journal$new) + 1L]] <- c(list(asked = question), stored)
}

replayed <- function(journal, question, apart) {
  journal$at <- journal$at + 1L
  known <- journal$known[[journal$at]]
  if (!identical(known$asked, question)) abort_diverged(journal$path, journal$at)
  if (!is.null(apart$name) && identical(journal$states[[apart$name]]$at, journal$at)) {
    known$value[[apart$what]] <- journal$states[[apart$name]]$state
  }
  as_answered(known)
}

# A name for each separate part that is kept: fits give the same ones in the same order.
journal_name <- function(session, what) {
  if (!is_journaled(session)) return(NULL)
  journal <- session$journal
  journal$names <- journal$names + 1L
  paste(what, journal$names)
}

# ---- loops by themselves -------------------------------------------------------------------------

# Returns the value of `loop(stage)`, a loop that keeps its own state. `stage$state` is what an
# earlier process has left, NULL at the beginning. The loop calls `stage$keep(state)` after each
# round; R's random numbers are part of what is kept. Questions within the loop are not journaled.
in_stage <- function(session, what, loop) {
  name <- journal_name(session, what)
  if (is.null(name)) {
    return(loop(list(kept = FALSE, state = NULL, keep = function(state) invisible())))
  }
  journal <- session$journal
  journal$inside <- TRUE
  on.exit(journal$inside <- FALSE)
  left <- journal$states[[name]]
  if (!is.null(left)) {
    set_seed(left$state$seed)
    journal$at <- left$at
  }
  loop(list(kept = TRUE, state = left$state$state, keep = function(state) {
    force(state)
    seed <- current_seed()
    journal$changed[[name]] <- list(at = journal$at, make = function() list(state = state,
      seed = seed))
    write_when_due(session)
  }))
}

current_seed <- function() globalenv()$.Random.seed

set_seed <- function(seed) if (!is.null(seed)) assign(".Random.seed", seed, envir = globalenv())

# ---- writing -------------------------------------------------------------------------------------

# After a write that took w seconds the next one comes 200 w later. Writing therefore takes half a
# percent of the time, whatever the disk and the size of the states. The clock is monotonic.
write_share <- 200

write_when_due <- function(session) {
  if (core_monotonic_seconds() >= session$journal$next_write) write_journal(session)
}

# Answers and states since the last write, as one record, so that they belong together. A disk that
# is full does not end a fit: what could not be written is tried again with what comes after it.
write_journal <- function(session) {
  journal <- session$journal
  if (!length(journal$new) && !length(journal$changed)) return(invisible())
  began <- core_monotonic_seconds()
  states <- lapply(journal$changed, function(state) list(at = state$at, state = state$make()))
  last <- as_last_state(session$last)
  record <- list(known = journal$new, states = c(states, last = if (!is.null(last))
    list(list(at = journal$at, state = last))))
  written <- tryCatch({
    append_record(journal, record)
    TRUE
  }, error = function(e) warn_unwritten(journal, e))
  if (written) journal$new <- journal$changed <- list()
  ended <- core_monotonic_seconds()
  journal$next_write <- ended + write_share * (ended - began)
}

# Replaced states make the file long; then all of it is written again.
append_record <- function(journal, record) {
  block <- as_block(record)
  if (journal$length + length(block) <= journal$rewrite_at) {
    core_append_to_file(journal$path, block)
    journal$length <- journal$length + length(block)
    return(invisible())
  }
  file <- read_checkpoint(journal$path)
  journal$length <- write_checkpoint(journal$path, file$header,
    list(merged_records(c(file$records, list(record)))))
  journal$rewrite_at <- rewrite_length(journal$length)
}

warn_unwritten <- function(journal, condition) {
  if (!journal$failed) {
    warn_neargp("checkpoint", c("The checkpoint cannot be written; the fit goes on without.",
      x = conditionMessage(condition),
      i = "It is tried again from time to time: what is missing now is written then."))
  }
  journal$failed <- TRUE
  FALSE
}
