# A fit, and locations of which one cannot be predicted.
files_fit <- function() {
  set.seed(31)
  data <- data.frame(x = runif(80), y = runif(80), h = rnorm(80))
  data$z <- sin(6 * data$x) + data$h + rnorm(80, sd = 0.1)
  neargp(z ~ h, data, coords = ~ x + y, method = vecchia(5), threads = 1L,
    covariance = cov_exponential(variance = 1, range = 0.3), nugget = 0.01)
}

files_places <- function(n = 25L) {
  set.seed(32)
  data.frame(x = c(runif(n - 1L), NA), y = runif(n), h = rnorm(n), site = paste("site", seq_len(n)))
}

# Files are as exact as numbers in memory.
read_parts <- function(files, columns) {
  rows <- lapply(files, utils::read.csv)
  as.list(do.call(rbind, rows)[columns])
}
