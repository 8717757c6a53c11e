# Mixtures of normal distributions, one for each row: `mean` and `sd` are matrices of rows x
# components, `log_weights` of the components are common to all rows. Rows that are NA have NA
# results.

new_normal_mixture <- function(mean, sd, log_weights) {
  list(mean = mean, sd = sd, log_weights = log_weights)
}

normal_mixture_mean <- function(mixture) drop(mixture$mean %*% exp(mixture$log_weights))

# Within components and between them: differences of second moments would cancel.
normal_mixture_variance <- function(mixture) {
  between <- mixture$mean - normal_mixture_mean(mixture)
  drop((mixture$sd^2 + between^2) %*% exp(mixture$log_weights))
}

# P(Y <= q), or P(Y > q) without cancellation.
normal_mixture_distribution <- function(q, mixture, lower = TRUE) {
  below <- stats::pnorm(q, mixture$mean, mixture$sd, lower.tail = lower)
  drop(matrix(below, nrow(mixture$mean)) %*% exp(mixture$log_weights))
}

normal_mixture_log_density <- function(y, mixture) {
  terms <- matrix(stats::dnorm(y, mixture$mean, mixture$sd, log = TRUE), nrow(mixture$mean))
  log_sum_of_rows(sweep(terms, 2L, mixture$log_weights, "+"))
}

# ---- quantiles -----------------------------------------------------------------------------------

# A quantile by Newton's method for the normal score of the distribution function, which is nearly a
# straight line, within the bracket of the components' own quantiles; where a step leaves it, by
# bisection. At a solution rounding puts the next step on an end of the bracket, so that it is asked
# first whether the search is over. p: one number.
normal_mixture_quantile <- function(p, mixture, steps = 200L) {
  value <- rep(NA_real_, nrow(mixture$mean))
  active <- which(stats::complete.cases(mixture$mean, mixture$sd))
  part <- take_normal_mixture(mixture, active)
  own <- part$mean + part$sd * stats::qnorm(p)
  low <- as.vector(do.call(pmin, asplit(own, 2L)))
  high <- as.vector(do.call(pmax, asplit(own, 2L)))
  x <- drop(own %*% exp(part$log_weights))
  for (step in seq_len(if (length(active)) steps else 0L)) {
    at <- normal_score_at(x, part)
    excess <- at$score - stats::qnorm(p)
    low <- ifelse(excess < 0, x, low)
    high <- ifelse(excess > 0, x, high)
    following <- x - excess / at$slope
    found <- abs(excess) < 1e-11 | high - low <= 4 * .Machine$double.eps * pmax(abs(low),
      abs(high)) | step == steps
    value[active[found]] <- x[found]
    if (all(found)) break
    outside <- !(is.finite(following) & following > low & following < high)
    x <- ifelse(outside, (low + high) / 2, following)[!found]
    active <- active[!found]
    low <- low[!found]
    high <- high[!found]
    part <- take_normal_mixture(part, !found)
  }
  value
}

# Phi^-1 of the distribution function, by the smaller tail, and its slope.
normal_score_at <- function(x, mixture) {
  lower <- normal_mixture_distribution(x, mixture)
  upper <- normal_mixture_distribution(x, mixture, lower = FALSE)
  score <- ifelse(lower < upper, stats::qnorm(lower), -stats::qnorm(upper))
  list(score = score,
    slope = exp(normal_mixture_log_density(x, mixture) - stats::dnorm(score, log = TRUE)))
}

take_normal_mixture <- function(mixture, rows) {
  mixture[c("mean", "sd")] <- list(mixture$mean[rows, , drop = FALSE],
    mixture$sd[rows, , drop = FALSE])
  mixture
}

normal_mixture_limits <- function(mixture, level) {
  list(lower = normal_mixture_quantile((1 - level) / 2, mixture),
    upper = normal_mixture_quantile((1 + level) / 2, mixture))
}

# The columns of predict() from the mixtures of a gaussian field and of a new observation.
normal_mixture_columns <- function(field, observation, settings) {
  shown <- if (settings$type == "link") field else observation
  columns <- if (settings$type == "quantile") quantile_columns(settings$probs,
    normal_mixture_quantile, mixture = observation) else
    list(mean = normal_mixture_mean(shown), sd = sqrt(normal_mixture_variance(shown)))
  limits <- switch(settings$interval, confidence = normal_mixture_limits(field, settings$level),
    prediction = normal_mixture_limits(observation, settings$level))
  exceeding <- if (identical(settings$threshold_of, "mean")) field else observation
  c(columns, limits, exceedance_columns(settings$threshold, settings$threshold_of,
    normal_mixture_distribution, exceeding, lower = FALSE))
}

# ---- scores and draws ----------------------------------------------------------------------------

# E|Y - y| - E|Y - Y'| / 2, from the mean absolute value of normals (Grimit et al. 2006, equation
# 5).
normal_mixture_crps <- function(y, mixture) {
  weights <- exp(mixture$log_weights)
  mean_absolute <- function(mean, variance) {
    sd <- sqrt(variance)
    mean * (2 * stats::pnorm(mean / sd) - 1) + 2 * sd * stats::dnorm(mean / sd)
  }
  apart <- mean_absolute(mixture$mean - y, mixture$sd^2) %*% weights
  for (s in which(weights > 0)) {
    apart <- apart - weights[s] / 2 * mean_absolute(mixture$mean - mixture$mean[, s],
      mixture$sd^2 + mixture$sd[, s]^2) %*% weights
  }
  drop(apart)
}

# Scores of each observation, as mixture_scores() has them.
normal_mixture_scores <- function(y, mixture, level) {
  pit <- normal_mixture_distribution(y, mixture)
  data.frame(mean = normal_mixture_mean(mixture), sd = sqrt(normal_mixture_variance(mixture)),
    crps = normal_mixture_crps(y, mixture), log_score = -normal_mixture_log_density(y, mixture),
    normal_mixture_limits(mixture, level), pit_lower = pit, pit_upper = pit, binary = FALSE)
}

# Draws of each row, independent of each other: rows x nsim.
normal_mixture_draws <- function(nsim, mixture) {
  rows <- nrow(mixture$mean)
  component <- sample.int(length(mixture$log_weights), rows * nsim, replace = TRUE,
    prob = exp(mixture$log_weights))
  at <- cbind(rep(seq_len(rows), nsim), component)
  matrix(stats::rnorm(rows * nsim, mixture$mean[at], mixture$sd[at]), rows, nsim)
}
