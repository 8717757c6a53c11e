# Mixed work in one process for some minutes: fits of all methods, predictions, simulations, errors, interrupts, checkpoints, forks and
# other numbers of threads. Memory, threads, open files and temporary files are counted every few rounds. Expected: after the first fifth of
# the time, memory rises by less than 2%, and no thread, file or process is added. The script needs Linux (/proc).
#
#   nice -n 15 Rscript bench/soak.R [MINUTES]        keeps table soak; status 1 where something is left
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))
minutes <- as.double(argument(1L, "5"))

set.seed(1)
n <- 400L
data <- data.frame(x = stats::runif(n), y = stats::runif(n))
field <- sin(6 * data$x) + cos(5 * data$y)
data$z <- field + stats::rnorm(n, sd = 0.2)
data$w <- field - data$x + stats::rnorm(n, sd = 0.2)
data$count <- stats::rpois(n, exp(field / 2))
data$class <- factor(c("a", "b", "c")[1L + (field > 0.5) + (data$x > 0.6)])
new <- data[1:20, ]
file <- tempfile(fileext = ".checkpoint")

# Fits by name. Each is a function of the control and the number of threads.
fits <- local({
  of <- function(formula, method, family = NULL) function(...) {
    suppressWarnings(suppressMessages(neargp(formula, data, coords = ~ x + y, method = method, family = family, verbose = FALSE, ...)))
  }
  list(vecchia = of(z ~ x, vecchia(12)), exact = of(z ~ 1, exact_gp()), loo_k = of(z ~ 1, loo_k(10)), adam = of(z ~ 1, loo_k(10,
    optimizer = "adam", steps = 100)), mll_k = of(z ~ 1, mll_k(10)), classes = of(class ~ 1, loo_k(10)), counts = of(count ~ 1, loo_k(10), stats::poisson()),
  outputs = of(cbind(z, w) ~ 1, vecchia(8)), vnngp = of(count ~ x, vnngp(8), stats::poisson()), svgp = of(z ~ 1, svgp(25)),
  batches = of(z ~ 1, svgp(20, optimizer = "natural", epochs = 5)), svgp_counts = of(count ~ 1, svgp(20), stats::poisson()),
  low_rank = of(z ~ 1, vecchia(8, inducing = 15)), dspp = of(z ~ 1, dspp(width = 2, inducing = 15, epochs = 4, restarts = 1)))
})

# Interrupts of a fit and of a prediction, as Ctrl-C would be.
interrupted <- function(run, seconds) {
  tryCatch({
    setTimeLimit(elapsed = seconds, transient = TRUE)
    run()
  }, interrupt = function(condition) NULL, error = function(condition) NULL, finally = setTimeLimit())
}

bad_calls <- list(function() neargp(z ~ nothing, data, coords = ~ x + y), function() neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(n + 1)),
  function() neargp(z ~ 1, data, coords = ~ x + x), function() neargp(z ~ 1, data[0, ], coords = ~ x + y),
  function() neargp(z ~ 1, rbind(data, data), coords = ~ x + y, nugget = 0), function() neargp(count ~ 1, data, coords = ~ x + y, family = "none"))

one_round <- function(round) {
  name <- names(fits)[(round - 1L) %% length(fits) + 1L]
  run <- fits[[name]]
  threads <- 1L + round %% 3L
  fit <- run(threads = threads)
  predict(fit, new, threads = threads)
  if (!name %in% c("classes", "dspp")) suppressMessages(simulate(fit, 3, newdata = new[1:5, ], seed = round))
  if (round %% 2L == 0L) {
    run(control = neargp_control(checkpoint = file), threads = threads)
    suppressMessages(run(resume = file, threads = threads))
    unlink(file)
  }
  interrupted(function() run(threads = threads), 0.02 * (round %% 5L + 1L))
  interrupted(function() run(control = neargp_control(checkpoint = file), threads = threads), 0.05)
  unlink(file)
  tryCatch(bad_calls[[(round - 1L) %% length(bad_calls) + 1L]](), neargp_error = function(condition) NULL)
  if (round %% 4L == 0L) {
    parallel::mclapply(1:2, function(i) mean(as.matrix(predict(fit, new, threads = 2L)[1L])), mc.cores = 2L)
  }
  name
}

count <- function() {
  invisible(gc(full = TRUE))
  status <- readLines("/proc/self/status")
  number <- function(name) as.double(sub("[^0-9]*([0-9]+).*", "\\1", grep(paste0("^", name), status, value = TRUE)))
  children <- suppressWarnings(readLines(sprintf("/proc/self/task/%d/children", Sys.getpid())))
  c(memory_mib = round(number("VmRSS") / 1024, 1), threads = number("Threads"), files = length(list.files("/proc/self/fd")),
    children = if (length(children)) lengths(strsplit(trimws(children), " ", fixed = TRUE))[1L] * nzchar(trimws(children)[1L]) else 0,
    temporary = length(list.files(tempdir())))
}

began <- proc.time()[["elapsed"]]
rows <- list()
round <- 0L
while (proc.time()[["elapsed"]] - began < 60 * minutes) {
  round <- round + 1L
  one_round(round)
  if (round %% 7L == 0L) {
    rows[[length(rows) + 1L]] <- c(seconds = round(proc.time()[["elapsed"]] - began), rounds = round, count())
    print(rows[[length(rows)]])
  }
}
table <- as.data.frame(do.call(rbind, rows))
save_table(table, "soak")
settled <- table[max(1L, ceiling(nrow(table) / 5)), ]
last <- table[nrow(table), ]
cat(sprintf("%d rounds; memory %.0f to %.0f MiB, threads %d to %d, files %d to %d, children %d to %d, temporary files %d to %d\n", round, settled$memory_mib,
  last$memory_mib, settled$threads, last$threads, settled$files, last$files, settled$children, last$children, settled$temporary, last$temporary))
more <- c("threads", "files", "children", "temporary")
quit(status = as.integer(last$memory_mib > 1.02 * settled$memory_mib || any(last[more] > settled[more])))
