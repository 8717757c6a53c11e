# Which fits areas are predicted of: those with one field, whose posterior is normal at any number
# of places.
predicts_areas <- function(method, object) {
  UseMethod("predicts_areas")
}

#' @export
predicts_areas.default <- function(method, object) is_gaussian(object$family)

#' @export
predicts_areas.neargp_method_families <- function(method, object) FALSE

#' @export
predicts_areas.neargp_method_classes <- function(method, object) FALSE

#' @export
predicts_areas.neargp_method_outputs <- function(method, object) FALSE

#' @export
predicts_areas.neargp_loo_k_families <- function(method, object) TRUE

#' @export
predicts_areas.neargp_vnngp <- function(method, object) !is_mean_field(method)

#' @export
predicts_areas.neargp_swsgp <- function(method, object) FALSE

#' @export
predicts_areas.neargp_deep <- function(method, object) FALSE

# Of several outputs and classes the field is not one; odvgp() has another mean than covariance.
#' @export
predicts_areas.neargp_svgp <- function(method, object) {
  is.null(object$outputs) && is.null(object$classifier)
}

#' @export
predicts_areas.neargp_odvgp <- function(method, object) FALSE

#' @export
predicts_areas.neargp_ppgpr <- function(method, object) FALSE

check_predicts_areas <- function(object) {
  refuse_compressed(object, "A prediction of areas")
  if (!is.null(object$data$noise) && has_transform(object$family)) {
    refuse_noise("over areas with a transform", "Fit the transformed response, whose areas have no noise.")
  }
  if (predicts_areas(object$method, object)) return(invisible())
  abort_neargp("method", c(
    sprintf("Areas are not predicted of this fit by %s.", method_call(object$method)),
    i = "They are of one response, not of classes, by vecchia(), exact_gp(), loo_k(), mll_k(), svgp(), and vnngp() with its sparse posterior or Laplace's."))
}
