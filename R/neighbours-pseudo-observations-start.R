# Where the search of a fit by pseudo-observations begins.

# Covariance and family as for latent models (with_latent_start()), the pseudo-observations taken as
# they are, and the trend of the prior. Dispersion that a model without a field needs is half the
# field's: its parameter starts at twice the estimate.
#
# A pseudo-observation holds all that its response says of the linear predictor, so that the nugget
# is 1 at least. The score would let it go to 0 where the noise of the responses hides what the
# linear predictor's variance is: scores would barely differ, but the predictor be all but certain.
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
