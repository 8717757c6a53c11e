# A response that is 0 or positive, and its two fits without a field.

hurdle_data <- function(n = 150) {
  withr::with_seed(9, {
    d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n))
    d$there <- rbinom(n, 1, plogis(0.5 + d$h))
    mu <- exp(0.8 + 0.5 * d$h)
    d$count <- d$there * qpois(runif(n, dpois(0, mu), 1), mu)
    d$amount <- d$there * rgamma(n, 3, 3 / mu)
    d
  })
}

hurdle_fits <- function(d, response = "count", family = truncated_poisson(), ...) {
  neargp_hurdle(fit_without_field(there ~ h, d, family = binomial()),
    fit_without_field(reformulate("h", response), d[d$there == 1, ], family = family, ...))
}
