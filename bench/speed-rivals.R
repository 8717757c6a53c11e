# Compares neargp with GpGp, GPBoost and BRISC on one thread, in the same run. Times are CPU seconds, the least of several rounds in which
# all packages take turns.
# - Part (a) is the log-likelihood alone, n = 20,000, k = 30.
# - Part (b) is a whole fit of n = 50,000, from the data to the estimates with ordering and neighbours. The covariance is exponential, with a
#   nugget. Fits take k = 30, and 15 for BRISC, which runs out of memory above. The estimates of all packages are compared in one likelihood.
#   It is Vecchia's with the k of the fits, and with 100 neighbours, which none of the packages has maximised.
# - Part (c) is prediction with variance at 5,000 locations from the 50,000 rows.
#
# Expected for (a): 12 times as fast as both rivals. Expected for (b): 20 times as fast as each, and a likelihood at least as high. Expected
# for (c): 5 times as fast as the fastest rival.
#
#   OMP_NUM_THREADS=1 NEARGP_RIVALS=<library> NEARGP_PYTHON=<interpreter with gpboost> Rscript bench/speed-rivals.R [rows] [rounds]

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
source(file.path(bench_folder(), "field.R"))
source(file.path(bench_folder(), "rivals.R"))
stop_unless_one_thread()
given <- as.integer(commandArgs(TRUE))
n <- if (length(given) > 0L) given[1L] else 50000L
rounds <- if (length(given) > 1L) given[2L] else 2L
m <- n %/% 10L

log_likelihood <- function(estimates, frame, k) {
  neargp(z ~ 1, frame, coords = ~ x + y, covariance = cov_exponential(variance = estimates$variance, range = estimates$range),
    nugget = estimates$nugget, method = vecchia(k), threads = 1L, verbose = FALSE)$log_likelihood
}

# ---- (a) the log-likelihood alone ----

value_only <- function(covariance, rows, k, rounds) {
  frame <- field$frame[seq_len(rows), ]
  places <- as.matrix(frame[c("x", "y")])
  neighbors <- field$neighbors[seq_len(k), seq_len(rows)]
  component <- list(family = "matern", variance = 1, range = 0.1, group = c(1L, 1L), anisotropy = double(0),
    shape = c(exponential = 0.5, matern32 = 1.5)[[covariance]])
  problem <- neargp:::core_problem(places, matrix(frame$z), rep(1, rows), neighbors, neargp:::plain_context())
  table <- cbind(seq_len(rows), t(neighbors))
  gpgp_name <- c(exponential = "exponential_isotropic", matern32 = "matern15_isotropic")[[covariance]]
  reached <- list()
  keep <- function(name, value) reached[[name]] <<- value
  contestants <- list(neargp = function() cpu_seconds(for (call in 1:10) {
    sums <- neargp:::core_evaluate(problem, neargp:::as_specified(list(components = list(component))), 0.1, FALSE, neargp:::plain_context())
    keep("neargp", -0.5 * (rows * log(2 * pi) + sums$log_det + sums$gram[1L]))
  }) / 10)
  if (with_gpgp) contestants$GpGp <- function() cpu_seconds(
    keep("GpGp", GpGp::vecchia_meanzero_loglik(c(1, 0.1, 0.1), gpgp_name, frame$z, places, table)$loglik))
  if (with_gpboost) contestants$GPBoost <- function() {
    result <- gpboost("value", frame, k, covariance = covariance)
    keep("GPBoost", result$loglik)
    result$seconds
  }
  seconds <- compete(rounds, contestants)
  data.frame(covariance = covariance, package = names(contestants), n = rows, k = k, microseconds_a_row = 1e6 * seconds / rows,
    ratio = seconds / seconds[["neargp"]], log_likelihood = unlist(reached[names(contestants)]))
}

# ---- (b) whole fits, (c) predictions ----

# The last of the rounds' results and the least of their seconds.
fit_all <- function(fitters, frame, k, rounds) {
  fits <- list()
  contestants <- lapply(stats::setNames(nm = names(fitters)), function(name) function() {
    fits[[name]] <<- fitters[[name]](frame, k)
    fits[[name]]$seconds
  })
  seconds <- compete(rounds, contestants)
  for (name in names(fits)) fits[[name]]$seconds <- seconds[[name]]
  fits
}

fit_table <- function(fits, frame, k) {
  rows <- lapply(names(fits), function(name) {
    fit <- fits[[name]]
    data.frame(package = name, n = nrow(frame), k = k, cpu_seconds = fit$seconds, ratio = fit$seconds / fits$neargp$seconds,
      log_likelihood = log_likelihood(fit, frame, k), log_likelihood_100 = log_likelihood(fit, frame, 100L), variance = fit$variance,
      range = fit$range, nugget = fit$nugget)
  })
  do.call(rbind, rows)
}

prediction_row <- function(name, k, predicted, truth) {
  data.frame(package = name, k = k, cpu_seconds = predicted$seconds, rmse = sqrt(mean((predicted$mean - truth)^2)),
    nll = -mean(stats::dnorm(truth, predicted$mean, sqrt(predicted$variance), log = TRUE)), mean_sd = mean(sqrt(predicted$variance)))
}

# Predictors are functions of no argument that return seconds and moments.
prediction_table <- function(predictors, k, truth, rounds) {
  results <- list()
  contestants <- lapply(stats::setNames(nm = names(predictors)), function(name) function() {
    results[[name]] <<- predictors[[name]]()
    results[[name]]$seconds
  })
  seconds <- compete(rounds, contestants)
  for (name in names(results)) results[[name]]$seconds <- seconds[[name]]
  table <- do.call(rbind, lapply(names(results), function(name) prediction_row(name, k, results[[name]], truth)))
  data.frame(table, ratio = table$cpu_seconds / table$cpu_seconds[1L])
}

# GPBoost predicts in the process that fitted: the least of five calls there.
predictors_of <- function(fits, places, k) {
  by_package <- list(neargp = neargp_predict, GpGp = gpgp_predict, BRISC = brisc_predict,
    GPBoost = function(fit, places, k) list(seconds = fit$predict_seconds, mean = fit$mean, variance = fit$predicted_variance))
  lapply(stats::setNames(nm = names(fits)), function(name) function() by_package[[name]](fits[[name]], places, k))
}

set.seed(1)
with_gpgp <- has_rival("GpGp")
with_gpboost <- has_gpboost()
with_brisc <- has_brisc()
describe_run(c("GpGp"[with_gpgp], "BRISC"[with_brisc]))
if (with_gpboost) cat("GPBoost", gpboost_version(), "\n")
field <- simulate_field(n + m)
save_table(rbind(value_only("exponential", min(20000L, n), 30L, 5L), value_only("matern32", min(20000L, n), 30L, 5L)), "speed-rivals-value",
  digits = 8L)

held_out <- sample(n + m, m)
frame <- field$frame[sample(setdiff(seq_len(n + m), held_out)), ]
places <- field$frame[held_out, ]
gpboost_fit <- function(frame, k) gpboost("fit", frame, k, places)
fits <- fit_all(c(neargp = neargp_fit, GpGp = if (with_gpgp) gpgp_fit, GPBoost = if (with_gpboost) gpboost_fit), frame, 30L, rounds)
fits_15 <- fit_all(c(neargp = neargp_fit, GPBoost = if (with_gpboost) gpboost_fit, BRISC = if (with_brisc) brisc_fit), frame, 15L, rounds)
save_table(rbind(fit_table(fits, frame, 30L), fit_table(fits_15, frame, 15L)), "speed-rivals-fit", digits = 8L)
save_table(rbind(
  prediction_table(predictors_of(c(fits, fits_15["BRISC"[with_brisc]]), places, 30L), 30L, places$z, 3L),
  prediction_table(predictors_of(fits_15, places, 15L), 15L, places$z, 3L)), "speed-rivals-predict")
