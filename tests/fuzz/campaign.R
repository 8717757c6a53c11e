# In a campaign, child processes work through cases and write a line before and after each call. From these lines
# the parent knows the call at which a child ended. The outcome is CRASH if the child died, HANG if it fell silent,
# and MEMORY if it passed the limit of memory.

# Under sanitizers a call takes up to six times as long.
silent_cpu_seconds <- if (nzchar(Sys.getenv("SANITIZE"))) 360 else 60
silent_seconds <- 10 * silent_cpu_seconds
memory_limit_mib <- 3000
cases_of_child <- 40L
cases_of_seed <- 100000L

case_seed <- function(seed, case) seed * cases_of_seed + case

file_log <- function(file, case) {
  line <- function(...) cat(paste(..., sep = "\t"), "\n", file = file, append = TRUE, sep = "")
  list(
    begin = function(operation) line("BEGIN", case, operation),
    end = function(operation, outcome, text, warnings) line("END", case, operation, outcome, text, one_line(warnings))
  )
}

console_log <- function() {
  list(
    begin = function(operation) cat("BEGIN", operation, "\n"),
    end = function(operation, outcome, text, warnings) cat(outcome, operation, text, if (length(warnings)) c("WARNED", warnings), "\n")
  )
}

run_child <- function(cases, file) {
  cat("PID\t", Sys.getpid(), "\n", file = file, append = TRUE, sep = "")
  for (case in cases) {
    log <- file_log(file, case)
    tryCatch(run_case(case, log), error = function(e) log$end("case", "HARNESS", one_line(conditionMessage(e)), character(0)))
  }
  cat("DONE\n", file = file, append = TRUE)
}

resident_mib <- function(pid) {
  none <- function(condition) character(0)
  status <- tryCatch(readLines(file.path("/proc", pid, "status"), warn = FALSE), error = none, warning = none)
  size <- as.numeric(gsub("[^0-9]", "", grep("^VmRSS", status, value = TRUE)))
  if (length(size)) size / 1024 else 0
}

# User and system time of a process, which Linux counts in hundredths of a second. The name of the process is in
# parentheses and may contain blanks.
cpu_seconds <- function(pid) {
  none <- function(condition) ")"
  line <- tryCatch(readLines(file.path("/proc", pid, "stat"), warn = FALSE), error = none, warning = none)
  fields <- strsplit(sub(".*\\) ", "", line), " ")[[1L]]
  if (length(fields) > 13L) sum(as.numeric(fields[12:13])) / 100 else 0
}

is_done <- function(lines) length(lines) > 0L && lines[length(lines)] == "DONE"

# Reports whether a child has written nothing for too long, by its own CPU time or by the clock. The limit by the
# clock is longer, because other processes may use the processor.
new_silence <- function() {
  size <- 0
  since <- Sys.time()
  cpu <- 0
  function(file, pid) {
    if (file.size(file) > size) {
      size <<- file.size(file)
      since <<- Sys.time()
      cpu <<- cpu_seconds(pid)
    }
    difftime(Sys.time(), since, units = "secs") > silent_seconds || cpu_seconds(pid) - cpu > silent_cpu_seconds
  }
}

# Waits until a child ends, and returns how it ended.
watch_child <- function(file) {
  silent <- new_silence()
  started <- Sys.time()
  repeat {
    Sys.sleep(0.25)
    lines <- readLines(file, warn = FALSE)
    if (is_done(lines)) return("DONE")
    if (!length(lines) && difftime(Sys.time(), started, units = "secs") > silent_seconds) return("CRASH")
    if (!length(lines)) next
    pid <- as.integer(strsplit(lines[1L], "\t")[[1L]][2L])
    if (!dir.exists(file.path("/proc", pid))) return(if (is_done(readLines(file, warn = FALSE))) "DONE" else "CRASH")
    ended <- if (resident_mib(pid) > memory_limit_mib) "MEMORY" else if (silent(file, pid)) "HANG"
    if (is.null(ended)) next
    tools::pskill(pid, tools::SIGKILL)
    return(ended)
  }
}

# Runs the cases first ... last in a child. Returns its lines, with one more where it did not come to its end, and
# the case to continue from.
run_part <- function(first, last, script) {
  file <- tempfile(fileext = ".tsv")
  output <- tempfile()
  on.exit(unlink(c(file, output)))
  file.create(file)
  system2(file.path(R.home("bin"), "Rscript"), c("--vanilla", shQuote(script), "child", first, last, shQuote(file)), wait = FALSE,
    stdout = output, stderr = output)
  ended <- watch_child(file)
  lines <- readLines(file, warn = FALSE)
  if (ended == "DONE") return(list(lines = lines, following = last + 1L))
  begun <- strsplit(c(paste("BEGIN", first, "start", sep = "\t"), grep("^BEGIN", lines, value = TRUE)), "\t")
  at <- begun[[length(begun)]]
  report <- one_line(utils::tail(readLines(output, warn = FALSE), 5L))
  list(lines = c(lines, paste("END", at[2L], at[3L], ended, report, "", sep = "\t")), following = as.integer(at[2L]) + 1L)
}

# Makes at least the given number of calls of a seed. Calls of an earlier, shorter campaign in the same log are not
# repeated.
run_campaign <- function(seed, calls, log, script) {
  lines <- if (file.exists(log)) readLines(log) else character(0)
  seen <- read_ends(lines)$case
  following <- if (length(seen)) max(seen) + 1L else case_seed(seed, 0L)
  while (length(seen) < calls) {
    part <- run_part(following, following + cases_of_child - 1L, script)
    cat(part$lines, sep = "\n", file = log, append = TRUE)
    seen <- c(seen, read_ends(part$lines)$case)
    following <- part$following
  }
}
