# A session with a cluster of `kind` that fits for ever, in a process group of its own. Returns its
# process, the processes of its workers, and the folder of the file that it writes after an
# interrupt. The file contains the seconds since `signalled` was written, and the answers of the
# idle workers.
fitting_session <- function(kind, env = parent.frame()) {
  folder <- withr::local_tempdir(.local_envir = env)
  script <- file.path(folder, "session.R")
  writeLines(deparse(bquote({
    .libPaths(.(.libPaths()))
    suppressMessages(library(neargp, lib.loc = .(dirname(system.file(package = "neargp")))))
    setwd(.(folder))
    set.seed(1)
    data <- data.frame(x = runif(2000), y = runif(2000))
    data$count <- rpois(2000, exp(sin(6 * data$x)))
    workers <- parallel::makeCluster(2, type = .(kind))
    pids <- unlist(parallel::clusterCall(workers, Sys.getpid))
    fit <- function() neargp(count ~ 1, data, coords = ~ x + y, method = loo_k(10),
      family = poisson(), covariance = cov_exponential(), threads = 1L, cluster = workers,
      control = neargp_control(shards = 4L), verbose = FALSE)
    # once all is compiled
    fit()
    saveRDS(c(Sys.getpid(), pids), "begun.rds")
    file.rename("begun.rds", "pids.rds")
    tryCatch(repeat fit(), interrupt = function(condition) {
      seconds <- as.double(Sys.time()) - as.double(readLines("signalled"))
      idle <- parallel::clusterEvalQ(workers, {
        c(Sys.getpid(), length(neargp:::process_state$shards))
      })
      saveRDS(list(seconds = seconds, idle = idle), "ended.rds")
      parallel::stopCluster(workers)
    })
  })), script)
  system2("setsid", c(shQuote(file.path(R.home("bin"), "Rscript")), "--vanilla", shQuote(script)),
    wait = FALSE, stdout = file.path(folder, "log"), stderr = file.path(folder, "log"))
  file <- file.path(folder, "pids.rds")
  waited_until(function() file.exists(file), 120)
  expect(file.exists(file), paste(readLines(file.path(folder, "log")), collapse = "\n"))
  pids <- readRDS(file)
  withr::defer(tools::pskill(pids, tools::SIGKILL), env)
  list(pid = pids[1L], workers = pids[-1L], folder = folder)
}

waited_until <- function(condition, seconds) {
  ends <- core_monotonic_seconds() + seconds
  while (!condition() && core_monotonic_seconds() < ends) Sys.sleep(0.05)
  condition()
}

skip_without_sessions <- function() {
  skip_if_not(nzchar(Sys.which("setsid")) && dir.exists("/proc/self"),
    "there are no sessions of processes")
}

test_extended("workers end by themselves when the session that asks them is killed", {
  skip_without_sessions()
  for (kind in c("PSOCK", "FORK")) {
    session <- fitting_session(kind)
    # in the middle of a fit
    Sys.sleep(0.5)
    tools::pskill(session$pid, tools::SIGKILL)
    ended <- function() !any(vapply(session$workers, is_alive, NA))
    expect_true(waited_until(ended, 30))
  }
})

test_extended("Ctrl-C ends a fit at once, and its workers are idle and empty", {
  skip_without_sessions()
  for (kind in c("PSOCK", "FORK")) {
    session <- fitting_session(kind)
    Sys.sleep(0.5)
    writeLines(format(as.double(Sys.time()), digits = 15), file.path(session$folder, "signalled"))
    # as a terminal sends it: to all processes of the group
    system2("kill", c("-s", "INT", "--", -session$pid))
    file <- file.path(session$folder, "ended.rds")
    expect_true(waited_until(function() file.exists(file), 60))
    found <- readRDS(file)
    expect_identical(found$idle, lapply(session$workers, c, 0L))
    # a call of a worker is some milliseconds; one that does not answer is waited for 20 seconds
    expect_lt(found$seconds, 15)
  }
})
