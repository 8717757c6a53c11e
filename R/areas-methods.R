# Areas are predicted of fits with one field, whose posterior is normal at any number of locations:
# not of several responses and classes, nor of odvgp(), whose mean is not that of its covariance.

check_predicts_areas <- function(object) {
  refuse_compressed(object, "A prediction of areas")
  if (!is.null(object$data$noise) && has_transform(object$family)) {
    refuse_noise("over areas with a transform", "Fit the transformed response, whose areas are without noise.")
  }
  if (has_ability(object$method, "area_means", object)) return(invisible())
  abort_neargp("method", c(
    sprintf("Fits by %s do not support predictions of areas.", method_call(object$method)),
    i = sprintf("Predictions of areas are available for one response, not for categories, by %s.", able_methods("area_means"))))
}
