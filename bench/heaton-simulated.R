# Known truth: data simulated from an exponential covariance, 105,569 rows to fit and 44,431 in gaps to predict.
# Expected: 95% intervals cover the generator's parameters, and RMSE and CRPS are within 1% of those of the same predictor at the true
# parameters.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
cells <- bench_data("heaton_simulated")
train <- cells[cells$train == 1, ]
test <- cells[cells$train == 0, ]
truth <- c(variance = 16.40771, range = 4 / 3, nugget = 0.05)
mean_truth <- 44.49105
describe_run()

fit_field <- function(k, ...) {
  known <- list(...)
  covariance <- do.call(cov_exponential, as.list(known[c("variance", "range")]))
  timed(neargp(temp ~ 1, train, coords = ~ lon + lat, covariance = covariance, nugget = known$nugget, method = vecchia(k),
    threads = bench_threads(), verbose = FALSE))
}
sizes <- c(30L, 60L, 100L)
fits <- lapply(sizes, fit_field)
oracles <- lapply(sizes, function(k) do.call(fit_field, c(k, as.list(truth))))

# ---- parameters -------------------------------------------------------------------------------------------------------------------

# In a domain of a few ranges, the data do not identify the variance and the range one by one, but their ratio (Zhang 2004). The ratio's
# standard error on the logarithmic scale follows from their covariance.
ratio_row <- function(fit) {
  v <- vcov(fit, what = "covariance")
  p <- coef(fit, what = "covariance")
  slope <- c(variance = 1 / p[["variance"]], range = -1 / p[["range"]])
  error <- sqrt(drop(slope %*% v[names(slope), names(slope)] %*% slope))
  estimate <- p[["variance"]] / p[["range"]]
  c(estimate, estimate * error, estimate * exp(c(-1.96, 1.96) * error))
}

parameter_rows <- function(fit, k) {
  table <- rbind(cbind(coef(fit, what = "covariance"), sqrt(diag(vcov(fit, what = "covariance"))), confint(fit, what = "covariance")),
    c(coef(fit), sqrt(diag(vcov(fit))), confint(fit)), ratio_row(fit))
  colnames(table) <- c("estimate", "std_error", "lower", "upper")
  all_truth <- c(truth, mean_truth, truth[["variance"]] / truth[["range"]])
  data.frame(k = k, parameter = c(names(truth), "mean", "variance / range"), truth = all_truth, table,
    covers = table[, "lower"] <= all_truth & all_truth <= table[, "upper"])
}
save_table(do.call(rbind, Map(function(fit, k) parameter_rows(fit$value, k), fits, sizes)), "heaton-simulated-parameters")

# Twice the gap of log-likelihoods is chi-squared with 3 degrees of freedom where the approximation is good enough.
gap <- vapply(seq_along(sizes), function(i) fits[[i]]$value$log_likelihood - oracles[[i]]$value$log_likelihood, 0)
save_table(data.frame(k = sizes, fit_cpu = vapply(fits, `[[`, 0, "cpu"), log_likelihood = vapply(fits, function(f) f$value$log_likelihood, 0),
  above_truth = gap, p_value = stats::pchisq(2 * gap, 3, lower.tail = FALSE)), "heaton-simulated-likelihood", digits = 8L)

# ---- predictions ------------------------------------------------------------------------------------------------------------------

score <- function(name, fit, settings) {
  predicted <- timed(do.call(predict, c(list(fit, test, threads = bench_threads(), verbose = FALSE), settings)))
  data.frame(parameters = name, scores(predicted$value, observed = test$temp)[c("mae", "rmse", "crps", "interval_score", "coverage")],
    predict_cpu = predicted$cpu)
}

compare <- function(label, settings, which) {
  both <- rbind(score("estimated", fits[[which]]$value, settings), score("true", oracles[[which]]$value, settings))
  data.frame(fit_k = sizes[which], setting = label, both, rmse_excess_percent = 100 * (both$rmse / both$rmse[2L] - 1),
    crps_excess_percent = 100 * (both$crps / both$crps[2L] - 1))
}
save_table(rbind(compare("60 nearest", list(k = 60), 1L), compare("100 nearest", list(k = 100), 1L),
  compare("100 nearest, local mean", list(k = 100, local_mean = TRUE), 1L), compare("60 nearest", list(k = 60), 2L),
  compare("100 nearest", list(k = 100), 2L)), "heaton-simulated-scores")
