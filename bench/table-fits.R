# Fits of tables by the call that names nothing, in CPU seconds of one thread and in units of a yardstick. The yardstick is R's chol() of an
# exponential covariance matrix of 4,000 rows, timed before and after each fit. The rows of a fold are predicted from the others.
#
#   OMP_NUM_THREADS=1 Rscript bench/table-fits.R [sets: elevators,pol,kin40k,protein] [folds: 0] [label]
#
# Another version of the package is measured through R_LIBS, with a label of its own. Keeps table table-fits[-label],
# in which rows of other sets and folds stay.

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
stop_unless_one_thread()
options(neargp.threads = 1L)
label <- argument(3L, "")

yardstick <- new_yardstick()

fit_set <- function(set, fold) {
  rows <- bench_data(set)
  columns <- setdiff(names(rows), "fold")
  train <- rows[rows$fold != fold, columns]
  test <- rows[rows$fold == fold, columns]
  unit <- yardstick()
  fitted <- timed(suppressWarnings(suppressMessages(neargp(y ~ 1, train, coords = ~ .))))
  unit <- mean(c(unit, yardstick()))
  fit <- fitted$value
  data.frame(set = set, fold = fold, rows = nrow(train), predictors = ncol(train) - 1L, cpu_s = fitted$cpu, yardsticks = fitted$cpu / unit,
    evaluations = fit$convergence$evaluations, log_likelihood = as.numeric(logLik(fit)),
    scores(fit, newdata = test)[c("rmse", "crps", "log_score", "coverage")])
}

describe_run()
cases <- expand.grid(fold = as.integer(argument(2L, "0")), set = argument(1L, c("elevators", "pol", "kin40k", "protein")), stringsAsFactors = FALSE)
results <- do.call(rbind, Map(fit_set, cases$set, cases$fold))
name <- paste0("table-fits", if (nzchar(label)) paste0("-", label))
before <- read_result(name)
others <- if (!is.null(before)) before[!paste(before$set, before$fold) %in% paste(results$set, results$fold), ]
save_table(rbind(others, results), name, digits = 6L)
