# svgp(), odvgp() and ppgpr() on standardised UCI sets: test scores of fold 0 (a tenth of the rows), and CPU seconds of the whole fit on one thread.
# Fits by odvgp() and ppgpr() begin with one by svgp().
#
#   Rscript bench/svgp.R [sets: pol,elevators] [inducing points: 512] [bounds: tight] [methods: svgp,odvgp,ppgpr]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

sets <- argument(1L, c("pol", "elevators"))
inducing <- as.integer(argument(2L, "512"))
bounds <- argument(3L, "tight")
methods <- argument(4L, c("svgp", "odvgp", "ppgpr"))

run <- function(set, points, bound, method) {
  rows <- bench_data(set)
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", "fold"))]))
  varies <- apply(inputs, 2L, function(x) all(is.finite(x)))
  data <- data.frame(inputs[, varies], y = drop(scale(rows$y)))
  held <- rows$fold == 0
  seconds <- cpu_seconds(fit <- neargp(y ~ 1, data[!held, ], coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE),
    method = get(method)(points, bound = bound), threads = 1L, verbose = FALSE))
  predicting <- cpu_seconds(predicted <- predict(fit, data[held, ], threads = 1L))
  scored <- scores(predicted, observed = data$y[held])
  data.frame(set = set, n = sum(!held), inputs = sum(varies), inducing = points, bound = bound, method = method, cpu_fit = seconds, cpu_predict = predicting,
    evaluations = fit$convergence$evaluations, converged = fit$convergence$converged, bound_per_row = fit$log_likelihood / sum(!held),
    nll = scored$log_score, rmse = scored$rmse, crps = scored$crps, coverage = scored$coverage)
}

cases <- expand.grid(method = methods, bound = bounds, points = inducing, set = sets, stringsAsFactors = FALSE)
results <- do.call(rbind, lapply(seq_len(nrow(cases)), function(i) run(cases$set[i], cases$points[i], cases$bound[i], cases$method[i])))
print(results, digits = 4, row.names = FALSE)
save_table(results, paste0("svgp-", paste(sets, collapse = "-")))
