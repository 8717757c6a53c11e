# A rule contains the facts about a family that the mixture over a normal linear predictor needs. It
# is the element `mixture` of a family in response-families.R.
#   `distribution(mixture, q)`, `log_density(mixture, y)`, `mean(mixture)`, `variance(mixture)`: one
#     number for each row.
#   `quantile(mixture, p)`, `crps(mixture, observed)`: only for closed forms.
#   `components_crps(mixture, observed)`: only for closed forms of a mixture with components.
#   `scale`: "identity", "log" or "logit", see mixture-scales.R.
#   `spread(mixture)`: the approximate standard deviation of the response, for the identity.
# quadrature_rule() makes most rules from the following functions. These rules contain the first
# two.
#   `predictor_range(mixture, q, tail)`: the eta between which P(Y <= q | eta) falls from 1 - tail
#     to tail.
#   `likeliest(mixture, y)`: an eta at which y is about as likely as it can be.
#   `upper(mixture)`: the least q at which P(Y <= q) is 1.

mixture_rule <- function(mixture) UseMethod("mixture_rule")

#' @export
mixture_rule.neargp_response_mixture <- function(mixture) mixture_family(mixture)$mixture

quadrature_rule <- function(scale, moments, predictor_range, likeliest,
                            upper = function(mixture) Inf) {
  list(scale = scale, mean = moments$mean, variance = moments$variance,
    predictor_range = predictor_range, likeliest = likeliest,
    distribution = function(mixture, q) quadrature_distribution(mixture, q, predictor_range,
      upper(mixture)),
    log_density = function(mixture, y) quadrature_log_density(mixture, y, likeliest, upper))
}

quadrature_distribution <- function(mixture, q, predictor_range, upper, tail = 1e-11) {
  family <- mixture_family(mixture)
  value <- as.double(q >= upper)
  inside <- which(q < upper & (if (family$discrete || has_atom(family)) q >= 0 else q > 0))
  if (!length(inside)) return(value)
  part <- mixture[inside]
  q <- q[inside]
  given <- function(eta, rows) {
    family$distribution(q[rows], eta, part[rows]$parameters, part$trials[rows])
  }
  if (all(part$sd == 0)) {
    value[inside] <- given(part$mean, seq_len(part$n))
    return(value)
  }
  range <- predictor_range(part, q, tail)
  # The noise of very large counts is negligible compared with sd, or with the resolution of eta.
  # They are exp(eta).
  narrow <- range$upper - range$lower < 1e-9 * part$sd
  value[inside] <- stats::pnorm((range$lower + range$upper) / 2, part$mean, part$sd)
  wide <- which(!narrow)
  part <- part[wide]
  q <- q[wide]
  value[inside[wide]] <- normal_expectation(given, range$lower[wide], range$upper[wide], part$mean,
    part$sd)
  value
}

# In z = (eta - mean) / sd the product of prior and likelihood peaks between their peaks, and is no
# wider than the prior. The likelihood of the least or the largest count lacks a peak. It is a step,
# where half a count more or less is likeliest.
quadrature_log_density <- function(mixture, y, likeliest, upper) {
  family <- mixture_family(mixture)
  value <- family$density(y, pmin(pmax(mixture$mean, -700), 700), mixture$parameters,
    mixture$trials, log = TRUE)
  spread <- which(mixture$sd > 0 & value < Inf)
  if (!length(spread)) return(value)
  part <- mixture[spread]
  y <- y[spread]
  # Means of the log link must not overflow.
  within_limits <- function(eta) pmin(pmax(eta, -700), 700)
  in_units <- function(eta) (within_limits(eta) - part$mean) / part$sd
  peak <- in_units(likeliest(part, y))
  inside <- if (family$discrete && !isTRUE(family$thresholds)) pmin(pmax(y, 0.5), upper(part) - 0.5)
  bend <- if (is.null(inside)) peak else in_units(likeliest(part, inside))
  g <- function(z) {
    eta <- within_limits(part$mean + part$sd * z)
    family$density(y, eta, part$parameters, part$trials, log = TRUE) + stats::dnorm(z, log = TRUE)
  }
  value[spread] <- log_integral(g, pmin(0, peak) - 9, pmax(0, peak) + 9, part$sd,
    bend)
  value
}

# ---- log link ------------------------------------------------------------------------------------

# With m = E exp(eta) = exp(mean + sd^2 / 2), E exp(2 eta) = m^2 exp(sd^2). The variance given eta
# is linear * exp(eta) + quadratic(parameters) * exp(2 eta).
log_link_moments <- function(linear, quadratic) {
  list(mean = function(mixture) exp(mixture$mean + mixture$sd^2 / 2),
    variance = function(mixture) {
      m <- exp(mixture$mean + mixture$sd^2 / 2)
      linear * m + m^2 * (quadratic(mixture$parameters) * exp(mixture$sd^2) + expm1(mixture$sd^2))
    })
}

# exp(-exp(eta)), the chance of no event, differs from 1 by less than the smallest number next to 1
# below eta = -26.
log_of_count <- function(mixture, y) log(pmax(y, exp(-26)))

# For Poisson counts P(Y <= q | eta) = P(G > exp(eta)) with G ~ gamma(q + 1).
poisson_range <- function(mixture, q, tail) {
  for_distinct(q, 0, function(q, none) {
    list(lower = log_gamma_quantile(tail, q + 1), upper = log_gamma_quantile(tail, q + 1,
      lower.tail = FALSE))
  })
}

# For negative binomial counts P(Y <= q | eta) = P(B > m / (size + m)) with m = exp(eta), B ~ beta(q
# + 1, size).
negative_binomial_range <- function(mixture, q, tail) {
  for_distinct(q, mixture$parameters$size, function(q, size) {
    odds <- beta_odds(tail, q + 1, size)
    list(lower = log(size) + odds$lower, upper = log(size) + odds$upper)
  })
}

# For gamma responses P(Y <= q | eta) = P(G <= shape q / exp(eta)) with G ~ gamma(shape).
gamma_range <- function(mixture, q, tail) {
  shape <- mixture$parameters$shape
  log_q <- log(shape) + log(q)
  list(lower = log_q - log_gamma_quantile(tail, shape, lower.tail = FALSE),
    upper = log_q - log_gamma_quantile(tail, shape))
}

# ---- bounded responses ---------------------------------------------------------------------------

# The mean given eta is p (times the trials). E (p - c)^2 for c = E p, rather than the difference of
# E p^2 and c^2, keeps the digits. `range`: the eta between which p is neither 0 nor 1;
# `spread(variance of p, E p (1 - p), mixture)` the variance of the response.
bounded_moments <- function(range, variance) {
  share <- function(mixture, eta) mixture_family(mixture)$mean(eta, mixture$parameters, 1)
  expectation <- function(mixture, h) {
    normal_expectation(function(eta, rows) h(share(mixture, eta), rows), range[1L], range[2L],
      mixture$mean, mixture$sd)
  }
  mean_share <- function(mixture) expectation(mixture, function(p, rows) p)
  list(mean = function(mixture) mixture$trials * mean_share(mixture),
    variance = function(mixture) {
      center <- mean_share(mixture)
      variance(mixture, expectation(mixture, function(p, rows) (p - center[rows])^2),
        expectation(mixture, function(p, rows) p * (1 - p)))
    })
}

binomial_variance <- function(mixture, of_share, within) {
  mixture$trials * within + mixture$trials^2 * of_share
}

beta_variance <- function(mixture, of_share, within) {
  within / (1 + mixture$parameters$precision) + of_share
}

# For binomial responses P(Y <= q | eta) = P(B > p) with B ~ beta(q + 1, trials - q).
binomial_rule <- function(predictor) {
  range <- predictor(beta_odds(1e-12, 1, 1))
  quadrature_rule("logit", bounded_moments(c(range$lower, range$upper), binomial_variance),
    predictor_range = function(mixture, q, tail) {
      for_distinct(q, mixture$trials,
        function(q, trials) predictor(beta_odds(tail, q + 1, trials - q)))
    },
    # Without successes the likelihood is flat once trials * p is nothing compared with 1.
    likeliest = function(mixture, y) {
      odds <- log_odds_of_successes(mixture, y)
      predictor(list(lower = odds, upper = odds))$lower
    },
    upper = function(mixture) mixture$trials)
}

log_odds_of_successes <- function(mixture, y) {
  least <- 1e-12 / mixture$trials
  log(pmax(y, least)) - log(pmax(mixture$trials - y, least))
}

# Log odds that enclose all of a beta(a, b) distribution but 2 * tail on either side. Its odds are
# G_a / G_b with independent G_a ~ gamma(a) and G_b ~ gamma(b). They are below l / h only if G_a < l
# or G_b > h. R does not always find quantiles of the beta distribution itself.
beta_odds <- function(tail, a, b) {
  low <- function(shape) log_gamma_quantile(tail, shape)
  high <- function(shape) log_gamma_quantile(tail, shape, lower.tail = FALSE)
  list(lower = low(a) - high(b), upper = high(a) - low(b))
}

# The map from log odds to the predictor.
predictor_of_odds <- function(link) {
  transform <- switch(link,
    logit = identity,
    probit = function(odds) stats::qnorm(stats::plogis(odds, log.p = TRUE), log.p = TRUE),
    # -log(1 - p) = log(1 + exp(odds))
    cloglog = function(odds) ifelse(odds < -30, odds, log(log1p(exp(odds))))
  )
  function(odds) lapply(odds, transform)
}

# The fall is about 1 / sqrt((1 + precision) q (1 - q)) wide.
beta_range <- function(mixture, q, tail) {
  bisected_range(mixture, q, tail, sqrt((1 + mixture$parameters$precision) * q * (1 - q)))
}

# Without a closed form: bisection within the reach of the normal distribution, down to half the
# width of the fall. `steepness`: one over this width.
bisected_range <- function(mixture, q, tail, steepness) {
  distribution <- mixture_family(mixture)$distribution
  widths <- 2 * normal_reach * mixture$sd * steepness
  steps <- ceiling(log2(2 * max(widths, 2)))
  end <- function(level) {
    bisect(function(eta) !(distribution(q, eta, mixture$parameters, mixture$trials) > level),
      mixture$mean - normal_reach * mixture$sd, mixture$mean + normal_reach * mixture$sd, steps)
  }
  # The outer end of the last step on either side.
  list(lower = end(1 - tail)$low, upper = end(tail)$high)
}

# ---- closed forms --------------------------------------------------------------------------------

normal_rule <- function(variance, crps) {
  total_sd <- function(mixture) sqrt(mixture$sd^2 + variance(mixture$parameters))
  list(scale = "identity", mean = function(mixture) mixture$mean,
    variance = function(mixture) total_sd(mixture)^2,
    distribution = function(mixture, q) stats::pnorm(q, mixture$mean, total_sd(mixture)),
    log_density = function(mixture, y) stats::dnorm(y, mixture$mean, total_sd(mixture), log = TRUE),
    quantile = function(mixture, p) stats::qnorm(p, mixture$mean, total_sd(mixture)),
    crps = crps, spread = total_sd)
}

gaussian_rule <- normal_rule(function(parameters) parameters$variance,
  function(mixture, observed) predictive_crps(observed,
    new_normal(mixture$mean, sqrt(mixture_rule(mixture)$variance(mixture)))))

# Student's t is a scale mixture: t = N / sqrt(G) with G ~ gamma(df / 2, rate df / 2). Given G the
# response is normal with variance sd^2 + scale^2 / G. A smooth integral over log G remains, for
# which the trapezoidal rule is nearly exact. The density of u = log G is proportional to
# exp(df / 2 (u - exp(u))). It is about sqrt(2 / df) wide, with a tail exp(df u / 2) to the left.
student_nodes <- function(df) {
  spacing <- 0.35 * min(1, sqrt(2 / df))
  u <- seq(log(stats::qgamma(1e-14, df / 2, df / 2)),
    log(stats::qgamma(1e-14, df / 2, df / 2, lower.tail = FALSE)) + spacing, by = spacing)
  weights <- exp(df / 2 * (u - exp(u)) + df / 2)
  list(precision = exp(u), weights = weights / sum(weights))
}

student_rule <- local({
  components <- function(mixture) {
    nodes <- student_nodes(mixture$parameters$df[1L])
    nodes$sd <- sqrt(mixture$sd^2 + outer(rep_len(mixture$parameters$scale^2, mixture$n),
      1 / nodes$precision))
    nodes
  }
  list(scale = "identity",
    mean = function(mixture) mixture_family(mixture)$mean(mixture$mean, mixture$parameters, 1),
    variance = function(mixture) {
      standard <- list(scale = 1, df = mixture$parameters$df)
      mixture$sd^2 + mixture$parameters$scale^2 * mixture_family(mixture)$variance(mixture$mean,
        standard, 1)
    },
    distribution = function(mixture, q) {
      parts <- components(mixture)
      drop(stats::pnorm((q - mixture$mean) / parts$sd) %*% parts$weights)
    },
    log_density = function(mixture, y) {
      parts <- components(mixture)
      log_parts <- stats::dnorm((y - mixture$mean) / parts$sd, log = TRUE) - log(parts$sd)
      top <- apply(log_parts, 1L, max)
      top + log(drop(exp(log_parts - top) %*% parts$weights))
    },
    spread = function(mixture) sqrt(mixture$sd^2 + mixture$parameters$scale^2),
    components_crps = function(mixture, observed) student_components_crps(mixture, observed))
})
