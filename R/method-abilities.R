# What a method is and can do, asked of it by code that knows no method. A method that differs from
# these defaults says so in its file.

# Whether its matrices are as large as all that a prediction is conditioned on: the CPU alone
# computes them.
is_dense <- function(method) {
  UseMethod("is_dense")
}

#' @export
is_dense.default <- function(method) FALSE

# Whether predictions and draws go through such matrices. Exact methods do without where neighbours
# are asked for; `exact`: whether they are not.
predicts_densely <- function(method, exact) exact || (is_dense(method) && !is_exact(method))

# Whether fits and predictions are without neighbours, unless these are asked for.
is_exact <- function(method) {
  UseMethod("is_exact")
}

#' @export
is_exact.default <- function(method) FALSE

# Whether predictions go through features of inducing points.
has_inducing_features <- function(method) {
  UseMethod("has_inducing_features")
}

#' @export
has_inducing_features.default <- function(method) FALSE

# Whether each class has a latent field of its own, which the data are pseudo-observations of; else
# labels are regressed on.
has_class_fields <- function(method) {
  UseMethod("has_class_fields")
}

#' @export
has_class_fields.default <- function(method) FALSE

# Whether there is a nugget: latent models of other responses have the scatter of their family
# instead.
has_nugget <- function(method) {
  UseMethod("has_nugget")
}

#' @export
has_nugget.default <- function(method) TRUE

# Whether its steps can be in single precision, of a gaussian response.
has_single_precision <- function(method) {
  UseMethod("has_single_precision")
}

#' @export
has_single_precision.default <- function(method) TRUE

# Whether it fits covariances with local standard deviations and ranges, to a response of this
# family.
takes_local_fields <- function(method, family) {
  UseMethod("takes_local_fields")
}

#' @export
takes_local_fields.default <- function(method, family) FALSE

# Whether a gaussian response may have a transform, and be recalibrated: its predictions are normal.
takes_transform <- function(method) {
  UseMethod("takes_transform")
}

#' @export
takes_transform.default <- function(method) TRUE

# Whether a GPU computes the evaluations of a fit by a dense method, of one output or of several.
device_has_objective <- function(method, family, several = FALSE) {
  UseMethod("device_has_objective")
}

#' @export
device_has_objective.default <- function(method, family, several = FALSE) FALSE

# Whether the response is fitted in a unit in which it scatters by about 1, see R/response-unit.R.
fits_in_response_unit <- function(method) {
  UseMethod("fits_in_response_unit")
}

#' @export
fits_in_response_unit.default <- function(method) TRUE

#' @export
fits_in_response_unit.neargp_method_families <- function(method) FALSE

#' @export
fits_in_response_unit.neargp_method_outputs <- function(method) FALSE

# Whether it predicts rows from the others, for diagnostics.
leaves_rows_out <- function(method) {
  UseMethod("leaves_rows_out")
}

#' @export
leaves_rows_out.default <- function(method) TRUE

# Whether all places may be on a line.
allows_flat_places <- function(method) {
  UseMethod("allows_flat_places")
}

#' @export
allows_flat_places.default <- function(method) FALSE

# Whether a fit can begin with parameters of one by another method.
begins_with_parameters <- function(method) {
  UseMethod("begins_with_parameters")
}

#' @export
begins_with_parameters.default <- function(method) TRUE

# Whether a fit that is continued keeps its inducing points, whichever are asked for.
keeps_inducing_points <- function(method) {
  UseMethod("keeps_inducing_points")
}

#' @export
keeps_inducing_points.default <- function(method) FALSE

# Whether the formula may have random effects and smooths, for a response of this family.
takes_effects <- function(method, family) {
  UseMethod("takes_effects")
}

#' @export
takes_effects.default <- function(method, family) FALSE

# Says whether rows must not share a location.
needs_distinct_locations <- function(method, problem) {
  UseMethod("needs_distinct_locations")
}

#' @export
needs_distinct_locations.default <- function(method, problem) {
  identical(problem$layout$value[problem$layout$kind == "nugget"], 0)
}
