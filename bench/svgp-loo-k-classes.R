# Fits svgp() to sets of classes of the LOO-k paper (Jankowiak and Pleiss 2022, Table 8), on the splits of loo-k-classification.R. The scoreboard
# compares the scores of the test rows with the paper's SVGP, which takes 1,000 inducing points and a mean over five splits.
#
# Predictors are standardised, and the covariance is Matérn 5/2 with a range for each predictor. Two classes take the Bernoulli likelihood, more
# classes the softmax. CPU seconds are those of the whole fit. Rows go to table svgp-loo-k-classes, and rows that it contains are not run again.
#
#   Rscript bench/svgp-loo-k-classes.R [sets: titanic,bank,spambase] [splits: 1,2,3] [inducing points: 128]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
for (file in c("common.R", "published.R", "class-sets.R")) source(file.path(folder, file))

# A fit by the Bernoulli likelihood predicts the probability of the second class.
class_scores <- function(fit, rows) {
  predicted <- predict(fit, rows, threads = bench_threads())
  second <- predicted$mean
  scores(rows$y, prob = if (nlevels(rows$y) > 2L) predicted else stats::setNames(data.frame(1 - second, second), levels(rows$y)))
}

run <- function(case) {
  if (is_done("svgp-loo-k-classes", case)) return(invisible())
  data <- class_data(case$set)
  rows <- split_class_rows(nrow(data), case$split)
  data <- varying_inputs(data, rows$training)
  set.seed(100L + case$split)
  fitted <- timed(suppressWarnings(neargp(y ~ 1, data[rows$training, ], coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE),
    family = if (nlevels(data$y) == 2L) binomial() else categorical(), method = svgp(case$inducing, std_error = FALSE),
    threads = bench_threads(), verbose = FALSE), classes = "neargp_warning_convergence"))
  scored <- lapply(rows[c("test", "validation")], function(part) class_scores(fitted$value, data[part, ]))
  append_result("svgp-loo-k-classes", with(scored, data.frame(case, n = length(rows$training), classes = nlevels(data$y),
    cpu_fit = fitted$cpu, validation_nll = validation$log_loss, nll = test$log_loss, error = 1 - test$accuracy,
    calibration = test$calibration_error)))
}

describe_run()
cases <- expand.grid(split = as.integer(argument(2L, c("1", "2", "3"))), set = argument(1L, c("titanic", "bank", "spambase")),
  inducing = as.integer(argument(3L, "128")), stringsAsFactors = FALSE)
for (i in seq_len(nrow(cases))) run(cases[i, c("set", "split", "inducing")])
