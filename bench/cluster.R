# Many machines, on one. How much does a worker cost an evaluation? Do four workers compute for longer than two threads? How much memory do
# master and workers take where workers read the rows? Expected:
# - Each worker costs an evaluation less than 2 ms by PSOCK.
# - CPU seconds of the workers and of the master together are within 5% of those of one process.
# - The master's memory does not grow with the rows.
# - The ordering by shards costs 1e-4 of log-likelihood a row.
# - A message of more than 4,096 bytes takes less than 2 ms more than a short one. R's own way to write it loses 44 ms.
#
#   Rscript bench/cluster.R [rows in memory, 200000] [rows that are read, 2000000] [k, 30] [rounds, 300] [overhead,messages,ordering,cpu,memory]
#                                                                                        keeps table cluster-<part>
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))
in_memory <- as.integer(argument(1L, "200000"))
that_are_read <- as.integer(argument(2L, "2000000"))
k <- as.integer(argument(3L, "30"))
rounds <- as.integer(argument(4L, "300"))
parts <- argument(5L, c("overhead", "messages", "ordering", "cpu", "memory"))

# Prints and keeps the table of a part if this part is wanted. Otherwise the table is not evaluated.
report <- function(part, table) {
  if (!part %in% parts) return(invisible())
  table[vapply(table, is.numeric, NA)] <- lapply(table[vapply(table, is.numeric, NA)], signif, 5L)
  print(table, row.names = FALSE)
  save_result(table, paste0("cluster-", part))
}
ns <- asNamespace("neargp")
load_average <- function() strsplit(readLines("/proc/loadavg"), " ")[[1L]][1L]

# ---- an evaluation of next to no rows ----------------------------------------------------------------------------------------------

rows <- function(n) {
  set.seed(1)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n))
  data$z <- sin(9 * data$x) * cos(7 * data$y) + stats::rnorm(n, sd = 0.3)
  data
}

fixed <- cov_exponential(variance = 0.3, range = 0.3)
fit_in_shards <- function(data, shards, cluster = NULL, threads = 1L, neighbors = k, covariance = cov_exponential()) {
  neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(neighbors), covariance = covariance, threads = threads, cluster = cluster,
    nugget = if (identical(covariance, fixed)) 0.09, control = neargp_control(shards = shards))
}

cpu_of <- function() sum(proc.time()[c("user.self", "sys.self")])

# Milliseconds of each of `rounds` rounds within a fit, and the master's CPU time of one round.
rounds_of <- function(cluster, shards) {
  original <- ns$reduce_rows
  found <- NULL
  measured <- function(host, what, common) {
    if (is.null(found)) {
      before <- cpu_of()
      elapsed <- vapply(seq_len(rounds), function(i) {
        began <- ns$core_monotonic_seconds()
        original(host, what, common)
        1000 * (ns$core_monotonic_seconds() - began)
      }, 0)
      found <<- list(elapsed = elapsed, cpu = 1000 * (cpu_of() - before) / rounds)
    }
    original(host, what, common)
  }
  utils::assignInNamespace("reduce_rows", measured, "neargp")
  on.exit(utils::assignInNamespace("reduce_rows", original, "neargp"))
  fit_in_shards(rows(400L), shards, cluster, neighbors = 5L)
  found
}

report("overhead", do.call(rbind, lapply(c(0L, 1L, 2L, 4L, 8L), function(workers) {
  cluster <- if (workers) parallel::makePSOCKcluster(workers)
  if (workers) on.exit(parallel::stopCluster(cluster))
  measured <- rounds_of(cluster, 8L)
  bare <- if (workers) median(replicate(rounds, 1000 * system.time(parallel::clusterCall(cluster, identity, 1))[["elapsed"]])) else NA
  data.frame(what = "round of 8 shards of 50 rows, ms", workers = workers, median = median(measured$elapsed), least = min(measured$elapsed),
    bare_call = bare, cpu_master_ms = measured$cpu, load = load_average())
})))

# ---- long messages -----------------------------------------------------------------------------------------------------------------

# With messages as they are sent, or by sendData() of parallel and snow, in packets of 4,096 bytes or with garbage collected after each, here
# and on the workers.
written_by_send_data <- function(cluster) {
  before <- mget(c("longest_at_once", "answered_by_mpi"), envir = ns)
  write_by <- function(parts) for (name in names(parts)) utils::assignInNamespace(name, parts[[name]], "neargp")
  environment(write_by) <- globalenv()
  write_by(list(longest_at_once = 0))
  parallel::clusterCall(cluster, write_by, list(longest_at_once = 0, answered_by_mpi = function(...) FALSE))
  function() write_by(before)
}

milliseconds <- function(f, times) median(replicate(times, {
  began <- ns$core_monotonic_seconds()
  f()
  1000 * (ns$core_monotonic_seconds() - began)
}))

# Times messages of numbers that go to one worker, or come back.
messages_of <- function(kind) {
  cluster <- if (kind == "MPI") snow::makeMPIcluster(1L) else parallel::makeCluster(1L, type = kind)
  workers <- ns$open_workers(cluster, 1L)
  restore <- invisible
  on.exit({
    restore()
    # snow's own waits for ever where it has started the rank
    if (kind == "MPI") parallel:::stopCluster.default(cluster) else parallel::stopCluster(cluster)
  })
  call <- function(name, arguments) function() ns$call_workers(workers, ns$worker_call, list(name = name, arguments = arguments))
  of_way <- function(way) do.call(rbind, lapply(c(10L, 600L, 2000L, 10000L, 50000L), function(numbers) {
    data.frame(what = sprintf("message of %d numbers, ms", numbers), cluster = kind, way = way,
      out = milliseconds(call("length", double(numbers)), 20L), back = milliseconds(call("double", numbers), 20L), load = load_average())
  }))
  at_once <- of_way("at once")
  restore <- written_by_send_data(cluster)
  rbind(of_way("sendData()"), at_once)
}

few_rows <- rows(400L)
few_rows$count <- stats::rpois(400L, exp(few_rows$z))
few_rows$class <- factor(c("a", "b", "c")[1L + (few_rows$z > -0.3) + (few_rows$z > 0.3)])
small_fits <- list("counts by loo_k()" = list(count ~ 1, stats::poisson(), loo_k(10)),
  "three classes by loo_k()" = list(class ~ 1, categorical(), loo_k(10)), "gaussian by svgp(40)" = list(z ~ 1, NULL, svgp(40)),
  "counts by svgp(40)" = list(count ~ 1, stats::poisson(), svgp(40)), "counts by vnngp(8)" = list(count ~ 1, stats::poisson(), vnngp(8)))

small_fit <- function(model, cluster) {
  suppressWarnings(suppressMessages(neargp(model[[1L]], few_rows, coords = ~ x + y, family = model[[2L]], method = model[[3L]],
    covariance = cov_exponential(), threads = 1L, cluster = cluster, control = neargp_control(shards = 4L))))
}

# Median seconds of fits to 400 rows in 4 shards by two workers, and without.
fits_of <- function(name) {
  model <- small_fits[[name]]
  cluster <- parallel::makePSOCKcluster(2L)
  on.exit(parallel::stopCluster(cluster))
  seconds <- function(cluster) milliseconds(function() small_fit(model, cluster), 3L) / 1000
  alone <- small_fit(model, NULL)
  stopifnot(identical(small_fit(model, cluster)$parameters, alone$parameters))
  at_once <- seconds(cluster)
  restore <- written_by_send_data(cluster)
  on.exit(restore(), add = TRUE, after = FALSE)
  data.frame(what = name, alone = seconds(NULL), sendData = seconds(cluster), at_once = at_once, load = load_average())
}
# "messages" keeps two tables; a rank of MPI is busy until this process ends, and comes last
if ("messages" %in% parts) {
  parts <- c(parts, "messages-fits")
  report("messages-fits", do.call(rbind, lapply(names(small_fits), fits_of)))
}
has_mpi <- requireNamespace("snow", quietly = TRUE) && nzchar(system.file(package = "Rmpi"))
report("messages", do.call(rbind, lapply(c("PSOCK", "FORK", if (has_mpi) "MPI"), messages_of)))

# ---- what the ordering by shards costs ---------------------------------------------------------------------------------------------

# Log-likelihoods at the same parameters.
ordering_of <- function(n, dimension, shards) {
  set.seed(1)
  data <- as.data.frame(matrix(stats::runif(n * dimension), n))
  data$z <- sin(9 * data$V1) * cos(7 * data$V2) + stats::rnorm(n, sd = 0.3)
  likelihood <- function(shards) {
    fit <- neargp(z ~ 1, data, coords = stats::reformulate(paste0("V", seq_len(dimension))), method = vecchia(20L), covariance = fixed,
      nugget = 0.09, control = neargp_control(shards = shards), threads = bench_threads())
    c(logLik(fit))
  }
  data.frame(rows = n, coordinates = dimension, rows_of_a_shard = n / shards,
    lost_a_row = (likelihood(NULL) - likelihood(shards)) / n)
}
report("ordering", rbind(ordering_of(96000L, 2L, 4L), ordering_of(96000L, 2L, 16L), ordering_of(96000L, 2L, 128L),
  ordering_of(96000L, 3L, 4L), ordering_of(96000L, 3L, 16L)))

# ---- CPU of workers and of threads -------------------------------------------------------------------------------------------------

seconds <- function(time) sum(time[c("user.self", "sys.self")])

cpu_of_fits <- function() {
  data <- rows(in_memory)
  workers <- parallel::makePSOCKcluster(4L)
  on.exit(parallel::stopCluster(workers))
  invisible(fit_in_shards(rows(8000L), 16L, workers))  # workers load the package, and R compiles its functions
  before <- unlist(parallel::clusterCall(workers, cpu_of))
  time <- system.time(by_workers <- fit_in_shards(data, 16L, workers))
  of_workers <- sum(unlist(parallel::clusterCall(workers, cpu_of)) - before)
  threads <- system.time(by_threads <- fit_in_shards(data, 16L, threads = 2L))
  plain <- system.time(without <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k), covariance = cov_exponential(), threads = 2L))
  same <- c("parameters", "log_likelihood", "beta", "beta_vcov")
  stopifnot(identical(unclass(by_workers)[same], unclass(by_threads)[same]))
  data.frame(what = c("4 workers, 16 shards", "2 threads, 16 shards", "2 threads, no shards"), rows = in_memory, k = k,
    cpu_workers = c(of_workers, NA, NA), cpu_master = c(seconds(time), seconds(threads), seconds(plain)),
    elapsed = c(time[["elapsed"]], threads[["elapsed"]], plain[["elapsed"]]),
    evaluations = c(by_workers$convergence$evaluations, by_threads$convergence$evaluations, without$convergence$evaluations),
    log_likelihood = c(by_workers$log_likelihood, by_threads$log_likelihood, without$log_likelihood), load = load_average())
}
report("cpu", cpu_of_fits())

# ---- rows that the workers read ----------------------------------------------------------------------------------------------------

# Peak of the resident memory, MB; of this process once more, as it has fitted above.
peak <- function() as.numeric(gsub("[^0-9]", "", grep("^VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024

# Chunks are 64 squares. Their rows are simulated where they are read.
square <- function(number, n) {
  if (number > 64L) return(NULL)
  set.seed(number)
  data <- data.frame(x = ((number - 1L) %% 8L + stats::runif(n)) / 8, y = ((number - 1L) %/% 8L + stats::runif(n)) / 8)
  data$z <- sin(9 * data$x) * cos(7 * data$y) + stats::rnorm(n, sd = 0.3)
  data
}
source_of <- function(n) {
  force(n)
  read <- function(number) square(number, n)
  environment(read) <- list2env(list(n = n, square = square), parent = globalenv())
  row_source(read, start_rows = 20000L)
}

master <- function(n) {
  parallel::mcparallel({
    workers <- parallel::makePSOCKcluster(4L)
    time <- system.time(fit <- fit_in_shards(source_of(n / 64L), 16L, workers, neighbors = 20L, covariance = fixed))
    peaks <- unlist(parallel::clusterCall(workers, peak))
    parallel::stopCluster(workers)
    data.frame(what = "4 workers read 16 shards, k = 20", rows = n, master_mb = peak(), worker_mb = max(peaks),
      elapsed = time[["elapsed"]], fit_mb = as.numeric(object.size(fit)) / 2^20, load = load_average())
  }) |> parallel::mccollect()
}
environment(peak) <- globalenv()
memory_of <- function() {
  found <- do.call(rbind, unlist(lapply(c(that_are_read / 4L, that_are_read), master), recursive = FALSE))
  # each worker stores a quarter of the rows
  found$worker_bytes_a_row <- c(NA, diff(found$worker_mb) * 2^20 / (diff(found$rows) / 4))
  found
}
report("memory", memory_of())
