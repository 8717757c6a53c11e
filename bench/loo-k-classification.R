# Classification by LOO-k on the available data sets of the LOO-k paper (Jankowiak and Pleiss 2022, Table 8). We follow the paper's protocol.
# Predictors are standardised. Random 15:3:2 splits give training, test and validation rows. The covariance is Matérn 5/2 with one range per
# predictor. The log score of the validation rows alone chooses k.
#
# Estimator "auto" is the default of loo_k(). Estimator "trend" is the same, with all predictors also as covariates of a trend inside the link. The
# optimiser is mini-batch Adam. A larger k starts from the fit of the k before it and takes only a few steps. Estimator "auto" then keeps the
# estimator that it chose at the first k.
#
# The responses of covtype are sets of their own, called pine, fir and covtype. Their test rows are the first 10,000 of the split's test rows.
#
# Results are saved after each split. Splits with results are skipped. The script bench/loo-k-classification-table.R prints the table of the results.
#
#   Rscript bench/loo-k-classification.R [sets, comma-separated] [splits, e.g. 1:5] [k, e.g. 32,64] [estimators, comma-separated]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
source(file.path(folder, "common.R"))
source(file.path(folder, "class-sets.R"))

sets <- argument(1L, c("titanic", "bank", "spambase", "musk2", "splice", "abalone3", "winewhite", "page_blocks", "optdigits", "landsat",
  "thyroid", "pendigits", "shuttle"))
splits <- eval(str2lang(argument(2L, "1:5")))
sizes <- as.integer(argument(3L, c("32", "64", "128", "256")))
estimators <- argument(4L, "auto")

# The first k takes 1,000 steps instead. Larger k take fewer, since the cost of a step grows with k^2 to k^3.
steps_from_fit <- c("32" = 300L, "64" = 200L, "128" = 100L, "256" = 60L)

fit_one <- function(data, estimator, k, start) {
  steps <- if (is.null(start)) 1000L else steps_from_fit[[as.character(k)]]
  inputs <- setdiff(names(data), "y")
  k <- min(k, nrow(unique(data[inputs])) - 1L)
  trend <- if (estimator == "trend") inputs else "1"
  neargp(stats::reformulate(trend, "y"), data, coords = stats::reformulate(inputs), covariance = cov_matern(nu = 2.5, ard = TRUE),
    family = if (nlevels(data$y) == 2L) binomial() else categorical(), start = start, threads = bench_threads(), verbose = FALSE,
    method = loo_k(k, if (estimator == "trend") "auto" else estimator, "adam", steps = steps))
}

# Returns a row for each k. Column `taken` is the estimator of the fit. Column `held_out` is TRUE where "auto" chose it by scores of held-out
# observations.
run_estimator <- function(data, rows, set, split, estimator) {
  fit <- NULL
  results <- lapply(sizes, function(k) {
    seconds <- cpu_seconds(fit <<- fit_one(data[rows$training, ], estimator, k, fit))
    scored <- lapply(rows[c("test", "validation")], function(part) scores(fit, newdata = data[part, ], threads = bench_threads()))
    with(scored, data.frame(set = set, split = split, estimator = estimator, k = k, taken = fit$classifier$estimator,
      held_out = !is.null(fit$classifier$held_out), cpu_seconds = seconds, loo_nll = -c(logLik(fit)) / length(rows$training),
      validation_nll = validation$log_loss, nll = test$log_loss, error = 1 - test$accuracy, calibration = test$calibration_error))
  })
  results <- do.call(rbind, results)
  print(results, digits = 4, row.names = FALSE)
  results
}

run_split <- function(data, set, split, estimator) {
  rows <- split_class_rows(nrow(data), split)
  data <- varying_inputs(data, rows$training)
  set.seed(100L + split)
  run_estimator(data, rows, set, split, estimator)
}

known_rows <- function() read_result("loo-k-classification")
is_run <- function(known, set, split, estimator) known$set == set & known$split == split & known$estimator == estimator

keep <- function(results) {
  rounded <- as.data.frame(lapply(results, function(x) if (is.double(x)) signif(x, 5L) else x))
  known <- known_rows()
  if (!is.null(known)) known <- known[!is_run(known, results$set[1L], results$split[1L], results$estimator[1L]), ]
  together <- rbind(known, rounded)
  save_result(together[order(together$set, together$estimator, together$split, together$k), ], "loo-k-classification")
}

describe_run()
for (set in sets) {
  data <- NULL
  for (split in splits) for (estimator in estimators) {
    known <- known_rows()
    if (!is.null(known) && all(sizes %in% known$k[is_run(known, set, split, estimator)])) next
    if (is.null(data)) data <- class_data(set)
    keep(run_split(data, set, split, estimator))
  }
}
