# Penalties of an objective. A ridge subtracts penalty / 2 * sum((coefficient - center)^2). It
# serves the coefficients of local fields and warps about 0, of covariates with standard deviation
# 1, and the parameters of features about their medians (feature-priors.R). Priors add their log
# densities (priors.R). Both are functions of the working parameters in units of log-likelihood,
# whatever the number of rows. The layout holds their numbers.

has_ridge <- function(layout) any(layout$penalty > 0)

has_prior <- function(layout) any(layout$prior_rate > 0)

penalty_at <- function(layout, working) {
  penalised <- layout$penalty > 0
  ridge <- if (any(penalised)) 0.5 * sum(layout$penalty[penalised] *
    from_center(layout, working)[penalised]^2) else 0
  if (has_prior(layout)) ridge - prior_log_density(layout, working) else ridge
}

# A state of an objective with the penalty taken from it.
penalised_state <- function(state, layout, working) {
  if (!(has_ridge(layout) || has_prior(layout)) || !is.finite(state$value)) return(state)
  state$value <- state$value - penalty_at(layout, working)
  if (!is.null(state$gradient)) {
    state$gradient <- penalised_gradient(state$gradient, layout, working)
  }
  if (!is.null(state$information)) {
    state$information <- state$information + diag(penalty_curvature(layout, working), nrow(layout))
  }
  state
}

penalised_gradient <- function(gradient, layout, working) {
  if (has_ridge(layout)) {
    penalised <- layout$penalty > 0
    gradient[penalised] <- gradient[penalised] - layout$penalty[penalised] *
      from_center(layout, working)[penalised]
  }
  if (has_prior(layout)) gradient <- gradient + prior_slope(layout, working)
  gradient
}

from_center <- function(layout, working) working - (layout$penalty_center %||% 0)

penalty_curvature <- function(layout, working) {
  if (has_prior(layout)) layout$penalty + prior_curvature(layout, working) else layout$penalty
}
