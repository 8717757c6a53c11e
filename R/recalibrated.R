# A continuous distribution under the map q of a recalibration (R/recalibrate.R). With F the
# distribution function of `base` and X standard normal, Y = F^-1(Phi(q(X))). P(Y <= y) is therefore
# Phi(q^-1(z)), where z is the normal score of y: Phi(z) = F(y).

new_recalibrated <- function(base, map) {
  if (is.null(map)) base else new_predictive(list(base = base, map = map), "recalibrated")
}

#' @export
`[.neargp_recalibrated` <- function(x, i) new_recalibrated(x$base[i], x$map)

# Normal scores, from the nearer tail. Beyond 37 there are no probabilities in doubles.
predictive_scores <- function(y, distribution) {
  below <- predictive_cdf(y, distribution)
  above <- predictive_cdf(y, distribution, lower = FALSE)
  score <- ifelse(below < 0.5, stats::qnorm(below), stats::qnorm(above, lower.tail = FALSE))
  pmin(pmax(score, -37), 37)
}

#' @export
predictive_cdf.neargp_recalibrated <- function(q, distribution, lower = TRUE) {
  x <- recalibrated_score(predictive_scores(q, distribution$base), distribution$map)
  stats::pnorm(x, lower.tail = lower)
}

# `p`: one number.
#' @export
predictive_quantile.neargp_recalibrated <- function(p, distribution) {
  z <- recalibrated_residual(stats::qnorm(p), distribution$map)
  within <- min(max(stats::pnorm(z), 1e-300), 1 - .Machine$double.eps)
  predictive_quantile(within, distribution$base)
}

# The density of X and the slope of its map give it, as dF(y) = phi(z) dz.
#' @export
predictive_log_density.neargp_recalibrated <- function(y, distribution) {
  z <- predictive_scores(y, distribution$base)
  value <- predictive_log_density(y, distribution$base)
  known <- which(!is.na(z))
  value[known] <- value[known] + recalibrated_log_density(z[known], distribution$map) -
    stats::dnorm(z[known], log = TRUE)
  value
}

#' @export
predictive_draws.neargp_recalibrated <- function(nsim, distribution) {
  ends <- lapply(range(breaks_of_integral), predictive_quantile, distribution)
  rows <- rep(seq_along(ends[[1L]]), nsim)
  drawn <- stats::runif(length(rows))
  found <- bisect(function(y) predictive_cdf(y, distribution[rows]) > drawn, ends[[1L]][rows],
    ends[[2L]][rows], steps = 52L)
  matrix((found$low + found$high) / 2, ncol = nsim)
}

# ---- integrals -----------------------------------------------------------------------------------

# Quantiles between which the distribution function is integrated. Less lies beyond the outermost
# than doubles distinguish of a moment.
breaks_of_integral <- c(1e-12, 1e-7, 1e-4, 0.01, 0.1, 0.35, 0.65, 0.9, 0.99, 1 - 1e-4, 1 - 1e-7,
  1 - 1e-12)

# Nodes and weights of Gauss-Legendre rules between these quantiles and `further` points, a row for
# each distribution.
integral_nodes <- function(distribution, further = NULL) {
  quantiles <- lapply(breaks_of_integral, predictive_quantile, distribution)
  ends <- cbind(do.call(cbind, quantiles), further)
  known <- stats::complete.cases(ends)
  ends[known, ] <- t(apply(ends[known, , drop = FALSE], 1L, sort))
  rule <- legendre_rules[[1L]]
  left <- ends[, -ncol(ends), drop = FALSE]
  half <- (ends[, -1L, drop = FALSE] - left) / 2
  pieces <- seq_len(ncol(half))
  list(y = do.call(cbind, lapply(pieces, function(j) left[, j] + outer(half[, j], 1 + rule$nodes))),
    weight = do.call(cbind, lapply(pieces, function(j) outer(half[, j], rule$weights))),
    to = unname(ends[, ncol(ends)]))
}

cdf_at <- function(y, distribution) {
  do.call(cbind, lapply(seq_len(ncol(y)), function(j) predictive_cdf(y[, j], distribution)))
}

# Moments follow from integrals up to the upper end b. E(Y - c) is b - c minus the integral of F.
# With d = y - c the mean of (Y - c)^2 is its value at b minus the integral of 2 d F.
recalibrated_shape <- function(distribution) {
  center <- predictive_quantile(0.5, distribution)
  nodes <- integral_nodes(distribution)
  below <- cdf_at(nodes$y, distribution) * nodes$weight
  end <- nodes$to - center
  mean <- end - rowSums(below)
  square <- end^2 - 2 * rowSums(below * (nodes$y - center))
  list(mean = center + mean, variance = pmax(square - mean^2, 0))
}

#' @export
predictive_mean.neargp_recalibrated <- function(distribution) recalibrated_shape(distribution)$mean

#' @export
predictive_variance.neargp_recalibrated <- function(distribution) {
  recalibrated_shape(distribution)$variance
}

# The integral of (F(y) - 1{y >= observed})^2, on both sides of the observed value.
#' @export
predictive_crps.neargp_recalibrated <- function(observed, distribution) {
  nodes <- integral_nodes(distribution, observed)
  below <- cdf_at(nodes$y, distribution)
  unname(rowSums(nodes$weight * (below - (nodes$y >= observed))^2))
}
