# Predictions of areas need a fit with one field whose posterior is normal at any number of
# locations. Fits with several responses or classes do not support them. `odvgp()` is excluded since
# its mean is exact, while its covariance is that of svgp().

# `by_cell`: whether each location keeps covariates of its own for parameters of the family.
check_predicts_areas <- function(object, by_cell = FALSE) {
  refuse_compressed(object, "A prediction of areas")
  if (!is.null(object$data$noise) && has_transform(object$family)) {
    refuse_noise("over areas with a transform", "Fit the transformed response, whose areas are without noise.")
  }
  if (!by_cell && !is.null(object$data$parameter_models)) {
    refuse_family_formulas("in joint predictions of several locations",
      "predict() supports them at single locations, and predict_index() in grids.")
  }
  if (has_ability(object$method, "area_means", object)) return(invisible())
  abort_neargp("method", c(
    sprintf("Fits by %s do not support predictions of areas.", method_call(object$method)),
    i = sprintf("Predictions of areas are available for one response, not for categories, by %s.", able_methods("area_means"))))
}
