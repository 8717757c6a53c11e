# Time of the default fit of vnngp() from the data to estimates with standard errors, including ordering and
# neighbours. The time is reported by phases and threads, and compared with GPBoost's Vecchia-Laplace approximation.
#
# The fields have variance 1, Matérn 3/2 covariance and range 0.05 on the unit square, and k = 15. The word `million`
# fits and predicts once at n = 1,000,000 (or at the given number of rows). It needs a machine without other work.
#
#   Rscript bench/vnngp-speed.R [neargp|phases|gpboost|million] [rows, as 10000,50000] [families, as poisson,bernoulli] [cholesky,iterative]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
for (file in c("common.R", "rivals.R", "latent-field.R")) source(file.path(folder, file))

arguments <- commandArgs(TRUE)
part <- if (length(arguments)) arguments[[1L]] else "neargp"
sizes <- if (length(arguments) > 1L) as.integer(strsplit(arguments[[2L]], ",")[[1L]]) else
  if (part == "million") 1000000L else c(10000L, 50000L)
families <- if (length(arguments) > 2L) strsplit(arguments[[3L]], ",")[[1L]] else c("poisson", "bernoulli")
k <- 15L

simulated <- function(n, family, held_out = 5000L) {
  set.seed(n)
  all <- latent_frame(n + held_out, family, waves = if (n > 100000L) 500L else 2000L)
  list(train = all[seq_len(n), ], places = all[-seq_len(n), ])
}

fit_once <- function(train, family, threads) {
  timed(neargp(y ~ 1, train, coords = ~ x1 + x2, covariance = cov_matern(1.5), method = vnngp(k), family = family_called(family),
    threads = threads, verbose = FALSE))
}

predict_once <- function(fit, places, threads) {
  timed(predict(fit, places, type = "link", k = k, threads = threads, verbose = FALSE))
}

# CPU seconds in the parts of a fit, by sampling the call stack:
# - `rough`: the rough optimum on a tenth of the rows.
# - `search`: ordering, neighbours and pattern.
# - `curvature`: posteriors and gradients on all rows for the second derivatives.
# - `posteriors`: the other posteriors and gradients on all rows.
#
# R evaluates arguments at their first use, and a search can therefore be inside other parts of the stack.
fit_phases <- function(n, family) {
  data <- simulated(n, family)
  file <- tempfile()
  utils::Rprof(file, interval = 0.002)
  run <- fit_once(data$train, family, 1L)
  utils::Rprof(NULL)
  stacks <- readLines(file)[-1L]
  inside <- function(name) grepl(paste0('"', name, '"'), stacks, fixed = TRUE)
  part <- ifelse(inside("rough_optimum"), "rough", ifelse(inside("latent_problem") | inside("latent_search"), "search",
    ifelse(inside("find_curvature"), "curvature", ifelse(inside("core_latent_fit"), "posteriors", "rest"))))
  share <- table(factor(part, c("rough", "search", "curvature", "posteriors", "rest"))) / length(part)
  data.frame(family = family, n = n, cpu = run$cpu, t(unclass(share) * run$cpu))
}

# CPU seconds: the least of interleaved repetitions with one and two threads. Elapsed seconds of two threads are
# informative only on a machine without other work.
own_times <- function(n, family, rounds = 3L) {
  data <- simulated(n, family)
  best <- list()
  for (round in seq_len(rounds)) for (threads in 1:2) {
    run <- fit_once(data$train, family, threads)
    best[[threads]] <- if (round == 1L) run[c("cpu", "elapsed")] else Map(min, best[[threads]], run[c("cpu", "elapsed")])
  }
  fit <- run$value
  prediction <- predict_once(fit, data$places, 1L)
  estimates <- stats::coef(fit, what = "covariance")
  cbind(data.frame(family = family, n = n, cpu_1 = best[[1L]]$cpu, elapsed_1 = best[[1L]]$elapsed, cpu_2 = best[[2L]]$cpu,
    elapsed_2 = best[[2L]]$elapsed, evaluations = fit$convergence$evaluations, predict_cpu = prediction$cpu),
    as.list(estimates[c("variance", "range")]),
    as.list(latent_scores(prediction$value$mean, prediction$value$sd, data$places, family)))
}

gpboost_latent <- function(data, family, inversion) {
  place <- tempfile("gpboost")
  dir.create(place)
  on.exit(unlink(place, recursive = TRUE))
  writeBin(as.double(unlist(data$train[c("x1", "x2", "y")])), file.path(place, "field.bin"))
  writeBin(as.double(unlist(data$places[c("x1", "x2")])), file.path(place, "places.bin"))
  program <- file.path(bench_folder(), "vnngp_gpboost.py")
  printed <- system2(gpboost_python(), c(shQuote(program), shQuote(place), 2L, k, family, inversion), stdout = TRUE)
  moments <- matrix(readBin(file.path(place, "moments.bin"), "double", 2L * nrow(data$places)), ncol = 2L)
  c(jsonlite::fromJSON(printed[length(printed)]), list(mean = moments[, 1L], sd = sqrt(moments[, 2L])))
}

# Runs neargp just before and just after its rival, and keeps the lesser time.
beside_gpboost <- function(n, family, inversion) {
  data <- simulated(n, family)
  before <- fit_once(data$train, family, 1L)
  rival <- gpboost_latent(data, family, inversion)
  after <- fit_once(data$train, family, 1L)
  own <- predict_once(after$value, data$places, 1L)
  estimates <- stats::coef(after$value, what = "covariance")
  row <- function(name, seconds, predict_seconds, variance, range, mean, sd) {
    data.frame(package = name, family = family, n = n, fit_cpu = seconds, predict_cpu = predict_seconds, variance = variance, range = range,
      as.list(latent_scores(mean, sd, data$places, family)))
  }
  both <- rbind(row("neargp", min(before$cpu, after$cpu), own$cpu, estimates[["variance"]], estimates[["range"]], own$value$mean, own$value$sd),
    row(paste0("GPBoost ", rival$version, ", ", inversion), rival$fit_seconds, rival$predict_seconds, rival$variance, rival$range,
      rival$mean, rival$sd))
  print(both, digits = 5, row.names = FALSE)
  both
}

peak_megabytes <- function() {
  line <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

one_large_fit <- function(n, family) {
  data <- simulated(n, family, held_out = 100000L)
  gc()
  before <- peak_megabytes()
  run <- fit_once(data$train, family, 2L)
  fit_peak <- peak_megabytes()
  prediction <- predict_once(run$value, data$places, 2L)
  estimates <- stats::coef(run$value, what = "covariance")
  data.frame(family = family, n = n, fit_cpu = run$cpu, fit_elapsed = run$elapsed, predict_cpu = prediction$cpu,
    evaluations = run$value$convergence$evaluations, megabytes_before = before, megabytes_fit = fit_peak, megabytes_all = peak_megabytes(),
    variance = estimates[["variance"]], range = estimates[["range"]],
    as.list(latent_scores(prediction$value$mean, prediction$value$sd, data$places, family)))
}

each <- function(compute) do.call(rbind, lapply(sizes, function(n) do.call(rbind, lapply(families, function(family) compute(n, family)))))

describe_run()
if (part == "neargp") save_table(each(own_times), "vnngp-speed")
if (part == "phases") save_table(each(fit_phases), "vnngp-speed-phases")
if (part == "million") save_table(each(one_large_fit), "vnngp-million")
if (part == "gpboost" && has_gpboost()) {
  stop_unless_one_thread()
  inversions <- if (length(arguments) > 3L) strsplit(arguments[[4L]], ",")[[1L]] else c("cholesky", "iterative")
  save_table(each(function(n, family) do.call(rbind, lapply(inversions, function(inversion) beside_gpboost(n, family, inversion)))),
    paste("vnngp-gpboost", paste(sizes, collapse = "-"), paste(families, collapse = "-"), sep = "-"))
}
