# Investigates why the mean field of vnngp() is worse than its paper's on some sets. The script reports the ELBO and
# the test scores that Adam reaches with several starting values, rates and jitters, and those of natural gradients.
# It uses one split (seed 1), k = 32, and predictions from 32 and from 256 neighbours.
#
#   OMP_NUM_THREADS=1 Rscript bench/vnngp-mean-field.R [sets: pol,elevators,kin40k] [k of natural gradients]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
source(file.path(bench_folder(), "vnngp-uci-sets.R"))
stop_unless_one_thread()

arguments <- commandArgs(TRUE)
sets <- if (length(arguments)) strsplit(arguments[[1L]], ",")[[1L]] else c("pol", "elevators", "kin40k")
k_natural <- if (length(arguments) > 1L) as.integer(arguments[[2L]]) else 32L

adam <- function(...) vnngp(32L, posterior = "mean-field", optimizer = "adam", ...)

# The paper starts all parameters from 0.6931.
paper_start <- function(train) {
  names <- c("variance", paste0("range_", setdiff(names(train), "y")), "nugget")
  stats::setNames(rep(0.6931, length(names)), names)
}

cases <- list(
  "natural gradients" = list(method = vnngp(k_natural, posterior = "mean-field", optimizer = "natural", jitter = 1e-5)),
  "Adam" = list(method = adam(jitter = 1e-5)), "500 epochs" = list(method = adam(jitter = 1e-5, epochs = 500L)),
  "paper's start" = list(method = adam(jitter = 1e-5), start = paper_start),
  "paper's start, jitter 1e-4" = list(method = adam(jitter = 1e-4), start = paper_start),
  "paper's start, rate 0.005" = list(method = adam(jitter = 1e-5, learning_rate = 0.005), start = paper_start))

run_case <- function(set, label, train, test) {
  case <- cases[[label]]
  run <- timed(suppressWarnings(neargp(y ~ 1, train, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), method = case$method,
    start = if (!is.null(case$start)) case$start(train), control = neargp_control(max_refreshes = 2L), threads = 1L, verbose = FALSE)))
  near <- scores(run$value, newdata = test, k = case$method$k, threads = 1L)
  far <- scores(run$value, newdata = test, k = 256L, threads = 1L)
  data.frame(set = set, fit = label, k = case$method$k, bound = run$value$log_likelihood, nll = near$log_score, rmse = near$rmse,
    coverage = near$coverage, nll_256 = far$log_score, rmse_256 = far$rmse, variance = stats::coef(run$value, what = "covariance")[["variance"]],
    nugget = run$value$nugget, cpu_seconds = run$cpu)
}

describe_run()
for (set in sets) {
  data <- prepared(set)
  rows <- train_and_test_rows(nrow(data), 1L)
  train <- data[rows$train, ]
  train <- train[vapply(train, function(x) length(unique(x)) > 1L, NA)]
  labels <- if (length(arguments) > 1L) "natural gradients" else names(cases)
  results <- NULL
  for (label in labels) {
    results <- rbind(results, run_case(set, label, train, data[rows$test, ]))
    save_table(results, paste("vnngp-mean-field", set, k_natural, sep = "-"))
  }
}
