# Random effects and smooths together with a field. Are their variances, the trend's slope and predictions right, and how long do fits take?
# The simulation takes n rows in the unit square, an exponential field of variance 1 and range 0.1, and noise of variance 0.25. Groups
# spread in space add intercepts of variance 0.5 and slopes of variance 0.25. The trend adds a smooth of one covariate and a slope of
# another.
#
# Expected before the run: by REML, mean estimates are within two standard errors of the truth. Intervals of 95% cover 93 to 96% for the
# slope, for group effects, and for new rows of known and of new groups. A fit of 200 columns takes some 15 times as long as one without,
# and a fit of 10,000 columns three times.
#
#   R_LIBS=_build/library Rscript bench/random-effects.R [estimates,counts,time,many,signs,inducing,loo] [fits] [rows]
#                                                  keeps tables random-effects[-part]

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1L])), "common.R"))
parts <- argument(1L, c("estimates", "counts", "time", "many", "signs", "inducing", "loo"))
fits <- as.integer(argument(2L, 100L))
n <- as.integer(argument(3L, 1000L))
groups <- 30L
truth <- c(variance = 1, range = 0.1, nugget = 0.25, `sd_(Intercept)|site` = sqrt(0.5), `sd_x|site` = 0.5)

simulated <- function(seed, rows, new = 200L) {
  set.seed(seed)
  all <- rows + new
  data <- data.frame(px = runif(all), py = runif(all), x = rnorm(all), depth = runif(all))
  data$site <- sample(groups, all, TRUE)
  data$site[rows + 1:50] <- groups + 1:50
  b <- matrix(rnorm(2 * (groups + 50)), ncol = 2) %*% diag(truth[4:5])
  field <- drop(crossprod(chol(exp(-as.matrix(dist(data[1:2])) / truth[["range"]])), rnorm(all)))
  data$field <- field + sin(6 * data$depth) + b[data$site, 1] + (1 + b[data$site, 2]) * data$x
  data$y <- data$field + rnorm(all, sd = sqrt(truth[["nugget"]]))
  list(data = data[seq_len(rows), ], new = data[-seq_len(rows), ], b = b)
}

inside <- function(x, lower, upper) mean(x >= lower & x <= upper)

one <- function(seed) {
  case <- simulated(seed, n)
  fit <- neargp(y ~ x + s(depth, k = 8) + (x || site), case$data, coords = ~ px + py, method = vecchia(20), covariance = cov_exponential(),
    threads = 1L, verbose = FALSE)
  found <- coef(fit, what = "covariance")
  effects <- ranef(fit, se = TRUE)$site
  truths <- case$b[as.integer(rownames(effects)), ]
  slope <- confint(fit, "x")
  # the average slope of these groups belongs to the trend
  predicted <- predict(fit, case$new, interval = "prediction", allow.new.levels = TRUE, local_mean = FALSE, verbose = FALSE)
  covered <- case$new$y >= predicted$lower & case$new$y <= predicted$upper
  limits <- confint(fit, what = "covariance")
  data.frame(seed, t(found[names(truth)]), check.names = FALSE, slope = inside(1, slope[1], slope[2]),
    intercepts = mean(abs(effects[["(Intercept)"]] - truths[, 1]) <= 1.96 * effects[["se_(Intercept)"]]),
    slopes = mean(abs(effects[["x"]] - truths[, 2]) <= 1.96 * effects[["se_x"]]), new_levels = mean(covered[1:50]),
    known_levels = mean(covered[-(1:50)]), t(setNames(vapply(names(truth), function(name) inside(truth[[name]], limits[name, 1],
      limits[name, 2]), 0), paste0("covers_", names(truth)))))
}

spread <- function(x) c(mean = mean(x), se = sd(x) / sqrt(length(x)))
if ("estimates" %in% parts) {
  results <- do.call(rbind, lapply(seq_len(fits), one))
  table <- t(vapply(results[-1L], spread, double(2L)))
  print(data.frame(truth = unname(truth[rownames(table)]), round(table, 4), row.names = rownames(table)))
  save_result(cbind(what = rownames(table), as.data.frame(round(table, 4)), fits = fits, rows = n), "random-effects")
}

# Counts by vnngp(): groups and a field of variance 0.5 and range 0.15 in the logarithm. The ELBO is maximised, like a likelihood that is
# not restricted. Expected: variances too small by some percent, and the same coverage.
one_of_counts <- function(seed, rows = 500L) {
  set.seed(seed)
  data <- data.frame(px = runif(rows), py = runif(rows), x = rnorm(rows), site = sample(groups, rows, TRUE))
  b <- rnorm(groups, sd = 0.6)
  field <- sqrt(0.5) * drop(crossprod(chol(exp(-as.matrix(dist(data[1:2])) / 0.15)), rnorm(rows)))
  data$count <- rpois(rows, exp(1 + 0.3 * data$x + b[data$site] + field))
  fit <- neargp(count ~ x + (1 | site), data, coords = ~ px + py, family = poisson(), method = vnngp(), covariance = cov_exponential(),
    threads = 1L, verbose = FALSE)
  found <- coef(fit, what = "covariance")
  effects <- ranef(fit, se = TRUE)$site
  limits <- confint(fit, "x")
  data.frame(variance = found[["variance"]], range = found[["range"]], sd_site = found[["sd_(Intercept)|site"]], slope = inside(0.3, limits[1],
    limits[2]), effects = mean(abs(effects[[1]] - b[as.integer(rownames(effects))]) <= 1.96 * effects[[2]]))
}
if ("counts" %in% parts) {
  counts <- do.call(rbind, lapply(seq_len(max(fits %/% 2L, 2L)), one_of_counts))
  counts_table <- t(vapply(counts, spread, double(2L)))
  print(data.frame(truth = c(0.5, 0.15, 0.6, NA, NA), round(counts_table, 4)))
  save_result(data.frame(what = rownames(counts_table), round(counts_table, 4), fits = nrow(counts), rows = 500L),
    "random-effects-counts")
}

# Times of whole fits to the same rows with and without groups, whose levels are scattered over the square.
with_groups <- function(rows, levels, scattered = TRUE) {
  set.seed(1)
  data <- data.frame(px = runif(rows), py = runif(rows))
  side <- sqrt(levels)
  data$site <- if (scattered) sample(levels, rows, TRUE) else floor(data$px * side) * side + floor(data$py * side) + 1
  data$y <- rnorm(levels)[data$site] + sin(6 * data$px) * cos(5 * data$py) + rnorm(rows, sd = 0.5)
  data
}

fit_to <- function(formula, data, k, method = vecchia(k)) {
  neargp(formula, data, coords = ~ px + py, method = method, covariance = cov_exponential(), threads = 1L, verbose = FALSE)
}

timed_counts <- function(rows, levels) {
  data <- with_groups(rows, levels)
  data$count <- rpois(rows, exp(data$y / 2))
  seconds <- vapply(list(count ~ 1, count ~ (1 | site)), function(formula) {
    timed(neargp(formula, data, coords = ~ px + py, family = poisson(), method = vnngp(), covariance = cov_exponential(), threads = 1L,
      verbose = FALSE))$cpu
  }, 0)
  data.frame(rows, levels, plain = seconds[1L], effects = seconds[2L], ratio = seconds[2L] / seconds[1L])
}

# `k`: neighbours, or inducing points of another method.
timed_fit <- function(rows, levels, k = 30L, regions = FALSE, method = vecchia(k)) {
  data <- with_groups(rows, levels, !regions)
  plain <- timed(fit_to(y ~ 1, data, k, method))
  own <- timed(fit_to(y ~ (1 | site), data, k, method))
  data.frame(rows, levels, regions, k, plain = plain$cpu, effects = own$cpu, ratio = own$cpu / plain$cpu,
    evaluations = plain$value$convergence$evaluations, evaluations_effects = own$value$convergence$evaluations)
}

# Times a step of the search, also where the levels are regions, cells of a grid. A step is the likelihood with its gradient and expected
# information near the starting values. The second evaluation is timed.
problem_of <- function(...) {
  package <- asNamespace("neargp")
  suppressMessages(trace("fit_problem", quote(invokeRestart("problem", problem)), print = FALSE, where = package))
  on.exit(suppressMessages(untrace("fit_problem", where = package)))
  withRestarts(fit_to(...), problem = identity)
}

timed_step <- function(rows, levels, k, scattered) {
  data <- with_groups(rows, levels, scattered)
  seconds <- vapply(list(y ~ 1, y ~ (1 | site)), function(formula) {
    problem <- problem_of(formula, data, k)
    objective <- neargp:::likelihood_objective(problem$method, problem)
    objective$evaluate(problem$start, TRUE)
    timed(stopifnot(is.finite(objective$evaluate(problem$start + 0.01, TRUE)$value)))$cpu
  }, 0)
  data.frame(rows, levels, scattered, k, plain = seconds[1L], effects = seconds[2L], ratio = seconds[2L] / seconds[1L])
}

written <- function(results) {
  print(results)
  for (name in names(results)) save_result(results[[name]], paste0("random-effects-", name))
}

# the first call of a session also loads code, which later calls find loaded
if (length(intersect(c("time", "many", "inducing", "loo"), parts))) timed_fit(1000L, 10L)
if ("time" %in% parts) {
  written(list(time = do.call(rbind, lapply(c(10L, 50L, 100L, 200L, 1000L), timed_fit, rows = 20000L)),
    `counts-time` = timed_counts(2000L, 50L)))
}
# A fit by svgp(). Expected: half as much again, since 200 points take six products of n * 200^2 and 100 columns three of n * 100 * 200.
if ("inducing" %in% parts) written(list(inducing = timed_fit(20000L, 100L, 200L, method = svgp(200L))))
# Thousands of levels, for which the search uses no factor. Expected: three times as long as a fit without them.
if ("many" %in% parts) {
  written(list(step = rbind(timed_step(100000L, 10000L, 30L, FALSE), timed_step(100000L, 10000L, 10L, FALSE),
    timed_step(100000L, 10000L, 30L, TRUE), timed_step(20000L, 10000L, 30L, TRUE)),
    many = rbind(timed_fit(100000L, 10000L), timed_fit(100000L, 10000L, regions = TRUE))))
}
# Random signs against the exact factor: estimates in standard errors, ratios of standard errors, log-likelihoods. Expected: within .03.
with_exact_work <- function(work, code) {
  package <- asNamespace("neargp")
  old <- neargp:::most_exact_work
  unlockBinding("most_exact_work", package)
  on.exit(assign("most_exact_work", old, package))
  assign("most_exact_work", work, package)
  force(code)
}

compared <- function(levels, regions) {
  data <- with_groups(15000L, levels, !regions)
  fits <- lapply(list(signs = 0, exact = Inf), function(work) with_exact_work(work, timed(fit_to(y ~ (1 | site), data, 30L))))
  signs <- fits$signs$value
  exact <- fits$exact$value
  errors <- sqrt(diag(solve(exact$information)))
  data.frame(levels = length(unique(data$site)), regions, parameter = signs$parameters$name, apart = (signs$parameters$working -
    exact$parameters$working) / errors, ratio = sqrt(diag(solve(signs$information))) / errors, log_likelihood = c(logLik(signs)) -
    c(logLik(exact)), error = attr(logLik(signs), "standard_error"), seconds = fits$signs$cpu, seconds_exact = fits$exact$cpu)
}
if ("signs" %in% parts) written(list(signs = rbind(compared(3000L, FALSE), compared(2916L, TRUE))))
# Leave-one-out predictions of all rows, for as many columns in addition to the trend. Expected: seconds. The weights of 30 neighbours are
# applied to as many columns, and half a form of as many rows and columns is computed for each row.
timed_loo <- function(rows, levels) {
  data <- with_groups(rows, levels)
  own <- fit_to(y ~ (1 | site), data, 30L)
  plain <- fit_to(y ~ 1, data, 30L)
  seconds <- vapply(list(plain, own), function(fit) min(replicate(3L, timed(loo_predict(fit))$cpu)), 0)
  data.frame(rows, levels, plain = seconds[1L], effects = seconds[2L], ratio = seconds[2L] / seconds[1L])
}
if ("loo" %in% parts) written(list(loo = do.call(rbind, lapply(c(50L, 200L, 1000L), timed_loo, rows = 20000L))))
