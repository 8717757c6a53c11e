# Compares LOO-k with maximum likelihood where the model is wrong (Jankowiak and Pleiss 2022, section 5.1, Figures 1 and 8). The predictors of a
# stationary field are warped, which makes the field non-stationary. Predictors are uniform in [-1, 1]^4. The field comes from a Gaussian
# covariance of lengthscale 1/2, and the standard deviation of the noise is 0.1. Fits use a Matérn 5/2 covariance with a range for each predictor.
# The paper uses 4,048 rows to fit and as many to score.
#
# The likelihood is that of exact_gp(). With more than 2,000 rows, vecchia(60) estimates the parameters, and exact_gp() predicts with them. At
# 1,000 rows the log likelihood at these estimates was 1.3 below the maximum without a warp, and 0.3 below it with the strongest warp.
#
# Results of methods that do not run are kept. With methods "none" nothing is fitted, and the kept results are drawn. The table
# loo-k-misspecified-counts counts the cases in which LOO-k scores better than the likelihood.
#
#   Rscript bench/loo-k-misspecified.R [rows, 1000] [seeds, e.g. 1:3] [strengths of the warps, e.g. 0,1,4] [methods, e.g. loo_k,loo_k_all]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

arguments <- commandArgs(TRUE)
rows <- if (length(arguments) > 0L) as.integer(arguments[[1L]]) else 1000L
seeds <- if (length(arguments) > 1L) eval(str2lang(arguments[[2L]])) else 1:3
strengths <- if (length(arguments) > 2L) as.double(strsplit(arguments[[3L]], ",")[[1L]]) else c(0, 0.5, 1, 2, 4)
chosen <- setdiff(argument(4L, c("loo_k", "loo_k_all", "likelihood")), "none")

warps <- list(
  "stretched below 0" = function(x, gamma) ifelse(x >= 0, x, (1 + gamma) * x),
  "power above 0" = function(x, gamma) ifelse(x <= 0, x, x^(1 + gamma)),
  "cubic" = function(x, gamma) x + gamma * x^3
)
fit_by <- function(method, data, covariance = cov_matern(2.5, ard = TRUE), nugget = NULL) {
  suppressWarnings(neargp(y ~ 1, data, coords = ~ x1 + x2 + x3 + x4, method = method, covariance = covariance, nugget = nugget,
    threads = 1L, verbose = FALSE))
}

# An exact GP with the parameters of a fit: it predicts from all rows, not only from the nearest ones.
exact_at <- function(fit, data) {
  known <- coef(fit, "covariance")
  ranges <- unname(known[startsWith(names(known), "range")])
  fit_by(exact_gp(), data, cov_matern(2.5, ard = TRUE, variance = known[["variance"]], range = ranges), fit$nugget)
}

methods <- list(
  loo_k = function(data) fit_by(loo_k(64L), data),
  loo_k_all = function(data) exact_at(fit_by(loo_k(64L), data), data),
  likelihood = function(data) if (nrow(data) <= 2000L) fit_by(exact_gp(), data) else exact_at(fit_by(vecchia(60L), data), data)
)

# All warps share these responses.
stationary <- function(seed) {
  set.seed(seed)
  x <- matrix(runif(8L * rows, -1, 1), ncol = 4L, dimnames = list(NULL, paste0("x", 1:4)))
  # exp(-d^2 / (2 length^2))
  K <- exp(-as.matrix(dist(x))^2 / (2 * 0.5^2)) + diag(1e-6, 2L * rows)
  list(x = x, y = drop(crossprod(chol(K), rnorm(2L * rows))) + rnorm(2L * rows, sd = 0.1))
}

fit_and_score <- function(data, name, warp, gamma, seed) {
  train <- seq_len(rows)
  fit <- NULL
  seconds <- cpu_seconds(fit <- methods[[name]](data[train, ]))
  scored <- scores(fit, newdata = data[-train, ], k = if (name == "loo_k") 64L)
  data.frame(warp = warp, gamma = gamma, seed = seed, method = name, log_likelihood = -scored$log_score, rmse = scored$rmse,
    noise = sqrt(fit$nugget), coverage = scored$coverage, cpu = seconds)
}

name_of_run <- sprintf("loo-k-misspecified-%d", rows)

# Means over seeds. At strength 0 all warps are the same, and one run serves all of them.
save_means <- function(results) {
  unwarped <- results[results$gamma == 0, ]
  everywhere <- lapply(setdiff(unique(results$warp), unwarped$warp), function(warp) replace(unwarped, "warp", warp))
  results <- do.call(rbind, c(list(results), everywhere))
  table <- aggregate(cbind(log_likelihood, rmse, noise, coverage, cpu) ~ warp + gamma + method, results, mean)
  known <- read_result(name_of_run)
  table <- rbind(table, known[!known$method %in% table$method, names(table)])
  save_table(table[order(table$warp, table$method, table$gamma), ], name_of_run, digits = 4L)
  results
}

describe_run()
results <- NULL
if (length(chosen)) for (seed in seeds) {
  field <- stationary(seed)
  for (warp in names(warps)) for (gamma in if (warp == names(warps)[1L]) strengths else strengths[-1L]) {
    data <- data.frame(warps[[warp]](field$x, gamma), y = field$y)
    for (name in chosen) results <- rbind(results, fit_and_score(data, name, warp, gamma, seed))
    shown <- save_means(results)
  }
}

# A case is a warp with a strength. Strength 0 counts as one case.
counts_of <- function(size) {
  table <- read_result(sprintf("loo-k-misspecified-%d", size))
  table <- table[table$gamma > 0 | table$warp == "cubic", ]
  case <- function(method, measure) {
    own <- table[table$method == method, ]
    own[order(own$warp, own$gamma), measure]
  }
  do.call(rbind, lapply(intersect(c("loo_k", "loo_k_all"), table$method), function(method) {
    gain <- case(method, "log_likelihood") - case("likelihood", "log_likelihood")
    data.frame(rows = size, method = method, cases = length(gain), better = sum(gain > 0), mean_gain = mean(gain), worst = min(gain),
      best = max(gain), better_rmse = sum(case(method, "rmse") < case("likelihood", "rmse")),
      noise_ratio = mean(case(method, "noise") / case("likelihood", "noise")))
  }))
}
save_table(do.call(rbind, lapply(c(1000L, 4048L), counts_of)), "loo-k-misspecified-counts", digits = 3L)

colours <- c(loo_k = "#D55E00", loo_k_all = "#E69F00", likelihood = "#0072B2")
symbols <- c(16, 17, 1)
draw <- function(measure, label) {
  means <- read_result(name_of_run)
  for (warp in names(warps)) {
    here <- means[means$warp == warp, ]
    mean <- tapply(here[[measure]], list(here$gamma, here$method), mean)
    graphics::matplot(as.double(rownames(mean)), mean[, names(methods)], type = "b", pch = symbols, lty = 1, col = colours,
      ylim = range(means[[measure]]), xlab = expression(gamma), ylab = label, main = warp, font.main = 1, cex.main = 1)
    if (warp == names(warps)[1L] && measure == "log_likelihood") {
      graphics::legend("bottomleft", c("LOO-64", "its parameters, all rows", "likelihood"), col = colours, pch = symbols, lty = 1, bty = "n")
    }
  }
}
grDevices::png(result_file(paste0(name_of_run, ".png")), 860, 540, res = 100)
graphics::par(mfrow = c(2L, 3L), mar = c(4, 4, 2, 0.6), las = 1, mgp = c(2.6, 0.7, 0))
draw("log_likelihood", "mean log density of new rows")
draw("rmse", "RMSE of new rows")
invisible(grDevices::dev.off())
