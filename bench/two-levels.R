# Two levels: a factor, and 0/1 with family = binomial(), by the two methods that could be their default, loo_k() and vnngp(). The results
# are log loss and error of rows held out, with the default covariance of each method. Splits are random, and for maps also by blocks of a
# tenth of the area.
#
#   OMP_NUM_THREADS=1 Rscript bench/two-levels.R [sets] [rows: 800] [splits: 3]

# Keeps table two-levels, a row for each set, hold-out and split. Rows of sets that are not named stay as they are.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
stop_unless_one_thread()
options(neargp.threads = 1L)

simulated <- function() {
  set.seed(2)
  inputs <- matrix(rnorm(10L * 2800L), ncol = 10L, dimnames = list(NULL, paste0("x", 1:10)))
  f <- 2 * sin(inputs[, 1L]) + inputs[, 2L] * inputs[, 3L] + inputs[, 4L]
  data.frame(inputs, y = rbinom(2800L, 1L, plogis(1.5 * f)))
}

on_map <- function(x, y, response) data.frame(x = x, y_coordinate = y, y = as.integer(response))

table_of <- function(set, response = "y", without = NULL, ranks = FALSE) {
  rows <- bench_data(set)
  inputs <- as.matrix(rows[setdiff(names(rows), c("y", response, without))])
  if (ranks) inputs <- apply(inputs, 2L, rank)
  data.frame(scale(inputs), y = as.integer(rows[[response]] == max(rows[[response]])))
}

# Sets with two coordinates are maps, and sets with more are tables. Extreme values of eeg are errors of the device.
maps <- list(
  wet_21st = function() with(subset(wet_days(), !is.na(on_21st)), on_map(lon, lat, on_21st >= 2.5)),
  warm_cells = function() with(subset(land_temperature(), !held_out), on_map(lon, lat, temperature > 42)),
  wet_colorado = function() with(colorado_precipitation(), on_map(lon, lat, precipitation > median(precipitation))),
  hemlock = function() with(bench_data("mi_tsca"), on_map(long, lat, tsca)),
  cod = function() with(bench_data("pcod"), on_map(X, Y, present)),
  rockfish = function() with(bench_data("yelloweye"), on_map(X, Y, catch_count > 0)),
  banana = function() with(bench_data("banana"), on_map(x1, x2, y > 0)))
tables <- list(
  bank = function() table_of("bank"),
  credit = function() table_of("credit"),
  eeg = function() table_of("eeg", ranks = TRUE),
  hemlock_climate = function() table_of("mi_tsca", "tsca"),
  ringnorm = function() table_of("ringnorm"),
  simulated = simulated,
  spambase = function() table_of("spambase"),
  susy10k = function() table_of("susy10k"),
  titanic = function() table_of("titanic"),
  twonorm = function() table_of("twonorm"))

sets <- argument(1L, c(names(maps), names(tables)))
count <- as.integer(argument(2L, "800"))
splits <- seq_len(as.integer(argument(3L, "3")))

# Numbers of rows to fit and to test.
random_split <- function(data, split) {
  set.seed(split)
  rows <- sample.int(nrow(data))
  n <- min(count, floor(0.8 * nrow(data)))
  list(fit = rows[seq_len(n)], test = rows[seq(n + 1L, min(n + 2000L, nrow(data)))])
}

block_split <- function(data, split) {
  rows <- random_split(data, split)
  all <- c(rows$fit, rows$test)
  set.seed(split)
  size <- sqrt(prod(apply(data[1:2], 2L, function(x) diff(range(x)))) / 10)
  fold <- block_folds(data[all, 1:2], v = 5, size = size)
  held <- as.integer(fold) == 1L
  list(fit = utils::head(all[!held], count), test = all[held])
}

run <- function(set, hold_out, split) {
  data <- if (set %in% names(maps)) maps[[set]]() else tables[[set]]()
  rows <- if (hold_out == "random") random_split(data, split) else block_split(data, split)
  fit_rows <- data[rows$fit, ]
  varies <- vapply(fit_rows, function(x) all(is.finite(x)) && length(unique(x)) > 1L, NA)
  fit_rows <- fit_rows[varies]
  test <- data[rows$test, varies]
  one <- function(method) {
    fit <- timed(suppressWarnings(suppressMessages(neargp(y ~ 1, fit_rows, coords = ~ ., family = binomial(), method = method,
      verbose = FALSE))))
    p <- predict(fit$value, test, verbose = FALSE)
    p <- pmin(pmax(if (is.null(p$prob_1)) p$mean else p$prob_1, 1e-12), 1 - 1e-12)
    list(loss = -ifelse(test$y == 1, log(p), log1p(-p)), error = mean((p > 0.5) != test$y), seconds = fit$cpu)
  }
  by <- list(loo_k = one(loo_k()), vnngp = one(vnngp()))
  gain <- by$loo_k$loss - by$vnngp$loss
  data.frame(set = set, coordinates = ncol(fit_rows) - 1L, hold_out = hold_out, split = split, rows = nrow(fit_rows), tested = nrow(test),
    loss_loo_k = mean(by$loo_k$loss), loss_vnngp = mean(by$vnngp$loss), gain = mean(gain), gain_se = stats::sd(gain) / sqrt(length(gain)),
    error_loo_k = by$loo_k$error, error_vnngp = by$vnngp$error, s_loo_k = by$loo_k$seconds, s_vnngp = by$vnngp$seconds)
}

describe_run()
for (set in sets) for (hold_out in c("random", if (set %in% names(maps)) "blocks")) for (split in splits) {
  row <- run(set, hold_out, split)
  before <- read_result("two-levels")
  if (!is.null(before)) {
    row <- rbind(before[!(before$set == set & before$hold_out == hold_out & before$split == split), ], row)
  }
  save_table(row, "two-levels", digits = 4L)
}
