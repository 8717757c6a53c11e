# The random effects of a latent model are part of its linear predictor. The core takes their
# columns Z L and coefficients u ~ N(0, I), see latent/effect_posterior.h. It returns B, the
# derivative of its objective with respect to these columns. The derivative with respect to a
# parameter of L is sum(B * (Z dL)).

count_effects <- function(data) if (has_effects(data)) ncol(data$effects$Z) else 0L

set_latent_effects <- function(latent, data, effects) {
  core_latent_set_effects(latent$pointer, times_factors(data$effects$Z, effects$blocks,
    effects$factors))
}

latent_effects_gradient <- function(data, layout, values, effects, d_design) {
  unlist(Map(function(block, factor) {
    slopes <- factor_slopes(factor, values[match(block$parameters, layout$name)], block$d)
    own <- block$columns
    sums <- level_products(t(data$effects$Z[, own, drop = FALSE]),
      t(d_design[, own, drop = FALSE]), block_alone(block))
    vapply(slopes, function(slope) sum(slope * sums), 0)
  }, effects$blocks, effects$factors))
}

# The state of the core with the coefficients b = L u of Z, in place of the coefficients u of Z L.
# The response of the field to b is H L^-1.
with_latent_effects <- function(state, data, effects) {
  trend <- seq_len(ncol(data$X))
  shifted <- blocks_after(length(trend), effects$blocks)
  u <- state$beta[-c(trend, length(state$beta) + 1L)]
  state$beta <- c(state$beta[trend], from_spherical(u, effects$blocks, effects$factors))
  state$beta_vcov <- from_both_sides(state$beta_vcov, shifted, effects$factors)
  state$field_response <- times_factors(state$field_response, shifted,
    inverse_factors(effects$factors))
  state
}

# The coefficients of the trend and u of a fit, as the core takes them.
spherical_trend <- function(fit) {
  beta <- core_trend(fit)$beta
  effects <- fitted_effects(fit)
  if (is.null(effects)) return(beta)
  trend <- seq_along(fit$beta)
  b <- beta[-c(trend, length(beta) + 1L)]
  c(beta[trend], from_spherical(b, effects$blocks, inverse_factors(effects$factors)))
}

inverse_factors <- function(factors) {
  lapply(factors, function(factor) backsolve(factor, diag(nrow(factor)), upper.tri = FALSE))
}

# Returns the result of independent_effects() for the working response, and its residual `variance`.
independent_latent_effects <- function(problem) {
  working <- response_problem(problem, without_effect_columns(problem$data))
  working$layout <- problem$layout
  c(independent_effects(working), variance = residual_variance(working$data))
}

# Starting values of a latent model with random effects. The effects are started from the working
# response of a generalised linear model, which is Gaussian.
latent_effects_start <- function(problem) {
  own <- problem$layout$kind %in% effect_kinds
  plain <- problem
  plain$data$effects <- NULL
  plain$layout <- problem$layout[!own, ]
  plain$free <- problem$free[!own]
  plain <- with_latent_start(plain)
  found <- independent_latent_effects(problem)
  # those of the family are before the effects
  bounds <- lapply(plain$bounds[c("lower", "upper")], c, rep(0, sum(own)))
  problem$bounds <- with_link_bounds(with_effect_bounds(bounds, problem, found$variance), problem)
  start <- c(plain$start, start_of_effects(problem$layout[own, ], found$working))
  problem$start <- clamp(start, problem$bounds, problem$free)
  problem
}
