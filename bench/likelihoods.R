# Expectations of log densities under a normal linear predictor: the time by family and instruction set, and the error, compared with that
# of Gauss and Hermite's rule.
#
#   Rscript bench/likelihoods.R
#
# Times: CPU milliseconds of one thread for value, slope, curvature and derivatives in the parameters of 50,000 data, the
# least of several repetitions. The variances are those of posteriors, between 0.05 and 1.
script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE))
source(file.path(if (length(script)) dirname(script) else "bench", "common.R"))

parameters <- list(gaussian = 0.7, student_t = c(0.8, 4), binomial_logit = double(), binomial_probit = double(),
  binomial_cloglog = double(), poisson = double(), negative_binomial = 1.7, gamma = 2.3, beta = 5)

responses <- function(family, n) {
  switch(family, binomial_logit = , binomial_probit = , binomial_cloglog = stats::rbinom(n, 1L, 0.5),
    poisson = , negative_binomial = stats::rpois(n, 2), beta = stats::runif(n, 0.01, 0.99), stats::rexp(n) + 0.01)
}

expect <- function(family, y, mean, variance) {
  neargp:::core_expectations(family, parameters[[family]], y, double(), double(), mean, variance, neargp:::plain_context())
}

# The calls in between are repeated until they last long enough for the clock.
milliseconds <- function(family, n = 50000L, calls = 20L) {
  y <- as.double(responses(family, n))
  mean <- stats::rnorm(n)
  variance <- stats::runif(n, 0.05, 1)
  1e3 / calls * least(5L, for (call in seq_len(calls)) expect(family, y, mean, variance))
}

times <- function() {
  rows <- lapply(neargp:::core_simd_available(), function(set) {
    neargp:::core_set_simd(set)
    data.frame(instructions = set, t(vapply(names(parameters), milliseconds, 0)))
  })
  neargp:::core_set_simd("auto")
  save_table(do.call(rbind, rows), "likelihoods-times", digits = 3L)
}

# Largest error of E log p over means from -5 to 10, y = 1; as reference the trapezoidal rule with 20,001 nodes up to 12
# standard deviations.
log_density <- function(family, eta) {
  neargp:::core_expectations(family, parameters[[family]], rep(1, length(eta)), double(), double(), eta, double(), neargp:::plain_context())$value
}

rule_value <- function(x, weights, family, mean, variance) {
  vapply(mean, function(m) sum(weights * log_density(family, m + sqrt(variance) * x)), 0)
}

# Golub and Welsch: eigenvalues and first components of the eigenvectors of the Jacobi matrix.
gauss_hermite <- function(n) {
  jacobi <- matrix(0, n, n)
  jacobi[cbind(seq_len(n - 1L), 2:n)] <- jacobi[cbind(2:n, seq_len(n - 1L))] <- sqrt(seq_len(n - 1L))
  decomposition <- eigen(jacobi, symmetric = TRUE)
  list(x = decomposition$values, weights = decomposition$vectors[1L, ]^2)
}

errors <- function(family, mean = seq(-5, 10, 0.5)) {
  fine <- list(x = seq(-12, 12, length.out = 20001L))
  fine$weights <- stats::dnorm(fine$x) / sum(stats::dnorm(fine$x))
  rows <- lapply(c(0.1, 1, 4, 30, 100, 400), function(variance) {
    exact <- rule_value(fine$x, fine$weights, family, mean, variance)
    by_rule <- function(n) {
      rule <- gauss_hermite(n)
      max(abs(rule_value(rule$x, rule$weights, family, mean, variance) - exact))
    }
    ours <- expect(family, rep(1, length(mean)), mean, rep(variance, length(mean)))$value
    data.frame(family = family, variance = variance, neargp = max(abs(ours - exact)), hermite_20 = by_rule(20L),
      hermite_32 = by_rule(32L))
  })
  do.call(rbind, rows)
}

set.seed(1)
times()
save_table(do.call(rbind, lapply(c("binomial_logit", "binomial_probit", "negative_binomial"), errors)), "likelihoods-errors",
  digits = 2L)
