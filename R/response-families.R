# The response families in R: their parameters, with starting values and bounds, and the
# distribution of a response given the linear predictor eta. The entries use the names of the core,
# which computes the log density and its expectations. A family with several links is one entry for
# each link.
#
# All functions are vectorised. `parameters` is a list of the family's parameters by name on the
# natural scale, each of length 1 or of the length of the result. `trials` are those of binomial
# responses. Other families ignore them. The elements of an entry are:
#   `mean(eta, parameters, trials)`, `variance(eta, parameters, trials)`: of the response given eta.
#   `density(y, eta, parameters, trials, log)`, `distribution(q, eta, parameters, trials)`,
#     `quantile(p, eta, parameters, trials)`. For counts, Y <= q is the event that a gamma or beta
#     variable exceeds exp(eta), its odds or the probability of success. The distribution function
#     is that of this variable: at whole q the sum of the probabilities, and smooth between.
#   `random(n, eta, parameters, trials)`: one draw for each of the n elements of eta, recycled.
#   `start(y, mu, weights, trials)`: named starting values of the parameters. `mu`: a rough fit.
#   `form(y, family, weights, frame)`: the response of the model frame as a list, see
#     new_response(), or an error that says what is wrong.
#   `says_nothing(y, trials)`: whether such responses contain no information about a mean on the
#     scale of the link, or about their scatter.
#   `suggest(data, family)`: the linear predictor that each response suggests by itself, as
#     generalised linear models start from.
#   `nearest(family)`: the family of stats::glm() that is near enough for a rough trend.
#   `in_units`: whether the response is in a unit (R/response-unit.R).
#   `mixture`: the rule by which the response is predicted (R/mixture-families.R).
#   `lower`, `upper`: bounds of the estimates, on the natural scale, in units of the standard
#     deviation of y to the power `unit`.
# Other elements are present only where they apply:
#   `ratio_in_predictor(eta, parameters)`, `ratio_in_count(y, parameters, trials)`, of counts: their
#     product is P(Y = y | eta) / P(Y = y - 1 | eta).
#   `least`: the smallest response of counts that cannot be 0. `atom`: TRUE if a response that is no
#     count is 0 with a positive probability. `has_trials`: TRUE for responses with trials.
#   `thresholds`: TRUE if the number of parameters depends on the categories of the response.
#   `scored`: TRUE if the rough trend is that of suggest().
#   `limits`: TRUE if a response may be known up to limits, which data then contain.
#   `predictor_of_mean(mean, parameters)`: the eta of a mean (per trial) where it is not the link's.
#   `count_variance(eta, parameters, trials)`: the variance of counts about their mean given eta,
#     where `variance` contains another part as well.
#   `smooth`: FALSE for counts whose distribution function is a sum, without values between.
#   `kink`: TRUE for a log density with a kink in eta, of which only expectations are smooth.
#   `detail(parameters)`: how narrow the bends of a distribution are that eta does not smear.
# `scaled` families divide their dispersion by the weight, as glm() does. The dispersion is the
# variance, scale squared, 1 / shape or 1 / precision. In the others a weight multiplies the log
# density.

count_form <- function(y, family, weights, frame) {
  list(y = check_counts(y, family, frame), kind = "count")
}

numeric_form <- function(y, family, weights, frame) {
  list(y = check_support(y, family, frame, outside = FALSE), kind = "numeric")
}

positive_form <- function(y, family, weights, frame) {
  list(y = check_support(y, family, frame, y < .Machine$double.xmin, "greater than 0"),
    kind = "positive")
}

# A moment estimate, kept within bounds: starting values need not be more.
bounded_ratio <- function(numerator, denominator, lower, upper) {
  min(max(if (denominator > 0) numerator / denominator else upper, lower), upper)
}

# Normal responses, with the standard deviation `sd` and the variance `variance`, functions of the
# parameters.
normal_entry <- function(sd, variance, ...) {
  list(..., discrete = FALSE, scaled = TRUE, link = "identity",
    mean = function(eta, parameters, trials) eta,
    variance = function(eta, parameters, trials) rep_len(variance(parameters), length(eta)),
    density = function(y, eta, parameters, trials, log = FALSE) stats::dnorm(y, eta,
      sd(parameters), log),
    distribution = function(q, eta, parameters, trials) stats::pnorm(q, eta, sd(parameters)),
    quantile = function(p, eta, parameters, trials) stats::qnorm(p, eta, sd(parameters)),
    random = function(n, eta, parameters, trials) stats::rnorm(n, eta, sd(parameters)),
    says_nothing = function(y, trials) diff(range(y)) == 0,
    suggest = function(data, family) data$y,
    nearest = function(family) stats::gaussian(),
    in_units = TRUE)
}

# Counts of mean exp(eta), 0 among them.
count_entry <- function(...) {
  list(..., discrete = TRUE, scaled = FALSE, link = "log",
    mean = function(eta, parameters, trials) exp(eta),
    form = count_form,
    says_nothing = function(y, trials) all(y == 0),
    suggest = function(data, family) log(data$y + 0.1),
    nearest = function(family) stats::quasipoisson(family$link),
    in_units = FALSE)
}

names_of_parameters <- function(name) response_families[[name]]$parameters

# ---- the table -----------------------------------------------------------------------------------

response_families <- list(
  gaussian = normal_entry(function(parameters) sqrt(parameters$variance),
    function(parameters) parameters$variance,
    parameters = "variance", lower = c(variance = 1e-8), upper = c(variance = 100), unit = 2,
    form = numeric_form,
    start = function(y, mu, weights, trials = 1) c(variance = weighted_mean((y - mu)^2, weights)),
    mixture = gaussian_rule
  ),
  student_t = list(
    parameters = c("scale", "df"), lower = c(scale = 1e-4, df = 1),
    upper = c(scale = 10, df = 1000), unit = c(1, 0),
    discrete = FALSE, scaled = TRUE, link = "identity",
    mean = function(eta, parameters, trials) eta + ifelse(parameters$df > 1, 0, NA_real_),
    variance = function(eta, parameters, trials) {
      df <- parameters$df
      rep_len(ifelse(df > 2, parameters$scale^2 * df / (df - 2), ifelse(df > 1, Inf, NA_real_)),
        length(eta))
    },
    density = function(y, eta, parameters, trials, log = FALSE) {
      value <- stats::dt((y - eta) / parameters$scale, parameters$df, log = TRUE) -
        base::log(parameters$scale)
      if (log) value else exp(value)
    },
    distribution = function(q, eta, parameters, trials) stats::pt((q - eta) / parameters$scale,
      parameters$df),
    quantile = function(p, eta, parameters, trials) eta +
    parameters$scale * stats::qt(p, parameters$df),
    random = function(n, eta, parameters, trials) eta +
    parameters$scale * stats::rt(n, parameters$df),
    form = numeric_form,
    says_nothing = function(y, trials) diff(range(y)) == 0,
    suggest = function(data, family) {
      eta <- robust_trend(data)
      eta + winsorised(data$y - eta, data$weights)
    },
    nearest = function(family) stats::gaussian(),
    in_units = TRUE,
    start = function(y, mu, weights, trials = 1) c(scale = robust_scale(y - mu, weights), df = 4),
    mixture = student_rule
  ),
  binomial_logit = binomial_entry("logit"),
  binomial_probit = binomial_entry("probit"),
  binomial_cloglog = binomial_entry("cloglog"),
  poisson = count_entry(
    parameters = character(0),
    variance = function(eta, parameters, trials) exp(eta),
    density = function(y, eta, parameters, trials, log = FALSE) stats::dpois(y, exp(eta), log),
    distribution = function(q, eta, parameters, trials) stats::pgamma(exp(eta), q + 1,
      lower.tail = FALSE),
    ratio_in_predictor = function(eta, parameters) exp(eta),
    ratio_in_count = function(y, parameters, trials) 1 / y,
    quantile = function(p, eta, parameters, trials) stats::qpois(p, exp(eta)),
    random = function(n, eta, parameters, trials) stats::rpois(n, exp(eta)),
    start = function(y, mu, weights, trials = 1) numeric(0),
    mixture = quadrature_rule("log", log_link_moments(1, function(parameters) 0), poisson_range,
      log_of_count)
  ),
  negative_binomial = count_entry(
    parameters = "size", lower = c(size = 1e-3), upper = c(size = 1e6), unit = 0,
    variance = function(eta, parameters, trials) exp(eta) + exp(2 * eta) / parameters$size,
    density = function(y, eta, parameters, trials, log = FALSE) stats::dnbinom(y, parameters$size,
      mu = exp(eta), log = log),
    distribution = function(q, eta, parameters, trials) {
      stats::pbeta(1 / (1 + exp(eta) / parameters$size), parameters$size, q + 1)
    },
    ratio_in_predictor = function(eta, parameters) 1 / (1 + parameters$size * exp(-eta)),
    ratio_in_count = function(y, parameters, trials) (y - 1 + parameters$size) / y,
    quantile = function(p, eta, parameters, trials) stats::qnbinom(p, parameters$size,
      mu = exp(eta)),
    random = function(n, eta, parameters, trials) stats::rnbinom(n, parameters$size, mu = exp(eta)),
    # since E (y - mu)^2 - mu = mu^2 / size
    start = function(y, mu, weights, trials = 1) {
      c(size = bounded_ratio(weighted_mean(mu^2, weights), weighted_mean((y - mu)^2 - mu, weights),
        0.1, 100))
    },
    mixture = quadrature_rule("log", log_link_moments(1, function(parameters) 1 / parameters$size),
      negative_binomial_range, log_of_count)
  ),
  gamma = list(
    parameters = "shape", lower = c(shape = 1e-3), upper = c(shape = 1e6), unit = 0,
    discrete = FALSE, scaled = TRUE, link = "log",
    mean = function(eta, parameters, trials) exp(eta),
    variance = function(eta, parameters, trials) exp(2 * eta) / parameters$shape,
    density = function(y, eta, parameters, trials, log = FALSE) {
      stats::dgamma(y, parameters$shape, scale = exp(eta) / parameters$shape, log = log)
    },
    distribution = function(q, eta, parameters, trials) stats::pgamma(q, parameters$shape,
      scale = exp(eta) / parameters$shape),
    quantile = function(p, eta, parameters, trials) stats::qgamma(p, parameters$shape,
      scale = exp(eta) / parameters$shape),
    random = function(n, eta, parameters, trials) stats::rgamma(n, parameters$shape,
      scale = exp(eta) / parameters$shape),
    # the squared coefficient of variation is 1 / (shape * weight)
    form = positive_form,
    says_nothing = function(y, trials) diff(range(y)) == 0,
    suggest = function(data, family) log(data$y),
    nearest = function(family) stats::Gamma(unbounded_link(family$link)),
    in_units = TRUE,
    start = function(y, mu, weights, trials = 1) {
      c(shape = bounded_ratio(1, mean(weights * (y / mu - 1)^2), 0.05, 1e4))
    },
    mixture = quadrature_rule("log", log_link_moments(0, function(parameters) 1 / parameters$shape),
      gamma_range, function(mixture, y) log(y))
  ),
  beta = list(
    parameters = "precision", lower = c(precision = 1e-2), upper = c(precision = 1e6), unit = 0,
    discrete = FALSE, scaled = TRUE, link = "logit",
    mean = function(eta, parameters, trials) stats::plogis(eta),
    variance = function(eta, parameters, trials) stats::plogis(eta) * stats::plogis(-eta) /
    (1 + parameters$precision), density = function(y, eta, parameters, trials, log = FALSE) {
      stats::dbeta(y, stats::plogis(eta) * parameters$precision,
        stats::plogis(-eta) * parameters$precision, log = log)
    },
    distribution = function(q, eta, parameters, trials) {
      stats::pbeta(q, stats::plogis(eta) * parameters$precision,
        stats::plogis(-eta) * parameters$precision)
    },
    quantile = function(p, eta, parameters, trials) {
      stats::qbeta(p, stats::plogis(eta) * parameters$precision,
        stats::plogis(-eta) * parameters$precision)
    },
    random = function(n, eta, parameters, trials) {
      stats::rbeta(n, stats::plogis(eta) * parameters$precision,
        stats::plogis(-eta) * parameters$precision)
    },
    # the variance is `mu (1 - mu) / (1 + precision * weight)`
    form = function(y, family, weights, frame) {
      list(y = check_support(y, family, frame, y < .Machine$double.xmin | y >= 1,
        "greater than 0 and less than 1", "For successes among trials use binomial()."),
        kind = "unit")
    },
    says_nothing = function(y, trials) diff(range(y)) == 0,
    suggest = function(data, family) pmin(pmax(stats::qlogis(data$y), -5), 5),
    nearest = function(family) stats::quasibinomial(family$link),
    in_units = FALSE,
    start = function(y, mu, weights, trials = 1) {
      c(precision = bounded_ratio(mean(mu * (1 - mu)), mean(weights * (y - mu)^2), 1.1, 1e4) - 1)
    },
    mixture = quadrature_rule("logit", bounded_moments(c(-28, 28), beta_variance), beta_range,
      function(mixture, y) stats::qlogis(y), upper = function(mixture) 1)
  ),
  truncated_poisson = truncated_poisson_entry(),
  truncated_nbinom2 = truncated_nbinom2_entry(),
  tweedie = tweedie_entry(),
  nbinom1 = do.call(count_entry, c(nbinom1_functions(), list(
    parameters = "dispersion", lower = c(dispersion = 1e-4), upper = c(dispersion = 1e6), unit = 0,
    # since E (y - mu)^2 / mu = 1 + dispersion
    start = function(y, mu, weights, trials = 1) {
      c(dispersion = bounded_ratio(weighted_mean((y - mu)^2 / mu, weights), 1, 1.05, 1e4) - 1)
    },
    mixture = quadrature_rule("log", nbinom1_moments, nbinom1_range, log_of_count)))),
  gengamma = c(gengamma_functions(), list(
    parameters = c("shape", "power"), lower = c(shape = 0.02, power = 0.02),
    upper = c(shape = 1e3, power = 50), unit = c(0, 0),
    discrete = FALSE, scaled = FALSE, link = "log", form = positive_form,
    says_nothing = function(y, trials) diff(range(y)) == 0,
    suggest = function(data, family) log(data$y),
    nearest = function(family) stats::Gamma(unbounded_link(family$link)),
    in_units = TRUE,
    start = function(y, mu, weights, trials = 1) likeliest_parameters("gengamma", y, mu, weights,
      trials, c(shape = 1, power = 1), c(shape = 0.1, power = 0.1), c(shape = 50, power = 10)),
    mixture = quadrature_rule("log", log_link_moments(0, gengamma_excess), gengamma_range,
      function(mixture, y) log(y)))),
  asymmetric_laplace = c(asymmetric_laplace_functions(), list(
    parameters = c("scale", "tau"), lower = c(scale = 1e-5, tau = 1e-3),
    upper = c(scale = 10, tau = 0.999), unit = c(1, 0), kink = TRUE,
    discrete = FALSE, scaled = FALSE, link = "identity", form = numeric_form,
    says_nothing = function(y, trials) diff(range(y)) == 0,
    suggest = function(data, family) data$y,
    nearest = function(family) stats::gaussian(),
    in_units = TRUE,
    # the mean of |y - eta| / 2 is the scale of the median
    start = function(y, mu, weights, trials = 1) {
      c(scale = max(weighted_mean(abs(y - mu), weights) / 2, 1e-5), tau = 0.5)
    },
    mixture = asymmetric_laplace_rule)),
  zi_poisson = zi_poisson_entry(),
  zi_nbinom2 = zi_nbinom2_entry(),
  betabinomial = betabinomial_entry(),
  ordinal_logit = ordinal_entry("logit"),
  ordinal_probit = ordinal_entry("probit"),
  censored_gaussian = censored_gaussian_entry()
)
