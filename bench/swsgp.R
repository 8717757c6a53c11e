# swsgp() beside the published figures of the method: test scores on standardised sets, and what an epoch costs.
#
#   Rscript bench/swsgp.R sets [sets: powerplant,kin8nm,eeg,protein,pol,elevators,kin40k] [splits: 1,2,3] [epochs: 30]
#   Rscript bench/swsgp.R epoch         an epoch of 100,000 rows with 100,000 inducing points, k = 16
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

# Points and k of the paper's tables 1 to 3 (eeg, powerplant, kin, protein); table 6 of the LOO-k paper does not say what it had.
published <- read.table(header = TRUE, text = "
  set        inducing k  published_nll published_error source
  powerplant  64  4   2.371  4.095 swsgp-2b
  kin8nm      64  4  -1.27   0.11  swsgp-3
  protein     64  4   0.702  0.773 swsgp-2c
  eeg        256  4   0.36   0.18  swsgp-1a
  pol       1024 16  -1.036  0.091 loo-k-6
  elevators 1024 16   0.651  0.448 loo-k-6
  kin40k    1024 16  -0.694  0.121 loo-k-6
  protein   1024 16   0.804  0.542 loo-k-6")

# Outliers of eeg, a thousand times the other values, are drawn in.
standardised <- function(set) {
  rows <- bench_data(set)
  inputs <- as.matrix(rows[setdiff(names(rows), c("y", "fold"))])
  if (set == "eeg") inputs <- apply(inputs, 2L, function(x) pmin(pmax(x, quantile(x, 0.001)), quantile(x, 0.999)))
  inputs <- scale(inputs)
  varies <- apply(inputs, 2L, function(x) all(is.finite(x)))
  list(data = data.frame(inputs[, varies], y = if (set == "eeg") rows$y else drop(scale(rows$y))), unit = sd(rows$y))
}

# Errors are RMSE, of powerplant and kin8nm in the response's unit, and of classes the share of wrong ones.
score_set <- function(row, split, epochs) {
  set <- standardised(row$set)
  data <- set$data
  parts <- split_rows(nrow(data), split)
  train <- data[c(parts$training, parts$validation), ]
  test <- data[parts$test, ]
  classes <- row$set == "eeg"
  set.seed(split)
  fitted <- timed(neargp(y ~ 1, train, coords = ~ ., covariance = cov_matern(nu = 1.5, ard = TRUE),
    family = if (classes) binomial() else gaussian(), method = swsgp(row$inducing, k = row$k, epochs = epochs), threads = 1L, verbose = FALSE))
  predicted <- predict(fitted$value, test, threads = 1L)
  scored <- scores(fitted$value, test)
  unit <- if (row$set %in% c("powerplant", "kin8nm")) set$unit else 1
  error <- if (classes) mean((predicted$mean > 0.5) != test$y) else unit * sqrt(mean((predicted$mean - test$y)^2))
  data.frame(row[1:3], split = split, epochs = epochs, n = nrow(train), cpu_s = fitted$cpu, nll = scored$log_score + if (classes) 0 else log(unit),
    error = error, coverage = if (is.null(scored$coverage)) NA else scored$coverage, row[4:6])
}

time_epoch <- function(n = 1e5L, inputs = 8L) {
  set.seed(1)
  data <- data.frame(matrix(runif(n * inputs), n))
  data$y <- sin(4 * data$X1) + data$X2^2 + rnorm(n, sd = 0.1)
  points <- as.matrix(data[sample(n), seq_len(inputs)]) + 1e-4
  seconds <- function(epochs) {
    cpu_seconds(suppressWarnings(neargp(y ~ 1, data, coords = ~ ., covariance = cov_matern(nu = 1.5), threads = 1L, verbose = FALSE,
      method = swsgp(points, k = 16L, move = FALSE, epochs = epochs, batch_size = 1024L))))
  }
  fits <- c(seconds(1L), seconds(6L))
  data.frame(n = n, inputs = inputs, inducing = n, k = 16L, epoch_s = diff(fits) / 5, rest_s = fits[1L] - diff(fits) / 5)
}

what <- argument(1L, "sets")
describe_run()
if (identical(what, "epoch")) save_table(time_epoch(), "swsgp-epoch") else {
  wanted <- published[published$set %in% argument(2L, unique(published$set)), ]
  cases <- expand.grid(split = as.integer(argument(3L, c("1", "2", "3"))), row = seq_len(nrow(wanted)))
  epochs <- as.integer(argument(4L, "30"))
  results <- lapply(seq_len(nrow(cases)), function(i) score_set(wanted[cases$row[i], ], cases$split[i], epochs))
  save_table(do.call(rbind, results), paste0("swsgp-sets-", epochs))
}
