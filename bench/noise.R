# Noise that differs between rows, by nugget = ~ u + kind together with known measurement variances. Are the coefficients found? Do 95%
# prediction intervals cover 95% where noise is small and where it is large? How long does a fit take, compared with a constant nugget? The
# fields are exponential in the unit square, with variance 1 and range 0.1. The noise variance is se^2 + 0.1 exp(1.2 u + 0.7 [kind = old]),
# with u standard normal and se uniform in 0.05 to 0.4.
#
#   Rscript bench/noise.R [fields, 100] [rows, 600] [rows of the timed fits, 50000; 0: none]

# Keeps tables noise, noise-recovery (estimates) and noise-speed. Table noise contains the coverage by fifths of the true noise variance of
# new observations, 200 of each field. Fits run on one thread, in NEARGP_THREADS processes. Times are of one thread, the least of three,
# taking turns.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

describe_run()
fields <- as.integer(argument(1L, "100"))
n <- as.integer(argument(2L, "600"))
n_timed <- as.integer(argument(3L, "50000"))
new_places <- 200L
truth <- c(variance = 1, range = 0.1, nugget = 0.1, `nugget:u` = 1.2, `nugget:kindold` = 0.7)

noise_of <- function(data) data$se^2 + 0.1 * exp(1.2 * data$u + 0.7 * (data$kind == "old"))

covariates <- function(count) {
  data.frame(x = runif(count), y = runif(count), u = rnorm(count), kind = sample(c("new", "old"), count, TRUE), se = runif(count, 0.05, 0.4))
}

simulate_field <- function(seed) {
  set.seed(seed)
  data <- covariates(n + new_places)
  data$field <- drop(crossprod(chol(exp(-as.matrix(dist(data[c("x", "y")])) / 0.1)), rnorm(nrow(data))))
  data$z <- data$field + rnorm(nrow(data), sd = sqrt(noise_of(data)))
  data
}

models <- list(
  constant = function(data, ...) neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 30), covariance = cov_exponential(), threads = 1L,
    verbose = FALSE, ...),
  known = function(data, ...) models$constant(data, measurement_variance = se^2, ...),
  "log-linear" = function(data, ...) models$constant(data, nugget = ~ u + kind, ...),
  both = function(data, ...) models$constant(data, nugget = ~ u + kind, measurement_variance = se^2, ...))

one_field <- function(seed) {
  data <- simulate_field(seed)
  new <- utils::tail(data, new_places)
  fits <- lapply(models, function(fit) suppressWarnings(fit(data[seq_len(n), ])))
  fifth <- cut(rank(noise_of(new)), 5L, labels = FALSE)
  predicted <- do.call(rbind, lapply(names(fits), function(name) {
    said <- suppressMessages(predict(fits[[name]], new, interval = "prediction", threads = 1L, verbose = FALSE))
    data.frame(seed, model = name, fifth, inside = new$z >= said$lower & new$z <= said$upper, width = said$upper - said$lower,
      log_score = dnorm(new$z, said$mean, said$sd, log = TRUE), error = predict(fits[[name]], new, type = "link", verbose = FALSE)$mean - new$field)
  }))
  estimated <- fits$both$parameters
  limits <- confint(fits$both, what = "covariance")
  list(predicted = predicted, estimates = data.frame(seed, name = estimated$name, estimate = estimated$estimate, std_error = estimated$std_error,
    inside = limits[, 1L] <= truth[estimated$name] & truth[estimated$name] <= limits[, 2L]))
}

write_tables <- function(results) {
  predicted <- do.call(rbind, lapply(results, `[[`, "predicted"))
  of_field <- aggregate(cbind(inside, width, log_score, error = error^2) ~ seed + fifth + model, predicted, mean)
  coverage <- aggregate(cbind(coverage = inside, width, log_score, rmse_field = error) ~ fifth + model, of_field, mean)
  coverage$rmse_field <- sqrt(coverage$rmse_field)
  coverage$coverage_error <- aggregate(inside ~ fifth + model, of_field, function(x) sd(x) / sqrt(length(x)))$inside
  coverage$fields <- length(results)
  save_table(coverage, "noise", digits = 4L)
  estimates <- do.call(rbind, lapply(results, `[[`, "estimates"))
  recovery <- do.call(rbind, lapply(split(estimates, factor(estimates$name, names(truth))), function(own) {
    data.frame(parameter = own$name[1L], truth = truth[[own$name[1L]]], mean = mean(own$estimate), sd = sd(own$estimate),
      mean_std_error = mean(own$std_error, na.rm = TRUE), coverage_of_intervals = mean(own$inside, na.rm = TRUE), fields = nrow(own))
  }))
  save_table(recovery, "noise-recovery", digits = 4L)
}

# Written after each ten fields, so that a run may be stopped.
results <- list()
for (block in split(seq_len(fields), (seq_len(fields) - 1L) %/% 10L)) {
  results <- c(results, parallel::mclapply(block, one_field, mc.cores = bench_threads()))
  write_tables(results)
}

# ---- time ----------------------------------------------------------------------------------------

if (n_timed == 0L) quit("no")
set.seed(1)
timed_data <- covariates(n_timed)
smooth <- neargp(z ~ 1, transform(timed_data[1:500, ], z = rnorm(500)), coords = ~ x + y, method = vecchia(k = 5), threads = 1L, verbose = FALSE,
  covariance = cov_exponential(variance = 1, range = 0.1), nugget = 0.1)
timed_data$field <- simulate(smooth, newdata = timed_data, conditional = FALSE, type = "link", seed = 1)$sim_1
timed_data$z <- timed_data$field + rnorm(n_timed, sd = sqrt(noise_of(timed_data)))
fits <- list()
seconds <- compete(3L, lapply(stats::setNames(nm = names(models)), function(name) function() {
  ran <- timed(suppressWarnings(models[[name]](timed_data)))
  fits[[name]] <<- ran$value
  ran$cpu
}))
save_table(data.frame(model = names(seconds), rows = n_timed, cpu_seconds = seconds, ratio = seconds / seconds[["constant"]],
  iterations = vapply(fits, function(fit) fit$convergence$iterations, 0), evaluations = vapply(fits, function(fit) fit$convergence$evaluations, 0),
  log_likelihood = vapply(fits, function(fit) fit$log_likelihood, 0)), "noise-speed", digits = 6L)
