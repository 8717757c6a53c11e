# Rows, families and methods for relations between fits.

relation_data <- function(n, seed) {
  withr::local_seed(seed)
  data <- data.frame(x = stats::runif(n), y = stats::runif(n), a = stats::rnorm(n),
    g = factor(sample(c("p", "q", "r"), n, TRUE), levels = c("p", "q", "r")), o = 0)
  eta <- sin(5 * data$x) + cos(4 * data$y) + 0.3 * data$a
  noisy <- eta + 0.3 * stats::rnorm(n)
  successes <- stats::rbinom(n, 8L, stats::plogis(eta))
  transform(data,
    gaussian = noisy,
    student_t = eta + 0.3 * stats::rt(n, 3),
    poisson = stats::rpois(n, exp(1 + eta)),
    negative_binomial = stats::rnbinom(n, size = 2, mu = exp(1 + eta)),
    binomial = stats::rbinom(n, 1L, stats::plogis(eta)),
    Gamma = stats::rgamma(n, 2, 2 / exp(eta)),
    beta = pmin(pmax(stats::rbeta(n, 5 * stats::plogis(eta), 5 * stats::plogis(-eta)), 1e-4),
      1 - 1e-4),
    truncated_poisson = 1 + stats::rpois(n, exp(eta)),
    truncated_nbinom2 = 1 + stats::rnbinom(n, size = 2, mu = exp(eta)),
    tweedie = stats::rgamma(n, stats::rpois(n, exp(eta)), 1),
    zi_poisson = stats::rbinom(n, 1L, 0.7) * stats::rpois(n, exp(1 + eta)),
    zi_nbinom2 = stats::rbinom(n, 1L, 0.7) * stats::rnbinom(n, size = 2, mu = exp(1 + eta)),
    ordinal = ordered(1 + (noisy > -0.5) + (noisy > 0.3) + (noisy > 1)),
    successes = successes, failures = 8L - successes,
    censored = ifelse(noisy > 0.2, noisy, NA),
    categorical = factor(c("r", "s", "t")[1 + (noisy > 0) + (noisy > 1)]),
    # after the others, whose random numbers stay
    nbinom1 = stats::rnbinom(n, size = exp(1 + eta) / 2, mu = exp(1 + eta)),
    gengamma = exp(eta) * stats::rgamma(n, 2)^1.3)
}

relation_families <- function() {
  list(gaussian = gaussian(), student_t = student_t(df = 4), poisson = poisson(),
    negative_binomial = negative_binomial(), binomial = binomial(), Gamma = Gamma("log"),
    beta = beta_response(), truncated_poisson = truncated_poisson(),
    truncated_nbinom2 = truncated_nbinom2(), tweedie = tweedie(power = 1.5),
    nbinom1 = nbinom1(), gengamma = gengamma(power = 0.8),
    zi_poisson = zi_poisson(), zi_nbinom2 = zi_nbinom2(), ordinal = ordinal(),
    censored_gaussian = censored_gaussian(), betabinomial = betabinomial(),
    categorical = categorical())
}

# An offset would be the same for all classes.
relation_formula <- function(family) {
  left <- switch(family, betabinomial = "cbind(successes, failures)",
    censored_gaussian = "cens(censored, -Inf, 0.2)", family)
  stats::reformulate(c("a", "g", if (family != "categorical") "offset(o)"), str2lang(left))
}

# Points for methods that take them, which stay where they are.
relation_points <- function() as.matrix(expand.grid(x = c(0.1, 0.5, 0.9), y = c(0.1, 0.5, 0.9)))

# `families`: those that the method takes, all but classes where there are none. `steps`: the
# posterior comes from Adam's steps, which depend on the order of rows and the basis of the trend.
relation_methods <- function() {
  still <- function(method, ...) function(points) method(points, move = FALSE, ...)
  list(
    exact_gp = list(method = function(points) exact_gp(), families = "gaussian"),
    vecchia = list(method = function(points) vecchia(10L), families = "gaussian"),
    vecchia_inducing = list(method = function(points) vecchia(10L, inducing = points),
      families = "gaussian"),
    mll_k = list(method = function(points) mll_k(10L), families = "gaussian"),
    loo_k = list(method = function(points) loo_k(10L), families = names(relation_families())),
    vnngp = list(method = function(points) vnngp(10L)),
    vnngp_laplace = list(method = function(points) vnngp(10L, posterior = "laplace")),
    svgp = list(method = still(svgp), families = names(relation_families())),
    odvgp = list(method = still(odvgp), families = names(relation_families())),
    ppgpr = list(method = still(ppgpr)),
    swsgp = list(method = still(swsgp, k = 5L, epochs = 3L), steps = TRUE)
  )
}

relation_families_of <- function(name) {
  relation_methods()[[name]]$families %||% setdiff(names(relation_families()), "categorical")
}

relation_fit <- function(name, family, data, points = relation_points(), ...) {
  withr::local_seed(5)
  suppressMessages(suppressWarnings(neargp(relation_formula(family), data, coords = ~ x + y,
    method = relation_methods()[[name]]$method(points),
    family = relation_families()[[family]], covariance = cov_matern(nu = 1.5), ...)))
}

# Means and standard deviations of the linear predictor, or probabilities of classes.
relation_moments <- function(fit, new) {
  found <- as.data.frame(if (inherits(fit, "neargp_classifier")) predict(fit, new) else
    predict(fit, new, type = "link", parameters = "plug-in"))
  as.matrix(found[vapply(found, is.numeric, NA)])
}

# The largest difference of means in standard deviations, and of these as a share.
relation_distance <- function(found, expected) {
  if (!"sd" %in% colnames(expected)) return(max(abs(found - expected)))
  sd <- expected[, "sd"]
  max(abs(found[, "mean"] - expected[, "mean"]) / sd, abs(found[, "sd"] / sd - 1))
}
