# The number of threads: argument, then options(neargp.threads), then two or what the machine has.
resolve_threads <- function(threads) {
  if (!is.null(threads)) return(check_count(threads, "threads"))
  option <- getOption("neargp.threads")
  if (!is.null(option)) return(check_count(option, "options(neargp.threads)"))
  min(2L, available_cores())
}

# The cores that this process may use: a scheduler, a control group or R CMD check may have given it
# fewer than the machine has.
available_cores <- function() as.integer(parallelly::availableCores())

# Stops the threads, which sleep in the library's code.
.onUnload <- function(libpath) {
  core_stop_threads()
  library.dynam.unload("neargp", libpath)
}
