# Compares seconds on a GPU with those of the CPU of the same machine, where there is a GPU. The measurements are in bench/notes/cuda.md,
# together with the predictions of bench/cuda-predictions.R.
#
#   Rscript bench/cuda-speed.R [evaluation,fit,large,neighbors,epoch,inducing,deep]

# `evaluation`  Value, gradient and information of vecchia(), n = 1,000,000, k = 30, d = 2. The GPU, in double and in single precision, and all
#               threads of the CPU take turns. GpGpU is the GPU version of GpGp. It runs where it is installed, and only with its exponential
#               covariance.
# `fit`         A whole fit of n = 1,000,000 with ordering and neighbours, and 100,000 predictions with variances. The GPU also runs with steps
#               in single precision.
# `large`       The same for n = 10,000,000, by the GPU in double precision alone.
# `neighbors`   The GPU's search against the kd-tree's, for 25,600 points in 8 dimensions and 100,000 in 2.
# `inducing`    The ELBO of svgp() with its gradient, n = 100,000, d = 8, M = 512 and 2,048. The GPU and all threads of the CPU take turns.
# `deep`        A step of dspp() without the optimiser's part, n = 250 and 4,000 rows in 8 dimensions, M = 200 and 500, width 8, 4 sites.
#               The GPU and all threads of the CPU take turns.
# `epoch`       An epoch of vnngp()'s mini-batch objective, k = 256, n = 25,600, d = 8, against GPyTorch's on the same GPU
#               (cuda_gpytorch.py).
#
# NEARGP_THREADS is the number of the CPU's threads, and NEARGP_GPYTORCH a Python interpreter with torch and gpytorch.

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))
neargp_sitrep()
neargp:::require_cuda()
threads <- bench_threads()
arguments <- commandArgs(TRUE)
parts <- if (length(arguments)) strsplit(arguments[[1L]], ",")[[1L]] else c("evaluation", "fit", "neighbors", "inducing", "deep", "epoch")

# A field of many waves: cheap to simulate at any n.
simulated <- function(n, d = 2L, waves = 200L) {
  set.seed(n)
  coords <- matrix(runif(n * d), n)
  frequency <- matrix(rt(waves * d, 3) * 12, d)
  field <- rowSums(sapply(seq_len(waves), function(w) cos(coords %*% frequency[, w] + runif(1, 0, 2 * pi)))) * sqrt(2 / waves)
  data.frame(y = field + rnorm(n, sd = 0.3), coords)
}

elapsed <- function(expr) system.time(expr)[["elapsed"]]
row <- function(...) print(data.frame(...), row.names = FALSE)

evaluation <- function(n = 1e6L, k = 30L, shape = 1.5) {
  coords <- matrix(runif(2L * n), n)
  neighbors <- neargp:::core_neighbors_before(coords, seq_len(n), k, neargp:::plain_context(threads))
  columns <- cbind(rnorm(n), 1)
  part <- list(family = "matern", variance = 1.3, range = 0.1, group = c(1L, 1L), anisotropy = numeric(), shape = shape)
  covariance <- neargp:::as_specified(list(components = list(part), active = c(TRUE, TRUE, FALSE, TRUE)))
  contexts <- lapply(c(cuda = "cuda", cpu = "cpu"), neargp:::new_context, threads = threads)
  problems <- lapply(contexts, neargp:::core_problem, coords = coords, columns = columns, noise_scale = rep(1, n), neighbors = neighbors)
  value <- function(device, context = contexts[[device]], derivatives = TRUE) {
    neargp:::core_evaluate(problems[[device]], covariance, 0.1, derivatives, context)
  }
  agreement <- all.equal(value("cuda"), value("cpu"), tolerance = 1e-8)
  if (!identical(value("cuda"), value("cuda"))) message("The GPU's sums are not the same bits each time.")
  if (!isTRUE(agreement)) message("GPU and CPU differ: ", agreement)
  in_single <- contexts$cuda
  in_single$single_precision <- TRUE
  single <- function() value("cuda", in_single)
  rounded <- all.equal(single(), value("cuda"), tolerance = 1e-4)
  if (!isTRUE(rounded)) message("Single and double precision differ: ", rounded)
  works <- list(cuda = function() value("cuda"), value_alone = function() value("cuda", derivatives = FALSE), single = single,
    cpu = function() value("cpu"), gpgpu = gpgpu_evaluation(coords, columns, neighbors, shape))
  times <- replicate(5L, vapply(works, function(work) if (is.null(work)) NA else elapsed(work()), 0))
  best <- apply(times, 1L, min)
  row(n = n, k = k, smoothness = shape, threads = threads, cuda = best[["cuda"]], value_alone = best[["value_alone"]],
    single = best[["single"]], single_ratio = best[["cuda"]] / best[["single"]], cpu = best[["cpu"]], cpu_ratio = best[["cpu"]] / best[["cuda"]],
    gpgpu = best[["gpgpu"]], gpgpu_ratio = best[["gpgpu"]] / best[["cuda"]])
}

# Prepares the same evaluation by GpGpU, or returns NULL where GpGpU is not available. In its table of neighbours, the row itself comes
# first.
gpgpu_evaluation <- function(coords, columns, neighbors, shape) {
  if (shape != 0.5 || !requireNamespace("GpGpU", quietly = TRUE)) return(NULL)
  table <- cbind(seq_len(nrow(coords)), t(neighbors))
  parameters <- c(variance = 1.3, range = 0.1, nugget_over_variance = 0.1 / 1.3)
  function() GpGpU::vecchia_profbeta_loglik_grad_info_gpu(parameters, "exponential_isotropic", columns[, 1L], columns[, 2L, drop = FALSE], coords, table)
}

whole_fit <- function(n) {
  data <- simulated(n, waves = if (n > 1e6) 20L else 200L)
  places <- data.frame(X1 = runif(1e5), X2 = runif(1e5))
  cases <- data.frame(device = c("cuda", "cuda", "cpu"), precision = c("double", "single", "double"))
  for (case in if (n > 1e6) 1L else seq_len(nrow(cases))) {
    device <- cases$device[case]
    fit <- prediction <- NULL
    fitted <- elapsed(fit <- neargp(y ~ 1, data, coords = ~ X1 + X2, covariance = cov_matern(1.5), method = vecchia(30L), device = device,
      threads = threads, verbose = FALSE, control = neargp_control(precision = cases$precision[case])))
    predicted <- elapsed(prediction <- predict(fit, places, k = 60, local_mean = FALSE, device = device, threads = threads,
      verbose = FALSE))
    row(n = n, cases[case, ], fit = fitted, predictions = predicted, log_likelihood = as.numeric(logLik(fit)), mean_sd = mean(prediction$sd))
  }
}

neighbors <- function() {
  for (case in list(c(25600L, 8L), c(100000L, 2L))) {
    coords <- matrix(runif(prod(case)), case[1L])
    search <- function(device) {
      context <- neargp:::new_context(threads, device)
      elapsed(neargp:::core_neighbors_others(coords, 30L, context))
    }
    row(n = case[1L], d = case[2L], cuda = min(replicate(3L, search("cuda"))), kd_tree = min(replicate(3L, search("cpu"))))
  }
}

inducing <- function(points, n = 1e5L, d = 8L) {
  data <- simulated(n, d)
  coords <- as.matrix(data[-1L])
  positions <- coords[seq_len(points), ]
  part <- list(family = "matern", variance = 1, range = rep(0.5, d), group = seq_len(d), anisotropy = numeric(), shape = 2.5)
  covariance <- neargp:::as_specified(list(components = list(part), active = c(TRUE, rep(TRUE, d), FALSE, TRUE)))
  bound <- function(device) {
    neargp:::core_collapsed_bound(coords, cbind(data$y, 1), 0L, rep(1, n), positions, covariance, 0.1, "tight", 1e-6, TRUE, neargp:::new_context(threads, device))
  }
  agreement <- all.equal(bound("cuda")[c("value", "gradient", "d_inducing")], bound("cpu")[c("value", "gradient", "d_inducing")], tolerance = 1e-8)
  if (!isTRUE(agreement)) message("GPU and CPU differ: ", agreement)
  best <- apply(replicate(3L, c(cuda = elapsed(bound("cuda")), cpu = elapsed(bound("cpu")))), 1L, min)
  row(n = n, d = d, inducing = points, threads = threads, cuda = best[["cuda"]], cpu = best[["cpu"]], cpu_ratio = best[["cpu"]] / best[["cuda"]])
}

deep <- function(n, points, d = 8L) {
  data <- simulated(n, d)
  x <- as.matrix(data[-1L])
  points <- min(points, n)
  settings <- utils::modifyList(neargp:::deep_defaults(), list(width = 8L, sites = 4L, inducing = points))
  state <- neargp:::deep_start(x, as.matrix(data$y), settings, 1)
  step <- function(device) {
    neargp:::core_deep_objective(state, x, data$y, list(score = "mixture", beta = 0.05, rows = 0L), neargp:::new_context(threads, device))
  }
  agreement <- all.equal(step("cuda"), step("cpu"), tolerance = 1e-6)
  if (!isTRUE(agreement)) message("GPU and CPU differ: ", agreement)
  best <- apply(replicate(3L, c(cuda = elapsed(for (i in 1:20) step("cuda")), cpu = elapsed(for (i in 1:20) step("cpu"))) / 20), 1L, min)
  row(n = n, d = d, inducing = points, threads = threads, cuda = best[["cuda"]], cpu = best[["cpu"]], cpu_ratio = best[["cpu"]] / best[["cuda"]])
}

epoch <- function(n = 25600L, d = 8L, k = 256L) {
  data <- simulated(n, d)
  for (batch in c(256L, 2560L)) {
    fit <- function(epochs) {
      elapsed(neargp(y ~ 1, data, coords = ~ . , covariance = cov_matern(2.5, ard = TRUE), device = "cuda", threads = threads, verbose = FALSE,
        method = vnngp(k, posterior = "mean-field", optimizer = "adam", ordering = "random", jitter = 1e-3, batch_size = batch, epochs = epochs)))
    }
    own <- (fit(6L) - fit(2L)) / 4
    place <- tempfile("gpytorch")
    dir.create(place)
    writeBin(as.double(unlist(data[c(seq_len(d) + 1L, 1L)])), file.path(place, "train.bin"))
    python <- Sys.getenv("NEARGP_GPYTORCH", "python3")
    printed <- suppressWarnings(system2(python, c(shQuote(file.path(bench_folder(), "cuda_gpytorch.py")), shQuote(place), d, k, batch, 10L), stdout = TRUE))
    rival <- if (length(printed)) as.numeric(printed[length(printed)]) else NA_real_
    if (is.na(rival)) message("Skipped: ", python, " (NEARGP_GPYTORCH) does not have gpytorch and a GPU.")
    row(n = n, d = d, k = k, batch = batch, neargp = own, gpytorch = rival, ratio = rival / own)
    unlink(place, recursive = TRUE)
  }
}

for (part in parts) {
  cat("\n", part, "\n", sep = "")
  switch(part, evaluation = for (shape in c(1.5, 0.5)) evaluation(shape = shape),
    fit = whole_fit(1e6L), large = whole_fit(1e7L), neighbors = neighbors(), epoch = epoch(),
    inducing = for (points in c(512L, 2048L)) inducing(points),
    deep = for (n in c(250L, 4000L)) for (points in c(200L, 500L)) deep(n, points),
    stop("There is no part ", part, "."))
}
