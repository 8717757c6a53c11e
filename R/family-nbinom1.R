# Counts whose variance is linear in the mean, (1 + dispersion) * mean: negative binomial with size
# a = mean / dispersion. The entry of the table is in R/response-families.R.

nbinom1_functions <- function() {
  size <- function(eta, parameters) exp(eta) / parameters$dispersion
  probability <- function(parameters) 1 / (1 + parameters$dispersion)
  list(
    variance = function(eta, parameters, trials) (1 + parameters$dispersion) * exp(eta),
    density = function(y, eta, parameters, trials, log = FALSE) {
      stats::dnbinom(y, size(eta, parameters), probability(parameters), log = log)
    },
    distribution = function(q, eta, parameters, trials) {
      stats::pbeta(probability(parameters), size(eta, parameters), q + 1)
    },
    quantile = function(p, eta, parameters, trials) {
      stats::qnbinom(p, size(eta, parameters), probability(parameters))
    },
    random = function(n, eta, parameters, trials) {
      stats::rnbinom(n, size(rep_len(eta, n), parameters), probability(parameters))
    }
  )
}

nbinom1_moments <- list(
  mean = function(mixture) exp(mixture$mean + mixture$sd^2 / 2),
  variance = function(mixture) {
    m <- exp(mixture$mean + mixture$sd^2 / 2)
    (1 + mixture$parameters$dispersion) * m + m^2 * expm1(mixture$sd^2)
  }
)

# P(Y <= q) is the probability that a beta variable of the shapes a and q + 1 is below
# 1 / (1 + dispersion), which falls in a. Its ends are between the mean `tail`, at which any count
# above 0 is less probable, and ten times q with a hundred times 1 + dispersion.
nbinom1_range <- function(mixture, q, tail) {
  for_distinct(q, mixture$parameters$dispersion, function(q, dispersion) {
    at <- function(eta, lower.tail) {
      stats::pbeta(1 / (1 + dispersion), exp(eta) / dispersion, q + 1, lower.tail = lower.tail)
    }
    end <- function(is_beyond) {
      bisect(is_beyond, rep(log(tail) - 5, length(q)),
        log(10 * (q + 1) + 100 * (1 + dispersion)), 40L)
    }
    list(lower = end(function(eta) at(eta, FALSE) >= tail)$low,
      upper = end(function(eta) at(eta, TRUE) <= tail)$high)
  })
}
