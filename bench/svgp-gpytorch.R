# Compares GPyTorch's SVGP, PPGPR or ODVGP (float32) with svgp(), ppgpr() or odvgp() on fold 0 of standardised UCI sets. The results are CPU
# seconds of one thread: the time until GPyTorch reaches the best test score of its epochs, and the time of our whole fit.
#
#   OMP_NUM_THREADS=1 Rscript bench/svgp-gpytorch.R [sets: pol,kin40k] [methods: svgp] [inducing points: 512] [epochs: 400] [task: both, rival, own]
#
# NEARGP_GPYTORCH is a Python interpreter with torch and gpytorch (default: python3). The task "rival" keeps GPyTorch's path in
# results/svgp.txt, and takes from half an hour to two hours a set. The task "own" reads this path.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "gpytorch.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))
stop_unless_one_thread()

sets <- argument(1L, c("pol", "kin40k"))
methods <- argument(2L, "svgp")
inducing <- as.integer(argument(3L, "512"))
epochs <- as.integer(argument(4L, "400"))
task <- argument(5L, "both")

if (task != "own") python <- python_with("gpytorch")

standardised <- function(set) {
  rows <- bench_data(set)
  data <- standardised_rows(rows)
  list(train = data[rows$fold != 0, ], places = data[rows$fold == 0, ])
}

path_name <- function(set, method) sprintf("svgp-gpytorch-path-%s-%s-%d", set, method, inducing)

gpytorch_path <- function(data, set, method) {
  printed <- run_gpytorch(python, "svgp_gpytorch.py", data, before = method,
    after = c(ncol(data$train) - 1L, inducing, epochs, max(1L, epochs %/% 80L)))
  save_table(printed$path, path_name(set, method))
}

compare <- function(set, method) {
  data <- standardised(set)
  path <- if (task == "own") read_result(path_name(set, method)) else gpytorch_path(data, set, method)
  if (task == "rival") return(NULL)
  best <- path[which.min(path$nll), ]
  reached <- path$seconds[match(TRUE, path$nll <= best$nll + 0.001)]
  run <- timed(neargp(y ~ 1, data$train, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), method = get(method)(inducing),
    threads = 1L, verbose = FALSE))
  predicting <- cpu_seconds(predicted <- predict(run$value, data$places, threads = 1L))
  scored <- scores(predicted, observed = data$places$y)
  data.frame(set = set, n = nrow(data$train), method = method, inducing = inducing, epochs = epochs, gpytorch_s = reached, gpytorch_nll = best$nll,
    gpytorch_rmse = best$rmse, neargp_s = run$cpu, predict_s = predicting, nll = scored$log_score, rmse = scored$rmse,
    coverage = scored$coverage, ratio = reached / run$cpu)
}

describe_run()
cases <- expand.grid(method = methods, set = sets, stringsAsFactors = FALSE)
results <- do.call(rbind, Map(compare, cases$set, cases$method))
if (task != "rival") save_table(results, paste("svgp-gpytorch", paste(sets, collapse = "-"), paste(methods, collapse = "-"), inducing, sep = "-"))
