# Default fits of noisy responses to five predictors, two of which matter. Times are CPU seconds of one thread, also in units of a
# yardstick, R's chol() of 4,000 rows, timed before and after each fit. The process is a sum of 400 waves of variance 1. Their frequencies
# are drawn from the spectrum of a Matérn covariance of smoothness 3/2 and range 0.25. The noise variance
# is `ratio`.
#
#   OMP_NUM_THREADS=1 Rscript bench/noisy-tables.R [rows: 2000,5000,10000] [ratios: 1,4] [seeds: 1,2]
#
# Keeps table noisy-tables, in which other rows stay.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
stop_unless_one_thread()
options(neargp.threads = 1L)

yardstick <- new_yardstick()

simulated <- function(n, ratio, seed, waves = 400L) {
  set.seed(seed)
  x <- matrix(runif(5L * n), n, dimnames = list(NULL, paste0("x", 1:5)))
  frequency <- matrix(rt(2L * waves, 3) / 0.25, 2L)
  phase <- runif(waves, 0, 2 * pi)
  process <- sqrt(2 / waves) * rowSums(cos(x[, 1:2] %*% frequency + rep(phase, each = n)))
  list(data = data.frame(x, y = process + rnorm(n, sd = sqrt(ratio))), process = process)
}

fit_case <- function(rows, ratio, seed, held_out = 2000L) {
  all <- simulated(rows + held_out, ratio, seed)
  fitted_rows <- seq_len(rows)
  unit <- yardstick()
  fitted <- timed(suppressWarnings(suppressMessages(neargp(y ~ 1, all$data[fitted_rows, ], coords = ~ .))))
  unit <- mean(c(unit, yardstick()))
  fit <- fitted$value
  test <- all$data[-fitted_rows, ]
  data.frame(rows = rows, ratio = ratio, seed = seed, cpu_s = fitted$cpu, yardsticks = fitted$cpu / unit,
    evaluations = fit$convergence$evaluations, converged = fit$convergence$converged, log_likelihood = as.numeric(logLik(fit)),
    rmse_of_process = sqrt(mean((predict(fit, test)$mean - all$process[-fitted_rows])^2)), log_score = scores(fit, newdata = test)$log_score)
}

describe_run()
cases <- expand.grid(seed = as.integer(argument(3L, c("1", "2"))), ratio = as.numeric(argument(2L, c("1", "4"))),
  rows = as.integer(argument(1L, c("2000", "5000", "10000"))))
key <- function(table) paste(table$rows, table$ratio, table$seed)
for (i in seq_len(nrow(cases))) {
  found <- fit_case(cases$rows[i], cases$ratio[i], cases$seed[i])
  before <- read_result("noisy-tables")
  save_table(rbind(if (!is.null(before)) before[key(before) != key(found), ], found), "noisy-tables", digits = 6L)
}
