# CPU seconds of one core, and memory, for three responses that share two fields: counts, presence and amounts at n
# locations. They are compared with the fits of single responses, which are the start of the joint fit and part of its
# time. `peak_mb` is the most memory of the process during the fit, with R and the data (Linux alone).
#
#   NEARGP_THREADS=1 OMP_NUM_THREADS=1 Rscript bench/joint-speed.R [SIZES]
#
# SIZES: numbers of locations, by default 5000,20000.

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))
stop_unless_one_thread()
describe_run()

# Sums of 200 waves whose frequencies give fields of range about .5 where 1,000 locations cover a unit square.
waves <- function(locations, seed, count = 200L) {
  set.seed(seed)
  frequency <- matrix(rnorm(2L * count, sd = 1 / 0.45), count)
  phase <- runif(count, 0, 2 * pi)
  drop(sqrt(2 / count) * cos(as.matrix(locations) %*% t(frequency) + rep(phase, each = nrow(locations))) %*% rnorm(count))
}

catches <- function(n) {
  set.seed(1)
  locations <- data.frame(x = runif(n), y = runif(n)) * sqrt(n / 1000)
  first <- waves(locations, 2)
  second <- waves(locations, 3)
  data.frame(locations, count = rpois(n, exp(0.5 + 0.8 * first)),
    present = rbinom(n, 1L, plogis(0.5 * first + 0.7 * second)),
    amount = rgamma(n, 3, 3 / exp(1 - 0.6 * first + 0.3 * second)))
}

status_mb <- function(name) {
  line <- if (file.exists("/proc/self/status")) grep(name, readLines("/proc/self/status"), value = TRUE)
  if (length(line)) as.numeric(gsub("[^0-9]", "", line)) / 1024 else NA_real_
}

forget_peak <- function() {
  gc()
  if (file.exists("/proc/self/clear_refs")) cat("5", file = "/proc/self/clear_refs")
}

# Single fits with the covariance of the joint one's start.
separate_cpu <- function(d) {
  timed(for (given in list(list(count ~ 1, poisson()), list(present ~ 1, binomial()), list(amount ~ 1, Gamma("log")))) {
    neargp(given[[1L]], d, coords = ~ x + y, family = given[[2L]], covariance = cov_matern(nu = 1.5), method = vnngp(),
      threads = 1)
  })$cpu
}

measured <- function(n) {
  d <- catches(n)
  separate <- separate_cpu(d)
  forget_peak()
  before <- status_mb("^VmRSS")
  took <- timed(neargp(list(count ~ 1, present ~ 1, amount ~ 1), d, coords = ~ x + y,
    family = list(poisson(), binomial(), Gamma("log")),
    covariance = cov_coregionalisation(cov_matern(nu = 1.5), rank = 2), threads = 1))
  fit <- took$value
  data.frame(locations = n, cpu = took$cpu, separate_cpu = separate, ratio = took$cpu / separate,
    evaluations = fit$convergence$evaluations, gain = fit$log_likelihood - fit$separate, peak_mb = status_mb("^VmHWM"),
    before_mb = before)
}

# Saved after each size, since the last one takes longer than all others.
table <- NULL
for (n in as.integer(argument(1L, c("5000", "20000")))) {
  table <- rbind(table, measured(n))
  print(table, row.names = FALSE, digits = 4)
  save_result(table, "joint-speed")
}
