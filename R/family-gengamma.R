# Positive responses of mean exp(eta). A power of the response in units of its scale is a gamma
# variable (Stacy 1962). The response is gamma for power 1, Weibull for shape 1, and nearly
# log-normal for a large shape. The entry of the table is in R/response-families.R.

gengamma_functions <- function() {
  log_scale <- function(eta, parameters) eta + gengamma_center(parameters)
  list(
    mean = function(eta, parameters, trials) exp(eta),
    variance = function(eta, parameters, trials) exp(2 * eta) * gengamma_excess(parameters),
    density = function(y, eta, parameters, trials, log = FALSE) {
      scale <- log_scale(eta, parameters)
      total <- parameters$power * parameters$shape
      value <- base::log(parameters$power) - lgamma(parameters$shape) +
        (total - 1) * base::log(y) - total * scale -
        exp(parameters$power * (base::log(y) - scale))
      if (log) value else exp(value)
    },
    distribution = function(q, eta, parameters, trials) {
      stats::pgamma(exp(parameters$power * (log(q) - log_scale(eta, parameters))), parameters$shape)
    },
    quantile = function(p, eta, parameters, trials) {
      exp(log_scale(eta, parameters) + log_gamma_quantile(p, parameters$shape) / parameters$power)
    },
    random = function(n, eta, parameters, trials) {
      exp(log_scale(rep_len(eta, n), parameters)) *
        stats::rgamma(n, parameters$shape)^(1 / parameters$power)
    },
    predictor_of_mean = function(mean, parameters) log(mean)
  )
}

# log scale - log mean
gengamma_center <- function(parameters) {
  lgamma(parameters$shape) - lgamma(parameters$shape + 1 / parameters$power)
}

# The variance of a response of mean 1.
gengamma_excess <- function(parameters) {
  shape <- parameters$shape
  expm1(lgamma(shape) + lgamma(shape + 2 / parameters$power) -
    2 * lgamma(shape + 1 / parameters$power))
}

# P(Y <= q | eta) = P(G <= (q / scale)^power) with G ~ gamma(shape)
gengamma_range <- function(mixture, q, tail) {
  parameters <- mixture$parameters
  end <- function(lower.tail) {
    log(q) - gengamma_center(parameters) -
      log_gamma_quantile(tail, parameters$shape, lower.tail) / parameters$power
  }
  list(lower = end(FALSE), upper = end(TRUE))
}
