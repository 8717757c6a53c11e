# Distributions that are known by draws, a row of `draws` for each, and by their mean and standard
# deviation. Quantiles of `whole` numbers are draws.

new_drawn <- function(mean, sd, draws, whole = FALSE) {
  new_predictive(list(mean = mean, sd = sd, draws = draws, whole = whole), "drawn")
}

#' @export
`[.neargp_drawn` <- function(x, i) {
  new_drawn(x$mean[i], x$sd[i], x$draws[i, , drop = FALSE], x$whole)
}

#' @export
predictive_mean.neargp_drawn <- function(distribution) distribution$mean

#' @export
predictive_variance.neargp_drawn <- function(distribution) distribution$sd^2

#' @export
predictive_cdf.neargp_drawn <- function(q, distribution, lower = TRUE) {
  if (lower) rowMeans(distribution$draws <= q) else rowMeans(distribution$draws > q)
}

#' @export
predictive_quantile.neargp_drawn <- function(p, distribution) {
  apply(distribution$draws, 1L, stats::quantile, p, names = FALSE,
    type = if (distribution$whole) 1L else 7L)
}

#' @export
predictive_draws.neargp_drawn <- function(nsim, distribution) {
  distribution$draws[, sample.int(ncol(distribution$draws), nsim, replace = TRUE), drop = FALSE]
}
