# How much gain by a warp that the data do not want remains with refit = TRUE of cross_validate()? The gain is the one in log score by
# expand(2, ~ bumps(4)) over the stationary covariance. The data are 400 rows of a stationary field in the unit square with noise. Five
# random folds are predicted by coefficients of all rows, and by those of the other folds.
#
#   Rscript bench/warp-refit.R [fields: 6]
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

# Variance 1, range 0.2, noise of standard deviation 0.3.
stationary_field <- function(n = 400L) {
  data <- data.frame(x = runif(n), y = runif(n))
  covariance <- exp(-as.matrix(dist(data)) / 0.2) + diag(1e-8, n)
  data$z <- drop(crossprod(chol(covariance), rnorm(n))) + rnorm(n, sd = 0.3)
  data
}

gains <- function(seed) {
  set.seed(seed)
  data <- stationary_field()
  fits <- lapply(list(stationary = NULL, warped = expand(2, ~ bumps(4))), function(warp) {
    neargp(z ~ 1, data, coords = ~ x + y, method = vecchia(k = 15), verbose = FALSE,
      covariance = cov_exponential(warp = warp))
  })
  folds <- random_folds(fits$stationary, 5)
  gain <- function(refit) {
    -diff(cross_validate(fits, folds = folds, refit = refit, verbose = FALSE)$scores$log_score)
  }
  data.frame(field = seed, of_all_rows = gain(FALSE), refitted = gain(TRUE))
}

table <- do.call(rbind, lapply(seq_len(as.integer(argument(1L, "6"))), gains))
print(table, digits = 2, row.names = FALSE)
