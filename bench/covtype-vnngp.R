# vnngp() on the largest set of its paper, covtype (Wu et al. 2022, Table 1). The response is presence of pine in 371,848 training rows of
# 54 inputs. The family is Bernoulli, and the covariance Matérn 5/2 with one range per coordinate. The paper's test NLL is 0.132, and 0.234
# for its SVGP.
#
#   Rscript bench/covtype-vnngp.R [rows of training, as 25600,51200,102400,371848] [k, as 8] [seed] [neighbours of predictions]

# A fit takes two stages. First, loo_k(16) on the same rows finds the ranges by Adam on mini-batches, at a cost that barely depends on the
# number of rows. Then vnngp() fixes these ranges, finds variance and intercept, and computes the posterior of all rows. A fit by vnngp()
# that finds the ranges itself costs seventy times as much.
#
# Rows are split 64/16/20 as in the paper, and inputs are scaled as in vnngp-uci.R. Validation rows are not used for any choice. All 116,202
# test rows are predicted. Each row of the table goes to table covtype-vnngp as soon as it is computed, and replaces an earlier one of the
# same call.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
source(file.path(bench_folder(), "vnngp-uci-sets.R"))

training_rows <- as.integer(argument(1L, c("25600", "51200", "102400")))
neighbors <- as.integer(argument(2L, "8"))
seed <- as.integer(argument(3L, "1"))
prediction_neighbors <- as.integer(argument(4L, NA))

# Largest memory of this process so far, GB.
peak_memory <- function() {
  status <- grep("^VmHWM", if (file.exists("/proc/self/status")) readLines("/proc/self/status"), value = TRUE)
  if (length(status)) as.numeric(gsub("[^0-9]", "", status)) / 2^20 else NA_real_
}

fit_rows <- function(train, method, range = NULL) {
  neargp(y ~ 1, train, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE, range = range), method = method,
    family = stats::binomial(), threads = bench_threads(), verbose = FALSE)
}

found_ranges <- function(fit) {
  values <- stats::coef(fit, what = "covariance")
  unname(values[startsWith(names(values), "range_")])
}

predict_rows <- function(fit, test, k) {
  scores(fit, newdata = test, k = if (is.na(prediction_neighbors)) k else prediction_neighbors, threads = bench_threads())
}

run_rows <- function(data, rows, count, k) {
  train <- data[rows$train[seq_len(count)], ]
  train <- train[vapply(train, function(x) length(unique(x)) > 1L, NA)]
  test <- data[rows$test, ]
  set.seed(seed)
  ranges <- timed(suppressWarnings(fit_rows(train, loo_k(16L))))
  fit <- timed(suppressWarnings(fit_rows(train, vnngp(k), found_ranges(ranges$value))))
  of_fit <- peak_memory()
  predicted <- timed(predict_rows(fit$value, test, k))
  data.frame(n = nrow(train), d = ncol(train) - 1L, k = k, seed = seed, prediction_k = prediction_neighbors, ranges_cpu = ranges$cpu,
    fit_cpu = fit$cpu, evaluations = fit$value$convergence$evaluations, converged = fit$value$convergence$converged,
    prediction_cpu = predicted$cpu, elapsed = ranges$elapsed + fit$elapsed + predicted$elapsed, gb_fit = of_fit, gb = peak_memory(),
    nll = predicted$value$log_score, rmse = predicted$value$rmse, narrow = fit$value$posterior$restricted,
    variance = stats::coef(fit$value, what = "covariance")[["variance"]])
}

keep_row <- function(row) {
  call_of <- function(rows) do.call(paste, rows[c("n", "k", "seed", "prediction_k")])
  earlier <- read_result("covtype-vnngp")
  rows <- if (is.null(earlier)) row else rbind(earlier[!call_of(earlier) %in% call_of(row), ], row)
  save_table(rows[do.call(order, rows[c("seed", "k", "n")]), ], "covtype-vnngp")
}

describe_run()
all_rows <- bench_data("covtype")
data <- data.frame(scaled_inputs(as.matrix(all_rows[setdiff(names(all_rows), c("cover", "pine", "fir"))])), y = all_rows$pine)
rm(all_rows)
rows <- train_and_test_rows(nrow(data), seed)
for (k in neighbors) for (count in training_rows) keep_row(run_rows(data, rows, count, k))
