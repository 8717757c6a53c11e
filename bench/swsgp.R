# Measures the cost, the settings and the joint predictions of swsgp(). Its scores are compared with those of its
# paper in paper-tables.R.
# - `epoch` compares the cost of an epoch of swsgp() with that of vnngp(inducing = ), with the same points and k. It
#   uses k = 16, 32 and 64, with as many inducing points as rows and with a tenth of them. Each time is the least of
#   three CPU times, of twenty epochs.
# - `weights` computes test scores by learning rate and by weight of the divergence. The weights are the paper's 1, M
#   / k, and the root of M / k. With the weight M / k each point counts once. It uses the first of LOO-k's splits,
#   1,024 points, k = 16, 30 epochs and one thread.
# - `unions` runs Figure 5 of the paper: joint predictions of 200 test rows of powerplant in batches of 1 to 200. All
#   fits use 2,000 rows and 512 points. In the first fit each row uses its own 8 points. In the other two (SWSGP-U)
#   the rows of a mini-batch share 128 points. One of these fits assumes independent points, the other a full
#   covariance matrix. In this table, k is the number of points of a test row.
#
#   Rscript bench/swsgp.R [epoch, weights or unions: epoch] [rows: 100000, or sets: elevators,pol]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

time_epoch <- function(n, inducing, k, inputs = 8L, epochs = 20L) {
  set.seed(1)
  data <- data.frame(matrix(runif(n * inputs), n))
  data$y <- sin(4 * data$X1) + data$X2^2 + rnorm(n, sd = 0.1)
  points <- as.matrix(data[sample(n, inducing), seq_len(inputs)]) + 1e-4
  seconds <- function(method) {
    cpu_seconds(suppressWarnings(neargp(y ~ 1, data, coords = ~ ., covariance = cov_matern(nu = 1.5), threads = 1L, verbose = FALSE,
      method = method)))
  }
  sparse <- function(epochs) swsgp(points, k = k, move = FALSE, epochs = epochs, batch_size = 1024L)
  vecchia <- function(epochs) {
    vnngp(k, inducing = points, posterior = "mean-field", optimizer = "adam", epochs = epochs, batch_size = 1024L)
  }
  epoch <- function(method) {
    diff(apply(replicate(3L, c(seconds(method(1L)), seconds(method(1L + epochs)))), 1L, min)) / epochs
  }
  swsgp_s <- epoch(sparse)
  vnngp_s <- epoch(vecchia)
  data.frame(n = n, inputs = inputs, inducing = inducing, k = k, epoch_s = swsgp_s, vnngp_epoch_s = vnngp_s, ratio = swsgp_s / vnngp_s)
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

union_fits <- list(own = list(), shared = list(active = 128L), full = list(active = 128L, covariance = "full"))

score_unions <- function(trained) {
  data <- standardised_split("powerplant", 1L)
  set.seed(1)
  training <- data$training[sample(nrow(data$training), 2000L), ]
  test <- data$test[sample(nrow(data$test), 200L), ]
  settings <- c(list(512L, k = 8L, epochs = 100L), union_fits[[trained]])
  fitted <- timed(suppressWarnings(neargp(y ~ 1, training, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), threads = 1L,
    verbose = FALSE, method = do.call(swsgp, settings))))
  cases <- expand.grid(batch = c(1L, 5L, 20L, 50L, 200L), k = c(4L, 8L, 16L, 32L, 64L))
  scored <- t(mapply(score_batches, cases$batch, cases$k, MoreArgs = list(fit = fitted$value, test = test)))
  cbind(trained = trained, cpu_fit = fitted$cpu, cases, scored)
}

score_batches <- function(batch, k, fit, test) {
  parts <- split(seq_len(nrow(test)), ceiling(seq_len(nrow(test)) / batch))
  predicted <- do.call(rbind, lapply(parts, function(rows) predict(fit, test[rows, ], type = "link", joint = TRUE, k = k)[c("mean", "sd")]))
  error <- predicted$mean - test$y
  c(rmse = sqrt(mean(error^2)), nll = -mean(stats::dnorm(error, sd = sqrt(predicted$sd^2 + fit$nugget), log = TRUE)))
}

describe_run()
if (argument(1L, "epoch") == "epoch") {
  n <- as.integer(argument(2L, "100000"))
  cases <- expand.grid(k = c(16L, 32L, 64L), inducing = c(n, n %/% 10L))
  save_table(do.call(rbind, Map(time_epoch, n, cases$inducing, cases$k)), "swsgp-epoch")
} else if (argument(1L) == "unions") {
  save_table(do.call(rbind, lapply(names(union_fits), score_unions)), "swsgp-unions")
} else {
  cases <- expand.grid(weight = c(1, 8, 64), rate = c(0.01, 0.03), set = argument(2L, c("elevators", "pol")), stringsAsFactors = FALSE)
  save_table(do.call(rbind, Map(score_weights, cases$set, cases$weight, cases$rate)), "swsgp-weights")
}
