# svgp() on standardised sets of classes, on random splits of which a tenth of the rows is the test set, beside the accuracies and log
# likelihoods that the ODVGP paper (Salimbeni et al. 2018, appendix G) has for its inducing points. CPU seconds are of the whole fit, of one
# thread.
#
#   Rscript bench/svgp-classes.R [sets: landsat,thyroid,pendigits] [inducing points: 256] [links: softmax,robust-max] [splits: 1]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
source(file.path(folder, "common.R"))
source(file.path(folder, "class-sets.R"))

sets <- argument(1L, c("landsat", "thyroid", "pendigits"))
inducing <- as.integer(argument(2L, "256"))
links <- argument(3L, c("softmax", "robust-max"))
splits <- as.integer(argument(4L, "1"))

run <- function(set, points, link, split) {
  data <- class_data(set)
  set.seed(split)
  test <- sort(sample(nrow(data), round(nrow(data) / 10)))
  data <- varying_inputs(data, -test)
  seconds <- cpu_seconds(fit <- neargp(y ~ 1, data[-test, ], coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE),
    method = svgp(points, std_errors = FALSE), family = categorical(link), threads = 1L, verbose = FALSE))
  predicting <- cpu_seconds(predicted <- predict(fit, data[test, ], threads = 1L))
  scored <- scores(data$y[test], prob = predicted)
  published <- odvgp_classes[odvgp_classes$set == set, -1L]
  data.frame(set = set, split = split, n = nrow(data) - length(test), inputs = ncol(data) - 1L, classes = nlevels(data$y), inducing = points,
    link = link, cpu_fit = seconds, cpu_predict = predicting, evaluations = fit$convergence$evaluations,
    converged = fit$convergence$converged, bound_per_row = fit$log_likelihood / (nrow(data) - length(test)),
    accuracy = scored$accuracy, nll = scored$log_loss, calibration_error = scored$calibration_error, published)
}

cases <- expand.grid(split = splits, link = links, points = inducing, set = sets, stringsAsFactors = FALSE)
results <- NULL
for (i in seq_len(nrow(cases))) {
  results <- rbind(results, run(cases$set[i], cases$points[i], cases$link[i], cases$split[i]))
  print(results[i, ], digits = 4, row.names = FALSE)
  save_table(results, "svgp-classes")
}
