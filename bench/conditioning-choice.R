# Which of two likelihoods should a default fit of noisy data condition on, the responses or the field? Scores and CPU seconds of both, and of the
# default, which chooses by the loss that it samples.
#
#   OMP_NUM_THREADS=1 Rscript bench/conditioning-choice.R [sets] [splits]
#
# Sets and splits are those of defaults-sets.R, with up to 10,000 rows to fit and 4,000 to predict. Simulated fields in the unit square are sums of
# 600 waves with the range .1. The rough one is exponential with the noise variance .1, and the smooth one is Matérn 3/2 with 1. The number of a split is
# its seed. `share` is the loss of log-likelihood as a share of what the neighbours add. Keeps table conditioning-choice, to which a run appends.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))
source(file.path(bench_folder(), "defaults-sets.R"))
stop_unless_one_thread()
train_rows <- 10000L
test_rows <- 4000L
`%||%` <- function(a, b) if (is.null(a)) b else a

# A frequency of a Matérn field of smoothness nu is a normal vector over the root of a chi-squared number with 2 nu degrees of freedom.
waves <- function(nu, noise, range = 0.1, rows = 14000L, count = 600L) {
  set.seed(100 * nu + rows)
  data <- data.frame(x = stats::runif(rows), y = stats::runif(rows), z = 0)
  for (wave in seq_len(count)) {
    frequency <- stats::rnorm(2L) / sqrt(stats::rchisq(1L, 2 * nu)) / range
    data$z <- data$z + stats::rnorm(1L) * cos(frequency[1L] * data$x + frequency[2L] * data$y + stats::runif(1L, 0, 2 * pi))
  }
  data$z <- sqrt(2 / count) * data$z + stats::rnorm(rows, sd = sqrt(noise))
  new_set(data, "z", ~ x + y)
}
sets$rough_field <- function() waves(0.5, 0.1)
sets$smooth_field <- function() waves(1.5, 1)

fit_on <- function(condition, set, train) {
  method <- if (condition == "default") NULL else vecchia(condition = condition)
  timed(suppressWarnings(suppressMessages(neargp(set$formula, train, coords = set$coords, method = method,
    distance = if (set$kind == "sphere") "chordal" else "euclidean", threads = 1L, verbose = FALSE))))
}

choice_row <- function(name, split) {
  set <- sets[[name]]()
  rows <- split_of(set, split)
  train <- set$data[rows$train, ]
  test <- set$data[rows$test, ]
  fits <- lapply(list(responses = "responses", field = "field", default = "default"), fit_on, set, train)
  scored <- vapply(fits, function(fitted) {
    predicted <- predict(fitted$value, test, threads = 1L, verbose = FALSE)
    unlist(scores(predicted, observed = test[[set$response]])[c("crps", "log_score")])
  }, double(2L))
  chosen <- fits$default$value$conditioning
  of_choice <- function(quantity) chosen$loss[[quantity]] %||% NA_real_
  row <- data.frame(set = name, split = split, rows = nrow(train), on = chosen$on %||% "responses", likelihood = of_choice("likelihood"),
    share = of_choice("likelihood") / of_choice("gain"), prediction = of_choice("prediction"),
    t(stats::setNames(scored[1L, ], paste0("crps_", colnames(scored)))), t(stats::setNames(scored[2L, ], paste0("log_score_", colnames(scored)))),
    t(stats::setNames(vapply(fits, `[[`, 0, "cpu"), paste0("s_", names(fits)))))
  row[] <- lapply(row, function(x) if (is.double(x)) signif(x, 5L) else x)
  print(row, row.names = FALSE)
  save_result(row, "conditioning-choice", append = TRUE)
}

describe_run()
cases <- expand.grid(split = argument(2L, paste(rep(c("random", "blocks"), 3L), rep(1:3, each = 2L))),
  set = argument(1L, c("rough_field", "smooth_field", "satellite", "simulated", "bcef", "cru_plane", "tsca_wip", "us_rain", "pcod")),
  stringsAsFactors = FALSE)
invisible(Map(choice_row, cases$set, cases$split))
