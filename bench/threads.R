# The gain by a second thread, on a machine with cores to spare and on one with more processes than cores. The results are elapsed and CPU
# seconds of small and of larger fits with one and two threads, taking turns.
#
#   Rscript bench/threads.R [processes that keep the machine busy meanwhile, as 0 or 6] [rows, as 400,10000]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
source(file.path(folder, "common.R"))

arguments <- commandArgs(TRUE)
busy <- if (length(arguments)) as.integer(arguments[[1L]]) else 0L
sizes <- if (length(arguments) > 1L) as.integer(strsplit(arguments[[2L]], ",")[[1L]]) else c(400L, 10000L)

describe_run()

points <- function(n) {
  set.seed(n)
  frame <- data.frame(x1 = runif(n), x2 = runif(n))
  frame$y <- sin(5 * frame$x1) + rnorm(n, sd = 0.3)
  frame$count <- rpois(n, exp(frame$y))
  frame
}

fits <- list(
  vecchia = function(data, threads) neargp(y ~ 1, data, coords = ~ x1 + x2, covariance = cov_matern(nu = 1.5), threads = threads,
    verbose = FALSE),
  vnngp = function(data, threads) neargp(count ~ 1, data, coords = ~ x1 + x2, family = poisson(), method = vnngp(), threads = threads,
    verbose = FALSE))

times <- function(method, n, rounds = 5L) {
  data <- points(n)
  fits[[method]](data, 2L)
  runs <- do.call(rbind, lapply(rep(1:2, rounds), function(threads)
    data.frame(method, n, threads, timed(fits[[method]](data, threads))[c("elapsed", "cpu")])))
  stats::aggregate(cbind(elapsed, cpu) ~ threads + method + n, runs, stats::median)
}

jobs <- lapply(seq_len(busy), function(job) parallel::mcparallel(repeat NULL))
rows <- tryCatch(do.call(rbind, Map(times, rep(names(fits), length(sizes)), rep(sizes, each = length(fits)))),
  finally = {
    for (job in jobs) tools::pskill(job$pid)
    suppressWarnings(parallel::mccollect(jobs))
  })
save_table(cbind(busy, rows), paste0("threads-", busy))
