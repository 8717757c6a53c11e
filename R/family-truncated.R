# Counts that cannot be 0, as where only occupied locations are recorded: Poisson or negative
# binomial counts given that they are positive. These are entries of the table in
# R/response-families.R.
#
# Everything is computed from S(q) / S(0), where S(q) = P(count > q | eta). This keeps its precision
# at low eta, where almost all counts are 0 and a positive count is 1.

# `counts`: the name of the counts' entry; `tail`: functions for the probability beyond a number.
truncated_entry <- function(counts, tail, parameters = character(0), ...) {
  base <- function() response_families[[counts]]
  tail <- within_numbers(tail)
  log_beyond <- function(q, eta, parameters) {
    tail$log_above(q, eta, parameters) - tail$log_above(0, eta, parameters)
  }
  quantile <- function(p, eta, parameters) {
    pmax(1, tail$quantile_above(log1p(-p) + tail$log_above(0, eta, parameters), eta,
      parameters))
  }
  mean <- function(eta, parameters, trials) {
    exp(within_exponent(eta) - tail$log_above(0, eta, parameters))
  }
  entry <- list(
    parameters = parameters, ..., discrete = TRUE, scaled = FALSE, link = "log", least = 1,
    mean = mean,
    # from E Y^2 = E count^2 / S(0), where exp(eta) - m = -m P(count = 0)
    variance = function(eta, parameters, trials) {
      m <- mean(eta, parameters, 1)
      none <- -expm1(tail$log_above(0, eta, parameters))
      pmax(m * (1 + exp(eta) * tail$excess(parameters) - m * none), 0)
    },
    density = function(y, eta, parameters, trials, log = FALSE) {
      value <- base()$density(pmax(y, 1), within_exponent(eta), parameters, 1, TRUE) -
        tail$log_above(0, eta, parameters) + ifelse(y < 1, -Inf, 0)
      if (log) value else exp(value)
    },
    distribution = function(q, eta, parameters, trials) {
      -expm1(log_beyond(pmax(q, 1), eta, parameters)) * (q >= 1)
    },
    ratio_in_predictor = function(eta, parameters) base()$ratio_in_predictor(eta, parameters),
    ratio_in_count = function(y, parameters, trials) base()$ratio_in_count(y, parameters, 1),
    quantile = function(p, eta, parameters, trials) quantile(p, eta, parameters),
    random = function(n, eta, parameters, trials) quantile(stats::runif(n), rep_len(eta, n),
      parameters),
    form = positive_count_form,
    says_nothing = function(y, trials) all(y == 1),
    suggest = function(data, family) log(data$y - 0.6),
    nearest = function(family) stats::quasipoisson(family$link),
    predictor_of_mean = function(mean, parameters) {
      rising_root(mean, function(eta) entry$mean(eta, parameters, 1), -36,
        log(pmax(mean, 1)) + 1e-8)
    },
    in_units = FALSE
  )
  entry$mixture <- quadrature_rule("log", numeric_moments, tail$range,
    # the probability of 1 rises all the way down
    function(mixture, y) ifelse(y < 1.5, -26, log(y)))
  entry
}

# Below -600 the probability of a count of 1 is 1 to rounding, and exp(eta) soon underflows.
within_exponent <- function(eta) pmax(eta, -600)

within_numbers <- function(tail) {
  for (name in c("log_above", "quantile_above")) {
    tail[[name]] <- local({
      of <- tail[[name]]
      function(x, eta, parameters) of(x, within_exponent(eta), parameters)
    })
  }
  tail
}

truncated_poisson_entry <- function() {
  truncated_entry("poisson", list(
    log_above = function(q, eta, parameters) stats::pgamma(exp(eta), q + 1, log.p = TRUE),
    quantile_above = function(log_p, eta, parameters) stats::qpois(log_p, exp(eta), FALSE, TRUE),
    excess = function(parameters) 0,
    range = truncated_poisson_range
  ), start = function(y, mu, weights, trials = 1) numeric(0))
}

# In units of size. R's pbeta() does not always converge for larger counts. A count then differs
# from its gamma variable by only a billionth of the variance.
most_beta_count <- 1e9

truncated_nbinom2_entry <- function() {
  # m / (size + m), m = exp(eta)
  share <- function(eta, size) 1 / (1 + size * exp(-eta))
  truncated_entry("negative_binomial", list(
    # P(B < m / (size + m)), B ~ beta(q + 1, size), or of its complement where that is next to 1
    # The underflows to -Inf of which pbeta() warns are right.
    log_above = function(q, eta, parameters) suppressWarnings({
      size <- rep_len(parameters$size, length(eta))
      # the probability of more counts than these with a mean below size is exp(-69000) at most
      most <- 1e5 + 10 * size
      value <- stats::pbeta(pmin(share(eta, size), 0.5), pmin(q, most) + 1, size, log.p = TRUE)
      q <- rep_len(q, length(eta))
      high <- which(eta > log(size) & q <= most_beta_count * size)
      value[high] <- stats::pbeta(1 / (1 + exp(eta[high]) / size[high]), size[high], q[high] + 1,
        lower.tail = FALSE, log.p = TRUE)
      # counts so large are almost equal to their gamma variable
      many <- which(eta > log(size) & q > most_beta_count * size)
      value[many] <- stats::pgamma(q[many] * exp(-eta[many]), size[many], size[many],
        lower.tail = FALSE, log.p = TRUE)
      value
    }),
    quantile_above = function(log_p, eta, parameters) stats::qnbinom(log_p, parameters$size,
      mu = exp(eta), lower.tail = FALSE, log.p = TRUE),
    excess = function(parameters) 1 / parameters$size,
    range = truncated_nbinom2_range
  ), parameters = "size", lower = c(size = 1e-3), upper = c(size = 1e6), unit = 0,
    start = function(y, mu, weights, trials = 1) {
      likeliest_parameters("truncated_nbinom2", y, mu, weights, trials, c(size = 1),
        c(size = 0.1), c(size = 100))
    })
}

positive_count_form <- function(y, family, weights, frame) {
  list(y = check_support(y, family, frame, y < 1 | y != round(y), "whole and at least 1",
    "Counts with zeros are for poisson() or negative_binomial(), and with more of them than these have for zi_poisson() or zi_nbinom2()."),
    kind = "count")
}

# ---- of the mixture ------------------------------------------------------------------------------

# P(Y <= q) is below P(count <= q), which gives the upper end. Given one event, q more have to
# follow in the rest of the unit of time. P(Y > q) is therefore below P(count >= q), which gives the
# lower end. For a mixture of Poisson counts over a gamma variable, the mixture given a positive
# count is below the size-biased one, whose size is larger by 1.
truncated_poisson_range <- function(mixture, q, tail) {
  for_distinct(pmax(floor(q), 1), 0, function(q, none) {
    list(lower = log_gamma_quantile(tail, q), upper = log_gamma_quantile(tail, q + 1,
      lower.tail = FALSE))
  })
}

truncated_nbinom2_range <- function(mixture, q, tail) {
  for_distinct(pmax(floor(q), 1), mixture$parameters$size, function(q, size) {
    list(lower = log(size) + beta_odds(tail, q, size + 1)$lower,
      upper = log(size) + beta_odds(tail, q + 1, size)$upper)
  })
}
