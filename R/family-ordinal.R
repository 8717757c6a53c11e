# Ordered categories 1, ..., K by cumulative links: P(Y <= k) = F(t_k - eta), where F is the
# logistic or the normal distribution function. The trend contains the constant, so t_1 = 0. The
# parameters are the gaps t_(k+1) - t_k. This is the entry of the table in R/response-families.R.
# Categories are the numbers 1, ..., K, and `trials` is K, so that the rules of bounded counts apply
# to them.

ordinal_entry <- function(link) {
  below <- switch(link, logit = stats::plogis, probit = stats::pnorm)
  reach <- switch(link, logit = stats::qlogis, probit = stats::qnorm)
  # P(Y <= k | eta), k a whole number or one for each element
  distribution <- function(q, eta, parameters, trials) {
    ends <- c(-Inf, category_thresholds(parameters), Inf)
    below(ends[pmin(pmax(floor(q), 0), length(ends) - 1L) + 1L] - eta)
  }
  sums <- function(eta, parameters, power) {
    k <- seq_len(length(parameters) + 1L)
    rise <- (k + 1)^power - k^power
    value <- (length(k) + 1)^power
    for (i in k) value <- value - rise[i] * distribution(i, eta, parameters)
    value
  }
  list(
    parameters = character(0), lower = c(gap = 1e-4), upper = c(gap = 1e3), unit = 0,
    thresholds = TRUE, discrete = TRUE, scaled = FALSE, link = link, least = 1,
    mean = function(eta, parameters, trials) sums(eta, parameters, 1),
    variance = function(eta, parameters, trials) {
      pmax(sums(eta, parameters, 2) - sums(eta, parameters, 1)^2, 0)
    },
    density = function(y, eta, parameters, trials, log = FALSE) {
      value <- category_log_probability(y, eta, parameters, below)
      if (log) value else exp(value)
    },
    distribution = distribution,
    quantile = function(p, eta, parameters, trials) {
      t <- category_thresholds(parameters)
      1 + rowSums(outer(reach(rep_len(p, max(length(p), length(eta)))) + eta, t, ">"))
    },
    random = function(n, eta, parameters, trials) {
      t <- category_thresholds(parameters)
      1 + rowSums(outer(reach(stats::runif(n)) + rep_len(as.vector(eta), n), t, ">"))
    },
    form = ordinal_form,
    says_nothing = function(y, trials) FALSE,
    # Halfway between the ends of its category, by the marginal shares.
    suggest = function(data, family) category_scores(data$y, reach),
    scored = TRUE,
    nearest = function(family) stats::gaussian(),
    predictor_of_mean = function(mean, parameters) {
      rising_root(mean, function(eta) sums(eta, parameters, 1), -700, 700)
    },
    in_units = FALSE,
    start = function(y, mu, weights, trials = 1) {
      shares <- cumsum(tabulate(y) / length(y))
      pmax(diff(reach(shares[-length(shares)])), 1e-3)
    },
    mixture = ordinal_rule(reach)
  )
}

# `parameters`: the gaps, one number each
category_thresholds <- function(parameters) cumsum(c(0, unlist(parameters, use.names = FALSE)))

category_log_probability <- function(y, eta, parameters, below) {
  ends <- c(-Inf, category_thresholds(parameters), Inf)
  inside <- y >= 1 & y <= length(ends) - 1L & y == round(y)
  known <- ifelse(inside, y, 1)
  log_probability_between(ends[known] - eta, ends[known + 1] - eta, below) +
    ifelse(inside, 0, -Inf)
}

# log(below(high) - below(low)), by the smaller tails of a symmetric distribution.
log_probability_between <- function(low, high, below) {
  right <- which(low + high > 0)
  reflected <- -low[right]
  low[right] <- -high[right]
  high[right] <- reflected
  of_high <- below(high, log.p = TRUE)
  of_high + log(-expm1(below(low, log.p = TRUE) - of_high))
}

category_scores <- function(y, reach) {
  shares <- cumsum(tabulate(y) / length(y))
  middle <- shares - diff(c(0, shares)) / 2
  (reach(middle) - reach(shares[1L]))[y]
}

ordinal_form <- function(y, family, weights, frame) {
  wanted <- "an ordered factor with three levels or more"
  if (!is.ordered(y)) {
    abort_response(family, wanted, frame, describe_class(y),
      "Its levels in their order: factor(y, levels = , ordered = TRUE). Two levels are fitted by binomial().")
  }
  y <- droplevels(y)
  if (nlevels(y) < 3L) {
    abort_response(family, wanted, frame, sprintf("has %d of them in the rows of the fit: %s",
      nlevels(y), format_some(levels(y))), "Two levels are fitted by binomial().")
  }
  list(y = as.integer(y), levels = levels(y), kind = "ordered")
}

# Names of the parameters of a response of these levels.
gap_names <- function(levels) paste0("gap_", seq(2L, length(levels) - 1L))

# Adds the levels of the response, which name the parameters, to a family with ordered categories.
with_categories <- function(family, frame) {
  if (!has_thresholds(family)) return(family)
  y <- stats::model.response(frame)
  if (is.ordered(y)) family$levels <- levels(droplevels(y))
  family
}

has_thresholds <- function(family) has_mark(family, "thresholds")

# ---- of the mixture ------------------------------------------------------------------------------

ordinal_rule <- function(reach) {
  rule <- quadrature_rule("logit", NULL,
    predictor_range = function(mixture, q, tail) {
      t <- category_thresholds(mixture$parameters)[pmax(floor(q), 1)]
      list(lower = t + reach(tail), upper = t - reach(tail))
    },
    likeliest = function(mixture, y) {
      t <- category_thresholds(mixture$parameters)
      middle <- c(t[1L], (t[-1L] + t[-length(t)]) / 2, t[length(t)])
      middle[y] + ifelse(y == 1, -25, ifelse(y == length(middle), 25, 0))
    },
    upper = function(mixture) mixture$trials)
  # moments of the category: its powers rise from k to k + 1 where Y > k
  moment <- function(mixture, power) {
    k <- seq_len(length(mixture$parameters) + 1L)
    value <- rep((length(k) + 1)^power, mixture$n)
    for (i in k) {
      value <- value - ((i + 1)^power - i^power) * rule$distribution(mixture, rep(i, mixture$n))
    }
    value
  }
  rule$mean <- function(mixture) moment(mixture, 1)
  rule$variance <- function(mixture) pmax(moment(mixture, 2) - moment(mixture, 1)^2, 0)
  rule
}

# The probability of each category as columns.
category_columns <- function(mixture) {
  if (is.null(mixture$levels)) return(NULL)
  below <- vapply(seq_along(mixture$levels), predictive_cdf, double(mixture$n), mixture)
  below <- matrix(below, mixture$n, length(mixture$levels))
  probability <- below - cbind(double(mixture$n), below[, -ncol(below), drop = FALSE])
  stats::setNames(as.data.frame(pmax(probability, 0)), paste0("prob_", mixture$levels))
}
