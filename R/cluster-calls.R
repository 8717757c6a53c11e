# Calls of the workers of a cluster: what they are asked, by whom, and how their answers, warnings
# and errors come back.

# The value of f on all workers that are alive, or on those of `at` with the arguments of each.
call_workers <- function(workers, f, arguments, at = which(workers$alive), limit = Inf) {
  several <- is.null(names(arguments))
  waiting <- list()
  for (i in seq_along(at)) {
    tag <- send_call(workers, at[i], f, if (several) arguments[[i]] else arguments, limit)
    if (!is.null(tag)) waiting[[as.character(at[i])]] <- tag
  }
  messages <- receive_values(workers, waiting, limit)
  values <- lapply(as.character(at), function(name) messages[[name]])
  lapply(values, function(message) if (!is.null(message)) worker_value(message))
}

worker_value <- function(message) {
  value <- message$value
  if (!isTRUE(message$success)) {
    abort_neargp("cluster", c("A worker could not compute its part.", x = as.character(value)))
  }
  if (inherits(value, "neargp_error")) rlang::cnd_signal(value)
  if (!inherits(value, "neargp_answer")) return(value)
  for (condition in value$conditions) rlang::cnd_signal(condition)
  value$value
}

# Answers of the workers `at` to their requests (shard-host.R); NULL of those that are lost.
ask_workers <- function(workers, at, requests) {
  what <- requests[[1L]]$call$what
  began <- core_monotonic_seconds()
  arguments <- lapply(requests, function(request) list(name = "answer_request",
    arguments = request))
  answers <- call_workers(workers, worker_call, unname(arguments), at,
    time_limit(workers, what))
  # not the time until one that hangs was given up
  if (!any(vapply(answers, is.null, NA))) {
    workers$slowest[[what]] <- max(workers$slowest[[what]], core_monotonic_seconds() - began)
  }
  answers
}

# Seconds until a worker that does not answer is given up.
time_limit <- function(workers, what) {
  workers$timeout %||% (120 + 10 * (workers$slowest[[what]] %||% 360))
}

# Answers a request on the worker.
answer_request <- function(request) {
  answered(function() {
    answer_here(shards_of_worker(request$key), request$call, request$ids, request$own)
  })
}

# The shards that this worker holds for the call `key`.
shards_of_worker <- function(key) {
  if (is.null(process_state$shards[[key]])) {
    process_state$shards[[key]] <- new.env(parent = emptyenv())
  }
  process_state$shards[[key]]
}

# The value of `work()` as an answer. An error of the package is an answer as well; warnings and
# messages go with it and are signalled where the answer arrives.
answered <- function(work) {
  conditions <- list()
  keep <- function(restart) function(condition) {
    conditions <<- c(conditions, list(portable_condition(condition)))
    invokeRestart(restart)
  }
  tryCatch({
    value <- withCallingHandlers(work(), warning = keep("muffleWarning"),
      message = keep("muffleMessage"))
    structure(list(value = value, conditions = conditions), class = "neargp_answer")
  }, neargp_error = portable_condition)
}

portable_condition <- function(condition) {
  condition[c("trace", "call", "parent")] <- NULL
  condition
}
