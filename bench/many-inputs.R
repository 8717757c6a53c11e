# Binary responses with many predictors by vnngp(), compared with loo_k(). The results are the time of a whole fit and the test log score.
# The sets are 1,500 rows of ringnorm with 20 predictors and k = 16, and 3,000 rows of spambase with 57 predictors and k = 32. Both are
# standardised.
#
#   Rscript bench/many-inputs.R [ringnorm spambase]

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))

sets <- list(ringnorm = list(rows = 1500L, k = 16L), spambase = list(rows = 3000L, k = 32L))

split_rows <- function(name, rows) {
  data <- bench_data(name)
  names(data) <- c(paste0("x", seq_len(ncol(data) - 1L)), "y")
  data$y <- as.integer(factor(data$y)) - 1L
  inputs <- names(data)[-ncol(data)]
  data <- data[c(vapply(data[inputs], stats::sd, 0) > 0, TRUE)]
  inputs <- setdiff(names(data), "y")
  set.seed(1)
  data <- data[sample(nrow(data)), ]
  train <- data[seq_len(rows), ]
  center <- colMeans(train[inputs])
  scale <- vapply(train[inputs], stats::sd, 0)
  data[inputs] <- Map(function(x, m, s) (x - m) / if (s > 0) s else 1, data[inputs], center, scale)
  list(train = data[seq_len(rows), ], test = data[-seq_len(rows), ], inputs = inputs[scale > 0])
}

fit_row <- function(name, method, label) {
  split <- split_rows(name, sets[[name]]$rows)
  coords <- stats::reformulate(split$inputs)
  fitted <- timed(neargp(y ~ 1, split$train, coords = coords, family = binomial(), method = method, threads = 1L,
    covariance = cov_matern(nu = 2.5, ard = TRUE), verbose = FALSE))
  predicted <- predict(fitted$value, split$test, verbose = FALSE)
  p <- if (is.null(predicted$prob_1)) predicted$mean else predicted$prob_1
  y <- split$test$y
  data.frame(set = name, rows = nrow(split$train), inputs = length(split$inputs), k = sets[[name]]$k, method = label,
    cpu_s = fitted$cpu, log_score = -mean(log(ifelse(y == 1, p, 1 - p))),
    error = mean((p > 0.5) != y))
}

wanted <- commandArgs(TRUE)
if (!length(wanted)) wanted <- names(sets)
describe_run()
rows <- lapply(wanted, function(name) {
  rbind(fit_row(name, loo_k(sets[[name]]$k), "loo_k"), fit_row(name, vnngp(sets[[name]]$k), "vnngp"))
})
save_table(do.call(rbind, rows), "many-inputs")
