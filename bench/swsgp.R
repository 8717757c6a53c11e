# What an epoch of swsgp() costs: 100,000 rows with 100,000 inducing points, k = 16. And test scores by weights of the divergence (the paper's 1, M / k
# by which each point counts once, and the root between them) and learning rates: the first of LOO-k's splits, 1,024 points, k = 16,
# 30 epochs, one thread. Scores beside those of its paper are in paper-tables.R.
#
#   Rscript bench/swsgp.R [epoch or weights: epoch] [sets: elevators,pol]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

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

score_weights <- function(set, weight, rate) {
  data <- standardised_split(set, 1L)
  set.seed(1)
  fitted <- timed(suppressWarnings(neargp(y ~ 1, data$training, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), threads = 1L,
    verbose = FALSE, method = swsgp(1024L, k = 16L, kl_weight = weight, learning_rate = rate))))
  scored <- scores(fitted$value, data$test)
  data.frame(set = set, kl_weight = weight, learning_rate = rate, cpu_fit = fitted$cpu, nll = scored$log_score, rmse = scored$rmse,
    crps = scored$crps, coverage = scored$coverage, nugget = fitted$value$nugget)
}

describe_run()
if (argument(1L, "epoch") == "epoch") {
  save_table(time_epoch(), "swsgp-epoch")
} else {
  cases <- expand.grid(weight = c(1, 8, 64), rate = c(0.01, 0.03), set = argument(2L, c("elevators", "pol")), stringsAsFactors = FALSE)
  save_table(do.call(rbind, Map(score_weights, cases$set, cases$weight, cases$rate)), "swsgp-weights")
}
