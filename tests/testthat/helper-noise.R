# Rows with noise that grows with `depth` and differs between two instruments, and known errors.
noisy_data <- function(n = 60, seed = 3) {
  withr::local_seed(seed)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), height = stats::rnorm(n),
    depth = stats::rexp(n, 0.1), kind = rep_len(c("new", "old"), n), w = stats::runif(n, 0.5, 2),
    se = stats::runif(n, 0.05, 0.3))
  v <- 0.02 * exp(0.08 * (data$depth - 10) + (data$kind == "old")) / data$w + data$se^2
  data$z <- 2 + data$height + sin(4 * data$x) + cos(3 * data$y) + stats::rnorm(n, sd = sqrt(v))
  data
}

noisy_fit <- function(data = noisy_data(), method = vecchia(k = 10), nugget = ~ depth + kind, ...) {
  neargp(z ~ height, data, coords = ~ x + y, method = method, covariance = cov_matern(1.5),
    nugget = nugget, threads = 1L, ...)
}

# v of rows, from the numbers that a user sees.
dense_noise <- function(data, parameters, reference, known = 0, weights = 1) {
  exponent <- parameters[["nugget:depth"]] * (data$depth - mean(reference$depth)) +
    parameters[["nugget:kindold"]] * (data$kind == "old")
  known + parameters[["nugget"]] * exp(exponent) / weights
}

# The problem of a fit, at which its objective can be evaluated anywhere.
noise_problem <- function(fit) {
  problem <- local_problem_of(fit)
  problem$data <- with_given_weights(fit$data)
  problem$control <- fit$control
  problem
}

# Data as the dense reference wants them, with the noise `v` as nugget 1 over weights.
with_noise <- function(data, v) replace(data, "weights", list(1 / v))

noise_cases <- function() {
  list(log_linear = list(nugget = ~ depth + kind), weighted = list(nugget = ~ depth + kind,
    weights = quote(w)), beside_known = list(nugget = ~ depth + kind,
    measurement_variance = quote(se^2)), constant = list(nugget = NULL,
    measurement_variance = quote(se^2)))
}

still <- neargp_control(max_iterations = 1L)

fit_of_case <- function(case, method = vecchia(k = 10), ...) {
  suppressWarnings(rlang::inject(noisy_fit(method = method, !!!case, ...)))
}
