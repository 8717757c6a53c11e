# The Polya-Gamma estimator of classes on the sets of the paper's Table 8, with several weights of its divergence. Protocol and sets are those of
# loo-k-classification.R.
#
#   Rscript bench/loo-k-polya-gamma.R [sets, comma-separated] [splits, e.g. 1:3] [k, e.g. 32,64] [weights, e.g. 0.1,0.03]
#
# Each row is a separate fit of 1,000 steps. Each row is saved as soon as it is finished, and finished rows are skipped. The script
# bench/loo-k-polya-gamma-table.R prints the table of these rows.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
source(file.path(folder, "common.R"))
source(file.path(folder, "class-sets.R"))

sets <- argument(1L, setdiff(paper_classes$set, c("pine", "fir", "covtype")))
splits <- eval(str2lang(argument(2L, "1:3")))
sizes <- as.integer(argument(3L, c("32", "64")))
weights <- as.double(argument(4L, "0.03"))

fit_one <- function(data, k, kl_weight) {
  inputs <- setdiff(names(data), "y")
  k <- min(k, nrow(unique(data[inputs])) - 1L)
  neargp(y ~ 0, data, coords = stats::reformulate(inputs), covariance = cov_matern(nu = 2.5, ard = TRUE),
    family = if (nlevels(data$y) == 2L) binomial() else categorical(), threads = bench_threads(), verbose = FALSE,
    method = loo_k(k, "polya-gamma", steps = 1000L, kl_weight = kl_weight))
}

run_one <- function(data, set, split, k, kl_weight) {
  rows <- split_class_rows(nrow(data), split)
  data <- varying_inputs(data, rows$training)
  set.seed(100L + split)
  seconds <- cpu_seconds(fit <- fit_one(data[rows$training, ], k, kl_weight))
  scored <- lapply(rows[c("test", "validation")], function(part) scores(fit, newdata = data[part, ], threads = bench_threads()))
  with(scored, data.frame(set = set, split = split, k = k, kl_weight = kl_weight, cpu_seconds = seconds,
    loo_nll = -c(logLik(fit)) / length(rows$training), validation_nll = validation$log_loss, nll = test$log_loss,
    error = 1 - test$accuracy, calibration = test$calibration_error, variance = fit$core_covariance$components[[1L]]$variance,
    median_omega = stats::median(fit$classifier$omega)))
}

known_rows <- function() read_result("loo-k-polya-gamma")

keep <- function(row) {
  print(row, digits = 4, row.names = FALSE)
  together <- rbind(known_rows(), as.data.frame(lapply(row, function(x) if (is.double(x)) signif(x, 5L) else x)))
  save_result(together[do.call(order, together[c("set", "split", "k", "kl_weight")]), ], "loo-k-polya-gamma")
}

describe_run()
for (kl_weight in weights) for (k in sizes) for (split in splits) for (set in sets) {
  if (nrow(merge(data.frame(set, split, k, kl_weight), known_rows()))) next
  keep(run_one(class_data(set), set, split, k, kl_weight))
}
