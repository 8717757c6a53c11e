# Scores of LOO-k against the number of neighbours, 8 to 256. In the paper this is Figure 3, with five sets and ten splits (Jankowiak and Pleiss
# 2022). This script runs the fits with 8 and 16 neighbours, each 800 steps of Adam from scratch. loo-k-uci.R keeps those with 32 to 256 on the same
# splits. There each fit except the first starts from the fit before it.
#
#   Rscript bench/loo-k-neighbors.R run [sets: pol,elevators,kin40k,protein] [splits: 1:3] [k: 8,16]
#   Rscript bench/loo-k-neighbors.R table
#
# "table" keeps the means over splits and draws their differences from k = 8.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

sets <- argument(2L, c("pol", "elevators", "kin40k", "protein"))

standardised <- function(set) {
  rows <- bench_data(set)
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", "fold"))]))
  data.frame(inputs[, apply(inputs, 2L, function(x) all(is.finite(x)))], y = drop(scale(rows$y)))
}

run <- function(set, split, k) {
  if (is_done("loo-k-neighbors", data.frame(set = set, split = split, k = k))) return(invisible())
  data <- standardised(set)
  rows <- split_rows(nrow(data), split)
  set.seed(split)
  fitted <- timed(neargp(y ~ 1, data[rows$training, ], coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), threads = 1L, verbose = FALSE,
    method = loo_k(k, optimizer = "adam", steps = 800L)))
  scored <- lapply(rows[c("test", "validation")], function(part) {
    scores(predict(fitted$value, data[part, ], k = k, threads = 1L), observed = data$y[part])
  })
  append_result("loo-k-neighbors", data.frame(set = set, split = split, k = k, cpu_seconds = fitted$cpu,
    validation_nll = scored$validation$log_score, nll = scored$test$log_score, rmse = scored$test$rmse, crps = scored$test$crps,
    coverage = scored$test$coverage))
}

all_of <- function(set) {
  known <- read_result(paste0("loo-k-uci-", set))
  own <- read_result("loo-k-neighbors")
  own <- own[own$set == set, ]
  known <- known[known$split %in% own$split, names(own)]
  rows <- rbind(own, known)
  complete <- names(which(table(rows$split) == length(unique(rows$k))))
  rows[rows$split %in% complete, ]
}

means_by_k <- function(set) {
  rows <- all_of(set)
  means <- aggregate(cbind(log_likelihood = -nll, rmse, crps, coverage, cpu_seconds) ~ k, rows, mean)
  gain <- means$log_likelihood - means$log_likelihood[1L]
  data.frame(set = set, splits = length(unique(rows$split)), means, gain = gain, share = if (max(gain) > 0) gain / max(gain) else NA_real_)
}

draw <- function(table) {
  grDevices::png(result_file("loo-k-neighbors.png"), 900, 400, res = 110)
  on.exit(grDevices::dev.off())
  graphics::par(mfrow = c(1L, 2L), mar = c(4, 4.8, 1, 0.6), las = 1, mgp = c(3.4, 0.7, 0))
  colours <- c("#0072B2", "#D55E00", "#009E73", "grey40")
  for (measure in c("log_likelihood", "rmse")) {
    by_set <- tapply(table[[measure]], list(table$k, table$set), mean)
    by_set <- sweep(by_set, 2L, by_set[1L, ])
    graphics::matplot(as.integer(rownames(by_set)), by_set, type = "b", log = "x", pch = 15:18, lty = 1, col = colours, xlab = "neighbours",
      xaxt = "n", ylab = if (measure == "rmse") "RMSE less that at 8" else "mean log density less that at 8")
    graphics::axis(1L, as.integer(rownames(by_set)))
    if (measure == "rmse") graphics::legend("bottomleft", colnames(by_set), col = colours, pch = 15:18, lty = 1, bty = "n")
  }
}

if (argument(1L, "run") == "run") {
  describe_run()
  cases <- expand.grid(k = as.integer(argument(4L, c("8", "16"))), split = eval(str2lang(argument(3L, "1:3"))), set = sets, stringsAsFactors = FALSE)
  for (i in seq_len(nrow(cases))) run(cases$set[i], cases$split[i], cases$k[i])
} else {
  table <- do.call(rbind, lapply(sets, means_by_k))
  save_table(table, "loo-k-neighbors-means", 4L)
  draw(table)
}
