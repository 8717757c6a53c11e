# Whether predictions of areas integrate over the covariance parameters.

# `parameters` of predict_areas() is "plug-in", "integrated", or NULL, the default. `points` is
# how many represent the areas.
integrates_areas <- function(parameters, object, points, settings) {
  if (is.null(parameters)) {
    return(!settings$joint && few_rows_of_areas(object) &&
      integrates_points(object, points, settings$context))
  }
  integrated <- is_integrated(parameters, object)
  if (integrated) check_integrated_type(settings$type, settings$joint)
  integrated
}

# 95% intervals of mean counts of areas cover 90 to 93% by the estimates of 100 rows, and 94% by
# those of 300 (bench/coverage.R). Beside the scatter of a new count this error is small.
few_rows_of_areas <- function(object) {
  if (is_gaussian(object$family)) return(integrates_by_default(object))
  stats::nobs(object) <= 100L && !has_effects(object$data) && is_integrable(object) &&
    has_posterior(object)
}

# The fit at each point of the posterior predicts all points of the areas. More than these would
# take the default from a second to minutes.
most_points_of_fits <- 5e5

integrates_points <- function(object, points, context) {
  fits <- length(integrated_fits(object, context)$fits)
  if (as.double(points) * fits <= most_points_of_fits) return(TRUE)
  inform_neargp("parameters", c(
    sprintf("The covariance parameters are taken as known: %s points by each of %s fits take long.",
      format_count(points), format_count(fits)),
    i = "Use parameters = \"integrated\" to average over them, or a larger `spacing`."))
  FALSE
}
