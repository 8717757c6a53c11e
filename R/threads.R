# The number of threads: argument, then options(neargp.threads), then two or what the machine has.
resolve_threads <- function(threads) {
  if (!is.null(threads)) return(check_count(threads, "threads"))
  option <- getOption("neargp.threads")
  if (!is.null(option)) return(check_count(option, "options(neargp.threads)"))
  min(2L, available_cores())
}

# Counted once in a process: detectCores() starts a shell.
available_cores <- function() {
  process_state$cores <- process_state$cores %||% parallel::detectCores()
  if (is.na(process_state$cores)) 1L else process_state$cores
}

# Stops the threads, which sleep in the library's code.
.onUnload <- function(libpath) {
  core_stop_threads()
  library.dynam.unload("neargp", libpath)
}
