# Compares odvgp() on standardised UCI sets with the published test log-likelihoods of the orthogonally decoupled bases (Salimbeni et al. 2018,
# appendix G). Here "coupled" is their SVGP with natural gradients and the larger number of points. "orthogonal" is the better of their two
# orthogonal bases. Training takes 90% of the rows. CPU seconds are those of one thread. svgp() is fitted first. odvgp() then takes over its
# parameters and inducing points, so that the two fits differ in the mean alone. The first fit of a set starts at parameters of 2,000 rows.
# A fit with more points starts at the parameters of the fit before.
#
#   Rscript bench/odvgp.R [sets: pol,elevators,kin40k,protein] [inducing points: 300] [splits: 1]
#     [max_iterations, by points: 60] [mean_inducing: all,1000]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

printed <- best_published("odvgp")
printed_log_likelihood <- function(set, method) -printed$value[printed$set == set & printed$method == method & printed$metric == "nll"]

standardised_split <- function(set, split) {
  rows <- bench_data(set)
  inputs <- scale(as.matrix(rows[setdiff(names(rows), c("y", "fold"))]))
  varies <- apply(inputs, 2L, function(x) all(is.finite(x)))
  data <- data.frame(inputs[, varies], y = drop(scale(rows$y)))
  set.seed(split)
  held <- seq_len(nrow(data)) %in% sample.int(nrow(data), round(nrow(data) / 10))
  list(train = data[!held, ], test = data[held, ])
}

fit_by <- function(method, data, covariance = cov_matern(nu = 2.5, ard = TRUE), ...) {
  timed(suppressWarnings(neargp(y ~ 1, data, coords = ~ ., covariance = covariance, method = method, threads = 1L, verbose = FALSE, ...),
    classes = "neargp_warning_convergence"))
}

# Half of sqrt(d) standard deviations for all ranges, and a tenth of the variance for the noise: that of the grid of other methods can be all noise.
first_parameters <- function(train, rows = 2000L, points = 200L) {
  part <- train[sample.int(nrow(train), rows), ]
  start_of <- function(inputs) {
    c(variance = 1, stats::setNames(rep(sqrt(length(inputs)) / 2, length(inputs)), paste0("range_", inputs)), nugget = 0.1)
  }
  start <- start_of(setdiff(names(train), "y"))
  part <- part[vapply(part, function(x) length(unique(x)) > 1L, NA)]
  found <- coef(fit_by(svgp(points, move = FALSE, std_error = FALSE), part, start = start_of(setdiff(names(part), "y")))$value, "covariance")
  replace(start, names(start) %in% names(found), found[intersect(names(start), names(found))])
}

fit_svgp <- function(data, points, iterations, start) {
  fit_by(svgp(points, std_error = FALSE), data$train, start = start, control = neargp_control(max_iterations = iterations))
}

compare <- function(set, data, first, points, split, iterations, mean_inducing) {
  base <- first$value
  found <- coef(base, "covariance")
  ranges <- unname(found[grepl("^range", names(found))])
  on <- if (mean_inducing != "all") as.integer(mean_inducing)
  second <- fit_by(odvgp(base$inducing, move = FALSE, std_error = FALSE, mean_inducing = on), data$train,
    cov_matern(nu = 2.5, variance = found[["variance"]], range = ranges, ard = TRUE), nugget = base$nugget)
  score <- function(fit) {
    predicted <- timed(predict(fit, data$test, threads = 1L))
    scored <- scores(predicted$value, observed = data$test$y)
    list(bound = c(logLik(fit)) / nrow(data$train), ll = -scored$log_score, rmse = scored$rmse, coverage = scored$coverage, cpu_predict = predicted$cpu)
  }
  one <- score(base)
  two <- score(second$value)
  data.frame(set = set, n = nrow(data$train), inducing = points, mean_inducing = mean_inducing, split = split, max_iterations = iterations,
    cpu_svgp = first$cpu, cpu_mean = second$cpu, evaluations = base$convergence$evaluations, iterations = second$value$svgp$mean$iterations, cpu_predict = two$cpu_predict,
    bound_svgp = one$bound, bound_odvgp = two$bound, ll_svgp = one$ll, ll_odvgp = two$ll, rmse_svgp = one$rmse, rmse_odvgp = two$rmse,
    coverage_svgp = one$coverage, coverage_odvgp = two$coverage, ll_paper_coupled = printed_log_likelihood(set, "svgp"),
    ll_paper_orthogonal = printed_log_likelihood(set, "odvgp"))
}

run <- function(set, points, split, iterations, means) {
  data <- standardised_split(set, split)
  start <- first_parameters(data$train)
  for (i in seq_along(points)) {
    first <- fit_svgp(data, points[i], iterations[i], start)
    start <- coef(first$value, "covariance")
    for (mean_inducing in means) append_result("odvgp", compare(set, data, first, points[i], split, iterations[i], mean_inducing))
  }
}

sets <- argument(1L, c("pol", "elevators", "kin40k", "protein"))
points <- as.integer(argument(2L, "300"))
splits <- as.integer(argument(3L, "1"))
iterations <- rep_len(as.integer(argument(4L, "60")), length(points))
means <- argument(5L, c("all", "1000"))
describe_run()
for (set in sets) for (split in splits) run(set, points, split, iterations, means)
