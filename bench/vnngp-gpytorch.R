# Compares vnngp() with GPyTorch's VNNGP (its author's code, float32), on one thread. `epoch` measures the CPU seconds
# of an epoch of the stochastic mean-field optimisers. `fit` compares the time of the whole default fit with the time
# in which GPyTorch reaches its best test score.
#
# NEARGP_GPYTORCH is a Python interpreter with the modules torch, gpytorch and faiss (default: python3). Its memory
# allocator is set to return no memory to the system ("tuned"), which is three to four times as fast at k = 256.
#
#   OMP_NUM_THREADS=1 Rscript bench/vnngp-gpytorch.R [epoch,fit] [k, as 32,256] [rows] [coordinates, as 2,8] [epochs of GPyTorch's fit]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
for (file in c("common.R", "gpytorch.R", "latent-field.R")) source(file.path(folder, file))
stop_unless_one_thread()

arguments <- commandArgs(TRUE)
numbers <- function(i, otherwise) if (length(arguments) < i) otherwise else as.integer(strsplit(arguments[[i]], ",")[[1L]])
tasks <- if (length(arguments)) strsplit(arguments[[1L]], ",")[[1L]] else c("epoch", "fit")
neighbors <- numbers(2L, 32L)
sizes <- numbers(3L, 10000L)
dimensions <- numbers(4L, c(2L, 8L))
epochs <- numbers(5L, 100L)

python <- python_with(c("gpytorch", "faiss"))

# Noise of standard deviation 0.3 on a Gaussian process of variance 1. In eight dimensions the nearest of 10,000 rows
# are at a distance of about 0.3 to 0.5.
simulated <- function(n, dimension) {
  set.seed(n + dimension)
  all <- latent_frame(n + 2000L, "gaussian", dimension, range = if (dimension == 2L) 0.05 else 0.5, nu = 2.5)
  all$y <- all$y - mean(all$y)
  list(train = all[seq_len(n), ], places = all[-seq_len(n), ])
}

gpytorch <- function(task, data, dimension, k, batch, amount) {
  columns <- c(seq_len(dimension), dimension + 1L)
  run_gpytorch(python, "vnngp_gpytorch.py", lapply(data, function(part) part[columns]), task, c(dimension, k, batch, amount))
}

own_fit <- function(data, dimension, method, ard = TRUE) {
  timed(neargp(y ~ 1, data$train, coords = stats::reformulate(paste0("x", seq_len(dimension))),
    covariance = cov_matern(2.5, ard = ard && dimension > 2L), method = method, threads = 1L, verbose = FALSE))
}

# The difference in time between fits of few and of more epochs. For k up to 100, each time is the least of three, and
# the two fits take turns.
own_epoch <- function(data, dimension, k, batch) {
  amounts <- if (k > 100L) c(1L, 2L) else c(2L, 42L)
  fit_for <- function(epochs) {
    own_fit(data, dimension, vnngp(k, posterior = "mean-field", optimizer = "adam", ordering = "random", jitter = 1e-3,
      batch_size = batch, epochs = epochs))$cpu
  }
  seconds <- compete(if (k > 100L) 1L else 3L, list(few = function() fit_for(amounts[1L]), more = function() fit_for(amounts[2L])))
  diff(seconds) / diff(amounts)
}

compare_epochs <- function(n, dimension, k, batch) {
  data <- simulated(n, dimension)
  rival <- gpytorch("epoch", data, dimension, k, batch, if (k > 100L) 6L else 40L)$epoch_seconds
  own <- own_epoch(data, dimension, k, batch)
  data.frame(n = n, d = dimension, k = k, batch = batch, gpytorch = rival, neargp = own, ratio = rival / own)
}

compare_fits <- function(n, dimension, k = 32L, batch = 256L) {
  data <- simulated(n, dimension)
  rival <- gpytorch("fit", data, dimension, k, batch, epochs)
  print(rival$path)
  best <- rival$path[which.min(rival$path$nll), ]
  reached <- rival$path$seconds[match(TRUE, rival$path$nll <= best$nll + 0.001)]
  own_row <- function(name, method) {
    runs <- lapply(1:3, function(round) own_fit(data, dimension, method))
    run <- runs[[which.min(vapply(runs, `[[`, 0, "cpu"))]]
    prediction <- predict(run$value, data$places, type = "response", threads = 1L, verbose = FALSE)
    scored <- scores(prediction, observed = data$places$y)
    data.frame(n = n, d = dimension, fit = name, seconds = run$cpu, nll = scored$log_score, rmse = scored$rmse, ratio = reached / run$cpu)
  }
  rbind(
    data.frame(n = n, d = dimension, fit = sprintf("GPyTorch, %d of %d epochs", best$epoch, epochs), seconds = reached, nll = best$nll,
      rmse = best$rmse, ratio = 1),
    own_row("vnngp() default", vnngp(if (dimension == 2L) 15L else 30L)),
    own_row("mean field, natural gradients", vnngp(if (dimension == 2L) 15L else 30L, posterior = "mean-field")))
}

cases <- expand.grid(n = sizes, d = dimensions, k = neighbors, batch = c(256L, 1024L))
cases <- cases[!(cases$k > 100L & cases$batch == 1024L), ]
describe_run()
label <- paste(c(sizes, paste0("k", neighbors)), collapse = "-")
if ("epoch" %in% tasks) {
  save_table(do.call(rbind, Map(compare_epochs, cases$n, cases$d, cases$k, cases$batch)), paste0("vnngp-gpytorch-epoch-", label))
}
if ("fit" %in% tasks) {
  fits <- unique(cases[c("n", "d")])
  save_table(do.call(rbind, Map(compare_fits, fits$n, fits$d)), paste0("vnngp-gpytorch-fit-", label))
}
