# CPU seconds of one core for three responses that share two fields: counts, presence and amounts at n locations. They are
# compared with the fits of single responses, which are the start of the joint fit and part of its time.
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

measured <- function(n) {
  d <- catches(n)
  took <- timed(neargp(list(count ~ 1, present ~ 1, amount ~ 1), d, coords = ~ x + y,
    family = list(poisson(), binomial(), Gamma("log")),
    covariance = cov_coregionalisation(cov_matern(nu = 1.5), rank = 2), threads = 1))
  fit <- took$value
  data.frame(locations = n, cpu = took$cpu, separate_elapsed = fit$elapsed[["separate"]], joint_elapsed = fit$elapsed[["joint"]],
    evaluations = fit$convergence$evaluations, gain = fit$log_likelihood - fit$separate)
}

# Saved after each size, since the last one takes longer than all others.
table <- NULL
for (n in as.integer(argument(1L, c("5000", "20000")))) {
  table <- rbind(table, measured(n))
  print(table, row.names = FALSE, digits = 4)
  save_result(table, "joint-speed")
}
