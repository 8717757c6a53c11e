# Numbers of successes whose trials within a row are alike: the probability of a row is a Beta
# variable of mean plogis(eta) and precision as in beta_response(). This is the entry of the table
# in R/response-families.R.

betabinomial_entry <- function() {
  list(
    parameters = "precision", lower = c(precision = 1e-2), upper = c(precision = 1e6), unit = 0,
    discrete = TRUE, scaled = FALSE, smooth = FALSE, link = "logit", has_trials = TRUE,
    mean = function(eta, parameters, trials = 1) trials * stats::plogis(eta),
    variance = function(eta, parameters, trials = 1) {
      trials * stats::plogis(eta) * stats::plogis(-eta) * (trials + parameters$precision) /
        (1 + parameters$precision)
    },
    density = function(y, eta, parameters, trials = 1, log = FALSE) {
      inside <- y >= 0 & y <= trials & y == round(y)
      known <- ifelse(inside, y, 0)
      a <- parameters$precision * stats::plogis(eta)
      b <- parameters$precision * stats::plogis(-eta)
      value <- lchoose(trials, known) + log_beta_ratio(a, b, known, trials - known) +
        ifelse(inside, 0, -Inf)
      if (log) value else exp(value)
    },
    distribution = function(q, eta, parameters, trials = 1) betabinomial_distribution(q, eta,
      parameters$precision, trials),
    quantile = function(p, eta, parameters, trials = 1) {
      predictive_quantile(p, named_mixture("betabinomial", eta, 0, parameters, trials))
    },
    random = function(n, eta, parameters, trials = 1) {
      share <- stats::rbeta(n, parameters$precision * stats::plogis(eta),
        parameters$precision * stats::plogis(-eta))
      stats::rbinom(n, trials, share)
    },
    form = betabinomial_form,
    says_nothing = function(y, trials) all(y == 0) || all(y == trials %||% 1),
    suggest = function(data, family) stats::qlogis((data$y + 0.5) / ((data$trials %||% 1) + 1)),
    nearest = function(family) stats::quasibinomial(family$link),
    predictor_of_mean = function(mean, parameters) stats::qlogis(mean),
    in_units = FALSE,
    start = function(y, mu, weights, trials = 1) likeliest_parameters("betabinomial", y, mu,
      weights, trials, c(precision = 10), c(precision = 0.1), c(precision = 1e4)),
    mixture = betabinomial_rule()
  )
}

# Single trials are those of binomial(), whatever the precision.
betabinomial_form <- function(y, family, weights, frame) {
  abort <- function(...) abort_response(family,
    "cbind(successes, failures), or proportions with the numbers of trials as `weights`", frame,
    ...)
  if (!is.numeric(y) && !(is.matrix(y) && is.logical(y))) abort(describe_class(y))
  response <- binomial_response(y, weights, frame)
  if (is.null(response$trials)) {
    abort("needs more than one trial per row", "Single trials are fitted by binomial().")
  }
  response
}

# log B(a + y, b + z) - log B(a, b), by ratios of Gamma functions. B itself is beyond the range of
# numbers where a is near 0 and y is not. A matrix a holds several numbers for each y.
log_beta_ratio <- function(a, b, y, z) {
  rise <- function(a, y) {
    value <- lgamma(a + y) - lgamma(a)
    value[rep_len(y == 0, length(value))] <- 0
    value
  }
  rise(a, y) + rise(b, z) - rise(a + b, y + z)
}

# The largest number of probabilities that are summed.
most_summed <- 1000

betabinomial_distribution <- function(q, eta, precision, trials) {
  n <- max(length(q), length(eta))
  q <- rep_len(floor(q), n)
  trials <- rep_len(trials, n)
  eta <- rep_len(as.vector(eta), n)
  precision <- rep_len(precision, n)
  value <- as.double(q >= trials)
  inside <- q >= 0 & q < trials
  is_short <- pmin(q + 1, trials - q) <= most_summed
  for (rows in split(which(inside), is_short[inside])) {
    distribution <- if (is_short[rows[1L]]) betabinomial_sum else betabinomial_integral
    value[rows] <- distribution(q[rows], eta[rows], precision[rows], trials[rows])
  }
  value
}

# Sums the probabilities on the side of q that has fewer.
betabinomial_sum <- function(q, eta, precision, trials) {
  density <- response_families$betabinomial$density
  above <- q + 1 > trials / 2
  count <- ifelse(above, trials - q, q + 1)
  sum <- double(length(q))
  for (step in seq_len(max(count))) {
    rows <- which(count >= step)
    y <- ifelse(above[rows], q[rows] + step, q[rows] - step + 1)
    sum[rows] <- sum[rows] + density(y, eta[rows], list(precision = precision[rows]), trials[rows])
  }
  ifelse(above, 1 - sum, sum)
}

# The probability that a share of the distribution Beta(a, b) is below the (q + 1)-th smallest of n
# uniform numbers, whose distribution is Beta(q + 1, n - q). The logit of the one that varies less
# is nearly normal, and the trapezoidal rule in units of its spread integrates over it.
betabinomial_integral <- function(q, eta, precision, trials) {
  share <- list(precision * stats::plogis(eta), precision * stats::plogis(-eta))
  smallest <- list(q + 1, trials - q)
  by_share <- precision > trials
  inner <- Map(function(x, y) ifelse(by_share, x, y), share, smallest)
  x <- digamma(inner[[1L]]) - digamma(inner[[2L]]) +
    outer(sqrt(trigamma(inner[[1L]]) + trigamma(inner[[2L]])), seq(-7, 7, 0.7))
  weights <- inner[[1L]] * stats::plogis(x, log.p = TRUE) +
    inner[[2L]] * stats::plogis(-x, log.p = TRUE)
  weights <- exp(weights - largest_of_rows(weights))
  below <- stats::pbeta(stats::plogis(x), share[[1L]], share[[2L]])
  below[by_share, ] <- stats::pbeta(stats::plogis(-x), smallest[[2L]], smallest[[1L]])[by_share, ]
  rowSums(weights * below) / rowSums(weights)
}

# ---- of the mixture ------------------------------------------------------------------------------

betabinomial_variance <- function(mixture, of_share, within) {
  precision <- mixture$parameters$precision
  mixture$trials * within * (mixture$trials + precision) / (1 + precision) +
    mixture$trials^2 * of_share
}

betabinomial_rule <- function() {
  quadrature_rule("logit", bounded_moments(c(-28, 28), betabinomial_variance),
    # the fall is as wide as the scatter of the share of successes there
    predictor_range = function(mixture, q, tail) {
      precision <- mixture$parameters$precision
      share <- (q + 0.5) / (mixture$trials + 0.5)
      bisected_range(mixture, q, tail, sqrt(share * (1 - share) * mixture$trials *
        (1 + precision) / (mixture$trials + precision)))
    },
    likeliest = log_odds_of_successes,
    upper = function(mixture) mixture$trials)
}
