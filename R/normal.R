# Normal distributions, one for each row.

new_normal <- function(mean, sd) new_predictive(list(mean = mean, sd = sd), "normal")

#' @export
`[.neargp_normal` <- function(x, i) new_normal(x$mean[i], x$sd[i])

#' @export
predictive_mean.neargp_normal <- function(distribution) distribution$mean

#' @export
predictive_variance.neargp_normal <- function(distribution) distribution$sd^2

#' @export
predictive_cdf.neargp_normal <- function(q, distribution, lower = TRUE) {
  stats::pnorm(q, distribution$mean, distribution$sd, lower.tail = lower)
}

#' @export
predictive_quantile.neargp_normal <- function(p, distribution) {
  stats::qnorm(p, distribution$mean, distribution$sd)
}

#' @export
predictive_log_density.neargp_normal <- function(y, distribution) {
  stats::dnorm(y, distribution$mean, distribution$sd, log = TRUE)
}

# Gneiting and Raftery (2007), equation 21. Without spread it is the absolute error.
#' @export
predictive_crps.neargp_normal <- function(observed, distribution) {
  sd <- distribution$sd
  error <- observed - distribution$mean
  z <- error / sd
  score <- sd * (z * (2 * stats::pnorm(z) - 1) + 2 * stats::dnorm(z) - 1 / sqrt(pi))
  certain <- !is.na(sd) & rep_len(sd == 0, length(score))
  score[certain] <- abs(error)[certain]
  score
}

#' @export
predictive_draws.neargp_normal <- function(nsim, distribution) {
  n <- length(distribution$mean)
  matrix(stats::rnorm(n * nsim, distribution$mean, distribution$sd), n)
}

#' @export
predictive_limits.neargp_normal <- function(distribution, level) {
  normal_limits(distribution$mean, distribution$sd, level)
}

#' @export
normal_residuals.neargp_normal <- function(observed, distribution) {
  (observed - distribution$mean) / distribution$sd
}

normal_limits <- function(mean, sd, level) {
  half_width <- stats::qnorm((1 + level) / 2) * sd
  list(lower = mean - half_width, upper = mean + half_width)
}
