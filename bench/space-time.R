# Does a fit of Gneiting's covariance predict as well as the truth, in gaps and ahead of the data, and how long does it take? Fields with
# that covariance are drawn at all locations and times, by Vecchia's approximation with 60 neighbours. A tenth of the rows before the last
# 10 times is withheld as gaps, and all rows of these times as forecasts.
#
#   OMP_NUM_THREADS=1 Rscript bench/space-time.R [locations] [times] [seeds, comma-separated]

# Every fit predicts from the same rows with 60 neighbours. In the fit "truth", all parameters except the trend's are fixed at their true
# values.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

places <- as.integer(argument(1L, "1000"))
times <- as.integer(argument(2L, "100"))
seeds <- as.integer(argument(3L, as.character(1:3)))
ahead <- 10L
noise <- 0.05

truth <- list(nu = 0.5, range = c(0.3, 10), alpha = 0.8, beta = 0.7)
covariance_of <- function(variance = 1) {
  cov_spacetime(cov_matern(truth$nu, variance, truth$range), alpha = truth$alpha, beta = truth$beta)
}

# A fit to a few rows with all parameters fixed draws from the covariance itself.
simulate_rows <- function(seed) {
  set.seed(seed)
  xy <- data.frame(x = stats::runif(places), y = stats::runif(places))
  data <- data.frame(xy[rep(seq_len(places), times), ], t = rep(seq_len(times), each = places))
  few <- data.frame(x = stats::runif(100), y = stats::runif(100), t = 1:100, z = stats::rnorm(100))
  fit <- neargp(z ~ 0, few, coords = ~ x + y, time = ~ t, covariance = covariance_of(), nugget = noise, method = vecchia(k = 5))
  draw <- simulate(fit, newdata = data, seed = seed, conditional = FALSE, k = 60L, threads = 1L)
  data$z <- draw$sim_1
  data
}

fits <- list(
  "truth" = list(covariance = covariance_of(), nugget = noise),
  "Gneiting, by default" = list(),
  "separable, exponential in time" = list(covariance = cov_spacetime(model = "separable")),
  "exponential + Matern, metric" = list(covariance = cov_exponential() + cov_matern(nu = NULL)),
  "Matern, metric" = list(covariance = cov_matern(nu = NULL))
)

scores_of <- function(fit, rows) {
  predicted <- predict(fit, rows, interval = "prediction", k = 60L, threads = 1L)
  sd <- (predicted$upper - predicted$lower) / 2 / stats::qnorm(0.975)
  c(log_score = mean(stats::dnorm(rows$z, predicted$mean, sd, log = TRUE)), rmse = sqrt(mean((rows$z - predicted$mean)^2)),
    coverage = mean(rows$z >= predicted$lower & rows$z <= predicted$upper))
}

case_scores <- function(seed) {
  data <- simulate_rows(seed)
  late <- data$t > times - ahead
  set.seed(seed + 1000L)
  gap <- !late & stats::runif(nrow(data)) < 0.1
  seen <- data[!late & !gap, ]
  do.call(rbind, lapply(names(fits), function(name) {
    ran <- timed(suppressMessages(do.call(neargp, c(list(z ~ 1, seen, coords = ~ x + y, time = ~ t, method = vecchia(), threads = 1L,
      verbose = FALSE), fits[[name]]))))
    gaps <- scores_of(ran$value, data[gap, ])
    forecasts <- scores_of(ran$value, data[late, ])
    message(sprintf("seed %d, %s: %.0f s", seed, name, ran$cpu))
    estimates <- coef(ran$value, what = "covariance")
    data.frame(seed = seed, fit = name, rows = nrow(seen), cpu = ran$cpu, log_likelihood = as.numeric(logLik(ran$value)),
      converged = ran$value$convergence$converged, gap = t(gaps), forecast = t(forecasts),
      estimates = paste(names(estimates), signif(estimates, 3L), collapse = " "))
  }))
}

describe_run()
rows <- do.call(rbind, lapply(seeds, case_scores))
save_table(rows, "space-time", digits = 4L)
