# Fits svgp(), odvgp() and loo_k() to standardised sets of classes. In each random split, a tenth of the rows is the test set. The results
# are compared with the accuracies and log likelihoods of the ODVGP paper (Salimbeni et al. 2018, appendix G) for its inducing points. The
# comparison takes the better of its methods with a coupled basis, SVGP by Adam or by natural gradients, and the better with an orthogonal
# one. CPU seconds are those of the whole fit, of all threads.
#
#   Rscript bench/svgp-classes.R run [sets: landsat,thyroid,pendigits] [inducing points: 128] [methods: softmax,odvgp,robust-max,loo_k] [splits: 1]
#   Rscript bench/svgp-classes.R table

# The methods softmax and robust-max are links of svgp(), the latter without a trend. The method odvgp takes the softmax, and
# all rows for its mean. Rows go to table svgp-classes, and rows that are already there are not computed again.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
for (file in c("common.R", "published.R", "class-sets.R")) source(file.path(folder, file))

case_of <- function(set, points, method, split) {
  data.frame(set = set, split = split, method = method, inducing = if (method == "loo_k") NA_integer_ else points)
}

run <- function(case) {
  if (is_done("svgp-classes", case)) return(invisible())
  data <- class_data(case$set)
  set.seed(case$split)
  test <- sort(sample(nrow(data), round(nrow(data) / 10)))
  data <- varying_inputs(data, -test)
  robust <- case$method == "robust-max"
  method <- switch(case$method, loo_k = loo_k(), odvgp = odvgp(case$inducing, std_error = FALSE), svgp(case$inducing, std_error = FALSE))
  fitted <- timed(neargp(if (robust) y ~ 0 else y ~ 1, data[-test, ], coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE),
    method = method, family = categorical(if (robust) "robust-max" else "softmax"), threads = bench_threads(), verbose = FALSE))
  fit <- fitted$value
  predicting <- timed(predict(fit, data[test, ], threads = bench_threads()))
  scored <- scores(data$y[test], prob = predicting$value)
  append_result("svgp-classes", data.frame(case, n = nrow(data) - length(test), inputs = ncol(data) - 1L, classes = nlevels(data$y),
    cpu_fit = fitted$cpu, cpu_predict = predicting$cpu, evaluations = c(fit$convergence$evaluations, NA)[1L], converged = fit$convergence$converged,
    accuracy = scored$accuracy, nll = scored$log_loss, calibration_error = scored$calibration_error))
}

# Compares our result of a set and a method, with most inducing points, with the printed figures of either basis.
beside <- function(rows, metric) {
  printed <- best_published("odvgp")
  printed <- printed[printed$set == rows$set[1L] & printed$metric == metric, ]
  rows <- rows[rows$inducing %in% max(rows$inducing), ]
  value <- mean(rows[[metric]])
  se <- standard_error(rows[[metric]])
  coupled <- printed[printed$method == "svgp", ]
  orthogonal <- printed[printed$method == "odvgp", ]
  as_good_as <- function(basis) verdict(metric, value, se, basis$value, NA, basis$digits)
  data.frame(set = rows$set[1L], method = rows$method[1L], inducing = rows$inducing[1L], metric = metric, splits = nrow(rows), ours = value,
    ours_se = se, coupled = coupled$value, orthogonal = orthogonal$value, as_good_as_coupled = as_good_as(coupled),
    as_good_as_orthogonal = as_good_as(orthogonal), cpu_fit = mean(rows$cpu_fit))
}

compare_all <- function() {
  results <- read_result("svgp-classes")
  groups <- split(results, results[c("set", "method")], drop = TRUE)
  rows <- do.call(rbind, lapply(c("nll", "accuracy"), function(metric) do.call(rbind, lapply(groups, beside, metric))))
  save_table(rows, "svgp-classes-compared", digits = 4L)
  print(table(rows$method, rows$as_good_as_coupled, rows$metric))
}

if (argument(1L, "run") == "table") compare_all() else {
  describe_run()
  cases <- expand.grid(method = argument(4L, c("softmax", "odvgp", "robust-max", "loo_k")), split = as.integer(argument(5L, "1")),
    points = as.integer(argument(3L, "128")), set = argument(2L, c("landsat", "thyroid", "pendigits")), stringsAsFactors = FALSE)
  for (i in seq_len(nrow(cases))) run(case_of(cases$set[i], cases$points[i], cases$method[i], cases$split[i]))
}
