# GPyTorch's DSPP (float32) beside dspp() (double) on standardised UCI sets, 10,000 training rows at random and up to 5,000 others: CPU seconds
# of an epoch with the same points, width, sites and rows, those in which GPyTorch reaches the best test score of its epochs, and those of our
# whole fit by its defaults.
#
#   OMP_NUM_THREADS=1 Rscript bench/dspp-gpytorch.R [sets: kin40k] [inducing points: 300] [width: 3] [sites: 8] [epochs: 400] [task: both, rival, own, epoch]
#
# NEARGP_GPYTORCH is a Python interpreter that has torch and gpytorch (default: python3). The task "rival" keeps GPyTorch's path, which takes half
# an hour a set, in results/; "own" takes it from there. "epoch" compares epochs alone, three times in turn, and takes the least of each: of GPyTorch
# so many epochs as are asked for.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "gpytorch.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))
stop_unless_one_thread()

sets <- argument(1L, "kin40k")
settings <- vapply(2:5, function(i) as.integer(argument(i, c("300", "3", "8", "400")[i - 1L])), 0L)
names(settings) <- c("inducing", "width", "sites", "epochs")
task <- argument(6L, "both")

if (task != "own") python <- python_with("gpytorch")

rows_of <- function(set) {
  data <- standardised_rows(bench_data(set))
  set.seed(1)
  chosen <- sample.int(nrow(data), min(15000L, nrow(data)))
  list(train = data[chosen[1:10000], ], places = data[chosen[-(1:10000)], ])
}

path_name <- function(set) paste("dspp-gpytorch-path", set, settings[["inducing"]], sep = "-")

# A run that ends early goes on from its state with the next call.
gpytorch_path <- function(data, set) {
  state <- result_file(paste0(path_name(set), ".pt"))
  every <- max(1L, settings[["epochs"]] %/% 80L)
  printed <- run_gpytorch(python, "dspp_gpytorch.py", data, after = c(ncol(data$train) - 1L, settings, every, shQuote(state)))
  unlink(state)
  save_table(printed$path, path_name(set))
}

fit_by <- function(data, method) {
  timed(suppressWarnings(neargp(y ~ 1, data, coords = ~ ., method = method, threads = 1L, verbose = FALSE)))
}

# The difference of two fits by other numbers of epochs has no start in it.
epoch_seconds <- function(data) diff(fit_seconds(data)) / 4

fit_seconds <- function(data) {
  vapply(c(2L, 6L), function(epochs) fit_by(data, dspp(inducing = settings[["inducing"]], width = settings[["width"]],
    sites = settings[["sites"]], epochs = epochs, batch_size = 1000L, restarts = 1L, validation = 0))$cpu, 0)
}

compare_epochs <- function(set) {
  data <- rows_of(set)
  rounds <- vapply(1:3, function(round) {
    path <- run_gpytorch(python, "dspp_gpytorch.py", data, after = c(ncol(data$train) - 1L, settings, 1L))$path
    c(min(diff(c(0, path$seconds)) / diff(c(0, path$epoch))), fit_seconds(data$train))
  }, double(3L))
  least <- apply(rounds, 1L, min)
  data.frame(set = set, t(settings), gpytorch_epoch_s = least[1L], neargp_epoch_s = (least[3L] - least[2L]) / 4,
    epoch_ratio = 4 * least[1L] / (least[3L] - least[2L]))
}

compare <- function(set) {
  data <- rows_of(set)
  path <- if (task == "own") utils::read.csv(result_file(paste0(path_name(set), ".csv"))) else gpytorch_path(data, set)
  if (task == "rival") return(NULL)
  best <- path[which.min(path$nll), ]
  reached <- path$seconds[match(TRUE, path$nll <= best$nll + 0.001)]
  rival_epoch <- path$seconds[nrow(path)] / path$epoch[nrow(path)]
  epoch <- epoch_seconds(data$train)
  run <- fit_by(data$train, dspp())
  scored <- scores(run$value, newdata = data$places, threads = 1L)
  data.frame(set = set, t(settings), gpytorch_epoch_s = rival_epoch, neargp_epoch_s = epoch, epoch_ratio = rival_epoch / epoch,
    gpytorch_s = reached, gpytorch_nll = best$nll, gpytorch_rmse = best$rmse, neargp_s = run$cpu, nll = scored$log_score, rmse = scored$rmse,
    coverage = scored$coverage, ratio = reached / run$cpu)
}

describe_run()
results <- do.call(rbind, lapply(sets, if (task == "epoch") compare_epochs else compare))
if (task != "rival") save_table(results, paste(if (task == "epoch") "dspp-epoch-gpytorch" else "dspp-gpytorch", paste(sets, collapse = "-"), settings[["inducing"]], sep = "-"))
