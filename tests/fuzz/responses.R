# Draws responses of a family, and what users may pass instead.

family_response <- function(family, eta) {
  n <- length(eta)
  noise <- 0.3 * stats::rnorm(n)
  switch(family,
    gaussian = eta + noise,
    student_t = eta + 0.3 * stats::rt(n, 3),
    poisson = stats::rpois(n, exp(1 + eta)),
    negative_binomial = stats::rnbinom(n, size = 2, mu = exp(1 + eta)),
    binomial = stats::rbinom(n, 1L, stats::plogis(eta)),
    Gamma = stats::rgamma(n, 2, 2 / exp(eta)),
    beta = pmin(pmax(stats::rbeta(n, 5 * stats::plogis(eta), 5 * stats::plogis(-eta)), 1e-6), 1 - 1e-6),
    truncated_poisson = 1 + stats::rpois(n, exp(eta)),
    truncated_nbinom2 = 1 + stats::rnbinom(n, size = 2, mu = exp(eta)),
    tweedie = stats::rgamma(n, stats::rpois(n, exp(eta)), 1),
    nbinom1 = stats::rnbinom(n, size = exp(1 + eta) / 2, mu = exp(1 + eta)),
    gengamma = exp(eta) * stats::rgamma(n, 2)^1.3,
    asymmetric_laplace = eta + noise,
    zi_poisson = stats::rbinom(n, 1L, 0.7) * stats::rpois(n, exp(1 + eta)),
    zi_nbinom2 = stats::rbinom(n, 1L, 0.7) * stats::rnbinom(n, size = 2, mu = exp(1 + eta)),
    ordinal = ordered(1 + (eta + noise > -0.5) + (eta + noise > 0.3) + (eta > 1)),
    censored_gaussian = {
      y <- eta + noise
      if (n) neargp::cens(ifelse(y > 0.2, y, NA), pick(-Inf, -5), 0.2) else y
    },
    betabinomial = {
      successes <- stats::rbinom(n, 8L, stats::plogis(eta))
      cbind(successes, 8 - successes)
    },
    categorical = factor(sample(c("r", "s", "t"), n, TRUE, prob = c(3, 2, 1)))
  )
}

# Scales and means at which double precision still works. They are allowed for Gaussian responses.
rescaled <- function(y) {
  pick(y * 1e150, y * 1e-150, y + 1e6, y + 1e10, y * 1e-3 + 1e8, rep(3.7, length(y)))
}

# Some values, or the type of all of them, are changed; a response of another shape or type.
malformed <- function(y) {
  n <- length(y)
  rows <- sample.int(n, min(n, pick(1L, 2L, n)))
  number <- suppressWarnings(as.numeric(y))
  pick(replace(number, rows, pick(NA, NaN, Inf, -1, 1e300, 1e-300, 0, 0.5, 1e6)), rep(0, n), rep(1, n), rep(NA, n), as.character(y),
    factor(y), as.Date("2020-01-01") + seq_len(n), as.list(y), complex(real = seq_len(n), imaginary = 1), number > 0, matrix(number, n, 1L),
    cbind(number, stats::rnorm(n)), seq_len(n), factor(rep("only", n)), ordered(sample(c("l", "m", "h"), n, TRUE)), 1e-310 * seq_len(n),
    as.raw(rep(1, n)), cbind(pmax(round(number), 0), 5))
}

random_response <- function(family, eta, tame) {
  y <- family_response(family, eta)
  if (!length(y)) return(y)
  if (!tame && chance(0.4)) return(malformed(if (is.matrix(y)) unclass(y)[, 1L] else y))
  if (family == "gaussian" && chance(0.12)) return(rescaled(y))
  y
}
