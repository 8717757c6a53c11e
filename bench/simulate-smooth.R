# How far are draws that are made with neighbours from the dense conditional distribution? There are 400 observations on the unit square and
# a grid of 400 new locations, and the parameters are known. For each covariance and nugget, the mean of 1,000 draws is compared with the
# dense mean. The difference is in dense standard deviations, as root mean square and largest over the grid. The standard deviation of the
# sum over the grid is relative to the dense one.
#
#   Rscript bench/simulate-smooth.R

bench_script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(bench_script)) dirname(bench_script) else "bench", "common.R"))
describe_run()

n <- 400L
draws <- 1000L
places <- seq(0.02, 0.98, length.out = 20)
grid <- expand.grid(x = places, y = places)

covariances <- list(
  exponential = cov_exponential(variance = 1, range = 0.3),
  matern_1.5 = cov_matern(nu = 1.5, variance = 1, range = 0.15),
  matern_2.5 = cov_matern(nu = 2.5, variance = 1, range = 0.12),
  gaussian = cov_gaussian(variance = 1, range = 0.4)
)

distances <- function(a, b) sqrt(outer(a$x, b$x, `-`)^2 + outer(a$y, b$y, `-`)^2)

dense <- function(data, covariance, nugget) {
  K <- function(a, b) matrix(covariance_value(covariance, distances(a, b)), nrow(a))
  factor <- chol(K(data, data) + diag(nugget, n))
  W <- backsolve(factor, backsolve(factor, cbind(K(data, grid), 1, data$z), transpose = TRUE))
  m <- nrow(grid)
  weights <- W[, seq_len(m)]
  trend <- sum(W[, m + 2L]) / sum(W[, m + 1L])
  unseen <- 1 - colSums(weights)
  list(mean = trend + drop(crossprod(weights, data$z - trend)),
    covariance = K(grid, grid) - crossprod(K(data, grid), weights) + tcrossprod(unseen) / sum(W[, m + 1L]))
}

compare <- function(name, nugget, k) {
  set.seed(3)
  data <- data.frame(x = runif(n), y = runif(n))
  K <- matrix(covariance_value(covariances[[name]], distances(data, data)), n)
  data$z <- drop(crossprod(chol(K + diag(1e-6, n)), rnorm(n))) + rnorm(n, sd = sqrt(nugget))
  fit <- neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 30), covariance = covariances[[name]], nugget = nugget, threads = 1)
  truth <- dense(data, covariances[[name]], nugget)
  drawn <- as.matrix(suppressMessages(simulate(fit, draws, seed = 1, newdata = grid, type = "link", k = if (k > 0) k, threads = 1)))
  error <- (rowMeans(drawn) - truth$mean) / sqrt(diag(truth$covariance))
  data.frame(covariance = name, nugget = nugget, k = if (k > 0) k else "none (dense)", rms = sqrt(mean(error^2)), largest = max(abs(error)),
    sd_of_sum = sd(colSums(drawn)) / sqrt(sum(truth$covariance)))
}

cases <- expand.grid(k = c(60, 120, 240, 0), nugget = c(0.01, 0.1, 0.5), name = names(covariances), stringsAsFactors = FALSE)
table <- do.call(rbind, Map(compare, cases$name, cases$nugget, cases$k))
rownames(table) <- NULL
save_table(table, "simulate-smooth", 3L)
