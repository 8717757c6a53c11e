# Counts with more zeros than their distribution predicts. With probability zi a response is 0,
# otherwise it is a Poisson or negative binomial count of mean exp(eta). These are entries of the
# table in R/response-families.R. Probabilities and moments of the response are weighted means of
# those of the count and of 0. Since zi is one number, this holds given eta and in the mixture over
# eta.

# `counts`: the name of the counts' entry.
zero_inflated_entry <- function(name, counts, parameters, start, ...) {
  base <- function() response_families[[counts]]
  own <- function(parameters) parameters[setdiff(names(parameters), "zi")]
  list(
    parameters = parameters, ..., discrete = TRUE, scaled = FALSE, link = "log",
    mean = function(eta, parameters, trials) (1 - parameters$zi) * exp(eta),
    variance = function(eta, parameters, trials) {
      (1 - parameters$zi) * (base()$variance(eta, own(parameters), 1) +
        parameters$zi * exp(2 * eta))
    },
    count_variance = function(eta, parameters, trials) base()$variance(eta, own(parameters), 1),
    density = function(y, eta, parameters, trials, log = FALSE) {
      zero_inflated_density(y, parameters$zi, base()$density(y, eta, own(parameters), 1, TRUE), log)
    },
    distribution = function(q, eta, parameters, trials) {
      inflated(q, parameters$zi, base()$distribution(pmax(q, 0), eta, own(parameters), 1))
    },
    ratio_in_predictor = function(eta, parameters) base()$ratio_in_predictor(eta, own(parameters)),
    ratio_in_count = function(y, parameters, trials) base()$ratio_in_count(y, own(parameters), 1),
    quantile = function(p, eta, parameters, trials) {
      of_count <- pmax((p - parameters$zi) / (1 - parameters$zi), 0)
      base()$quantile(of_count, eta, own(parameters), 1)
    },
    random = function(n, eta, parameters, trials) {
      stats::rbinom(n, 1L, 1 - parameters$zi) * base()$random(n, eta, own(parameters), 1)
    },
    form = zero_inflated_form,
    says_nothing = function(y, trials) all(y == 0),
    suggest = function(data, family) zero_inflated_suggestion(data),
    nearest = function(family) stats::quasipoisson(family$link),
    predictor_of_mean = function(mean, parameters) log(mean) - log1p(-parameters$zi),
    in_units = FALSE,
    start = function(y, mu, weights, trials = 1) likeliest_parameters(name, y, mu, weights, 1,
      start$at, start$lower, start$upper),
    mixture = zero_inflated_rule(counts)
  )
}

zi_poisson_entry <- function() {
  zero_inflated_entry("zi_poisson", "poisson", "zi",
    list(at = c(zi = 0.2), lower = c(zi = 0.02), upper = c(zi = 0.9)),
    lower = c(zi = 1e-6), upper = c(zi = 1 - 1e-6), unit = 0)
}

zi_nbinom2_entry <- function() {
  zero_inflated_entry("zi_nbinom2", "negative_binomial", c("size", "zi"),
    list(at = c(size = 1, zi = 0.2), lower = c(size = 0.1, zi = 0.02),
      upper = c(size = 100, zi = 0.9)),
    lower = c(size = 1e-3, zi = 1e-6), upper = c(size = 1e6, zi = 1 - 1e-6), unit = c(0, 0))
}

zero_inflated_form <- function(y, family, weights, frame) {
  response <- count_form(y, family, weights, frame)
  if (length(y) && !anyNA(y) && all(y > 0)) {
    inform_neargp("family", c(
      sprintf("The response `%s` does not include zeros, so zi will be next to its lower limit, 1e-6.",
        names(frame)[1L]),
      i = "truncated_poisson() and truncated_nbinom2() are for counts that cannot be 0."))
  }
  response
}

inflated <- function(q, zi, distribution) (zi + (1 - zi) * distribution) * (q >= 0)

# The density from log densities of the counts. A matrix of these holds several eta for each y.
zero_inflated_density <- function(y, zi, log_p, log) {
  value <- log1p(-zi) + log_p
  zero <- rep_len(y == 0, length(value))
  value[zero] <- log(zi + (1 - zi) * exp(log_p))[zero]
  if (log) value else exp(value)
}

# A zero contains little information: at most that its count is not above the others'.
zero_inflated_suggestion <- function(data) {
  positive <- data$y > 0
  ifelse(positive, log(pmax(data$y, 1)), mean(log(data$y[positive])) - 1)
}

# ---- of the mixture ------------------------------------------------------------------------------

zero_inflated_rule <- function(counts) {
  of_counts <- function(mixture) {
    mixture$name <- counts
    mixture$parameters <- mixture$parameters[setdiff(names(mixture$parameters), "zi")]
    mixture
  }
  rule <- function() response_families[[counts]]$mixture
  zi <- function(mixture) rep_len(mixture$parameters$zi, mixture$n)
  list(scale = "log",
    mean = function(mixture) (1 - zi(mixture)) * rule()$mean(of_counts(mixture)),
    variance = function(mixture) {
      (1 - zi(mixture)) * (rule()$variance(of_counts(mixture)) +
        zi(mixture) * rule()$mean(of_counts(mixture))^2)
    },
    predictor_range = function(mixture, q, tail) rule()$predictor_range(of_counts(mixture), q,
      tail),
    likeliest = function(mixture, y) rule()$likeliest(of_counts(mixture), y),
    distribution = function(mixture, q) inflated(q, zi(mixture),
      rule()$distribution(of_counts(mixture), q)),
    log_density = function(mixture, y) zero_inflated_density(y, zi(mixture),
      rule()$log_density(of_counts(mixture), y), log = TRUE))
}
