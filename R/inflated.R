# Responses that are 0 or positive. With p the probability of a positive response and F its
# distribution function, that of `positive`, P(Y <= q) is 1 - p + p F(q).

new_inflated <- function(p, positive) {
  new_predictive(list(p = p, positive = positive), "inflated")
}

#' @export
`[.neargp_inflated` <- function(x, i) new_inflated(x$p[i], x$positive[i])

#' @export
predictive_mean.neargp_inflated <- function(distribution) {
  distribution$p * predictive_mean(distribution$positive)
}

# E Y^2 = p (v + m^2)
#' @export
predictive_variance.neargp_inflated <- function(distribution) {
  p <- distribution$p
  p * predictive_variance(distribution$positive) +
    p * (1 - p) * predictive_mean(distribution$positive)^2
}

#' @export
predictive_cdf.neargp_inflated <- function(q, distribution, lower = TRUE) {
  q <- rep_len(q, length(distribution$p))
  above <- which(q > 0)
  value <- ifelse(q < 0, 0, 1 - distribution$p)
  value[above] <- value[above] + distribution$p[above] * predictive_cdf(q[above],
    distribution$positive[above])
  if (lower) value else 1 - value
}

#' @export
predictive_quantile.neargp_inflated <- function(p, distribution) {
  value <- ifelse(is.na(distribution$p), NA_real_, 0)
  of_positive <- (p - (1 - distribution$p)) / distribution$p
  above <- which(of_positive > 1e-12)
  value[above] <- predictive_quantile(pmin(of_positive[above], 1 - 1e-12),
    distribution$positive[above])
  value
}

#' @export
predictive_draws.neargp_inflated <- function(nsim, distribution) {
  p <- distribution$p
  is_positive <- matrix(stats::runif(length(p) * nsim) < p, length(p))
  is_positive * predictive_draws(nsim, distribution$positive)
}

#' @export
predictive_log_density.neargp_inflated <- function(y, distribution) {
  value <- log1p(-distribution$p)
  own <- which(y > 0)
  value[own] <- log(distribution$p[own]) +
    predictive_log_density(y[own], distribution$positive[own])
  value
}

# P(Y < y) and P(Y <= y)
#' @export
predictive_pit.neargp_inflated <- function(observed, distribution) {
  p <- distribution$p
  own <- which(observed > 0)
  pit <- predictive_pit(observed[own], distribution$positive[own])
  within <- function(value) 1 - p[own] + p[own] * value
  list(lower = replace(double(length(p)), own, within(pit$lower)),
    upper = replace(1 - p, own, within(pit$upper)))
}

# The CRPS is E |Y - y| - E |Y - Y'| / 2, where Y' is another draw. For the positive part it is
# c(y). At y = 0 it is m - D / 2, with m = E Y and D = E |Y - Y'|. Hence D is 2 (m - c(0)). If
# either draw can also be 0, the CRPS is
#   `(1 - p) y + p (c(y) + D / 2) - p^2 D / 2 - p (1 - p) m`.
#' @export
predictive_crps.neargp_inflated <- function(observed, distribution) {
  p <- distribution$p
  positive <- distribution$positive
  m <- predictive_mean(positive)
  own <- which(observed > 0)
  least <- if (mixture_family(positive)$discrete) 0 else .Machine$double.xmin
  at_zero <- predictive_crps(rep(least, length(p)), positive)
  at_own <- replace(at_zero, own, predictive_crps(observed[own], positive[own]))
  spread <- 2 * (m - at_zero)
  (1 - p) * observed + p * (at_own + spread / 2) - p^2 * spread / 2 - p * (1 - p) * m
}
