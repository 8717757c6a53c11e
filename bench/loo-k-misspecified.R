# LOO-k and the likelihood where the model is wrong (Jankowiak and Pleiss 2022, section 5.1, Figures 1 and 8): a stationary field whose
# inputs are warped, so that it is not stationary any more. Uniform inputs in [-1, 1]^4, a Gaussian covariance of length scale 1/2, noise
# 0.1; fits have a Matern 5/2 covariance with a range for each input. The paper has 4,048 rows to fit and as many to score, here it is
# `rows`, since exact_gp() is the likelihood.
#
#   Rscript bench/loo-k-misspecified.R [rows, 1000] [seeds, e.g. 1:3]

script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

arguments <- commandArgs(TRUE)
rows <- if (length(arguments) > 0L) as.integer(arguments[[1L]]) else 1000L
seeds <- if (length(arguments) > 1L) eval(str2lang(arguments[[2L]])) else 1:3
strengths <- c(0, 0.5, 1, 2, 4)

warps <- list(
  "stretched below 0" = function(x, gamma) ifelse(x >= 0, x, (1 + gamma) * x),
  "power above 0" = function(x, gamma) ifelse(x <= 0, x, x^(1 + gamma)),
  "cubic" = function(x, gamma) x + gamma * x^3
)
methods <- list(loo_k = loo_k(64L), likelihood = exact_gp())

# The same responses for all warps.
stationary <- function(seed) {
  set.seed(seed)
  x <- matrix(runif(8L * rows, -1, 1), ncol = 4L, dimnames = list(NULL, paste0("x", 1:4)))
  # exp(-d^2 / (2 length^2))
  K <- exp(-as.matrix(dist(x))^2 / (2 * 0.5^2)) + diag(1e-6, 2L * rows)
  list(x = x, y = drop(crossprod(chol(K), rnorm(2L * rows))) + rnorm(2L * rows, sd = 0.1))
}

fit_and_score <- function(data, method, name, warp, gamma, seed) {
  train <- seq_len(rows)
  fit <- NULL
  seconds <- cpu_seconds(fit <- suppressWarnings(neargp(y ~ 1, data[train, ], coords = ~ x1 + x2 + x3 + x4, method = method,
    covariance = cov_matern(2.5, ard = TRUE), threads = 1L, verbose = FALSE)))
  scored <- scores(fit, newdata = data[-train, ], k = if (inherits(method, "neargp_loo_k")) 64L)
  data.frame(warp = warp, gamma = gamma, seed = seed, method = name, log_likelihood = -scored$log_score, rmse = scored$rmse,
    noise = sqrt(fit$nugget), coverage = scored$coverage, cpu = seconds)
}

describe_run()
results <- NULL
for (seed in seeds) {
  field <- stationary(seed)
  for (warp in names(warps)) for (gamma in if (warp == names(warps)[1L]) strengths else strengths[-1L]) {
    data <- data.frame(warps[[warp]](field$x, gamma), y = field$y)
    for (name in names(methods)) results <- rbind(results, fit_and_score(data, methods[[name]], name, warp, gamma, seed))
    print(utils::tail(results, 2L), digits = 3, row.names = FALSE)
  }
}
# Without a warp all are alike.
unwarped <- results[results$gamma == 0, ]
for (warp in names(warps)[-1L]) {
  unwarped$warp <- warp
  results <- rbind(results, unwarped)
}
table <- aggregate(cbind(log_likelihood, rmse, noise, coverage, cpu) ~ warp + gamma + method, results, mean)
save_table(table[order(table$warp, table$method, table$gamma), ], "loo-k-misspecified", digits = 4L)

draw <- function(measure, label) {
  for (warp in names(warps)) {
    shown <- results[results$warp == warp, ]
    mean <- tapply(shown[[measure]], list(shown$gamma, shown$method), mean)
    graphics::matplot(strengths, mean[, names(methods)], type = "b", pch = c(16, 1), lty = 1, col = c("#D55E00", "#0072B2"),
      ylim = range(results[[measure]]), xlab = expression(gamma), ylab = label, main = warp, font.main = 1, cex.main = 1)
    graphics::points(shown$gamma, shown[[measure]], pch = ".", cex = 3, col = ifelse(shown$method == "loo_k", "#D55E00", "#0072B2"))
    if (warp == names(warps)[1L] && measure == "log_likelihood") graphics::legend("bottomleft", c("LOO-64", "likelihood"), col = c("#D55E00", "#0072B2"), pch = c(16, 1),
      lty = 1, bty = "n")
  }
}
grDevices::png(result_file("loo-k-misspecified.png"), 1000, 620, res = 110)
graphics::par(mfrow = c(2L, 3L), mar = c(4, 4, 2, 0.6), las = 1, mgp = c(2.6, 0.7, 0))
draw("log_likelihood", "mean log density of new rows")
draw("rmse", "RMSE of new rows")
invisible(grDevices::dev.off())
