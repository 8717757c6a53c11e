# Which of two likelihoods should a default fit of many data with almost no noise condition on, the responses or the field? Log scores and root mean
# square errors of 1,000 held-out rows by both and by the default, with CPU seconds. The default compares both likelihoods in windows.
#
#   OMP_NUM_THREADS=1 Rscript bench/conditioning-smooth.R [rows: 8000] [covariances] [nuggets]
#
# Fields in the unit square are sums of 2,000 waves of variance 1. Keeps table conditioning-smooth, to which a run appends.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))
stop_unless_one_thread()
test_rows <- 1000L
models <- list(
  exponential = list(covariance = cov_exponential(), nu = 0.5, range = 0.1),
  matern32 = list(covariance = cov_matern(nu = 1.5), nu = 1.5, range = 0.06),
  matern52 = list(covariance = cov_matern(nu = 2.5), nu = 2.5, range = 0.05),
  gaussian = list(covariance = cov_gaussian(), nu = Inf, range = 0.1))

# A frequency of a Matérn field is a normal vector over the root of a chi-squared number with 2 nu degrees of freedom.
# That of a Gaussian field is a normal vector times the root of 2.
waves <- function(model, nugget, rows, count = 2000L) {
  set.seed(round(1000 * nugget) + rows)
  data <- data.frame(x = stats::runif(rows), y = stats::runif(rows), z = stats::rnorm(rows, sd = sqrt(nugget)))
  for (wave in seq_len(count)) {
    size <- if (is.finite(model$nu)) 1 / sqrt(stats::rchisq(1L, 2 * model$nu)) else sqrt(2)
    frequency <- size * stats::rnorm(2L) / model$range
    data$z <- data$z + sqrt(2 / count) * stats::rnorm(1L) *
      cos(frequency[1L] * data$x + frequency[2L] * data$y + stats::runif(1L, 0, 2 * pi))
  }
  data
}

fitted_row <- function(name, rows, nugget) {
  data <- waves(models[[name]], nugget, rows + test_rows)
  train <- data[seq_len(rows), ]
  test <- data[-seq_len(rows), ]
  scored <- lapply(list(responses = vecchia(condition = "responses"), field = vecchia(condition = "field"), default = NULL), function(method) {
    fitted <- timed(suppressWarnings(suppressMessages(neargp(z ~ 1, train, coords = ~ x + y, covariance = models[[name]]$covariance,
      method = method, threads = 1L, verbose = FALSE))))
    predicted <- predict(fitted$value, test, threads = 1L, verbose = FALSE)
    c(scores(predicted, observed = test$z)[c("log_score", "rmse")], s = fitted$cpu, on = fitted$value$conditioning$on)
  })
  columns <- unlist(lapply(scored, function(one) signif(unlist(one[c("log_score", "rmse", "s")]), 5L)))
  row <- data.frame(covariance = name, rows = rows, nugget = nugget, on = scored$default$on, t(columns))
  print(row, row.names = FALSE)
  save_result(row, "conditioning-smooth", append = TRUE)
}

describe_run()
cases <- expand.grid(nugget = as.double(argument(3L, c("0", "1e-5", "1e-4", "1e-3", "1e-2"))), covariance = argument(2L, names(models)),
  stringsAsFactors = FALSE)
invisible(Map(function(covariance, nugget) fitted_row(covariance, as.integer(argument(1L, "8000")), nugget), cases$covariance, cases$nugget))
