# Data whose family parameters depend on covariates, and fits to them.

formula_data <- function(n = 400, seed = 7) {
  withr::with_seed(seed, {
    d <- data.frame(x = runif(n), y = runif(n), h = rnorm(n), z = runif(n, 0, 10),
      g = factor(sample(c("a", "b", "c"), n, TRUE)))
    mu <- exp(0.8 + 0.4 * d$h)
    present <- rbinom(n, 1, plogis(2 - 0.25 * d$z))
    d$nbinom <- rnbinom(n, size = exp(0.3 + 0.15 * d$z), mu = mu)
    d$zi_poisson <- present * rpois(n, 2 * mu)
    d$zi_nbinom <- present * rnbinom(n, size = c(1, 3, 8)[d$g], mu = 3 * mu)
    d$amount <- rgamma(n, exp(0.2 * d$z), scale = mu / exp(0.2 * d$z))
    share <- plogis(0.3 + 0.5 * d$h)
    precision <- exp(1 + 0.2 * d$z)
    d$share <- rbeta(n, share * precision, (1 - share) * precision)
    d$wild <- d$h + exp(-1 + 0.15 * d$z) * rt(n, 4)
    d
  })
}

finely <- neargp_control(tolerance = 1e-10)

without_process <- function(formula, data, family, ...) {
  environment(formula) <- environment()
  neargp(formula, data, coords = ~ x + y, family = family, method = vnngp(), verbose = FALSE,
    covariance = cov_none(), control = finely, ...)
}

process_fit <- function(..., n = 200, method = vnngp(k = 8), formula = zi_nbinom ~ h) {
  d <- formula_data(n)
  d$zi_nbinom <- withr::with_seed(3, rnbinom(n, 3, mu = exp(1 + sin(5 * d$x) + 0.3 * d$h)) *
    rbinom(n, 1, plogis(2 - 0.25 * d$z)))
  neargp(formula, d, coords = ~ x + y, covariance = cov_exponential(), method = method,
    verbose = FALSE, ...)
}
