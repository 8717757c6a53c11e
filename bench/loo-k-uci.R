# LOO-k on the UCI sets of the LOO-k paper (Jankowiak and Pleiss 2022, Table 6). We follow the paper's protocol. Predictors and response are
# standardised. Random 15:3:2 splits give training, test and validation rows. The mean is constant, and the covariance is Matérn 5/2 with one range
# per predictor. The log score of the validation rows chooses k from {32, 64, 128, 256}. The optimiser is mini-batch Adam. Each k starts from the
# fit of the k before it.
#
#   Rscript bench/loo-k-uci.R [sets, comma-separated] [splits, e.g. 1:3]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

arguments <- commandArgs(TRUE)
sets <- if (length(arguments) > 0L) strsplit(arguments[[1L]], ",")[[1L]] else c("pol", "elevators", "kin40k", "protein")
splits <- if (length(arguments) > 1L) eval(str2lang(arguments[[2L]])) else 1:3

# Negative log likelihood, RMSE and CRPS with standard errors over the paper's ten splits.
paper <- data.frame(
  set = c("pol", "elevators", "kin40k", "protein", "keggundirected"),
  nll = c(-1.238, 0.401, -1.040, 0.626, -0.714), nll_se = c(0.018, 0.008, 0.030, 0.008, 0.006),
  rmse = c(0.073, 0.360, 0.095, 0.526, 0.117), rmse_se = c(0.001, 0.003, 0.003, 0.003, 0.001),
  crps = c(0.036, 0.197, 0.047, 0.260, 0.050), crps_se = c(0.001, 0.001, 0.001, 0.001, 0.000))

steps_by_k <- c("32" = 800L, "64" = 600L, "128" = 400L, "256" = 300L)

standardized <- function(set) {
  rows <- bench_data(set)
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", "fold"))]))
  varies <- apply(inputs, 2L, function(x) all(is.finite(x)))
  data.frame(inputs[, varies], y = drop(scale(rows$y)))
}

run_split <- function(set, split) {
  data <- standardized(set)
  rows <- split_rows(nrow(data), split)
  fit <- NULL
  results <- lapply(names(steps_by_k), function(k) {
    began <- proc.time()[["user.self"]]
    fit <<- neargp(y ~ 1, data[rows[[1L]], ], coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE),
      method = loo_k(as.integer(k), optimizer = "adam", steps = steps_by_k[[k]]), start = fit, threads = 1L, verbose = FALSE)
    seconds <- proc.time()[["user.self"]] - began
    scored <- lapply(rows[-1L], function(part) {
      scores(predict(fit, data[part, ], k = as.integer(k), threads = 1L), observed = data$y[part])
    })
    data.frame(set = set, split = split, k = as.integer(k), cpu_seconds = seconds, validation_nll = scored[[2L]]$log_score,
      nll = scored[[1L]]$log_score, rmse = scored[[1L]]$rmse, crps = scored[[1L]]$crps, coverage = scored[[1L]]$coverage)
  })
  results <- do.call(rbind, results)
  results$chosen <- results$validation_nll == min(results$validation_nll)
  print(results, digits = 4, row.names = FALSE)
  results
}

results <- do.call(rbind, lapply(sets, function(set) do.call(rbind, lapply(splits, run_split, set = set))))
save_table(results, paste0("loo-k-uci-", paste(sets, collapse = "-")))

chosen <- results[results$chosen, ]
summary_of <- function(values) sprintf("%.3f (%.3f)", mean(values), stats::sd(values) / sqrt(length(values)))
for (set in sets) {
  here <- chosen[chosen$set == set, ]
  reference <- paper[paper$set == set, ]
  cat(sprintf("%-14s k %s  %d splits\n", set, paste(here$k, collapse = ","), nrow(here)))
  for (score in c("nll", "rmse", "crps")) {
    cat(sprintf("   %-5s neargp %s   paper %.3f (%.3f)\n", score, summary_of(here[[score]]), reference[[score]],
      reference[[paste0(score, "_se")]]))
  }
}
