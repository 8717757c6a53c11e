# Mixtures of normal distributions, one for each row: `mean` and `sd` are matrices of rows x
# components. The `log_weights` of the components are common to all rows, or a matrix like these.
# Rows that are NA have NA results.

new_normal_mixture <- function(mean, sd, log_weights) {
  new_predictive(list(mean = mean, sd = sd, log_weights = log_weights), "normal_mixture")
}

#' @export
`[.neargp_normal_mixture` <- function(x, i) {
  weights <- x$log_weights
  new_normal_mixture(x$mean[i, , drop = FALSE], x$sd[i, , drop = FALSE],
    if (is.matrix(weights)) weights[i, , drop = FALSE] else weights)
}

# Sums over the components of a matrix of rows x components.
mixture_sums <- function(values, log_weights) {
  if (is.matrix(log_weights)) rowSums(values * exp(log_weights)) else
    drop(values %*% exp(log_weights))
}

# log of the same sums, of logarithms.
log_mixture_sums <- function(terms, log_weights) {
  log_sum_of_rows(if (is.matrix(log_weights)) terms + log_weights else
    sweep(terms, 2L, log_weights, "+"))
}

#' @export
predictive_mean.neargp_normal_mixture <- function(distribution) {
  mixture_sums(distribution$mean, distribution$log_weights)
}

# Within components and between them: differences of second moments would cancel.
#' @export
predictive_variance.neargp_normal_mixture <- function(distribution) {
  between <- distribution$mean - predictive_mean(distribution)
  mixture_sums(distribution$sd^2 + between^2, distribution$log_weights)
}

# Upper tails without cancellation.
#' @export
predictive_cdf.neargp_normal_mixture <- function(q, distribution, lower = TRUE) {
  below <- stats::pnorm(q, distribution$mean, distribution$sd, lower.tail = lower)
  mixture_sums(matrix(below, nrow(distribution$mean)), distribution$log_weights)
}

#' @export
predictive_log_density.neargp_normal_mixture <- function(y, distribution) {
  terms <- matrix(stats::dnorm(y, distribution$mean, distribution$sd, log = TRUE),
    nrow(distribution$mean))
  log_mixture_sums(terms, distribution$log_weights)
}

# log of the sum of exp() over the columns.
log_sum_of_rows <- function(terms) {
  largest <- largest_of_rows(terms)
  ifelse(is.finite(largest), largest + log(rowSums(exp(terms - largest))), largest)
}

largest_of_rows <- function(values) {
  largest <- values[, 1L]
  for (j in seq_len(ncol(values))[-1L]) largest <- pmax(largest, values[, j])
  largest
}

smallest_of_rows <- function(values) -largest_of_rows(-values)

# ---- quantiles -----------------------------------------------------------------------------------

# A quantile by Newton's method for the normal score of the distribution function, which is nearly a
# straight line. The tail on the side of p keeps its digits. The components' own quantiles are the
# bracket, and bisection replaces a step that leaves it. A step from an excess below 1e-8 leaves one
# of its square, so that it is the last. p: one number.
#' @export
predictive_quantile.neargp_normal_mixture <- function(p, distribution) {
  steps <- 200L
  value <- rep(NA_real_, nrow(distribution$mean))
  active <- which(stats::complete.cases(distribution$mean, distribution$sd))
  part <- distribution[active]
  own <- part$mean + part$sd * stats::qnorm(p)
  low <- smallest_of_rows(own)
  high <- largest_of_rows(own)
  x <- mixture_sums(own, part$log_weights)
  for (step in seq_len(if (length(active)) steps else 0L)) {
    at <- tail_score_at(x, part, lower = p < 0.5)
    excess <- at$score - stats::qnorm(p)
    low <- ifelse(excess < 0, x, low)
    high <- ifelse(excess > 0, x, high)
    following <- x - excess / at$slope
    inside <- is.finite(following) & following > low & following < high
    is_narrow <- high - low <= 4 * .Machine$double.eps * pmax(abs(low), abs(high))
    x <- ifelse(excess == 0 | is_narrow, x, ifelse(inside, following, (low + high) / 2))
    found <- excess == 0 | is_narrow | (inside & abs(excess) < 1e-8) | step == steps
    value[active[found]] <- x[found]
    if (all(found)) break
    x <- x[!found]
    active <- active[!found]
    low <- low[!found]
    high <- high[!found]
    if (any(found)) part <- part[!found]
  }
  value
}

# Phi^-1 of the distribution function by one of its tails, and its slope.
tail_score_at <- function(x, mixture, lower) {
  tail <- stats::qnorm(predictive_cdf(x, mixture, lower = lower))
  terms <- matrix(stats::dnorm(x, mixture$mean, mixture$sd), nrow(mixture$mean))
  list(score = if (lower) tail else -tail,
    slope = mixture_sums(terms, mixture$log_weights) / stats::dnorm(tail))
}

# Phi^-1 of the distribution function, by the smaller tail.
normal_score_at <- function(x, mixture) {
  lower <- predictive_cdf(x, mixture)
  upper <- predictive_cdf(x, mixture, lower = FALSE)
  ifelse(lower < upper, stats::qnorm(lower), -stats::qnorm(upper))
}

# Not cut off as residuals by the PIT are.
#' @export
normal_residuals.neargp_normal_mixture <- function(observed, distribution) {
  normal_score_at(observed, distribution)
}

# ---- scores and draws ----------------------------------------------------------------------------

# E|Y - y| - E|Y - Y'| / 2, from the mean absolute value of normals (Grimit et al. 2006, equation
# 5).
#' @export
predictive_crps.neargp_normal_mixture <- function(observed, distribution) {
  weights <- rbind(exp(distribution$log_weights))
  mean_absolute <- function(mean, variance) {
    sd <- sqrt(variance)
    mean * (2 * stats::pnorm(mean / sd) - 1) + 2 * sd * stats::dnorm(mean / sd)
  }
  averages <- function(values) mixture_sums(values, distribution$log_weights)
  apart <- averages(mean_absolute(distribution$mean - observed, distribution$sd^2))
  for (s in which(colSums(weights) > 0)) {
    apart <- apart - weights[, s] / 2 * averages(mean_absolute(distribution$mean -
      distribution$mean[, s], distribution$sd^2 + distribution$sd[, s]^2))
  }
  apart
}

#' @export
predictive_draws.neargp_normal_mixture <- function(nsim, distribution) {
  rows <- nrow(distribution$mean)
  component <- drawn_components(rows, nsim, distribution$log_weights)
  at <- cbind(rep(seq_len(rows), nsim), component)
  matrix(stats::rnorm(rows * nsim, distribution$mean[at], distribution$sd[at]), rows, nsim)
}

# The component of each row for each draw. If rows have weights of their own, the component with the
# largest Gumbel number plus its log weight wins.
drawn_components <- function(rows, nsim, log_weights) {
  if (!is.matrix(log_weights)) {
    return(sample.int(length(log_weights), rows * nsim, replace = TRUE, prob = exp(log_weights)))
  }
  repeated <- log_weights[rep(seq_len(rows), nsim), , drop = FALSE]
  max.col(repeated - log(stats::rexp(length(repeated))), "first")
}

# ---- mixtures of distributions -------------------------------------------------------------------

# Distributions of the same rows, by common weights or a matrix of rows x distributions.
mixture_of <- function(distributions, log_weights) {
  UseMethod("mixture_of", distributions[[1L]])
}

#' @export
mixture_of.neargp_normal <- function(distributions, log_weights) {
  new_normal_mixture(do.call(cbind, lapply(distributions, `[[`, "mean")),
    do.call(cbind, lapply(distributions, `[[`, "sd")), log_weights)
}
