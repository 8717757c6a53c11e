# Compares forecasts by the whole trend, the default beyond the last time, with forecasts by local means. The simulated fields are separable
# and exponential, with variance 1, range 0.4 in space and autoregression 0.8 in time. They are observed at 25 locations, with nugget 0.09
# and mean 3. A fit by vecchia(20) with an intercept takes 40 times, and the 20 that follow are predicted.
#
# Expected before the run: the trend is equally good next to the data, and better far from them, where local means are those of the last
# neighbours.
#
#   R_LIBS=_build/library Rscript bench/forecast-mean.R [fields: 12]      keeps table forecast-mean

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))
fields <- as.integer(argument(1L, 12L))
places <- 25L
times <- 60L
last <- 40L

simulated <- function(seed) {
  set.seed(seed)
  xy <- data.frame(x = runif(places), y = runif(places))
  root <- t(chol(exp(-as.matrix(dist(xy)) / 0.4)))
  field <- matrix(0, places, times)
  field[, 1L] <- root %*% rnorm(places)
  for (time in 2:times) field[, time] <- 0.8 * field[, time - 1L] + 0.6 * root %*% rnorm(places)
  data <- data.frame(xy[rep(seq_len(places), times), ], time = rep(seq_len(times), each = places))
  data$z <- 3 + c(field) + rnorm(nrow(data), sd = 0.3)
  data
}

one <- function(seed) {
  data <- simulated(seed)
  ahead <- data[data$time > last, ]
  fit <- neargp(z ~ 1, data[data$time <= last, ], coords = ~ x + y, time = ~ time, method = vecchia(20L),
    covariance = cov_spacetime(cov_exponential(), model = "separable"), threads = 1L, verbose = FALSE)
  log_scores <- function(local_mean) {
    found <- predict(fit, ahead, interval = "prediction", local_mean = local_mean, verbose = FALSE)
    -dnorm(ahead$z, found$mean, (found$upper - found$lower) / (2 * qnorm(0.975)), log = TRUE)
  }
  difference <- log_scores(TRUE) - log_scores(NULL)
  data.frame(seed, first_5 = mean(difference[ahead$time <= last + 5L]), all_20 = mean(difference))
}

describe_run()
results <- do.call(rbind, lapply(seq_len(fields), one))
for (name in c("first_5", "all_20")) {
  cat(sprintf("log score better by the trend, %s: %.3f (se %.3f), %d of %d fields\n", name, mean(results[[name]]),
    sd(results[[name]]) / sqrt(fields), sum(results[[name]] > 0), fields))
}
save_result(results, "forecast-mean")
