# The correlation families in R: their labels, how far they reach, their shape parameters, and the
# limits of the search for these. The formulas live in the core. A new family is one entry here, one
# constructor in covariance.R, and its struct in the core's covariance/families.h. `name`: of the
# shape parameter, unique among the parameters of a fit, those of all response families included.
# `argument`: its name in the constructor. `whole`: its values are whole numbers, which are not
# estimated. `cusp(shape)`: whether the correlation is too steep at distance 0 for a search by its
# slope. `dimensions`: the most coordinates in which it is positive definite, without which there is
# no limit. `range`: what the number is called that divides distances.

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
  ),
  spherical = list(
    label = "Spherical", formula = "(1 - 1.5 r + 0.5 r^3), 0 from r = 1",
    effective_distance = function(level, shape) first_distance("spherical", shape, level, 1),
    cusp = function(shape) TRUE, dimensions = 3
  ),
  wendland = list(
    label = "Wendland", formula = "phi_3k(r) of Wendland (1995), 0 from r = 1",
    effective_distance = function(level, shape) first_distance("wendland", shape, level, 1),
    cusp = function(shape) shape < 1, dimensions = 3,
    shape = list(name = "wendland_smoothness", argument = "smoothness", start = 1, lower = 0,
      upper = 2, largest = 2, whole = TRUE, transform = "identity")
  ),
  wave = list(
    label = "Wave", formula = "sin(r) / r",
    effective_distance = function(level, shape) first_distance("wave", shape, level, pi),
    cusp = function(shape) FALSE, dimensions = 3
  ),
  # along one coordinate; it never falls for good
  periodic = list(
    label = "Periodic", formula = "exp(-2 sin(pi r)^2 / lengthscale^2)",
    effective_distance = function(level, shape) Inf,
    cusp = function(shape) FALSE, dimensions = 1, range = "period",
    shape = list(name = "lengthscale", argument = "lengthscale", start = 1, lower = 0.05,
      upper = 10, least = 1e-3, largest = 1e3, transform = "log")
  )
)

family_shape <- function(family) covariance_families[[family]]$shape

range_label <- function(family) covariance_families[[family]]$range %||% "range"

# A shape that is fixed may lie beyond the bounds of one that is estimated, up to the `largest`.
check_shape <- function(shape, family) {
  settings <- family_shape(family)
  if (isTRUE(settings$whole)) {
    return(as.double(check_count(shape, settings$argument, settings$lower, settings$upper)))
  }
  least <- settings$least %||% 0
  check_number(shape, settings$argument, least, settings$largest, open = least == 0,
    null_ok = TRUE)
}

# The distance, in units of the range, at which the correlation has fallen to `level`.
effective_distance <- function(family, shape, level = 0.05) {
  covariance_families[[family]]$effective_distance(level, shape)
}

# The first r at which the correlation is at `level`. It falls from 1 to 0 up to r = `zero`.
first_distance <- function(family, shape, level, zero) {
  component <- list(family = family, variance = 1, range = 1, group = 1L, anisotropy = double(0),
    shape = as.double(shape))
  stats::uniroot(function(r) core_correlation(component, r) - level, c(0, zero), tol = 1e-10)$root
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
