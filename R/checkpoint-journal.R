# The journal of a fit with a checkpoint: what its objectives have answered. To go on, a fit runs
# from its beginning once more, and its questions are answered by the journal until that is used up:
# whatever optimiser asks arrives where it was, with all that it had in mind, and nothing of it
# needs to be stored. That holds while everything between the questions depends on the data, the
# settings and R's random numbers alone.
#
# Beside the answers the journal has two kinds of states, of which the newest replaces the one
# before. Of some objectives the best answer so far has a part which the next evaluation begins at
# (`apart`). And a loop whose state is small beside what it computes, as of Adam, keeps that
# (new_stage()), so that its rounds need not be gone through again.

# Empty while no fit keeps one.
journal <- new.env(parent = emptyenv())

is_journaled <- function() !is.null(journal$path) && !journal$inside

is_replaying <- function() is_journaled() && journal$at < length(journal$known)

# `file`: of open_checkpoint().
begin_journal <- function(file) {
  list2env(c(file[c("path", "length", "known", "states")], list(at = 0L, new = list(),
    changed = list(), names = 0L, inside = FALSE, failed = FALSE,
    rewrite_at = rewrite_length(file$length),
    next_write = core_monotonic_seconds() + write_share * file$cost)), journal)
}

end_journal <- function() {
  write_journal()
  rm(list = ls(journal), envir = journal)
}

# The answer to a question: `asked`, numbers, is what it depends on beside what the fit has come to
# by itself. Errors are answers. What is asked within an answer is part of it.
journaled <- function(asked, answer, apart = NULL) {
  if (!is_journaled()) return(answer)
  # a sum is a vector of its own, without what R may note about one that was handed on
  asked <- rlang::hash(as.double(asked) + 0)
  if (is_replaying()) return(replayed(asked, apart))
  journal$inside <- TRUE
  on.exit(journal$inside <- FALSE)
  found <- tryCatch(list(value = answer), neargp_error = portable_error)
  suspendInterrupts(note_answer(asked, found, apart))
  journal$inside <- FALSE
  write_when_due()
  told(found)
}

# An objective of leave-one-out scores, whose values and gradients are few numbers.
journaled_objective <- function(objective) {
  evaluate <- objective$evaluate
  gradient <- objective$gradient
  objective$evaluate <- function(theta, ...) journaled(c(0, theta), evaluate(theta))
  objective$gradient <- function(theta, beta = NULL) journaled(c(1, theta), gradient(theta))
  objective
}

told <- function(found) {
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

# What is `apart` of an answer: its element `what`, as plain numbers by `pack` of it, where the
# answer `improves`; `name`: of journal_name(). `drop`: elements that nobody reads again.
note_answer <- function(asked, found, apart) {
  journal$at <- journal$at + 1L
  stored <- found
  if (!is.null(apart) && is.list(found$value)) {
    stored$value <- found$value[setdiff(names(found$value), c(apart$what, apart$drop))]
    if (apart$improves(found$value)) {
      part <- found$value[[apart$what]]
      journal$changed[[apart$name]] <- list(at = journal$at, make = function() apart$pack(part))
    }
  }
  journal$new[[length(journal$new) + 1L]] <- c(list(asked = asked), stored)
}

replayed <- function(asked, apart) {
  journal$at <- journal$at + 1L
  known <- journal$known[[journal$at]]
  if (!identical(known$asked, asked)) abort_diverged(journal$at)
  if (!is.null(apart$name) && identical(journal$states[[apart$name]]$at, journal$at)) {
    known$value[[apart$what]] <- journal$states[[apart$name]]$state
  }
  told(known)
}

# A name for what is kept apart: fits give the same ones in the same order.
journal_name <- function(what) {
  if (!is_journaled()) return(NULL)
  journal$names <- journal$names + 1L
  paste(what, journal$names)
}

# ---- loops by themselves -------------------------------------------------------------------------

# A loop that keeps its own state, of which `state` is what an earlier process has left, NULL at the
# beginning. `keep(state)` is called after each round; R's random numbers are part of it. To the end
# of the function that it is in, `frame`, nothing is asked of the journal.
new_stage <- function(what, frame = parent.frame()) {
  name <- journal_name(what)
  if (is.null(name)) {
    return(list(kept = FALSE, state = NULL, keep = function(state) invisible()))
  }
  journal$inside <- TRUE
  do.call(on.exit, list(quote(journal$inside <- FALSE), TRUE), envir = frame)
  left <- journal$states[[name]]
  if (!is.null(left)) {
    set_seed(left$state$seed)
    journal$at <- left$at
  }
  list(kept = TRUE, state = left$state$state, keep = function(state) {
    force(state)
    seed <- current_seed()
    journal$changed[[name]] <- list(at = journal$at, make = function() list(state = state,
      seed = seed))
    write_when_due()
  })
}

current_seed <- function() globalenv()$.Random.seed

set_seed <- function(seed) if (!is.null(seed)) assign(".Random.seed", seed, envir = globalenv())

# ---- writing -------------------------------------------------------------------------------------

# After a write that took w seconds the next one comes 200 w later, so that writing takes half a
# percent of the time whatever the disk and the size of the states; by a clock that nobody sets
# back.
write_share <- 200

write_when_due <- function() {
  if (core_monotonic_seconds() >= journal$next_write) write_journal()
}

# Answers and states since the last write, as one record, so that they belong together. A disk that
# is full does not end a fit: what could not be written is tried again with what comes after it.
write_journal <- function() {
  if (!length(journal$new) && !length(journal$changed)) return(invisible())
  began <- core_monotonic_seconds()
  states <- lapply(journal$changed, function(state) list(at = state$at, state = state$make()))
  record <- list(known = journal$new, states = c(states, last = if (!is.null(last_state$working))
    list(list(at = journal$at, state = as_last_state()))))
  written <- tryCatch({
    journal$length <- append_record(journal$path, record, journal$length)
    TRUE
  }, error = function(e) tell_unwritten(e))
  if (written) journal$new <- journal$changed <- list()
  ended <- core_monotonic_seconds()
  journal$next_write <- ended + write_share * (ended - began)
}

# Returns the file's new length. The file is written anew when replaced states make it long.
append_record <- function(path, record, length) {
  block <- as_block(record)
  if (length + length(block) > journal$rewrite_at) {
    file <- read_checkpoint(path)
    length <- write_checkpoint(path, file$header, list(merged_records(c(file$records,
      list(record)))))
    journal$rewrite_at <- rewrite_length(length)
    return(length)
  }
  core_append_to_file(path, block)
  length + length(block)
}

tell_unwritten <- function(condition) {
  if (!journal$failed) {
    warn_neargp("checkpoint", c("The checkpoint cannot be written; the fit goes on without.",
      x = conditionMessage(condition),
      i = "It is tried again from time to time: what is missing now is written then."))
  }
  journal$failed <- TRUE
  FALSE
}
