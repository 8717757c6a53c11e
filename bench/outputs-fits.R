# Functions that benchmarks of several responses share: joint fits and separate ones, with their scores.

# Scores averaged over responses. The log score is that of single responses, and "joint" is that of all responses together, divided by their
# number.
mean_scores <- function(model, observed, mean, sd, covariance = NULL, seconds = NA) {
  part <- lapply(seq_len(ncol(observed)), function(p) scores(observed[, p], mean = mean[, p], sd = sd[, p], na.rm = TRUE))
  average <- function(column) mean(vapply(part, `[[`, 0, column))
  joint <- if (!is.null(covariance)) mean(neargp:::joint_log_scores(observed, mean, covariance)) / ncol(observed) else average("log_score")
  data.frame(model = model, rmse = average("rmse"), crps = average("crps"), log_score = average("log_score"), joint = joint,
    coverage = average("coverage"), cpu_seconds = seconds)
}

columns_of <- function(predicted, what, outputs) as.matrix(as.data.frame(predicted)[paste0(what, "_", outputs)])

# Separate univariate fits of the same kind.
separate <- function(outputs, trend, train, test, coords, method, covariance) {
  took <- timed(lapply(outputs, function(output) {
    fit <- neargp(stats::reformulate(trend, output), train[!is.na(train[[output]]), ], coords = coords, method = method, covariance = covariance,
      threads = 1L, verbose = FALSE)
    predict(fit, test, threads = 1L)
  }))
  list(mean = sapply(took$value, `[[`, "mean"), sd = sapply(took$value, `[[`, "sd"), cpu = took$cpu,
    observed = as.matrix(test[outputs]))
}

joint <- function(outputs, trend, train, test, coords, method, covariance, together = FALSE,
                  control = neargp_control()) {
  formula <- stats::as.formula(sprintf("cbind(%s) ~ %s", paste(outputs, collapse = ", "), trend))
  took <- timed({
    fit <- neargp(formula, train, coords = coords, method = method, covariance = covariance, control = control, threads = 1L,
      verbose = FALSE)
    predict(fit, test, threads = 1L, covariance = together)
  })
  list(mean = columns_of(took$value, "mean", outputs), sd = columns_of(took$value, "sd", outputs), cpu = took$cpu,
    covariance = attr(took$value, "covariance"), observed = as.matrix(test[outputs]), fit = fit)
}

# Inputs that vary, and responses, all standardised.
standardised_outputs <- function(set, pattern) {
  raw <- bench_data(set)
  outputs <- grep(pattern, names(raw), value = TRUE)
  inputs <- as.matrix(raw[setdiff(names(raw), c(outputs, "fold"))])
  inputs <- scale(inputs[, apply(inputs, 2L, function(x) diff(range(x)) > 1e-10 * max(abs(x)))])
  list(data = data.frame(inputs, scale(as.matrix(raw[outputs]))), outputs = outputs,
    coords = stats::as.formula(paste("~", paste(colnames(inputs), collapse = " + "))))
}
