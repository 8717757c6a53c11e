# Fits in child processes that are killed (SIGKILL) and made to go on, until one ends.

# The child: `kind` of a fit of `n` rows, with the checkpoint `file` ("": none), and a digest of the
# fit and of R's random numbers after it in `out`. `writes`: "often", so that a good part of the
# time goes into writing, or "seldom", as for users. `out` also contains the seconds of the fit.
kill_script <- quote({
  arguments <- commandArgs(TRUE)
  names(arguments) <- c("kind", "n", "file", "out", "writes", "library")
  suppressMessages(library(neargp, lib.loc = arguments[["library"]]))
  if (arguments[["writes"]] == "often") utils::assignInNamespace("write_share", 2, "neargp")
  n <- as.integer(arguments[["n"]])
  set.seed(1)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n))
  field <- sin(9 * data$x) * cos(7 * data$y)
  data$z <- field + stats::rnorm(n, sd = 0.3)
  data$class <- factor(c("a", "b", "c")[1 + (field > 0) + (data$x > 0.7)])
  data$count <- stats::rpois(n, exp(field))
  set.seed(2)
  method <- switch(arguments[["kind"]], vecchia = neargp::vecchia(15), loo_k = neargp::loo_k(15),
    classes = neargp::loo_k(12), adam = neargp::loo_k(15, optimizer = "adam", steps = 400),
    vnngp = neargp::vnngp(10), svgp = neargp::svgp(60, epochs = 10),
    counts = neargp::svgp(30), shards = neargp::loo_k(12),
    dspp = neargp::dspp(layers = 2, width = 2, inducing = 30, epochs = 12))
  formula <- switch(arguments[["kind"]], classes = class ~ 1, vnngp = , shards = ,
    counts = count ~ x, z ~ 1)
  family <- switch(arguments[["kind"]], vnngp = , shards = ,
    counts = stats::poisson())
  covariance <- switch(arguments[["kind"]], vecchia = neargp::cov_exponential(anisotropy = TRUE),
    loo_k = neargp::cov_matern(nu = 1.5, ard = TRUE))
  file <- arguments[["file"]]
  control <- neargp::neargp_control(checkpoint = if (nzchar(file)) file,
    shards = if (arguments[["kind"]] == "shards") 4)
  fit <- suppressWarnings(suppressMessages(neargp::neargp(formula, data, coords = ~ x + y,
    method = method, family = family, covariance = covariance, control = control, threads = 1)))
  fit <- unclass(fit)
  seconds <- fit$elapsed[["fit"]]
  fit[c("call", "elapsed", "cache")] <- NULL
  digest <- rlang::hash(list(neargp:::plain_part(fit), .Random.seed))
  writeLines(c(digest, seconds), paste0(arguments[["out"]], ".new"))
  invisible(file.rename(paste0(arguments[["out"]], ".new"), arguments[["out"]]))
})

# Starts a child, and returns its process id.
start_child <- function(kind, n, file, out, writes, log) {
  script <- paste0(log, ".R")
  writeLines(deparse(kill_script), script)
  arguments <- vapply(c(file.path(R.home("bin"), "Rscript"), "--vanilla", script, kind, n, file,
    out, writes, dirname(system.file(package = "neargp"))), shQuote, "")
  as.integer(system(sprintf("%s > %s 2>&1 & echo $!", paste(arguments, collapse = " "),
    shQuote(log)), intern = TRUE))
}

is_alive <- function(pid) {
  state <- suppressWarnings(try(readLines(sprintf("/proc/%d/stat", pid)), silent = TRUE))
  !inherits(state, "try-error") && !grepl(") Z ", state[1L], fixed = TRUE)
}

wait_for <- function(pid, seconds, until = function() FALSE) {
  ends <- neargp:::core_monotonic_seconds() + seconds
  while (is_alive(pid) && neargp:::core_monotonic_seconds() < ends && !until()) Sys.sleep(0.01)
  invisible(is_alive(pid))
}

# The digest of an undisturbed child, and the seconds that its fit took.
undisturbed <- function(kind, n, folder) {
  out <- file.path(folder, paste0(kind, "-alone"))
  pid <- start_child(kind, n, "", out, "seldom", file.path(folder, "log-alone"))
  if (wait_for(pid, 600)) tools::pskill(pid, tools::SIGKILL)
  if (!file.exists(out)) stop(paste(readLines(file.path(folder, "log-alone")), collapse = "\n"))
  found <- readLines(out)
  list(digest = found[1L], seconds = as.double(found[2L]))
}

# Kills children at random moments of their fits until `kills` of them were killed, and lets the
# last one end. The digest of its fit, and how many evaluations and states the file had at each
# kill.
killed_fit <- function(kind, n, kills, seconds, folder, writes) {
  file <- tempfile("fit-", folder, ".checkpoint")
  out <- tempfile("out-", folder)
  log <- tempfile("log-", folder)
  left <- integer(0)
  while (length(left) < kills) {
    pid <- start_child(kind, n, file, out, writes, log)
    wait_for(pid, 600, until = function() file.exists(file))
    running <- wait_for(pid, seconds * stats::runif(1, 0, 0.7))
    tools::pskill(pid, tools::SIGKILL)
    wait_for(pid, 10)
    if (file.exists(out)) break
    if (!running) stop(paste(readLines(log), collapse = "\n"))
    left <- c(left, answers_of(file))
  }
  if (!file.exists(out)) {
    pid <- start_child(kind, n, file, out, writes, log)
    if (wait_for(pid, 600)) tools::pskill(pid, tools::SIGKILL)
  }
  if (!file.exists(out)) stop(paste(readLines(log), collapse = "\n"))
  unlink(file)
  list(digest = readLines(out)[1L], left = left)
}

# A file that may be cut off.
answers_of <- function(file) {
  left <- neargp:::merged_records(neargp:::read_checkpoint(file)$records)
  length(left$known) + length(setdiff(names(left$states), "last"))
}
