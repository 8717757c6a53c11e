# Compares GPyTorch's DSPP in float32 with dspp() in double precision, on standardised UCI sets. There are 10,000 random training rows and
# up to 5,000 test rows. The results are CPU seconds. `gpytorch_s` is the time until GPyTorch reaches the best test score of its epochs.
# `reached_s` is the time until dspp() is as good, if it ever is, by the state that is best on the rows held out. `all_s` is the time of the
# whole fit by dspp().
#
# The fits by dspp() use one of three settings. `defaults` takes 60 epochs, with three starts up to half of them. `same` takes the points,
# width and sites of GPyTorch, and one start of 20 epochs. `wide` takes other settings, and one start of 40 epochs.
#
#   OMP_NUM_THREADS=1 Rscript bench/dspp-gpytorch.R [sets: kin40k] [inducing points: 300] [width: 3] [sites: 8] [epochs: 400]
#     [task: both, rival, own, epoch] [ours: defaults,same,wide]

# NEARGP_GPYTORCH is a Python interpreter with torch and gpytorch (default: python3). The task "rival" takes half an hour a set. It keeps
# GPyTorch's path in results/, and a run that ended early continues. The task "own" reads that path, and keeps our paths, which are not run
# again. The task "epoch" compares only the seconds of an epoch, three times in turn, and takes the least of each. For this task GPyTorch
# runs as many epochs as asked for.

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

# The time of the start cancels in the difference of two fits with different numbers of epochs.
fit_seconds <- function(data) {
  fit_by <- function(method) {
    timed(suppressWarnings(neargp(y ~ 1, data, coords = ~ ., method = method, threads = 1L, verbose = FALSE)))
  }
  vapply(c(2L, 6L), function(epochs) fit_by(dspp(inducing = settings[["inducing"]], width = settings[["width"]],
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

# Test scores of dspp() at each state that is the best so far by the rows held out, with the CPU seconds until then. The seconds of the test
# scores are not counted. `settings` are those of deep_fit().
own_path <- function(data, settings) {
  columns <- function(rows) list(x = unname(as.matrix(rows[names(rows) != "y"])), y = as.matrix(rows$y))
  train <- columns(data$train)
  places <- columns(data$places)
  path <- NULL
  best <- -Inf
  scoring <- 0
  began <- sum(proc.time()[1:2])
  spent <- function() sum(proc.time()[1:2]) - began - scoring
  keep <- function(state, score, held_out) {
    if (score <= best) return(invisible())
    best <<- score
    seconds <- spent()
    density <- timed(neargp:::core_deep_density(state, places$x, places$y, list(), neargp:::plain_context())$value)
    scoring <<- scoring + density$cpu
    path <<- rbind(path, data.frame(seconds = seconds, nll = -mean(density$value)))
  }
  neargp:::deep_fit(train$x, train$y, c(settings, keep = keep))
  cbind(path, all_s = spent())
}

# Our paths are kept. A path that is already there is not run again.
kept_path <- function(name, make) {
  if (is.null(read_result(name))) save_table(make(), name)
  read_result(name)
}

# The first time at which a path is as good as `nll`, NA where it never is.
seconds_until <- function(path, nll) path$seconds[match(TRUE, path$nll <= nll + 0.001)]

# Settings in the form of deep_fit().
own_settings <- function(y) {
  given <- function(method) {
    list(width = method$width, sites = method$sites, inducing = method$inducing, epochs = method$epochs, batch = method$batch_size,
      restarts = method$restarts, noise_floor = neargp:::noise_floor_of(y))
  }
  list(defaults = given(dspp()),
    same = given(dspp(inducing = settings[["inducing"]], width = settings[["width"]], sites = settings[["sites"]], epochs = 20L, restarts = 1L)),
    wide = given(dspp(width = 8L, sites = 4L, inducing = 100L, epochs = 40L, restarts = 1L)))
}

compare <- function(set) {
  data <- rows_of(set)
  rival <- if (task == "own") read_result(path_name(set)) else gpytorch_path(data, set)
  if (task == "rival") return(NULL)
  best <- rival[which.min(rival$nll), ]
  of_rival <- data.frame(set = set, gpytorch_epochs = max(rival$epoch), gpytorch_all_s = max(rival$seconds),
    gpytorch_s = seconds_until(rival, best$nll), gpytorch_nll = best$nll, gpytorch_rmse = best$rmse)
  asked <- own_settings(data$train$y)[argument(7L, c("defaults", "same", "wide"))]
  do.call(rbind, lapply(names(asked), function(name) {
    own <- kept_path(paste(path_name(set), "own", name, sep = "-"), function() own_path(data, asked[[name]]))
    reached <- seconds_until(own, best$nll)
    if (is.na(reached)) cat(sprintf("%s: dspp() (%s) does not reach GPyTorch's best score.\n", set, name))
    data.frame(of_rival, ours = name, nll = own$nll[nrow(own)], all_s = own$all_s[1L], reached_s = reached,
      ratio = of_rival$gpytorch_s / reached, ratio_all = if (is.na(reached)) NA else of_rival$gpytorch_s / own$all_s[1L])
  }))
}

describe_run()
results <- do.call(rbind, lapply(sets, if (task == "epoch") compare_epochs else compare))
table_name <- if (task == "epoch") "dspp-epoch-gpytorch" else "dspp-gpytorch"
if (task != "rival") save_table(results, paste(table_name, paste(sets, collapse = "-"), settings[["inducing"]], sep = "-"))
