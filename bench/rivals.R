# The rivals of speed-rivals.R. Each is called by its own functions, with its own defaults. `fit()` returns a list of estimates, `seconds`
# and what the prediction needs, for a data frame and k. Estimates are in neargp's terms: variance * exp(-distance / range), and nugget.
# `predict()` returns mean and variance of new observations at locations, from a fit and k. GPBoost runs as its Python package in a separate
# process, and reports its own CPU time. NEARGP_PYTHON is an interpreter with GPBoost (default: python3).

gpboost_python <- function() Sys.getenv("NEARGP_PYTHON", "python3")

has_gpboost <- function() {
  found <- nzchar(Sys.which(gpboost_python())) &&
    system2(gpboost_python(), c("-c", shQuote("import gpboost")), stdout = FALSE, stderr = FALSE) == 0L
  if (!found) message("Skipped: ", gpboost_python(), " (NEARGP_PYTHON) does not have GPBoost.")
  found
}

# Runs a task of rival_gpboost.py on a frame of coordinates and, last, the response; for "fit", predicts at `places`.
gpboost <- function(task, frame, k, places = NULL, covariance = "exponential") {
  folder <- tempfile("gpboost")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  coordinates <- ncol(frame) - 1L
  writeBin(as.double(unlist(frame)), file.path(folder, "field.bin"))
  if (!is.null(places)) writeBin(as.double(unlist(places[seq_len(coordinates)])), file.path(folder, "places.bin"))
  script <- file.path(bench_folder(), "rival_gpboost.py")
  printed <- system2(gpboost_python(), c(shQuote(script), task, shQuote(folder), coordinates, k, covariance), stdout = TRUE)
  result <- jsonlite::fromJSON(printed[length(printed)])
  if (is.null(places)) return(result)
  moments <- matrix(readBin(file.path(folder, "moments.bin"), "double", 2L * nrow(places)), ncol = 2L)
  c(result, list(mean = moments[, 1L], predicted_variance = moments[, 2L]))
}

gpboost_version <- function() {
  system2(gpboost_python(), c("-c", shQuote("import gpboost; print(gpboost.__version__)")), stdout = TRUE)
}

neargp_fit <- function(frame, k) {
  run <- timed(neargp(z ~ 1, frame, coords = ~ x + y, covariance = cov_exponential(), method = vecchia(k), threads = 1L, verbose = FALSE))
  estimates <- stats::coef(run$value, what = "covariance")
  list(seconds = run$cpu, variance = estimates[["variance"]], range = estimates[["range"]], nugget = estimates[["nugget"]], fit = run$value)
}

neargp_predict <- function(fit, places, k) {
  run <- timed(for (call in 1:5) moments <- stats::predict(fit$fit, places, type = "response", k = k, local_mean = FALSE, threads = 1L,
    verbose = FALSE))
  list(seconds = run$cpu / 5, mean = moments$mean, variance = moments$sd^2)
}

# Groups the observations, which is GpGp's default and its faster way.
gpgp_fit <- function(frame, k) {
  run <- timed(GpGp::fit_model(frame$z, as.matrix(frame[c("x", "y")]), covfun_name = "exponential_isotropic", m_seq = c(10, k), silent = TRUE))
  p <- run$value$covparms
  list(seconds = run$cpu, variance = p[1L], range = p[2L], nugget = p[1L] * p[3L], fit = run$value)
}

# GpGp offers no formula for the variance. It is the variance of 30 conditional simulations, GpGp's default number.
gpgp_predict <- function(fit, places, k, simulations = 30L) {
  locations <- as.matrix(places[c("x", "y")])
  X <- matrix(1, nrow(locations), 1L)
  run <- timed({
    mean <- GpGp::predictions(fit$fit, locations, X, m = k)
    draws <- GpGp::cond_sim(fit$fit, locations, X, m = k, nsims = simulations)
  })
  list(seconds = run$cpu, mean = mean, variance = rowSums((draws - rowMeans(draws))^2) / (simulations - 1))
}

# Each evaluation keeps its arrays until the fit ends: about 13 GB at n = 50,000 and k = 15, four times that at 30.
brisc_fit <- function(frame, k) {
  run <- timed(suppressWarnings(BRISC::BRISC_estimation(as.matrix(frame[c("x", "y")]), frame$z, n.neighbors = k, verbose = FALSE)))
  gc()
  p <- run$value$Theta
  list(seconds = run$cpu, variance = p[["sigma.sq"]], range = 1 / p[["phi"]], nugget = p[["tau.sq"]], fit = run$value)
}

# The number of neighbours may differ from that of the fit. Only 95% limits come back: mean -+ 1.96 standard deviations.
brisc_predict <- function(fit, places, k) {
  fit$fit$n.neighbors <- k
  locations <- as.matrix(places[c("x", "y")])
  run <- timed(for (call in 1:5) moments <- BRISC::BRISC_prediction(fit$fit, locations, verbose = FALSE))
  list(seconds = run$cpu / 5, mean = moments$prediction, variance = ((moments$prediction.ci[, 2L] - moments$prediction) / 1.96)^2)
}

available_gigabytes <- function() {
  if (!file.exists("/proc/meminfo")) return(Inf)
  as.numeric(gsub("[^0-9]", "", grep("^MemAvailable", readLines("/proc/meminfo"), value = TRUE))) / 2^20
}

has_brisc <- function(gigabytes = 14) {
  if (!has_rival("BRISC")) return(FALSE)
  enough <- available_gigabytes() > gigabytes
  if (!enough) message("Skipped: BRISC needs ", gigabytes, " GB of free memory for this.")
  enough
}
