# What an epoch of swsgp() costs: 100,000 rows with 100,000 inducing points, k = 16. Its scores beside those of its paper are in paper-tables.R.
#
#   Rscript bench/swsgp.R
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

describe_run()
save_table(time_epoch(), "swsgp-epoch")
