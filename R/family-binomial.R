# Successes among trials, by three links. The entries of the table in R/response-families.R.

# Logarithms of the probabilities of success and failure, exact where either is next to 0.
binomial_log_probability <- list(
  logit = list(
    success = function(eta) stats::plogis(eta, log.p = TRUE),
    failure = function(eta) stats::plogis(eta, lower.tail = FALSE, log.p = TRUE)
  ),
  probit = list(
    success = function(eta) stats::pnorm(eta, log.p = TRUE),
    failure = function(eta) stats::pnorm(eta, lower.tail = FALSE, log.p = TRUE)
  ),
  cloglog = list(
    success = function(eta) ifelse(eta < -30, eta, log(-expm1(-exp(eta)))),
    failure = function(eta) -exp(eta)
  )
)

binomial_entry <- function(link) {
  log_probability <- binomial_log_probability[[link]]
  probability <- function(eta) exp(log_probability$success(eta))
  list(
    parameters = character(0), discrete = TRUE, scaled = FALSE, link = link, has_trials = TRUE,
    mean = function(eta, parameters, trials = 1) trials * probability(eta),
    variance = function(eta, parameters, trials = 1) trials * probability(eta) *
    exp(log_probability$failure(eta)), density = function(y, eta, parameters, trials = 1,
      log = FALSE) {
        inside <- y >= 0 & y <= trials & y == round(y)
        known <- ifelse(inside, y, 0)
        value <- lchoose(trials, known) + times_log(known, log_probability$success(eta)) +
          times_log(trials - known, log_probability$failure(eta)) + ifelse(inside, 0, -Inf)
        if (log) value else exp(value)
      },
    distribution = function(q, eta, parameters, trials = 1) {
      # P(B > p), B ~ beta(q + 1, trials - q). At q = trials B is 1. Where p rounds to 1, newer
      # versions of R return 0 and older ones 1.
      below <- stats::pbeta(probability(eta), q + 1, trials - q, lower.tail = FALSE)
      below[which(!is.na(below) & q == trials)] <- 1
      below
    },
    ratio_in_predictor = function(eta, parameters) exp(log_probability$success(eta) -
      log_probability$failure(eta)),
    ratio_in_count = function(y, parameters, trials = 1) (trials - y + 1) / y,
    quantile = function(p, eta, parameters, trials = 1) stats::qbinom(p, trials, probability(eta)),
    random = function(n, eta, parameters, trials = 1) stats::rbinom(n, trials, probability(eta)),
    form = function(y, family, weights, frame) binomial_response(y, weights, frame),
    says_nothing = function(y, trials) all(y == 0) || all(y == trials %||% 1),
    suggest = function(data, family) response_link(family)$linkfun((data$y + 0.5) /
      ((data$trials %||% 1) + 1)),
    nearest = function(family) stats::quasibinomial(family$link),
    in_units = FALSE,
    start = function(y, mu, weights, trials = 1) numeric(0),
    mixture = binomial_rule(predictor_of_odds(link))
  )
}

# count * log_p, 0 where the count is 0, also when the probability is.
times_log <- function(count, log_p) {
  product <- count * log_p
  product[rep_len(count == 0, length(product))] <- 0
  product
}
