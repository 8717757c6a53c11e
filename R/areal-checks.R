# Checks of what responses on areas support.

check_areal <- function(settings, areal, formula, locations, transform) {
  check_areal_family(settings$family)
  if (!has_ability(settings$method, "areal_rows")) {
    refuse_areal(method_call(settings$method), sprintf("Use %s.", able_methods("areal_rows", "or")))
  }
  if (!is.null(transform)) {
    refuse_areal("a transform",
      "A mean of transformed values is not the transform of the mean: transform in the formula if you want the mean of transformed values.")
  }
  if (!is.null(locations$time)) refuse_areal("a time", "Fit the times one by one.")
  if (settings$device == "cuda") check_dense_device("cuda")
  if (!is.null(areal$values) && formula_has_effects(formula)) {
    refuse_areal("covariates at points together with random effects or smooths",
      "Give the means of the covariates as columns of `data`.")
  }
}

check_areal_family <- function(family) {
  check_gaussian(family, refuse_areal(sprintf("the family %s", family$family),
    "Counts: give rates as a Gaussian response, with weights = their denominators; or the centres by sf::st_centroid()."))
}

check_areal_covariance <- function(settings, data) {
  if (!is.null(data$output)) refuse_areal("several responses", "Fit the responses one by one.")
  if (has_space_time(settings$covariance)) {
    refuse_areal("cov_spacetime()", "Fit the times one by one.")
  }
  if (has_local_fields(settings$covariance)) {
    refuse_areal("local sd, range, warp or `by`", "Leave them out of the covariance.")
  }
}

refuse_areal <- function(what, remedy) {
  abort_neargp("support", c(sprintf("Responses on areas are not fitted with %s.", what),
    i = remedy))
}

describe_support <- function(locations) {
  known <- locations$support
  if (is.null(known)) return("")
  sprintf("; %s of up to %s", counted(known$areas, "area"), counted(known$points, "point"))
}
