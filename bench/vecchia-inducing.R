# Four tasks on vecchia(inducing = ). `sets` computes scores of fold 0 of standardised UCI sets, also for vecchia() and svgp(). `estimates`
# computes log-likelihoods, estimates and scores on a simulated field, also for vecchia() and exact_gp(). `information` compares the
# likelihood's curvature with Vecchia's information. `gpboost` compares whole fits and predictions with GPBoost's full-scale Vecchia
# approximation, in CPU seconds on one thread. The results are in bench/notes/vecchia-inducing.md.
#
#   `Rscript bench/vecchia-inducing.R sets [elevators,pol] [methods: vecchia,vecchia_inducing,svgp] [inducing points: 200] [k: 30] [rows: all]`
#   `Rscript bench/vecchia-inducing.R estimates [n: 2000]`
#   `Rscript bench/vecchia-inducing.R information [elevators] [rows: 1500] [inducing points: 60] [k: 15]`
#   `OMP_NUM_THREADS=1 Rscript bench/vecchia-inducing.R gpboost [n: 10000] [inducing points: 200] [k: 20]`
#
# NEARGP_PYTHON is the interpreter that runs GPBoost, by default `python`.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

task <- argument(1L, "sets")

# ---- scores -------------------------------------------------------------------------------------------------------------------------

standardised <- function(rows) {
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", "fold"))]))
  data.frame(inputs[, apply(inputs, 2L, function(x) all(is.finite(x)))], y = drop(scale(rows$y)))
}

# `most`: how many rows are fitted at most, drawn at random from the nine other folds.
run_set <- function(set, method, inducing, k, most) {
  rows <- bench_data(set)
  data <- standardised(rows)
  held <- rows$fold == 0
  set.seed(1)
  fitted_rows <- sort(sample(which(!held), min(sum(!held), most)))
  settings <- switch(method, vecchia = vecchia(k = k), vecchia_inducing = vecchia(k = k, inducing = inducing), svgp = svgp(inducing))
  fitted <- timed(neargp(y ~ 1, data[fitted_rows, ], coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), method = settings,
    threads = 1L, verbose = FALSE))
  fit <- fitted$value
  predicted <- timed(predict(fit, data[held, ], threads = 1L))
  scored <- scores(predicted$value, observed = data$y[held])
  data.frame(set = set, n = length(fitted_rows), inputs = ncol(data) - 1L, method = method,
    inducing = if (method == "vecchia") 0L else inducing, k = if (method == "svgp") NA else k,
    cpu_fit = fitted$cpu, cpu_predict = predicted$cpu, evaluations = fit$convergence$evaluations,
    converged = fit$convergence$converged, objective_per_row = fit$log_likelihood / length(fitted_rows), log_score = scored$log_score,
    rmse = scored$rmse, crps = scored$crps, coverage = scored$coverage)
}

run_sets <- function() {
  cases <- expand.grid(method = argument(3L, c("vecchia", "vecchia_inducing", "svgp")), set = argument(2L, c("elevators", "pol")),
    stringsAsFactors = FALSE)
  inducing <- as.integer(argument(4L, "200"))
  k <- as.integer(argument(5L, "30"))
  most <- as.numeric(argument(6L, "Inf"))
  table <- do.call(rbind, Map(function(set, method) {
    found <- run_set(set, method, inducing, k, most)
    message(paste(names(found), lapply(found, format, digits = 4), sep = " = ", collapse = ", "))
    found
  }, cases$set, cases$method))
  save_table(table, paste0(c("vecchia-inducing", unique(cases$set), if (is.finite(most)) most), collapse = "-"))
}

# ---- estimates ----------------------------------------------------------------------------------------------------------------------

# A smooth field of five predictors, by random Fourier features of a Matérn field of smoothness 5/2 with a range for each predictor.
simulated <- function(n, dimension = 5L, features = 2000L, noise = 0.05) {
  set.seed(1)
  X <- matrix(runif(n * dimension), n)
  range <- seq(0.3, 1, length.out = dimension)
  frequency <- matrix(rnorm(features * dimension), features) / sqrt(rgamma(features, 2.5, 2.5) * 5) * sqrt(5)
  field <- double(n)
  phase <- runif(features, 0, 2 * pi)
  for (f in seq_len(features)) field <- field + cos(drop(X %*% (frequency[f, ] / (range * sqrt(5)))) + phase[f])
  data.frame(X, y = sqrt(2 / features) * field + rnorm(n, sd = sqrt(noise)))
}

fit_simulated <- function(train, method) {
  timed(neargp(y ~ 1, train, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE), method = method, threads = 1L, verbose = FALSE))
}

run_estimates <- function(n = as.integer(argument(2L, "2000")), held = 1000L) {
  data <- simulated(n + held)
  methods <- list(exact = exact_gp(), `vecchia, k = 10` = vecchia(k = 10), `vecchia, k = 20` = vecchia(k = 20))
  for (k in c(10L, 20L)) for (inducing in c(50L, 200L)) {
    methods[[sprintf("vecchia, k = %d, inducing = %d", k, inducing)]] <- vecchia(k = k, inducing = inducing)
  }
  table <- do.call(rbind, lapply(names(methods), function(name) {
    fitted <- fit_simulated(data[seq_len(n), ], methods[[name]])
    fit <- fitted$value
    scored <- scores(predict(fit, data[-seq_len(n), ], threads = 1L), observed = data$y[-seq_len(n)])
    data.frame(method = name, n = n, cpu_fit = fitted$cpu, evaluations = fit$convergence$evaluations, log_likelihood = fit$log_likelihood,
      t(coef(fit, "covariance")), log_score = scored$log_score, rmse = scored$rmse)
  }))
  print(table, digits = 4, row.names = FALSE)
  save_table(table, "vecchia-inducing-estimates")
}

# ---- the information of Vecchia's likelihood ---------------------------------------------------------------------------------------------

# Computes eigenvalues of the likelihood's curvature, in the variables of the search, at its start and at its end. The curvature is found by
# differences. Its units are the information of Vecchia's likelihood with ten neighbours, all of it or its diagonal. If the
# information were the curvature, all eigenvalues would be 1.
run_information <- function() {
  set <- argument(2L, "elevators")
  rows <- bench_data(set)
  set.seed(1)
  data <- standardised(rows[sample.int(nrow(rows), as.integer(argument(3L, "1500"))), ])
  method <- vecchia(k = as.integer(argument(5L, "15")), inducing = as.integer(argument(4L, "60")))
  environment(information_problem) <- environment(curvature_in) <- asNamespace("neargp")
  problem <- information_problem(data, method)
  start <- neargp:::low_rank_start(method, problem)
  began <- neargp:::first_given(method, problem, start)
  ended <- neargp:::maximize_residual(method, problem, start)$given
  table <- do.call(rbind, lapply(list(start = began, end = ended), function(given) {
    curvature <- curvature_in(problem, given)
    information <- curvature_in(problem, given, start$information_at(given$working))
    by_all <- Re(eigen(solve(information + diag(1e-6 * diag(information)), curvature), only.values = TRUE)$values)
    unit <- 1 / sqrt(diag(information))
    by_diagonal <- eigen(curvature * outer(unit, unit), symmetric = TRUE, only.values = TRUE)$values
    eigenvalues <- rbind(sort(by_all, decreasing = TRUE), by_diagonal)
    data.frame(unit = c("all", "diagonal"), largest = eigenvalues[, 1L], second = eigenvalues[, 2L],
      median = apply(eigenvalues, 1L, stats::median), least = eigenvalues[, ncol(eigenvalues)])
  }))
  save_table(cbind(at = sub("[.].*", "", rownames(table)), table), paste0("vecchia-inducing-information-", set))
}

# These two are evaluated inside the package.
information_problem <- function(data, method) {
  settings <- check_settings(y ~ 1, data, method, cov_matern(nu = 2.5, ard = TRUE), NULL, NULL, neargp_control(), "cpu", 1L, FALSE)
  locations <- new_locations(data, ~ ., NULL, "auto", NULL, "y")
  frame <- new_model_frame(list(weights = NULL, offset = NULL, subset = NULL, na.action = stats::na.omit), y ~ 1, data, locations)
  problem <- new_problem(new_model_data(frame, y ~ 1, settings)$data, locations, settings, NULL)
  with_start(problem$method, problem)
}

# Returns the curvature from the working parameters' `information`, or else by differences of the gradient.
curvature_in <- function(problem, given, information = NULL) {
  chart <- inverse_range_chart(problem)
  inverse <- chart$from_working(given$working)
  slope <- chart$slope(given$working)
  if (is.null(information)) {
    gradient <- function(at) {
      working <- chart$to_working(at)
      chart$slope(working) * given$objective$evaluate(working)$gradient
    }
    curvature <- information_by_differences(gradient, inverse, problem$free, pmax(abs(inverse), 1e-3),
      at = slope * given$evaluated$gradient)
  } else {
    curvature <- information * outer(slope, slope)
  }
  curvature[problem$free, problem$free]
}

# ---- GPBoost ------------------------------------------------------------------------------------------------------------------------

run_gpboost <- function() {
  stop_unless_one_thread()
  n <- as.integer(argument(2L, "10000"))
  inducing <- as.integer(argument(3L, "200"))
  k <- as.integer(argument(4L, "20"))
  held <- 2000L
  data <- simulated(n + held)
  train <- data[seq_len(n), ]
  test <- data[n + seq_len(held), ]
  fitted <- fit_simulated(train, vecchia(k = k, inducing = inducing))
  predicted <- timed(predict(fitted$value, test, threads = 1L))
  folder <- tempfile()
  dir.create(folder)
  writeBin(unlist(train), file.path(folder, "field.bin"))
  writeBin(unlist(test[1:5]), file.path(folder, "places.bin"))
  output <- system2(Sys.getenv("NEARGP_PYTHON", "python"),
    c(file.path(bench_folder(), "vecchia_inducing_gpboost.py"), folder, 5, inducing, k), stdout = TRUE)
  rival <- jsonlite::fromJSON(output[length(output)])
  moments <- matrix(readBin(file.path(folder, "moments.bin"), "double", 2 * held), held)
  rival_scores <- scores(data.frame(mean = moments[, 1L], sd = sqrt(moments[, 2L])), observed = test$y)
  own_scores <- scores(predicted$value, observed = test$y)
  table <- data.frame(software = c("neargp", paste("gpboost", rival$version)), n = n, inducing = inducing, k = k,
    cpu_fit = c(fitted$cpu, rival$fit_seconds), cpu_predict = c(predicted$cpu, rival$predict_seconds),
    log_likelihood = c(fitted$value$log_likelihood, rival$loglik), log_score = c(own_scores$log_score, rival_scores$log_score),
    rmse = c(own_scores$rmse, rival_scores$rmse))
  print(table, digits = 5, row.names = FALSE)
  print(coef(fitted$value, "covariance"))
  print(rival$parameters)
  save_table(table, paste0("vecchia-inducing-gpboost-", n))
}

switch(task, sets = run_sets(), estimates = run_estimates(), information = run_information(), gpboost = run_gpboost())
