# How long would fits in shards take on clusters that are not here? The schedule is simulated from measurements on this machine. These are
# the time of a row in an evaluation, in the preparations and in reading, and the time of a message. All of them are CPU times, which other
# work on the machine disturbs least.
#
# The simulation is validated on what can be run: 1, 2 and 4 workers on these cores. The check compares the CPU time of the busiest worker
# and of this session. Elapsed time is compared where the machine is quiet, and the load is recorded. Expected: CPU times agree within 10%.
# The network does not matter to evaluations. Stragglers and the session's handling of messages matter where workers compute little.
#
#   Rscript bench/cluster-simulator.R [rows that are measured, 200000] [k, 20] [rounds, 10] [rounds that are simulated, 400]

# Keeps tables cluster-simulator, -measured and -validation.
#
# The model. All workers begin an evaluation together, and the sums are added when the last one has answered:
#   `T = max over workers of (rows / workers) x (time of a row) / cores x slowness + workers x handling + 2 latencies + workers x bytes / bandwidth`.
# The slowness of a worker is a product of three factors. The first is log-normal with sd 0.02. The second is the mean of the factors of its
# shards, which are log-normal with sd 0.02 each. The third is 2 in one of a thousand evaluations, and otherwise 1. Shards showed these
# tails on two shared cores. A fit consists of two readings of all rows, preparations and 30 evaluations. The preparations are order,
# neighbours and problems; rows near borders travel by the session.
#
# Some numbers are assumed and not measured:
# - Cores of one worker share its rows without loss.
# - Storage delivers as much as one link of the network, and 40 bytes a row are read.
# - Latencies are 50 and 10 microseconds at 10 and 100 Gbit.
# - An hour of a core costs 0.05 dollars.
# The model does not contain memory bandwidth that cores share, workers that are lost, or a second search where the metric changes its
# shape.
source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))
n <- as.integer(argument(1L, "200000"))
k <- as.integer(argument(2L, "20"))
rounds <- as.integer(argument(3L, "10"))
simulated <- as.integer(argument(4L, "400"))
shards <- 16L
ns <- asNamespace("neargp")

write_results <- function(name, table) {
  table[vapply(table, is.numeric, NA)] <- lapply(table[vapply(table, is.numeric, NA)], signif, 4L)
  print(table, row.names = FALSE)
  save_result(table, paste0("cluster-simulator", name))
}

# ---- what is measured --------------------------------------------------------------------------------------------------------------

rows <- function(n) {
  set.seed(1)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n))
  data$z <- sin(9 * data$x) * cos(7 * data$y) + stats::rnorm(n, sd = 0.3)
  data
}

cpu_of <- function() sum(proc.time()[c("user.self", "sys.self")])
environment(cpu_of) <- globalenv()

# Measures rounds within a fit to n rows. Returns the seconds of each round, the CPU time of one round here and in each worker, and the CPU
# time of the preparations.
rounds_of <- function(n, cluster = NULL, neighbors = k, count = rounds) {
  originals <- list(reduce_rows = ns$reduce_rows, make_problems = ns$make_problems)
  found <- list()
  now <- ns$core_monotonic_seconds
  replace <- function(name, f) utils::assignInNamespace(name, f, "neargp")
  on.exit(for (name in names(originals)) replace(name, originals[[name]]))
  of_workers <- function() if (!is.null(cluster)) unlist(parallel::clusterCall(cluster, cpu_of))
  replace("make_problems", function(...) {
    before <- cpu_of()
    originals$make_problems(...)
    if (is.null(found$prepared)) found$prepared <<- cpu_of() - before
  })
  replace("reduce_rows", function(host, what, common) {
    one <- function() originals$reduce_rows(host, what, utils::modifyList(common, list(asked = TRUE)))
    if (is.null(found$elapsed)) {
      for (i in 1:3) one()  # R compiles its functions
      workers <- of_workers()
      before <- cpu_of()
      found$elapsed <<- vapply(seq_len(count), function(i) {
        began <- now()
        one()
        now() - began
      }, 0)
      found$cpu <<- (cpu_of() - before) / count
      found$cpu_workers <<- (of_workers() - workers) / count
    }
    rlang::cnd_signal(rlang::cnd("rounds_measured"))
    originals$reduce_rows(host, what, common)
  })
  tryCatch(neargp(z ~ 1, rows(n), coords = ~ x + y, method = vecchia(neighbors), covariance = cov_exponential(), threads = 1L, cluster = cluster,
    control = neargp_control(shards = shards)), rounds_measured = function(condition) NULL)
  found
}

with_cluster <- function(count, f) {
  cluster <- parallel::makePSOCKcluster(count)
  on.exit(parallel::stopCluster(cluster))
  f(cluster)
}

alone <- rounds_of(n)
of_a_row <- alone$cpu / n
of_session <- vapply(c(1L, 2L, 4L, 8L), function(workers) with_cluster(workers, function(cluster) {
  rounds_of(400L, cluster, neighbors = 5L, count = 300L)$cpu
}), 0)
handling <- pmax(unname(stats::coef(stats::lm(of_session ~ c(1, 2, 4, 8)))), 0)
file <- tempfile(fileext = ".csv")
utils::write.csv(rows(1e5), file, row.names = FALSE)
reading <- least(3L, utils::read.csv(file)) / 1e5
answer <- length(serialize(list(value = list(log_det = 0, gram = diag(2), d_log_det = double(3), d_gram = array(0, c(2, 2, 3)),
  information = diag(3), failed = 0L), success = TRUE, time = double(5), tag = 1), NULL))
load <- strsplit(readLines("/proc/loadavg"), " ")[[1L]][1L]
measured <- data.frame(what = c("microseconds a row of an evaluation (value, gradient, information)", "microseconds a row of the preparations",
  "microseconds a row of read.csv(), three columns", "milliseconds of this session in a round, for each worker",
  "milliseconds of this session in a round, beside these", "bytes of an answer with one sum"),
  value = c(1e6 * of_a_row, 1e6 * alone$prepared / n, 1e6 * reading, 1e3 * handling[2L], 1e3 * handling[1L], answer),
  rows = c(n, n, 1e5, 400, 400, NA), k = c(k, k, NA, 5, 5, NA), load = load)
write_results("-measured", measured)

# ---- the model ---------------------------------------------------------------------------------------------------------------------

tails <- list(worker = 0.02, shard = 0.02, factor = 2, probability = 0.001)

# Seconds of simulated evaluations. With `here`, a number of cores, they are those of workers on this machine, without tails.
evaluations <- function(rows, workers, cores = 1, shards_of_worker = 4L, latency = 0, bandwidth = Inf, here = NULL) {
  seconds <- rows / workers * of_a_row / cores
  session <- handling[1L] + workers * handling[2L] + 2 * latency + workers * answer / bandwidth
  if (!is.null(here)) return(seconds * max(1, workers / here) + session)
  replicate(simulated, {
    own <- stats::rlnorm(workers, 0, tails$worker)
    of_shards <- colMeans(matrix(stats::rlnorm(workers * shards_of_worker, 0, tails$shard), shards_of_worker))
    slow <- ifelse(stats::runif(workers) < tails$probability, tails$factor, 1)
    max(seconds * own * of_shards * slow)
  }) + session
}

# Seconds of a fit. Rows near borders travel twice.
fit_of <- function(rows, workers, cores, gigabits) {
  latency <- if (gigabits > 50) 1e-5 else 5e-5
  bandwidth <- gigabits * 1e9 / 8
  per_evaluation <- evaluations(rows, workers, cores, latency = latency, bandwidth = bandwidth)
  shards <- max(4 * workers, rows / 1e6)
  near_borders <- shards * 2.4 * sqrt(k * rows / shards) * 8 * 6
  read <- 2 * (rows * 40 / bandwidth + rows / workers * reading / cores)
  prepared <- rows / workers * alone$prepared / n / cores + 2 * near_borders / bandwidth
  seconds <- read + prepared + 30 * mean(per_evaluation)
  # shards are whole: each worker gets at least one, and each needs its part of the memory
  data.frame(rows = rows, workers = workers, cores = cores, gigabits = gigabits, gb_a_worker = rows / workers * 305 / 2^30,
    evaluation = mean(per_evaluation), evaluation_95 = unname(stats::quantile(per_evaluation, 0.95)), read_min = read / 60, prepare_min = prepared / 60,
    fit_min = seconds / 60, core_hours = seconds * workers * cores / 3600, dollars = seconds * workers * cores / 3600 * 0.05)
}

# ---- validation on what is here ----------------------------------------------------------------------------------------------------

cores_here <- parallel::detectCores()
validation <- do.call(rbind, lapply(c(1L, 2L, 4L), function(workers) {
  found <- with_cluster(workers, function(cluster) rounds_of(n, cluster))
  predicted <- c(n / workers * of_a_row, handling[1L] + workers * handling[2L])
  data.frame(workers = workers, cores = cores_here, rows = n, k = k, cpu_busiest = max(found$cpu_workers), predicted_busiest = predicted[1L],
    ratio = predicted[1L] / max(found$cpu_workers), cpu_session = found$cpu, predicted_session = predicted[2L],
    elapsed_least = min(found$elapsed), elapsed_median = stats::median(found$elapsed),
    elapsed_predicted = evaluations(n, workers, here = cores_here), load = strsplit(readLines("/proc/loadavg"), " ")[[1L]][1L])
}))
write_results("-validation", validation)

# ---- what is not here --------------------------------------------------------------------------------------------------------------

set.seed(1)
cases <- expand.grid(gigabits = c(10, 100), cores = c(1, 16), workers = c(16, 64, 256, 1024), rows = c(1e8, 1e9, 3e9))
write_results("", do.call(rbind, Map(fit_of, cases$rows, cases$workers, cases$cores, cases$gigabits)))
