# Classes by LOO-k on the sets of its paper that can be had (Jankowiak and Pleiss 2022, Table 8), by the paper's protocol: inputs
# standardised, random 15:3:2 splits into training, test and validation rows, Matern 5/2 with one range per input, k chosen by the log
# score of the validation rows alone.
#
#   Rscript bench/loo-k-classification.R [sets, comma-separated] [splits, e.g. 1:5] [k, e.g. 32,64] [estimators, comma-separated]
#
# "auto" is the default of loo_k(). Where only "label" and "own-class" are run, the one of the better leave-one-out score stands for it (of
# two classes always "label"). Mini-batch Adam; a larger k starts from the fit of the one before it. covtype is a set like the others, by
# the names pine, fir and covtype; its test rows are the first 10,000 of theirs.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

argument <- function(i, default) if (length(commandArgs(TRUE)) >= i) strsplit(commandArgs(TRUE)[[i]], ",")[[1L]] else default
binary <- c("titanic", "bank", "spambase", "musk2")
several <- c("splice", "abalone3", "winewhite", "page_blocks", "optdigits", "landsat", "thyroid", "pendigits", "shuttle")
sets <- argument(1L, c(binary, several))
splits <- eval(str2lang(argument(2L, "1:5")))
sizes <- as.integer(argument(3L, c("32", "64", "128", "256")))
estimators <- argument(4L, c("auto", "polya-gamma"))

# Means over the paper's five splits: negative log likelihood and error of LOO-k and SVGP. "Molec" may be another set than splice.
paper <- read.csv(text = "set,loo_nll,loo_error,svgp_nll,svgp_error
titanic,0.485,0.210,0.482,0.210
bank,0.234,0.101,0.241,0.098
spambase,0.222,0.076,0.213,0.067
musk2,0.111,0.034,0.126,0.036
fir,0.057,0.023,0.377,0.171
pine,0.060,0.024,0.381,0.174
splice,0.025,0.000,0.030,0.001
abalone3,0.668,0.289,0.691,0.314
winewhite,0.945,0.355,0.996,0.414
page_blocks,0.129,0.035,0.147,0.045
optdigits,0.098,0.014,0.080,0.020
landsat,0.199,0.075,0.197,0.078
thyroid,0.068,0.019,0.099,0.044
pendigits,0.032,0.006,0.026,0.005
shuttle,0.010,0.002,0.015,0.005
covtype,0.089,0.032,0.560,0.238")

steps_of <- function(first) if (first) 1000L else 300L

class_data <- function(set) {
  from_covtype <- c(pine = "pine", fir = "fir", covtype = "cover")
  rows <- bench_data(if (set %in% names(from_covtype)) "covtype" else set)
  response <- if (set %in% names(from_covtype)) from_covtype[[set]] else "y"
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", from_covtype))]))
  varies <- apply(inputs, 2L, function(x) all(is.finite(x)))
  data.frame(inputs[, varies], y = factor(rows[[response]]))
}

split_rows <- function(n, split) {
  set.seed(split)
  rows <- sample.int(n)
  parts <- split(rows, findInterval(seq_len(n), c(1, round(0.75 * n) + 1, round(0.9 * n) + 1)))
  list(training = sort(parts[[1L]]), test = sort(utils::head(parts[[2L]], 10000L)), validation = sort(utils::head(parts[[3L]], 10000L)))
}

fit_one <- function(data, estimator, k, start) {
  distinct <- nrow(unique(data[setdiff(names(data), "y")]))
  formula <- if (estimator == "polya-gamma") y ~ 0 else y ~ 1
  neargp(formula, data, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), start = start, threads = bench_threads(),
    family = if (nlevels(data$y) == 2L) binomial() else categorical(), verbose = FALSE,
    method = loo_k(min(k, distinct - 1L), estimator, "adam", steps = steps_of(is.null(start))))
}

run_estimator <- function(data, rows, set, split, estimator) {
  fit <- NULL
  results <- lapply(sizes, function(k) {
    seconds <- cpu_seconds(fit <<- fit_one(data[rows$training, ], estimator, k, fit))
    scored <- lapply(rows[c("test", "validation")], function(part) scores(fit, newdata = data[part, ], threads = bench_threads()))
    with(scored, data.frame(set = set, split = split, estimator = estimator, k = k, cpu_seconds = seconds,
      loo_nll = -c(logLik(fit)) / length(rows$training), validation_nll = validation$log_loss, nll = test$log_loss,
      error = 1 - test$accuracy, calibration = test$calibration_error))
  })
  results <- do.call(rbind, results)
  results$chosen <- results$validation_nll == min(results$validation_nll)
  print(results, digits = 4, row.names = FALSE)
  results
}

run_split <- function(data, set, split) {
  rows <- split_rows(nrow(data), split)
  # An input that does not vary among the training rows has no range.
  data <- data[vapply(data[rows$training, ], function(x) length(unique(x)) > 1L, NA)]
  set.seed(100L + split)
  do.call(rbind, lapply(estimators, function(estimator) run_estimator(data, rows, set, split, estimator)))
}

# The estimator that the default takes, of the rows with their k chosen.
default_rows <- function(chosen) {
  ours <- chosen[chosen$estimator != "polya-gamma", ]
  if (!nrow(ours)) return(NULL)
  if (any(ours$estimator == "auto")) return(transform(ours[ours$estimator == "auto", ], estimator = "default"))
  keys <- paste(ours$set, ours$split)
  taken <- do.call(rbind, lapply(split(ours, keys), function(one) {
    if (one$set[1L] %in% c(binary, "pine", "fir")) one[one$estimator == "label", ] else one[which.min(one$loo_nll), ]
  }))
  taken$estimator <- rep("default", nrow(taken))
  taken
}

describe_run()
results <- do.call(rbind, lapply(sets, function(set) {
  data <- class_data(set)
  do.call(rbind, lapply(splits, function(split) run_split(data, set, split)))
}))

# Sets can be run one by one: new rows take the place of those of the same set, split and estimator.
merged_with_earlier <- function(results) {
  file <- result_file("loo-k-classification.csv")
  if (!file.exists(file)) return(results)
  earlier <- utils::read.csv(file)
  key <- function(table) paste(table$set, table$split, table$estimator)
  together <- rbind(earlier[!key(earlier) %in% key(results), ], results)
  together[order(together$set, together$estimator, together$split, together$k), ]
}
save_table(merged_with_earlier(results), "loo-k-classification")

chosen <- results[results$chosen, ]
chosen <- chosen[!duplicated(chosen[c("set", "split", "estimator")]), ]
shown <- rbind(default_rows(chosen), chosen)
mean_se <- function(x) if (length(x) > 1L) sprintf("%.3f (%.3f)", mean(x), stats::sd(x) / sqrt(length(x))) else sprintf("%.3f", x)
for (set in sets) {
  reference <- paper[paper$set == set, ]
  cat(sprintf("\n%-12s paper: LOO-k %.3f error %.3f, SVGP %.3f error %.3f\n", set, reference$loo_nll, reference$loo_error,
    reference$svgp_nll, reference$svgp_error))
  for (estimator in unique(shown$estimator)) {
    here <- shown[shown$set == set & shown$estimator == estimator, ]
    cat(sprintf("   %-12s nll %s  error %s  calibration %s  k %s  cpu %.0f s\n", estimator, mean_se(here$nll), mean_se(here$error),
      mean_se(here$calibration), paste(here$k, collapse = ","), mean(here$cpu_seconds)))
  }
}
