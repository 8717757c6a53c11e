# Responses that are an increasing function of a normal variable: Y = h(m + s q(x)), x ~ N(0, 1).
# Here m and s are mean and standard deviation of the transformed response, noise included. The
# function h is the inverse of the transform, and q the map of a recalibration. Each is the identity
# where there is none. Whatever is monotone in Y follows from its score x, and means are integrals
# over x.

transformed_mixture <- function(mixture, family) {
  mixture$transform <- family$transform
  mixture$recalibration <- family$recalibration
  class(mixture) <- c("neargp_transformed_mixture", class(mixture))
  mixture
}

# Responses of rows whose transformed ones have these moments, noise included.
responses_of <- function(object, mean, sd) {
  new_mixture(mean, sd, object$family, c(variance = 0))
}

transformed_sd <- function(mixture) sqrt(mixture$sd^2 + mixture$parameters$variance)

# The response at the score x, a vector or a matrix with a row for each of the mixture.
response_at_score <- function(x, mixture) {
  z <- mixture$mean + transformed_sd(mixture) * recalibrated_residual(x, mixture$recalibration)
  if (is.null(mixture$transform)) z else from_normal_scale(z, mixture$transform)
}

#' @export
predictive_draws.neargp_transformed_mixture <- function(nsim, distribution) {
  scores <- matrix(stats::rnorm(distribution$n * nsim), distribution$n)
  response_at_score(scores, distribution)
}

# The scores of values on either side of the domain are -Inf and Inf.
score_of_response <- function(y, mixture) {
  z <- y
  if (!is.null(mixture$transform)) {
    z <- ifelse(y == Inf, Inf, to_normal_scale(y, mixture$transform))
    below <- y < from_normal_scale(mixture$mean, mixture$transform)
    z[is.nan(z)] <- ifelse(below[is.nan(z)], -Inf, Inf)
  }
  score_of_normal(z, mixture)
}

# The same of the transformed response. Without any spread it is a step.
score_of_normal <- function(z, mixture) {
  s <- transformed_sd(mixture)
  standardized <- ifelse(s > 0, (z - mixture$mean) / s, ifelse(z >= mixture$mean, Inf, -Inf))
  recalibrated_score(standardized, mixture$recalibration)
}

#' @export
mixture_rule.neargp_transformed_mixture <- function(mixture) {
  list(scale = if (is_logarithm(mixture$transform)) "log" else "identity",
    mean = transformed_mean, variance = transformed_variance,
    distribution = function(mixture, q) stats::pnorm(score_of_response(q, mixture)),
    log_density = transformed_log_density,
    quantile = function(mixture, p) response_at_score(stats::qnorm(p), mixture),
    crps = transformed_crps)
}

is_logarithm <- function(transform) {
  identical(transform$name, "log") || identical(transform$lambda, 0)
}

# The slope of the score in y is that of the transform, over s, times that of the recalibration.
transformed_log_density <- function(mixture, y) {
  z <- y
  log_slope <- 0
  if (!is.null(mixture$transform)) {
    z <- to_normal_scale(y, mixture$transform)
    log_slope <- transform_log_slope(y, mixture$transform)
  }
  s <- transformed_sd(mixture)
  value <- stats::dnorm(z, mixture$mean, s, log = TRUE)
  if (!is.null(mixture$recalibration)) {
    spread <- which(s > 0)
    standardized <- ((z - mixture$mean) / s)[spread]
    value[spread] <- recalibrated_log_density(standardized, mixture$recalibration) - log(s[spread])
  }
  value + log_slope
}

# ---- moments -------------------------------------------------------------------------------------

# The mean in closed form if closed_moments() returns one. Else second moments are about the median,
# from which the mean differs by little compared with the standard deviation.
transformed_mean <- function(mixture) {
  closed <- closed_moments(mixture)
  if (!is.null(closed)) return(closed$mean)
  beyond_pole(mixture, expected_response(mixture))
}

transformed_variance <- function(mixture) {
  closed <- closed_moments(mixture)
  if (!is.null(closed)) return(closed$variance)
  median <- response_at_score(double(mixture$n), mixture)
  beyond_pole(mixture, expected_response(mixture, function(y, rows) (y - median[rows])^2) -
    expected_response(mixture, function(y, rows) y - median[rows])^2)
}

# Moments of the log-normal distribution, of squares of a normal variable, and of a recalibration
# alone.
closed_moments <- function(mixture) {
  m <- mixture$mean
  s <- transformed_sd(mixture)
  if (is_closed_lognormal(mixture)) {
    return(list(mean = exp(m + s^2 / 2), variance = exp(2 * m + s^2) * expm1(s^2)))
  }
  if (is.null(mixture$transform)) {
    of_map <- recalibrated_moments(mixture$recalibration)
    return(list(mean = m + s * of_map$mean, variance = s^2 * of_map$variance))
  }
  if (mixture$transform$name == "sqrt" && is.null(mixture$recalibration)) {
    moments_of_square(m, s)
  }
}

# Mean and variance of q(x).
recalibrated_moments <- function(map) {
  nodes <- score_nodes(map)
  value <- recalibrated_residual(nodes$x, map)
  mean <- sum(value * nodes$weight)
  list(mean = mean, variance = sum((value - mean)^2 * nodes$weight))
}

# Moments of max(Z, 0)^2 for Z ~ N(m, s^2). With a = m / s they are the moments of order 2 and 4 of
# a normal variable that is cut off at 0, found by parts. If nothing is cut off, a form of the
# variance avoids cancellation.
moments_of_square <- function(m, s) {
  a <- ifelse(s > 0, m / s, 40 * sign(m))
  P <- stats::pnorm(a)
  d <- stats::dnorm(a)
  mean <- s^2 * d * a + (m^2 + s^2) * P
  fourth <- (m^4 + 6 * m^2 * s^2 + 3 * s^4) * P + s^4 * (a^3 + 5 * a) * d
  list(mean = mean, variance = ifelse(a > cut_reach, 4 * m^2 * s^2 + 2 * s^4, fourth - mean^2))
}

is_closed_lognormal <- function(mixture) {
  is_logarithm(mixture$transform) && is.null(mixture$recalibration)
}

# A power below 0 makes an infinite response of a normal variable at its pole, and an infinite mean.
# The value is Inf where the pole is among the scores that are integrated over.
beyond_pole <- function(mixture, value) {
  pole <- transform_pole(mixture$transform)
  if (is.infinite(pole)) return(value)
  replace(value, score_of_normal(rep(pole, mixture$n), mixture) < score_reach, Inf)
}

# Whether responses of a transform that are infinite are beyond the range of numbers only.
may_overflow <- function(mixture) {
  !is.null(mixture$transform) && is.infinite(transform_pole(mixture$transform))
}

# E f(Y, rows). At all scores below that of the floor, the response is at its floor, 0.
expected_response <- function(mixture, f = function(y, rows) y) {
  floor <- floor_score(mixture)
  f(double(mixture$n), seq_len(mixture$n)) * stats::pnorm(floor) +
    score_integral(mixture, floor, f)
}

# -Inf where there is none.
floor_score <- function(mixture) {
  if (is.null(mixture$transform)) return(rep(-Inf, mixture$n))
  score_of_normal(rep(transform_floor(mixture$transform), mixture$n), mixture)
}

# ---- integrals over scores -----------------------------------------------------------------------

# Beyond these scores normal tails hold 2e-33, and 5e-17: a kink there is nothing to an integral.
score_reach <- 12
cut_reach <- 8.3

# The integral of f(Y(x), rows) weigh(x) phi(x) over scores x above `from`, one for each row. f gets
# and returns a matrix, the responses of these rows at some scores.
score_integral <- function(mixture, from, f, weigh = function(x) 1) {
  value <- double(mixture$n)
  cut <- from > -cut_reach
  whole <- which(!cut)
  if (length(whole)) {
    nodes <- score_nodes(mixture$recalibration)
    x <- matrix(nodes$x, length(whole), length(nodes$x), byrow = TRUE)
    value[whole] <- f(response_at_score(x, mixture[whole]), whole) %*%
      (nodes$weight * weigh(nodes$x))
  }
  rows <- which(cut & from < score_reach)
  if (length(rows)) {
    nodes <- cut_score_nodes(from[rows], mixture$recalibration)
    value[rows] <- rowSums(f(response_at_score(nodes$x, mixture[rows]), rows) *
      nodes$weight * weigh(nodes$x))
  }
  value
}

# Gauss and Legendre's rule in panels between which the integrand is smooth: knots of the
# recalibration are ends of panels.
score_panels <- function(recalibration) {
  sort(unique(c(seq(-score_reach, score_reach, by = 1.5), recalibration$score)))
}

score_nodes <- function(recalibration) {
  ends <- score_panels(recalibration)
  rule <- panel_rules$whole
  width <- diff(ends)
  x <- c(outer((rule$nodes + 1) / 2, width)) + rep(ends[-length(ends)], each = length(rule$nodes))
  list(x = x, weight = c(outer(rule$weights / 2, width)) * stats::dnorm(x))
}

# The same above `from`, as matrices with a row for each. A panel begins at the floor of a power,
# where the derivative is singular. With x = a + (b - a) u^3, derivatives of low order in u are not.
cut_score_nodes <- function(from, recalibration) {
  ends <- score_panels(recalibration)
  by_row <- function(x) matrix(x, length(from), length(x), byrow = TRUE)
  right <- by_row(ends[-1L])
  left <- pmin(pmax(by_row(ends[-length(ends)]), from), right)
  rule <- panel_rules$cut
  u <- (rule$nodes + 1) / 2
  panel <- rep(seq_len(ncol(left)), each = length(u))
  width <- (right - left)[, panel, drop = FALSE]
  x <- left[, panel, drop = FALSE] + width * by_row(rep(u^3, ncol(left)))
  list(x = x, weight = width * by_row(rep(3 * u^2 * rule$weights / 2, ncol(left))) *
    stats::dnorm(x))
}

panel_rules <- list(whole = gauss_legendre(8L), cut = gauss_legendre(16L))

# ---- continuous ranked probability score ---------------------------------------------------------

# The score is E |Y - y| - E |Y - Y'| / 2. In its first term |Y - y| = 2 max(Y - y, 0) + y - Y. The
# second term is E Y (2 Phi(x) - 1). The log-normal distribution allows a closed form (Baran and
# Lerch 2015, eq. 5).
transformed_crps <- function(mixture, observed) {
  if (is_closed_lognormal(mixture)) return(lognormal_crps(mixture, observed))
  floor <- floor_score(mixture)
  excess <- pmax(-observed, 0) * stats::pnorm(floor) + score_integral(mixture,
    pmax(score_of_response(observed, mixture), floor), function(y, rows) y - observed[rows])
  mean_and_half_difference <- score_integral(mixture, floor, function(y, rows) y,
    function(x) 2 * stats::pnorm(x))
  value <- 2 * excess + observed - mean_and_half_difference
  if (is.null(mixture$transform)) return(value)
  beyond <- which(!is.finite(value))
  if (may_overflow(mixture) && length(beyond)) {
    abort_neargp("overflow",
      sprintf("The CRPS cannot be computed in %s: responses are beyond the range of numbers.",
        format_rows(beyond)))
  }
  beyond_pole(mixture, value)
}

lognormal_crps <- function(mixture, observed) {
  s <- transformed_sd(mixture)
  score <- score_of_response(observed, mixture)
  observed * (2 * stats::pnorm(score) - 1) - 2 * exp(mixture$mean + s^2 / 2) *
    (stats::pnorm(score - s) - stats::pnorm(s / sqrt(2), lower.tail = FALSE))
}

# ---- the expected response given the latent field ------------------------------------------------

# The expectation at a field eta, with the noise of the mixture.
#' @export
mean_given_field.neargp_transformed_mixture <- function(eta, distribution) {
  distribution[c("mean", "sd")] <- list(eta, 0 * eta)
  predictive_mean(distribution)
}

# The expected response rises with the field.
#' @export
field_of_mean.neargp_transformed_mixture <- function(value, distribution) {
  over_rows(distribution, value, function(part, value) {
    variance <- rep_len(part$parameters$variance, part$n)
    eta <- double(part$n)
    for (rows in split(seq_len(part$n), variance)) {
      eta[rows] <- field_of_one(value[1L], part[rows])
    }
    eta
  })
}

# Differs from that of the PIT in nothing but the last digits of its tails.
#' @export
normal_residuals.neargp_transformed_mixture <- function(observed, distribution) {
  score_of_response(observed, distribution)
}

# The field at which the expected response of rows with one noise is a number; -Inf or Inf beyond
# the fields of the mixture.
field_of_one <- function(value, mixture) {
  ends <- range(mixture$mean - score_reach * mixture$sd, mixture$mean + score_reach * mixture$sd)
  one <- mixture[1L]
  difference <- function(eta) {
    expected <- mean_given_field(eta, one) - value
    # of a mean that is infinite, or beyond the range of numbers
    if (is.finite(expected)) expected else .Machine$double.xmax
  }
  if (difference(ends[1L]) >= 0) return(-Inf)
  if (difference(ends[2L]) <= 0) return(Inf)
  stats::uniroot(difference, ends, tol = 1e-10 * max(mixture$sd))$root
}
