# Presence with many predictors by vnngp(), svgp() and loo_k(), with their defaults and the default covariance. The results are the log loss
# of rows held out, and CPU seconds of fit and prediction by one thread. From real sets, `rows` random rows are fitted, and at most 2,000
# others are the test. The set "simulated" contains ten predictors, four of which matter, as in many-inputs-families.R.
#
#   OMP_NUM_THREADS=1 Rscript bench/presence-inputs.R [sets] [rows: 2000] [methods: loo_k,svgp,vnngp]

# The method vnngp20 is vnngp(k = 20). The method vnngp_features takes the covariance of features(), the default of ten and more predictors
# with at most 50 rows for each. The method vnngp_ranges takes a range for each predictor, the default of more rows.
#
# Keeps table presence-inputs, in which rows of sets and methods that are not named stay as they are.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
stop_unless_one_thread()
options(neargp.threads = 1L)

sets <- argument(1L, c("simulated", "bank", "credit", "eeg", "mi_tsca", "pine", "ringnorm", "spambase", "susy10k", "twonorm"))
counts <- as.integer(argument(2L, "2000"))
methods <- argument(3L, c("loo_k", "svgp", "vnngp"))

simulated <- function(n) {
  set.seed(2)
  inputs <- matrix(rnorm(10L * n), n, dimnames = list(NULL, paste0("x", 1:10)))
  f <- 2 * sin(inputs[, 1L]) + inputs[, 2L] * inputs[, 3L] + inputs[, 4L]
  data.frame(inputs, y = rbinom(n, 1L, plogis(1.5 * f)))
}

# Extreme values of eeg are errors of the device.
real <- function(set) {
  responses <- c(mi_tsca = "tsca", pine = "pine")
  rows <- bench_data(if (set == "pine") "covtype" else set)
  y <- rows[[c(responses[set], "y")[1L + is.na(responses[set])]]]
  inputs <- as.matrix(rows[setdiff(names(rows), c("y", "tsca", "cover", "pine", "fir", "fold"))])
  if (set == "eeg") inputs <- apply(inputs, 2L, rank)
  data.frame(scale(inputs), y = as.integer(y == max(y)))
}

parted <- function(set, n, tested = 2000L) {
  if (set == "simulated") {
    data <- simulated(n + tested)
    return(list(fit = data[seq_len(n), ], test = data[-seq_len(n), ]))
  }
  data <- real(set)
  set.seed(1)
  rows <- sample.int(nrow(data))
  n <- min(n, floor(0.9 * nrow(data)))
  fit <- data[rows[seq_len(n)], ]
  varies <- vapply(fit, function(x) all(is.finite(x)) && length(unique(x)) > 1L, NA)
  list(fit = fit[varies], test = data[rows[seq(n + 1L, min(n + tested, nrow(data)))], varies])
}

method_of <- function(name) {
  k <- as.integer(sub("^[^0-9]*", "", name))
  do.call(sub("_ranges$|_features$|[0-9]+$", "", name), if (is.na(k)) list() else list(k = k))
}

run <- function(set, n, name) {
  data <- parted(set, n)
  covariance <- if (endsWith(name, "_ranges")) cov_matern(nu = 1.5, ard = TRUE) else if (endsWith(name, "_features")) cov_features()
  fit <- timed(suppressWarnings(suppressMessages(neargp(y ~ 1, data$fit, coords = ~ ., family = binomial(), method = method_of(name),
    covariance = covariance, verbose = FALSE))))
  scored <- timed(suppressWarnings(scores(fit$value, newdata = data$test)))
  data.frame(set = set, coordinates = ncol(data$fit) - 1L, rows = nrow(data$fit), method = name,
    log_loss = c(scored$value$log_score, scored$value$log_loss)[1L], fit_s = fit$cpu, predict_s = scored$cpu,
    converged = fit$value$convergence$converged, load = scan("/proc/loadavg", quiet = TRUE, nmax = 1L, what = 0))
}

describe_run()
for (set in sets) for (n in counts) for (name in methods) {
  row <- run(set, n, name)
  before <- read_result("presence-inputs")
  if (!is.null(before)) {
    row <- rbind(before[!(before$set == row$set & before$rows == row$rows & before$method == row$method), ], row)
  }
  save_table(row[order(row$set, row$rows, row$method), ], "presence-inputs", digits = 4L)
}
