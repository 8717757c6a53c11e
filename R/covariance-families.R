# The correlation families in R: their labels, how far they reach, their shape parameters, and the
# limits of the search for these. The formulas live in the core. A new family is one entry here, one
# constructor in covariance.R, and its struct in the core's covariance/families.h. `name`: of the
# shape parameter, unique among the parameters of a fit, those of all response families included.
# `argument`: its name in the constructor. `cusp(shape)`: whether the correlation is too steep at
# distance 0 for a search by its slope.

covariance_families <- list(
  exponential = list(
    label = "Exponential", formula = "exp(-r)",
    effective_distance = function(level, shape) -log(level),
    cusp = function(shape) TRUE
  ),
  matern = list(
    label = "Matern", formula = "2^(1 - nu) / gamma(nu) * r^nu * K_nu(r)",
    effective_distance = function(level, shape) matern_effective_distance(level, shape),
    cusp = function(shape) shape < 1,
    shape = list(name = "smoothness", argument = "nu", start = 1, lower = 0.1, upper = 5,
      largest = 50, transform = "log")
  ),
  gaussian = list(
    label = "Gaussian", formula = "exp(-r^2)",
    effective_distance = function(level, shape) sqrt(-log(level)),
    cusp = function(shape) FALSE
  ),
  # of the coordinates that features() and cov_linear() make, and of no other
  cosine = list(
    label = "Linear", formula = "1 - r^2",
    effective_distance = function(level, shape) sqrt(1 - level),
    cusp = function(shape) FALSE
  ),
  powered_exponential = list(
    label = "Powered exponential", formula = "exp(-r^power)",
    effective_distance = function(level, shape) (-log(level))^(1 / shape),
    cusp = function(shape) shape < 1.5,
    shape = list(name = "power", argument = "power", start = 1.2, lower = 0.05, upper = 1.99,
      largest = 2, transform = "power")
  ),
  cauchy = list(
    label = "Cauchy", formula = "(1 + r^2)^(-shape)",
    effective_distance = function(level, shape) sqrt(level^(-1 / shape) - 1),
    cusp = function(shape) FALSE,
    shape = list(name = "cauchy_shape", argument = "shape", start = 1, lower = 0.05, upper = 20,
      largest = Inf, transform = "log")
  )
)

family_shape <- function(family) covariance_families[[family]]$shape

# A shape that is fixed may lie beyond the bounds of one that is estimated, up to the `largest`.
check_shape <- function(shape, family) {
  settings <- family_shape(family)
  check_number(shape, settings$argument, 0, settings$largest, open = TRUE, null_ok = TRUE)
}

# The distance, in units of the range, at which the correlation has fallen to `level`.
effective_distance <- function(family, shape, level = 0.05) {
  covariance_families[[family]]$effective_distance(level, shape)
}

# No closed form: solved numerically, r = 0 being at correlation 1 and the bracket doubled until it
# holds the root. With R's Bessel function, since the core would fill a table for each smoothness,
# and starting values ask dozens of times.
matern_effective_distance <- function(level, nu) {
  excess <- function(r) matern_correlation(r, nu) - level
  lower <- 1e-8
  if (excess(lower) <= 0) return(lower)  # of a smoothness near 0, whose fields are all but noise
  upper <- 4
  while (excess(upper) > 0) upper <- 2 * upper
  stats::uniroot(excess, c(lower, upper), tol = 1e-8)$root
}

# besselK scaled by exp(r) stays finite where the unscaled one underflows.
matern_correlation <- function(r, nu) {
  log_correlation <- (1 - nu) * log(2) - lgamma(nu) + nu * log(r) +
    log(besselK(r, nu, expon.scaled = TRUE)) - r
  ifelse(r > 0, exp(log_correlation), 1)
}
