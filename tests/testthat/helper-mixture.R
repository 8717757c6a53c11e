# Mixtures over a normal linear predictor, and their expectations by a rule that shares nothing with
# that of the package but its result. It uses trapezoids on up to 12,000 points, over 12 standard
# deviations on either side.

a_family <- function(name, link) structure(list(family = name, link = link), class = "family")

mixture_cases <- list(
  gaussian = list(family = gaussian(), parameters = c(variance = 0.5), trials = 1,
    y = c(-3, 0.2, 4)),
  student_t = list(family = a_family("student_t", "identity"), parameters = c(scale = 0.3, df = 3),
    trials = 1, y = c(-3, 0.2, 4)),
  heavy_t = list(family = a_family("student_t", "identity"), parameters = c(scale = 0.3, df = 1),
    trials = 1, y = c(-30, 0.2, 4)),
  bernoulli = list(family = binomial(), parameters = NULL, trials = 1, y = 0:1),
  logit = list(family = binomial(), parameters = NULL, trials = 20, y = c(0, 1, 12, 19, 20)),
  many_trials = list(family = binomial(), parameters = NULL, trials = 5000,
    y = c(0, 40, 2500, 4990)),
  probit = list(family = binomial("probit"), parameters = NULL, trials = 7, y = c(0, 3, 7)),
  cloglog = list(family = binomial("cloglog"), parameters = NULL, trials = 7, y = c(0, 3, 7)),
  poisson = list(family = poisson(), parameters = NULL, trials = 1, y = c(0, 1, 6, 80, 4000)),
  negative_binomial = list(family = a_family("negative_binomial", "log"),
    parameters = c(size = 1.5), trials = 1, y = c(0, 1, 6, 80, 4000)),
  clumped = list(family = a_family("negative_binomial", "log"), parameters = c(size = 0.1),
    trials = 1, y = c(0, 1, 6, 80)),
  nbinom1 = list(family = nbinom1(), parameters = c(dispersion = 1.5), trials = 1,
    y = c(0, 1, 6, 80, 4000)),
  nbinom1_clumped = list(family = nbinom1(), parameters = c(dispersion = 30), trials = 1,
    y = c(0, 1, 6, 80)),
  gengamma = list(family = gengamma(), parameters = c(shape = 2, power = 0.7), trials = 1,
    y = c(1e-3, 0.8, 30)),
  asymmetric_laplace = list(family = quantile_regression(0.3),
    parameters = c(scale = 0.5, tau = 0.3), trials = 1, y = c(-3, 0.2, 4)),
  extreme_quantile = list(family = quantile_regression(0.98),
    parameters = c(scale = 0.05, tau = 0.98), trials = 1, y = c(-3, 0.2, 4)),
  gamma = list(family = Gamma("log"), parameters = c(shape = 2), trials = 1, y = c(1e-3, 0.8, 30)),
  sharp_gamma = list(family = Gamma("log"), parameters = c(shape = 1000), trials = 1,
    y = c(0.01, 0.8, 30)),
  beta = list(family = a_family("beta", "logit"), parameters = c(precision = 5), trials = 1,
    y = c(1e-4, 0.3, 0.99)),
  u_beta = list(family = a_family("beta", "logit"), parameters = c(precision = 0.3), trials = 1,
    y = c(1e-4, 0.3, 0.99)),
  truncated = list(family = truncated_poisson(), parameters = NULL, trials = 1,
    y = c(1, 2, 6, 80, 4000)),
  truncated_nbinom2 = list(family = truncated_nbinom2(), parameters = c(size = 1.5), trials = 1,
    y = c(1, 6, 80, 4000)),
  truncated_clumped = list(family = truncated_nbinom2(), parameters = c(size = 0.1), trials = 1,
    y = c(1, 6, 80)),
  tweedie = list(family = tweedie(), parameters = c(dispersion = 1.3, power = 1.6), trials = 1,
    y = c(0, 1e-3, 0.8, 30)),
  low_tweedie = list(family = tweedie(), parameters = c(dispersion = 0.3, power = 1.08),
    trials = 1, y = c(0, 0.2, 3.1, 30)),
  zi_poisson = list(family = zi_poisson(), parameters = c(zi = 0.3), trials = 1,
    y = c(0, 1, 6, 80, 4000)),
  zi_nbinom2 = list(family = zi_nbinom2(), parameters = c(size = 1.5, zi = 0.3), trials = 1,
    y = c(0, 1, 6, 80)),
  betabinomial = list(family = betabinomial(), parameters = c(precision = 5), trials = 20,
    y = c(0, 1, 12, 19, 20)),
  sharp_betabinomial = list(family = betabinomial(), parameters = c(precision = 800), trials = 60,
    y = c(0, 1, 36, 60)),
  ordinal = list(family = ordinal(), parameters = c(gap_2 = 1.2, gap_3 = 0.1), trials = 1, y = 1:4),
  probit_ordinal = list(family = ordinal("probit"), parameters = c(gap_2 = 0.7), trials = 1,
    y = 1:3),
  censored = list(family = censored_gaussian(), parameters = c(sd = 0.7), trials = 1,
    y = c(-3, 0.2, 4))
)

# All responses of a case with several linear predictors.
mixture_grid <- function(case, mean = c(-4, 0, 1.3, 6), sd = c(0.05, 0.7, 5)) {
  grid <- expand.grid(y = case$y, mean = mean, sd = sd)
  list(table = grid, mixture = new_mixture(grid$mean, grid$sd, case$family, case$parameters,
    case$trials))
}

# The spacing of points is 0.01 in the predictor, as fine as the sharpest family needs.
trapezoid_expectation <- function(h, mean, sd, points = pmin(12000, ceiling(1000 + 2400 * sd)),
                                  reach = 12) {
  mapply(function(i, mean, sd, points) {
    z <- seq(-reach, reach, length.out = points)
    sum(h(mean + sd * z, i) * dnorm(z)) * (z[2L] - z[1L])
  }, seq_along(mean), mean, sd, points)
}

# E P(Y <= y | eta), or of another function of the family's table.
expected_given <- function(case, grid, what, ...) {
  family <- response_family(case$family)
  trapezoid_expectation(function(eta, i) family[[what]](grid$y[i], eta, as.list(case$parameters),
    case$trials, ...), grid$mean, grid$sd)
}

# A matrix of `nsim` independent draws for each row.
mixture_random <- function(nsim, mixture) {
  draws <- matrix(NA_real_, mixture$n, nsim)
  known <- which(!is.na(mixture$mean) & !is.na(mixture$sd) & !is.na(mixture$trials))
  part <- mixture[known]
  eta <- matrix(stats::rnorm(part$n * nsim, part$mean, part$sd), part$n, nsim)
  draws[known, ] <- mixture_family(part)$random(length(eta), eta, part$parameters, part$trials)
  draws
}

# A mixture next to the distribution of its field, as predictive() returns them.
with_field <- function(mixture) {
  list(field = new_normal(mixture$mean, mixture$sd), observation = mixture)
}

mean_exceedance <- function(threshold, mixture) {
  exceedance_columns(with_field(mixture), threshold, "mean")[[1L]]
}

# Columns of predict() for moments of the linear predictor.
columns_of_response <- function(mean, variance, family, parameters, trials, settings) {
  mixture <- new_mixture(mean, sqrt(variance), family, parameters, trials)
  as.data.frame(predictive_columns(with_field(mixture), settings))
}
