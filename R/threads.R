# The number of threads: argument, then options(neargp.threads), then two or what the machine has.
resolve_threads <- function(threads) {
  if (!is.null(threads)) return(check_count(threads, "threads"))
  option <- getOption("neargp.threads")
  if (!is.null(option)) return(check_count(option, "options(neargp.threads)"))
  min(2L, available_cores())
}

# Asked once in a session: detectCores() starts a shell.
available_cores <- function() {
  of_session$cores <- of_session$cores %||% parallel::detectCores()
  if (is.na(of_session$cores)) 1L else of_session$cores
}

# What does not change in a session and takes longer to find than a prediction.
of_session <- new.env(parent = emptyenv())

# Stops the threads, which sleep in the library's code.
.onUnload <- function(libpath) {
  core_stop_threads()
  library.dynam.unload("neargp", libpath)
}
