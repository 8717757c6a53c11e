# Measures the coverage of deep sigma point processes on few rows, with the defaults of the package. The data are three simulated responses of
# 2 to 8 inputs, with 4,000 test rows each. A Gaussian process with one covariance is fitted for comparison. The mixture objective overfits
# variances on few rows. With the paper's weights of the divergence, up to 1, 95% intervals covered 73% at 2,000 rows in trials. Usage:
#
#   nice Rscript bench/deep-few-rows.R [rows: 500,2000] [sets: friedman,smooth,bent] [seeds: 1] [method: dspp()]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

simulated <- list(
  # Friedman (1991): eight inputs, of which five matter.
  friedman = function(n) {
    x <- matrix(stats::runif(8 * n), n)
    data.frame(x, y = 10 * sin(pi * x[, 1] * x[, 2]) + 20 * (x[, 3] - 0.5)^2 + 10 * x[, 4] + 5 * x[, 5] + stats::rnorm(n))
  },
  smooth = function(n) {
    x <- matrix(stats::rnorm(6 * n), n)
    field <- sin(2 * x[, 1] + x[, 2]) + x[, 3] * tanh(x[, 4]) + 0.5 * cos(2 * x[, 5] * x[, 6])
    data.frame(x, y = field + stats::rnorm(n, sd = 0.1))
  },
  # A range that falls along one input, noise that grows along the other.
  bent = function(n) {
    x <- matrix(stats::runif(2 * n), n)
    data.frame(x, y = sin(12 * x[, 1]^2) * cos(3 * x[, 2]) + stats::rnorm(n, sd = 0.02 + 0.3 * x[, 2]))
  })

measure <- function(set, n, seed, method) {
  set.seed(seed)
  training <- simulated[[set]](n)
  test <- simulated[[set]](4000)
  one <- function(label, method, ...) {
    set.seed(seed)
    fitted <- timed(suppressWarnings(neargp(y ~ 1, training, coords = ~ ., method = method, threads = 1L, verbose = FALSE, ...)))
    scored <- scores(fitted$value, newdata = test, threads = 1L)
    data.frame(set = set, n = n, seed = seed, method = label, regularization = fitted$value$deep$notes$regularization %||% NA,
      epoch = fitted$value$deep$notes$epoch %||% NA, log_score = scored$log_score, rmse = scored$rmse, crps = scored$crps,
      coverage = scored$coverage, held_out_coverage = fitted$value$deep$validation$coverage %||% NA, cpu_fit = fitted$cpu)
  }
  found <- rbind(one("dspp", method), one("vecchia", vecchia(), covariance = cov_matern(nu = 2.5, ard = TRUE)))
  print(found, digits = 3L, row.names = FALSE)
  found
}

`%||%` <- function(a, b) if (is.null(a)) b else a

cases <- expand.grid(set = argument(2L, c("friedman", "smooth", "bent")), n = as.integer(argument(1L, c("500", "2000"))),
  seed = as.integer(argument(3L, "1")), stringsAsFactors = FALSE)
method <- eval(parse(text = argument(4L, "dspp()")))
describe_run()
rows <- do.call(rbind, lapply(seq_len(nrow(cases)), function(i) measure(cases$set[i], cases$n[i], cases$seed[i], method)))
save_table(rows, "deep-few-rows")
