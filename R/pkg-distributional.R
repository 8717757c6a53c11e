# All code for distributional: predictive distributions of new observations as a vector, which
# ggdist, fable and hilo() read. Normal and log-normal ones are those of distributional. Others are
# of class "dist_neargp", a predictive distribution of one row.

check_distribution_type <- function(type, given) {
  if (type != "distribution") return(invisible())
  require_package("distributional", "for type = \"distribution\"")
  for (name in names(given)) {
    if (identical(given[[name]], "none") || is.null(given[[name]])) next
    abort_argument(name, "left out with type = \"distribution\"", given[[name]])
  }
}

predicted_distributions <- function(object, newdata, settings) {
  if (is_raster(newdata) || is_stars(newdata)) {
    abort_neargp("newdata", c("type = \"distribution\" returns a vector, which is not for grids.",
      i = "Give the cells as a data frame."))
  }
  settings$context <- prediction_context(object, target_size(newdata), settings)
  target <- new_target(object, newdata, settings$part)
  tell_far_locations(object, target, settings)
  moments <- with_noise_of_targets(chunked_moments(object, target, settings), target, settings,
    object)
  as_distributional(given_distributions(object, moments, settings)$observation)
}

as_distributional <- function(distribution) {
  if (inherits(distribution, "neargp_normal")) {
    return(distributional::dist_normal(distribution$mean, distribution$sd))
  }
  if (inherits(distribution, "neargp_transformed_mixture") && is_closed_lognormal(distribution)) {
    return(distributional::dist_lognormal(distribution$mean, transformed_sd(distribution)))
  }
  rows <- seq_along(predictive_mean(distribution))
  distributional::new_dist(row = lapply(rows, function(i) distribution[i]), class = "dist_neargp")
}

# ---- methods for one distribution ----------------------------------------------------------------

repeated_row <- function(x, count) x$row[rep(1L, count)]

#' @export
mean.dist_neargp <- function(x, ...) predictive_mean(x$row)

#' @exportS3Method distributional::covariance
covariance.dist_neargp <- function(x, ...) predictive_variance(x$row)

#' @export
quantile.dist_neargp <- function(x, p, ...) {
  value <- rep(NA_real_, length(p))
  within <- which(p > 0 & p < 1)
  value[within] <- vapply(p[within], predictive_quantile, 0, distribution = x$row)
  limits <- limits_of_support(x$row)
  value[p %in% 0] <- limits[1L]
  value[p %in% 1] <- limits[2L]
  value
}

#' @exportS3Method distributional::cdf
cdf.dist_neargp <- function(x, q, ...) predictive_cdf(q, repeated_row(x, length(q)))

#' @export
density.dist_neargp <- function(x, at, ...) {
  exp(predictive_log_density(at, repeated_row(x, length(at))))
}

#' @importFrom generics generate
#' @export
generate.dist_neargp <- function(x, times, ...) drop(predictive_draws(times, x$row))

#' @export
format.dist_neargp <- function(x, digits = 2, ...) {
  sprintf("neargp(%s, %s)", format(predictive_mean(x$row), digits = digits),
    format(predictive_sd(x$row), digits = digits))
}

# The least and the largest number that is possible.
limits_of_support <- function(distribution) {
  if (inherits(distribution, "neargp_drawn")) return(range(distribution$draws))
  if (inherits(distribution, "neargp_recalibrated")) return(limits_of_support(distribution$base))
  if (inherits(distribution, "neargp_normal_mixture")) return(c(-Inf, Inf))
  if (inherits(distribution, "neargp_inflated")) return(c(0, Inf))
  switch(mixture_rule(distribution)$scale, identity = c(-Inf, Inf), log = c(0, Inf),
    c(0, distribution$trials))
}
