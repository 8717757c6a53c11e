# CPU seconds of a fit by svgp() that is mostly epochs in mini-batches, for two versions of the package: 20,000 simulated rows in 9 inputs,
# one thread. The fit consists of a start from few rows, the epochs, and evaluations over all rows with standard errors. The ELBO is printed
# with all its digits.
#
#   OMP_NUM_THREADS=1 R_LIBS=LIBRARY Rscript bench/svgp-epoch.R [inducing points: 500,1000] [epochs: 4]
#
# Where the time goes: perf record -g R --vanilla --no-echo -f bench/svgp-epoch.R --args 500
library(neargp)
arguments <- commandArgs(TRUE)
inducing <- as.integer(strsplit(c(arguments, "500,1000")[1L], ",")[[1L]])
epochs <- as.integer(c(arguments[-1L], "4")[1L])

set.seed(1)
n <- 20000L
inputs <- matrix(rnorm(n * 9L), n, dimnames = list(NULL, paste0("x", 1:9)))
rows <- data.frame(inputs, y = sin(inputs[, 1L] * 2) + inputs[, 2L] * inputs[, 3L] + 0.5 * cos(inputs[, 4L] + inputs[, 5L]) + rnorm(n) * .3)

for (points in inducing) {
  spent <- system.time(fit <- neargp(y ~ 1, rows, coords = ~ ., covariance = cov_matern(nu = 2.5, ard = TRUE),
    method = svgp(points, optimizer = "natural", epochs = epochs), threads = 1L, verbose = FALSE))
  cat(sprintf("%d points, %d epochs: user %.1f, system %.1f, ELBO %.15g\n", points, epochs, spent[["user.self"]], spent[["sys.self"]],
    fit$log_likelihood))
}
