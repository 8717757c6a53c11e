# Where the search of a fit by pseudo-observations begins.

# Covariance and family start as for latent models (with_latent_start()), the nugget at
# pseudo-observations as they are, and the trend at that of the prior. Half of the dispersion that a
# model without a field needs is due to the field: the family's parameter starts at twice the
# estimate.
#
# A pseudo-observation contains all that its response says of the linear predictor, so that the
# nugget is at least 1. Without this limit the score would let it go to 0 where the noise of the
# responses hides the variance of the linear predictor. Scores would barely differ, but the linear
# predictor would be all but certain.
pseudo_observation_start <- function(problem) {
  problem <- with_pseudo_observations(problem, problem$start)
  c(problem$start, warm_links(problem) %||% replace(problem$loo$marginal$beta,
    problem$loo$design$intercept, 0))
}

# Trend and bias of the fit that is continued, as fit_method() returns them, in the columns of the
# design here.
warm_links <- function(problem) {
  warm <- problem$warm_start
  if (is.null(warm)) return(NULL)
  beta <- drop(crossprod(problem$loo$design$rotation,
    scaled_trend(problem$loo$design, core_trend(warm)$beta)))
  replace(beta, problem$loo$design$intercept,
    warm$pseudo_observations$bias[seq_along(problem$loo$design$intercept)])
}

robust_coefficients <- function(problem) {
  X <- problem$loo$design$X
  if (!ncol(X)) return(double(0))
  beta <- stats::lm.fit(X, robust_trend(problem$data) - problem$data$offset)$coefficients
  ifelse(is.na(beta), 0, unname(beta))
}

with_pseudo_observation_start <- function(problem) {
  problem <- with_latent_start(problem)
  layout <- problem$layout
  open <- problem$free & is.na(layout$start)
  nugget <- layout$kind == "nugget"
  problem$bounds$lower[nugget] <- 0
  problem$bounds$vanishing <- "variance"
  problem$bounds$upper[nugget] <- log(1e3)
  problem$start[nugget & open] <- 0
  if (!has_gamma_variables(problem$family)) {
    dispersion <- layout$kind == "family" & open
    problem$start[dispersion] <- problem$start[dispersion] + log(2)
  }
  problem$start <- clamp(problem$start, problem$bounds, problem$free)
  problem
}
