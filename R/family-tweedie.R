# Tweedie responses: 0 with a positive probability, else positive numbers, such as biomass densities
# and rainfall. A response is the sum of N gamma variables, where N is Poisson of mean `rate`. With
#   `rate = mu^(2 - power) / (dispersion (2 - power))`,    `shape = (2 - power) / (power - 1)`,
#   `scale = dispersion (power - 1) mu^(power - 1)`
# the response is of mean mu = exp(eta) and variance dispersion * mu^power, where 1 < power < 2
# (Jorgensen 1987). This is the entry of the table in R/response-families.R.

tweedie_entry <- function() {
  list(
    parameters = c("dispersion", "power"), lower = c(dispersion = 1e-8, power = 1.05),
    upper = c(dispersion = 1e8, power = 1.95), unit = c(0, 0), discrete = FALSE, scaled = TRUE,
    link = "log", atom = TRUE,
    mean = function(eta, parameters, trials) exp(eta),
    variance = function(eta, parameters, trials) {
      parameters$dispersion * exp(parameters$power * eta)
    },
    density = function(y, eta, parameters, trials, log = FALSE) {
      value <- tweedie_log_density(y, eta, parameters$dispersion, parameters$power)
      if (log) value else exp(value)
    },
    distribution = function(q, eta, parameters, trials) {
      tweedie_distribution(q, eta, parameters$dispersion, parameters$power)
    },
    quantile = function(p, eta, parameters, trials) {
      predictive_quantile(p, named_mixture("tweedie", eta, 0, parameters))
    },
    random = function(n, eta, parameters, trials) {
      parts <- tweedie_parts(rep_len(eta, n), parameters$dispersion, parameters$power)
      number <- stats::rpois(n, parts$rate)
      stats::rgamma(n, number * parts$shape, scale = parts$scale)
    },
    form = tweedie_form,
    says_nothing = function(y, trials) diff(range(y)) == 0,
    suggest = function(data, family) log(data$y + 0.1 * mean(data$y)),
    nearest = function(family) stats::quasipoisson(unbounded_link(family$link)),
    in_units = TRUE,
    # gamma variables of one event, on the logarithmic scale
    detail = function(parameters) sqrt((parameters$power - 1) / (2 - parameters$power)),
    # E w (y - mu)^2 / mu^1.5 is the dispersion if the power is 1.5
    start = function(y, mu, weights, trials = 1) {
      c(dispersion = bounded_ratio(mean(weights * (y - mu)^2 / mu^1.5), 1, 1e-6, 1e6), power = 1.5)
    },
    mixture = quadrature_rule("log", tweedie_moments, tweedie_range, tweedie_likeliest)
  )
}

# Exact zeros are valid responses. Without any of them, the family is not needed.
tweedie_form <- function(y, family, weights, frame) {
  y <- check_support(y, family, frame, y < 0, "at least 0")
  if (length(y) && !anyNA(y) && all(y > 0)) {
    inform_neargp("family", c(sprintf("The response `%s` contains no zeros, for which tweedie() is made.",
      names(frame)[1L]), i = "Gamma(link = \"log\") fits positive numbers."))
  }
  list(y = y, kind = "amount")
}

tweedie_parts <- function(eta, dispersion, power) {
  list(rate = exp((2 - power) * eta) / (dispersion * (2 - power)), shape = (2 - power) /
    (power - 1), scale = dispersion * (power - 1) * exp((power - 1) * eta))
}

# The core computes the series, which does not depend on eta, at eta = 0. The rest of the log
# density is there `[y / (1 - power) - 1 / (2 - power)] / dispersion`.
tweedie_log_density <- function(y, eta, dispersion, power) {
  rest <- function(y, eta) {
    (y * exp((1 - power) * eta) / (1 - power) - exp((2 - power) * eta) / (2 - power)) / dispersion
  }
  known <- if (length(dispersion) == length(y)) y else rep_len(y, max(length(y),
    length(dispersion)))
  inside <- known >= 0
  n <- length(known)
  at_zero <- core_expectations("tweedie", c(1, power[1L]), ifelse(inside, known, 0), double(0),
    rep_len(1 / dispersion, n), double(n), double(0), plain_context())$value
  value <- ifelse(inside, at_zero - rest(known, 0), -Inf) + rest(known, eta)
  value
}

# P(Y <= q): the sum over N, as far to either side of the rate as N goes. With a rate above `most`,
# by the saddlepoint (Lugannani and Rice 1980).
tweedie_distribution <- function(q, eta, dispersion, power, most = 1000) {
  n <- max(length(q), length(eta))
  q <- rep_len(q, n)
  eta <- rep_len(as.vector(eta), n)
  dispersion <- rep_len(dispersion, n)
  parts <- tweedie_parts(eta, dispersion, power)
  value <- ifelse(q < 0, 0, exp(-parts$rate))
  few <- which(q > 0 & parts$rate <= most)
  value[few] <- value[few] + compound_distribution(q[few], parts$rate[few], parts$shape,
    parts$scale[few])
  many <- which(q > 0 & parts$rate > most)
  value[many] <- tweedie_saddlepoint(q[many], eta[many], dispersion[many], power)
  pmin(value, 1)
}

# The sum over N = 1, 2, ... of P(N) P(gamma(N shape) <= x), with x = q / scale. Terms with a factor
# below about 1e-11 are left out. These are the N further than 7 standard deviations and 10 from the
# rate, and those whose mean, N shape, is as far above x.
compound_distribution <- function(q, rate, shape, scale) {
  x <- q / scale
  reach <- 7 * sqrt(rate) + 10
  number <- pmax(1, floor(rate - reach))
  last <- pmin(rate + reach, (x + 7 * sqrt(x) + 10) / shape)
  probability <- stats::dpois(number, rate)
  value <- double(length(q))
  active <- which(number <= last)
  while (length(active)) {
    value[active] <- value[active] + probability[active] * stats::pgamma(x[active],
      number[active] * shape)
    number[active] <- number[active] + 1
    probability[active] <- probability[active] * rate[active] / number[active]
    active <- active[number[active] <= last[active]]
  }
  value
}

# With d the deviance of q, let r = sign(q - mu) sqrt(d / dispersion), and u the standardised
# saddlepoint. Then P(Y <= q) is Phi(r) + phi(r) (1 / r - 1 / u). Near q = mu both r and u are 0.
# There 1 / r - 1 / u is a sixth of the skewness: power / 6 times the coefficient of variation.
tweedie_saddlepoint <- function(q, eta, dispersion, power) {
  mu <- exp(eta)
  r <- sign(q - mu) * sqrt(pmax(tweedie_deviance(q, eta, power), 0) / dispersion)
  u <- (q^(1 - power) - mu^(1 - power)) / (1 - power) * sqrt(q^power / dispersion)
  # Lugannani and Rice's second term
  term <- ifelse(abs(r) < 1e-3, power * sqrt(dispersion) * mu^(power / 2 - 1) / 6, 1 / r - 1 / u)
  density <- stats::dnorm(r)
  pmin(pmax(stats::pnorm(r) + ifelse(density > 0, density * term, 0), 0), 1)
}

# The deviance is, with p the power,
#   `2 [y^(2 - p) / ((1 - p) (2 - p)) - y mu^(1 - p) / (1 - p) + mu^(2 - p) / (2 - p)]`.
# In terms of t = eta - log y, it uses that `1 / ((1 - p) (2 - p))` is `1 / (1 - p) - 1 / (2 - p)`.
tweedie_deviance <- function(y, eta, power) {
  t <- eta - log(y)
  2 * y^(2 - power) * (expm1((2 - power) * t) / (2 - power) - expm1((1 - power) * t) / (1 - power))
}

# ---- of the mixture ------------------------------------------------------------------------------

# E mu^power = exp(power mean + power^2 sd^2 / 2)
tweedie_moments <- list(
  mean = function(mixture) exp(mixture$mean + mixture$sd^2 / 2),
  variance = function(mixture) {
    power <- mixture$parameters$power
    mixture$parameters$dispersion * exp(power * mixture$mean + power^2 * mixture$sd^2 / 2) +
      exp(2 * mixture$mean + mixture$sd^2) * expm1(mixture$sd^2)
  }
)

# Either tail of an exponential family is at most exp(-deviance / (2 dispersion)), by Chernoff's
# inequality. The ends are therefore where the deviance is 2 dispersion log(1 / tail). The range of
# q = 0 follows in closed form. No end for another q is below its counterpart for 0, since
# P(Y > q) <= P(Y > 0) and P(Y <= q) >= P(Y = 0).
tweedie_range <- function(mixture, q, tail) {
  power <- mixture$parameters$power
  dispersion <- rep_len(mixture$parameters$dispersion, mixture$n)
  of_rate <- function(rate) log(rate * dispersion * (2 - power)) / (2 - power)
  zero <- q <= 0
  at <- log(ifelse(zero, 1, q))
  most <- -2 * log(tail) * dispersion
  # as a function of t = |eta - log q|, which rises
  end <- function(side) {
    at + side * rising_root(most, function(t) tweedie_deviance(exp(at), at + side * t, power), 0,
      600)
  }
  list(lower = ifelse(zero, of_rate(tail), pmax(end(-1), of_rate(tail))),
    upper = ifelse(zero, of_rate(-log(tail)), pmax(end(1), of_rate(-log(tail)))))
}

# The probability of 0 rises all the way down.
tweedie_likeliest <- function(mixture, y) {
  power <- mixture$parameters$power
  low <- log(1e-11 * mixture$parameters$dispersion * (2 - power)) / (2 - power)
  ifelse(y > 0, log(y), low)
}
