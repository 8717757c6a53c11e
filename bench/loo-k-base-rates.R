# Predicts a rare class far from data. The response is presence in every fourth row of mi_tsca (7% are presences). The script compares loo_k(),
# vnngp() and the constant share of presences. The held-out blocks are 20 and 50 km wide.
#
#   Rscript bench/loo-k-base-rates.R
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

data <- bench_data("mi_tsca")
data <- data[seq(1L, nrow(data), by = 4L), ]
fit <- function(method) {
  neargp(tsca ~ 1, data, coords = ~ long + lat, family = binomial(), method = method, threads = bench_threads(), verbose = FALSE)
}
fits <- list(label = fit(loo_k()), `own-class` = fit(loo_k(estimator = "own-class")), vnngp = fit(vnngp()))
set.seed(1L)
blocks <- lapply(c(20, 50), function(size) block_folds(data[c("long", "lat")], v = 5, size = size))
far <- data.frame(long = 1e6, lat = 1e6)

describe_run()
share <- mean(data$tsca)
results <- vapply(fits, function(fit) {
  scored <- lapply(blocks, function(folds) cross_validate(fit, folds = folds)$scores)
  c(vapply(scored, function(at) if (is.null(at$log_loss)) at$log_score else at$log_loss, 0), predict(fit, far, type = "response")$mean)
}, double(3))
results <- cbind(results, share = c(rep(-share * log(share) - (1 - share) * log(1 - share), 2), share))
rownames(results) <- c("log loss, 20 km", "log loss, 50 km", "P far away")
print(round(results, 4))
