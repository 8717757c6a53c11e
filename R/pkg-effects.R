# All that knows about effects, which codes the data of the call anew by stats::glm() and puts in
# the trend's coefficients and their covariance matrix.

#' @exportS3Method effects::effSources
effSources.neargp <- function(mod) {
  check_one_trend(mod, "Effect()")
  call <- mod$call
  data <- needed_data(mod, "Effect()")
  call$data <- drop_geometry(data)
  sources <- list(call = call, formula = effect_terms(mod$formula)$trend)
  if (!has_effects(mod$data)) return(sources)
  # those of the formula's columns: smooths, centred, are at their mean of 0
  own <- seq_len(length(mod$beta) - count_smooth_columns(mod))
  c(sources, list(coefficients = mod$beta[own], vcov = mod$beta_vcov[own, own, drop = FALSE]))
}
