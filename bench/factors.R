# Classes from factors, and from factors together with numbers, by loo_k() and by gradient boosting on the same rows. Boosting is
# scikit-learn's HistGradientBoostingClassifier, with the names of the factors given. A random 80% of a set are the training rows, and the
# score is the log loss of the other 20%.
#
#   NEARGP_PYTHON=<a Python with scikit-learn> Rscript bench/factors.R [sets, comma-separated] [most training rows]

# For loo_k(), numbers are replaced by the normal scores of their ranks among the training rows. Boosting takes the numbers themselves,
# since it only depends on their order. The fits by loo_k() use its default k, or fewer where distinct inputs are fewer. They use Matérn 3/2
# with a range for each input. On sets where all inputs are factors, "one range" uses one range for all of them, as columns of 0 and 1 /
# sqrt(2) for each level. Seconds are CPU time of the fit and the predictions. Results that are already there are not computed again.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
source(file.path(folder, "common.R"))

factors_of <- list(titanic = c("x1", "x2", "x3"), splice = paste0("x", 1:60), connect4 = paste0("x", 1:42), credit = c("x2", "x3", "x4"),
  bank = c("job", "marital", "education", "default", "housing", "loan", "contact", "month", "poutcome"))

sets <- argument(1L, names(factors_of))
most_rows <- as.numeric(argument(2L, "Inf"))

normal_scores <- function(x, training) {
  known <- x[training]
  score <- stats::qnorm((rank(known) - 0.5) / length(known))
  stats::approx(known, score, x, rule = 2L, ties = mean)$y
}

# Rows of a set: `data` with factors as such, `numbers` as they are in the file, `training` and `test` rows.
factor_set <- function(set) {
  numbers <- bench_data(set)
  set.seed(1)
  rows <- sample.int(nrow(numbers))
  seen <- seq_len(round(0.8 * nrow(numbers)))
  training <- utils::head(rows[seen], most_rows)
  data <- numbers
  for (name in factors_of[[set]]) data[[name]] <- factor(data[[name]])
  for (name in setdiff(names(data), c(factors_of[[set]], "y"))) data[[name]] <- normal_scores(data[[name]], training)
  data$y <- factor(data$y)
  varies <- vapply(data[training, ], function(x) length(unique(x)) > 1L, NA)
  list(name = set, data = data[varies], numbers = numbers[varies], training = training, test = rows[-seen],
    factors = intersect(factors_of[[set]], names(data)[varies]))
}

result_row <- function(set, by, log_loss, error, seconds) {
  data.frame(set = set$name, training = length(set$training), test = length(set$test), inputs = ncol(set$data) - 1L,
    factors = length(set$factors), by = by, log_loss = as.double(log_loss), error = as.double(error), cpu_seconds = as.double(seconds))
}

by_loo_k <- function(set, by, data, covariance) {
  training <- data[set$training, ]
  k <- min(32L, nrow(unique(training[names(training) != "y"])) - 1L)
  set.seed(2)
  found <- timed({
    fit <- neargp(y ~ 1, training, coords = ~ ., family = if (nlevels(data$y) == 2L) binomial() else categorical(),
      method = loo_k(k), covariance = covariance, distance = "euclidean", threads = bench_threads(), verbose = FALSE)
    scores(fit, newdata = data[set$test, ], threads = bench_threads())
  })
  result_row(set, by, found$value$log_loss, 1 - found$value$accuracy, found$cpu)
}

# In these columns, the distance between any two levels of a factor is 1.
indicators <- function(set) {
  columns <- lapply(set$data[set$factors], function(x) stats::model.matrix(~ 0 + x) / sqrt(2))
  data.frame(do.call(cbind, columns), y = set$data$y)
}

by_boosting <- function(set) {
  python <- Sys.getenv("NEARGP_PYTHON")
  if (!nzchar(python)) {
    message("Skipped: gradient boosting, NEARGP_PYTHON is not set.")
    return(NULL)
  }
  coded <- as.data.frame(lapply(set$numbers, as.double))
  for (name in c(set$factors, "y")) coded[[name]] <- as.integer(factor(coded[[name]])) - 1L
  coded <- coded[c(set$training, set$test), ]
  coded$training <- rep(1:0, c(length(set$training), length(set$test)))
  file <- tempfile(fileext = ".csv")
  utils::write.csv(coded, file, row.names = FALSE)
  said <- system2(python, c(file.path(folder, "factors_boosting.py"), file, paste(set$factors, collapse = ",")), stdout = TRUE,
    env = "OMP_NUM_THREADS=1")
  said <- utils::read.csv(text = said, header = FALSE)
  rows <- lapply(seq_len(nrow(said)), function(i) result_row(set, paste("boosting", said[i, 1L]), said[i, 2L], said[i, 3L], said[i, 4L]))
  do.call(rbind, rows)
}

keep <- function(results) {
  if (is.null(results)) return(invisible())
  rounded <- as.data.frame(lapply(results, function(x) if (is.double(x)) signif(x, 4L) else x))
  print(rounded, row.names = FALSE)
  save_result(rbind(read_result("factors"), rounded), "factors")
}

describe_run()
for (name in sets) {
  known <- read_result("factors")
  is_missing <- function(by) !any(known$set == name & known$by == by)
  set <- factor_set(name)
  if (is_missing("boosting default")) keep(by_boosting(set))
  if (is_missing("loo_k()")) keep(by_loo_k(set, "loo_k()", set$data, cov_matern(ard = TRUE)))
  if (length(set$factors) == ncol(set$data) - 1L && is_missing("loo_k(), one range")) {
    keep(by_loo_k(set, "loo_k(), one range", indicators(set), cov_matern()))
  }
}
