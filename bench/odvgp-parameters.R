# Measures the loss of odvgp() from taking over the covariance parameters of svgp(). The ODVGP paper (Salimbeni et al. 2018) trains them by the ELBO
# of the decoupled basis, on sets of 15,000 to two million rows with 300 points and 700 more. Here the ELBO of odvgp(), with the mean of all rows,
# is maximised over variance, range and nugget by Nelder and Mead's method on 1,000 rows. The 40 points are those of the fit by svgp(). The sets
# are standardised, and the covariance is Matérn 5/2 with one range. svgp() and odvgp() use bound = "standard". CPU seconds are those of one thread.
#
#   Rscript bench/odvgp-parameters.R [sets: elevators,kin40k,pol,protein] [splits: 1] [rows: 1000] [inducing points: 40]
#
# Rows go to table odvgp-parameters. Cases that it already contains are not run again. The table calls odvgp() "held" with the parameters of svgp(),
# and "trained" with the parameters that maximise its own ELBO. The rows of exact_gp() show which parameters maximise the likelihood. Their column
# "bound" contains the log-likelihood.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
for (file in c("common.R", "published.R")) source(file.path(if (length(script)) dirname(script) else "bench", file))

fit_by <- function(data, method, covariance = cov_matern(nu = 2.5), ...) {
  suppressWarnings(neargp(y ~ 1, data$training, coords = ~ ., covariance = covariance, method = method, threads = 1L, verbose = FALSE, ...),
    classes = "neargp_warning_convergence")
}

fit_at <- function(data, points, parameters) {
  fit_by(data, odvgp(points, move = FALSE, bound = "standard", std_error = FALSE), nugget = parameters[["nugget"]],
    covariance = cov_matern(nu = 2.5, variance = parameters[["variance"]], range = parameters[["range"]]))
}

trained <- function(data, points, start) {
  loss <- function(log_parameters) {
    bound <- try(c(logLik(fit_at(data, points, exp(log_parameters)))), silent = TRUE)
    if (is.numeric(bound)) -bound else 1e10
  }
  fit_at(data, points, exp(stats::optim(log(start), loss, control = list(reltol = 1e-4, maxit = 60))$par))
}

row_of <- function(case, what, fitted, data) {
  fit <- fitted$value
  found <- stats::coef(fit, what = "covariance")
  scored <- scores(fit, newdata = data$test, threads = 1L)
  data.frame(case, what = what, bound = c(logLik(fit)), variance = found[["variance"]], range = found[["range"]], nugget = found[["nugget"]],
    nll = scored$log_score, rmse = scored$rmse, coverage = scored$coverage, cpu = fitted$cpu)
}

run <- function(case) {
  if (is_done("odvgp-parameters", case)) return(invisible())
  data <- standardised_split(case$set, case$split, case$rows)
  varies <- vapply(data$training, function(x) length(unique(x)) > 1L, NA)
  data <- lapply(data, function(part) part[varies])
  start <- c(variance = 1, range = sqrt(ncol(data$training) - 1) / 2, nugget = 0.1)
  base <- timed(fit_by(data, svgp(case$inducing, bound = "standard", std_error = FALSE), start = start))
  found <- stats::coef(base$value, what = "covariance")[c("variance", "range", "nugget")]
  points <- as.matrix(base$value$inducing)
  rows <- rbind(row_of(case, "svgp()", base, data), row_of(case, "held", timed(fit_at(data, points, found)), data),
    row_of(case, "trained", timed(trained(data, points, found)), data), row_of(case, "exact_gp()", timed(fit_by(data, exact_gp())), data))
  append_result("odvgp-parameters", rows)
}

# Means over the splits, and over these the gain of training, a row of the test set.
summarised <- function(rows) {
  means <- stats::aggregate(cbind(bound, variance, range, nugget, nll, rmse, coverage, cpu) ~ what + set, rows, mean)
  gain <- function(metric) rows[[metric]][rows$what == "held"] - rows[[metric]][rows$what == "trained"]
  cat(sprintf("%d pairs of set and split. Training gains %.4f of NLL (standard error %.4f), %.4f of RMSE (%.4f), %.2f of the bound.\n",
    length(gain("nll")), mean(gain("nll")), standard_error(gain("nll")), mean(gain("rmse")), standard_error(gain("rmse")), -mean(gain("bound"))))
  means[order(means$set, means$what), ]
}

describe_run()
for (set in argument(1L, c("elevators", "kin40k", "pol", "protein"))) for (split in as.integer(argument(2L, "1"))) {
  run(data.frame(set = set, split = split, rows = as.integer(argument(3L, "1000")), inducing = as.integer(argument(4L, "40"))))
}
save_table(summarised(read_result("odvgp-parameters")), "odvgp-parameters-means", digits = 4L)
