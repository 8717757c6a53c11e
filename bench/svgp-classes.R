# Fits svgp(), odvgp() and loo_k() to standardised sets of classes. In each random split, a tenth of the rows is the test set. The results
# are compared with the accuracies and log likelihoods of the ODVGP paper (Salimbeni et al. 2018, appendix G) for its inducing points. The
# comparison takes the better of its methods with a coupled basis, SVGP by Adam or by natural gradients, and the better with an orthogonal
# one. CPU seconds are those of the whole fit, of all threads.
#
#   Rscript bench/svgp-classes.R run [sets: landsat,thyroid,pendigits] [inducing points: 128] [methods: softmax,odvgp,robust-max,loo_k] [splits: 1]
#     [max_iterations: 60]
#   Rscript bench/svgp-classes.R table

# The methods softmax and robust-max are links of svgp(), the latter without a trend. The method odvgp takes the softmax, and
# all rows for its mean. If both are run, odvgp() takes the parameters and points of svgp(), and its time includes that of svgp(). A fit makes at
# most 2.5 times `max_iterations` steps. Rows go to table svgp-classes, and rows that are already there are not computed again.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
folder <- if (length(script)) dirname(script) else "bench"
for (file in c("common.R", "published.R", "class-sets.R")) source(file.path(folder, file))

case_of <- function(set, points, method, split, steps) {
  by_neighbors <- method == "loo_k"
  data.frame(set = set, split = split, method = method, inducing = if (by_neighbors) NA_integer_ else points,
    max_iterations = if (by_neighbors) NA_integer_ else steps)
}

method_of <- function(case) {
  switch(case$method, loo_k = loo_k(), odvgp = odvgp(case$inducing, std_error = FALSE), svgp(case$inducing, std_error = FALSE))
}

fit_by <- function(case, data, method = method_of(case), covariance = cov_matern(nu = 2.5, ard = TRUE)) {
  robust <- case$method == "robust-max"
  steps <- if (is.na(case$max_iterations)) neargp_control() else neargp_control(max_iterations = case$max_iterations)
  timed(suppressWarnings(neargp(if (robust) y ~ 0 else y ~ 1, data, coords = ~ ., covariance = covariance, method = method,
    family = categorical(if (robust) "robust-max" else "softmax"), threads = bench_threads(), verbose = FALSE, control = steps),
    classes = "neargp_warning_convergence"))
}

# The mean of all rows, at the parameters and points of a fit by svgp(). The search is that of svgp().
second_stage <- function(case, data, first) {
  base <- first$value
  found <- coef(base, "covariance")
  covariance <- cov_matern(nu = 2.5, variance = found[["variance"]], range = unname(found[grepl("^range", names(found))]), ard = TRUE)
  second <- fit_by(case, data, odvgp(base$inducing, move = FALSE, std_error = FALSE), covariance)
  second$value$convergence <- base$convergence
  list(value = second$value, cpu = first$cpu + second$cpu)
}

scored_row <- function(case, fitted, data, test) {
  fit <- fitted$value
  predicting <- timed(predict(fit, test, threads = bench_threads()))
  scored <- scores(test$y, prob = predicting$value)
  data.frame(case, n = nrow(data), inputs = ncol(data) - 1L, classes = nlevels(data$y), cpu_fit = fitted$cpu, cpu_predict = predicting$cpu,
    evaluations = c(fit$convergence$evaluations, NA)[1L], converged = fit$convergence$converged, accuracy = scored$accuracy,
    nll = scored$log_loss, calibration_error = scored$calibration_error)
}

run <- function(set, points, methods, split, steps) {
  cases <- lapply(methods, function(method) case_of(set, points, method, split, steps))
  cases <- Filter(function(case) !is_done("svgp-classes", case), cases)
  if (!length(cases)) return(invisible())
  data <- class_data(set)
  set.seed(split)
  test <- sort(sample(nrow(data), round(nrow(data) / 10)))
  data <- varying_inputs(data, -test)
  first <- NULL
  for (case in cases) {
    fitted <- if (case$method == "odvgp" && !is.null(first)) second_stage(case, data[-test, ], first) else fit_by(case, data[-test, ])
    if (case$method == "softmax") first <- fitted
    append_result("svgp-classes", scored_row(case, fitted, data[-test, ], data[test, ]))
  }
}

# Compares our result of a set and a method, by the setting with most splits, with the printed figures of either basis.
beside <- function(rows, metric) {
  printed <- best_published("odvgp")
  printed <- printed[printed$set == rows$set[1L] & printed$metric == metric, ]
  rows <- of_one_setting(rows, c("inducing", "max_iterations"))
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
  steps <- as.integer(argument(6L, "60"))
  cases <- expand.grid(split = as.integer(argument(5L, "1")), points = as.integer(argument(3L, "128")),
    set = argument(2L, c("landsat", "thyroid", "pendigits")), stringsAsFactors = FALSE)
  methods <- argument(4L, c("softmax", "odvgp", "robust-max", "loo_k"))
  for (i in seq_len(nrow(cases))) run(cases$set[i], cases$points[i], methods, cases$split[i], steps)
}
