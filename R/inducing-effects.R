# Random effects of fits on inducing points. The core takes their columns E = Z L and integrates out
# the coefficients u ~ N(0, I) (src/core/variational/collapsed_bound.h). It returns the mean of u,
# and the covariance matrix C^-1 of u about this mean given the trend. At the best trend and u
#
#   E' dF/dE = u u' + C^-1 - I.
#
# A parameter of L changes E by E L^-1 dL. Its derivative is therefore the sum over the levels of
# the blocks of this matrix, times L^-1 dL.

# The ELBO of columns of response and design. The noise variance of row i is nugget noise_scale[i].
bound_of_columns <- function(columns, noise_scale, data, covariance, nugget, positions, method,
                             derivatives, context, effects) {
  found <- core_collapsed_bound(data$coords, with_spherical_columns(columns, data, effects),
    count_effects(data), noise_scale, positions, covariance, nugget, method$bound, method$jitter,
    derivatives, context)
  with_bound_effects(found, data, effects)
}

# Columns whose last ones, Z, are in the form that the core takes. `effects`: of effects_at().
with_spherical_columns <- function(columns, data, effects) {
  if (is.null(effects)) return(columns)
  times_factors(columns, blocks_after(ncol(columns) - count_effects(data), effects$blocks),
    effects$factors)
}

# The core's result with coefficients of Z, and with `known_trend`, their covariance matrix where
# the trend is known.
with_bound_effects <- function(found, data, effects) {
  if (is.null(effects) || nzchar(found$failure)) return(found)
  own <- ncol(data$X) + seq_len(count_effects(data))
  found$moments <- tcrossprod(found$beta[own]) + found$effects - diag(length(own))
  found$known_trend <- from_both_sides(found$effects, effects$blocks, effects$factors)
  found$field_response <- found$weights[, -1L, drop = FALSE]
  found <- with_latent_effects(found, data, effects)
  found$weights <- cbind(found$weights[, 1L], found$field_response)
  found
}

# The gradient of the ELBO in the working parameters of the layout, from that of the core, which
# contains all but the parameters of effects.
with_layout_slopes <- function(found, layout, values, effects) {
  of_core <- !layout$kind %in% effect_kinds
  slope <- core_to_working_slope(layout, values)[of_core] * found$gradient
  found$gradient <- replace(double(nrow(layout)), of_core, slope)
  with_effects_slopes(found, layout, values, effects)
}

with_effects_slopes <- function(found, layout, values, effects) {
  if (is.null(effects)) return(found)
  found$gradient[layout$kind %in% effect_kinds] <- unlist(Map(function(block, factor) {
    slopes <- factor_slopes(factor, values[match(block$parameters, layout$name)], block$d)
    sums <- level_sums(found$moments, block)
    vapply(slopes, function(slope) sum(sums * backsolve(factor, slope, upper.tri = FALSE)), 0)
  }, effects$blocks, effects$factors))
  found
}

# The variance that the effects add to each row, with the trend known. `unseen`: columns of response
# and design less the part that the field explains.
effects_spread <- function(unseen, found) {
  if (is.null(found$known_trend)) return(0)
  own <- ncol(unseen) - ncol(found$known_trend) + seq_len(ncol(found$known_trend))
  row_forms(unseen[, own, drop = FALSE], found$known_trend)
}

# ---- the way to the search -----------------------------------------------------------------------

# The problem of the field alone, after subtracting effects that are predicted without a field. The
# stages before the search over all rows work without effects.
problem_of_field <- function(problem) {
  if (!has_effects(problem$data)) return(problem)
  own <- problem$layout$kind %in% effect_kinds
  field <- without_effects(problem, independent_latent_effects(problem)$effects)
  field$start <- problem$start[!own]
  field$bounds <- lapply(problem$bounds[c("lower", "upper")], `[`, !own)
  field$keep <- NULL
  field
}

# Working parameters of the whole layout: those of the field, and effects where they begin.
beside_effects <- function(problem, of_field) {
  if (length(of_field) == length(problem$start)) return(of_field)
  replace(problem$start, !problem$layout$kind %in% effect_kinds, of_field)
}

refuse_effects_by_batches <- function(method, data) {
  if (!has_effects(data)) return(invisible())
  refuse_batches(method, "random effects and smooths")
  refuse_kl_weight(method, "random effects and smooths")
}
