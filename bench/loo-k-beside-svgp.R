# Compares the times of loo_k() and svgp() (Jankowiak and Pleiss 2022, section 5.4).
#
# Part "steps" is our version of Figure 4, for which the paper used 1,000 to 5,000,000 rows on a GPU. It reports the milliseconds of a step of
# Adam on 128 rows, with 25 predictors and a range for each. loo_k() uses 32 and 256 neighbours. The neighbour search is timed separately, with an
# index built once for 50 steps. For svgp() a step is a step of Adam on 128 rows, with 256 to 1,024 inducing points. Its time is the difference
# between fits of three epochs and of one, divided by the number of steps between them. This time does not depend on the number of rows.
#
# Part "training" checks a claim of the paper about keggundirected (47,706 rows, on a GPU). The claim is that LOO-256 trains four times as fast as
# SVGP with 1,024 points. We fit a random subset of the training rows of the first 15:3:2 split, and record the CPU seconds of whole fits. Scores
# are those of 2,000 test rows. Method "svgp" uses the default optimiser and stops at convergence. Method "svgp adam" runs the paper's optimiser
# with batches of 128 for 20 epochs. One thread is required:
#
#   OMP_NUM_THREADS=1 Rscript bench/loo-k-beside-svgp.R steps [rows: 1000,10000]
#   OMP_NUM_THREADS=1 Rscript bench/loo-k-beside-svgp.R training [rows: 4000] [methods, a pattern]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))
stop_unless_one_thread()

covariance <- cov_matern(nu = 2.5, ard = TRUE)
internal <- asNamespace("neargp")

# ---- a step -----------------------------------------------------------------------------------------------------------------------

# Like the paper's data: the response depends on a few of the predictors, and n can be as large as needed.
simulated <- function(n, inputs = 25L) {
  set.seed(1)
  data <- as.data.frame(matrix(rnorm(inputs * n), n))
  data$y <- sin(2 * data$V1) + data$V2 * data$V3 + rnorm(n, sd = 0.1)
  data
}

# The optimisation problem that neargp() would solve.
step_problem <- function(data, k) {
  method <- loo_k(k, optimizer = "adam")
  settings <- internal$check_settings(y ~ 1, data, method, covariance, stats::gaussian(), NULL, neargp_control(), "cpu", 1L, FALSE)
  locations <- internal$new_locations(data, ~ ., NULL, "auto", NULL, "y")
  frame <- internal$new_model_frame(list(weights = NULL, offset = NULL, subset = NULL, na.action = na.omit), y ~ 1, data, locations)
  model <- internal$new_model_data(frame, y ~ 1, settings)
  problem <- internal$new_problem(model$data, locations, settings, NULL)
  internal$with_start(problem$method, problem)
}

loo_step <- function(n, k, refresh = 50L) {
  if (is_done("loo-k-beside-svgp-steps", data.frame(method = "loo_k", rows = n, size = k))) return(invisible())
  problem <- step_problem(simulated(n), k)
  batch <- min(128L, n)
  rows <- vapply(seq_len(refresh), function(step) sample.int(n, batch), integer(batch))
  planned <- timed(plan <- internal$adam_plan(problem, problem$start, rows, k, internal$terms_of_others(problem)))
  taken <- if (k > 100L) 5L else refresh
  steps <- least(2L, for (j in seq_len(taken)) plan$gradient(problem$start, j))
  append_result("loo-k-beside-svgp-steps", data.frame(method = "loo_k", rows = n, size = k, step_ms = 1000 * steps / taken,
    search_ms_per_step = 1000 * planned$cpu / refresh))
}

svgp_step <- function(n, points, epochs = 2L) {
  if (is_done("loo-k-beside-svgp-steps", data.frame(method = "svgp", rows = n, size = points))) return(invisible())
  data <- simulated(n)
  took <- function(epochs) {
    cpu_seconds(suppressWarnings(neargp(y ~ 1, data, coords = ~ ., covariance = covariance, threads = 1L, verbose = FALSE,
      method = svgp(points, select = "random", optimizer = "adam", epochs = epochs, batch_size = 128L, std_error = FALSE))))
  }
  seconds <- took(1L + epochs) - took(1L)
  append_result("loo-k-beside-svgp-steps", data.frame(method = "svgp", rows = n, size = points,
    step_ms = 1000 * seconds / (epochs * ceiling(n / 128)), search_ms_per_step = NA_real_))
}

run_steps <- function(rows) {
  for (k in c(32L, 256L)) for (n in rows) loo_step(n, k)
  for (n in c(1000L, 4000L)) svgp_step(n, 256L)
  svgp_step(1000L, 512L)
  svgp_step(1280L, 1024L)
}

# ---- training -------------------------------------------------------------------------------------------------------------------

methods <- list(
  `loo_k 64` = loo_k(64L, optimizer = "adam", steps = 600L), `loo_k 256` = loo_k(256L, optimizer = "adam", steps = 200L),
  `svgp 64` = svgp(64L, std_error = FALSE), `svgp 256` = svgp(256L, std_error = FALSE),
  `svgp adam 256` = svgp(256L, std_error = FALSE, optimizer = "adam", batch_size = 128L, epochs = 20L))

train <- function(name, data) {
  if (is_done("loo-k-beside-svgp-training", data.frame(rows = nrow(data$training), method = name))) return(invisible())
  set.seed(1)
  fitted <- timed(suppressWarnings(neargp(y ~ 1, data$training, coords = ~ ., covariance = covariance, threads = 1L, verbose = FALSE,
    method = methods[[name]])))
  test <- utils::head(data$test[sample(nrow(data$test)), ], 2000L)
  predicted <- timed(predict(fitted$value, test, threads = 1L))
  scored <- scores(predicted$value, observed = test$y)
  append_result("loo-k-beside-svgp-training", data.frame(rows = nrow(data$training), method = name, cpu_fit = fitted$cpu,
    cpu_predict = predicted$cpu, nll = scored$log_score, rmse = scored$rmse, crps = scored$crps))
}

describe_run()
if (argument(1L, "steps") == "steps") run_steps(as.integer(argument(2L, c("1000", "10000")))) else {
  data <- standardised_split("keggundirected", 1L, most = as.integer(argument(2L, "4000")))
  for (name in grep(argument(3L, "."), names(methods), value = TRUE)) train(name, data)
}
