# CPU seconds of an epoch of the stochastic mean-field optimiser, vnngp(posterior = "mean-field", optimizer = "adam"), on one thread in
# double precision. An epoch is timed by the difference between fits of few and of more epochs. The time is compared with that of the
# arithmetic that it cannot do without, at the rate of one core in R's matrix product. For each point this is k^3/3 operations of the
# factor, 4 k^2 of the solves, and k^2/2 (7 d + 35) of the covariances and their derivatives.
#
#   OMP_NUM_THREADS=1 Rscript bench/mean-field.R

source(file.path(dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))), "common.R"))
stop_unless_one_thread()

simulated <- function(n, dimensions) {
  set.seed(1)
  data <- as.data.frame(matrix(runif(n * dimensions), n))
  data$y <- sin(6 * data$V1) + cos(5 * data$V2) + rnorm(n, sd = 0.3)
  data
}

fit_seconds <- function(data, k, batch, epochs) {
  cpu_seconds(neargp(y ~ 1, data, coords = ~ ., covariance = cov_matern(nu = 2.5), threads = 1,
    method = vnngp(k, posterior = "mean-field", optimizer = "adam", ordering = "random", batch_size = batch, epochs = epochs)))
}

epoch_seconds <- function(n, dimensions, k, batch) {
  data <- simulated(n, dimensions)
  epochs <- if (k > 100) c(1L, 3L) else c(1L, 31L)
  seconds <- compete(2L, list(few = function() fit_seconds(data, k, batch, epochs[1L]), more = function() fit_seconds(data, k, batch, epochs[2L])))
  diff(seconds) / diff(epochs)
}

# Operations a second of one core, by R's own BLAS.
product_rate <- function(size = 800L) {
  a <- matrix(runif(size^2), size)
  2 * size^3 / least(5L, a %*% a)
}

operations <- function(n, d, k) n * (k^3 / 3 + 4 * k^2 + k^2 / 2 * (7 * d + 35))

cases <- expand.grid(n = 10000L, d = c(2L, 8L), k = 32L, batch = c(256L, 1024L))
cases <- rbind(cases, data.frame(n = c(50000L, 10000L), d = 2L, k = c(32L, 256L), batch = c(1024L, 256L)))
cases$epoch <- mapply(epoch_seconds, cases$n, cases$d, cases$k, cases$batch)
cases$microseconds_a_point <- 1e6 * cases$epoch / cases$n
cases$gigaflops <- operations(cases$n, cases$d, cases$k) / cases$epoch / 1e9
cases$product_gigaflops <- product_rate() / 1e9
print(cases, digits = 3)
save_result(format(cases, digits = 3), "mean-field", quote = FALSE)
