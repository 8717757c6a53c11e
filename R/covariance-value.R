#' Covariance as a function of distance
#'
#' The covariance curve: of a covariance setting whose parameters are all fixed, or of a fitted
#' model at its estimates. Without the nugget.
#'
#' @param object a covariance made by [cov_matern()] and its relatives, or a fit of [neargp()].
#' @param distance numeric vector of distances, in the units of the range (kilometres for longitude
#'   and latitude).
#' @param ... for fits: `direction`, the direction in degrees clockwise from the second axis
#'   (north), for anisotropic covariances; by default that of the major axis. With several ranges
#'   (time, `ard`) the distance is along the first coordinate.
#' @return Numeric vector of covariances as long as `distance`.
#' @examples
#' covariance_value(cov_exponential(variance = 2, range = 5), distance = c(0, 5, 15))
#' @export
covariance_value <- function(object, distance, ...) {
  check_required()
  UseMethod("covariance_value")
}

#' @export
covariance_value.default <- function(object, distance, ...) {
  abort_argument("object", "a covariance or a fit of neargp()", object)
}

#' @export
covariance_value.neargp_covariance <- function(object, distance, ...) {
  open <- vapply(object$components, function(x) is.null(x$variance) || is.null(x$range) ||
    anyNA(x$range) ||
    (is.null(x$shape) && !is.null(family_shape(x$family))) || isTRUE(x$anisotropy), NA)
  if (any(open)) {
    abort_neargp("argument",
      c("The covariance has parameters that are not fixed, so it has no values yet.",
        i = "Give `variance`, `range` and the shape as numbers, or use a fit of neargp()."))
  }
  components <- lapply(object$components, function(x) list(family = x$family, variance = x$variance,
    range = x$range[1L], shape = if (is.null(x$shape)) double(0) else x$shape))
  sum_of_covariances(components, distance,
    directional_range = function(component) component$range[1L])
}

#' @export
covariance_value.neargp <- function(object, distance, direction = NULL, ...) {
  check_fit(object)
  check_no_more_arguments()
  along <- function(component) range_in_direction(component, direction)
  sum_of_covariances(object$core_covariance$components, distance, directional_range = along)
}

sum_of_covariances <- function(components, distance, directional_range) {
  if (!is.numeric(distance) || anyNA(distance) || any(distance < 0)) {
    abort_argument("distance", "a vector of distances of at least 0", distance)
  }
  parts <- lapply(components, function(component) {
    component$variance * correlation_at(component, distance / directional_range(component))
  })
  Reduce(`+`, parts)
}

# Correlation at distances given in units of the range. Their squares must be numbers: every
# correlation is 0 at infinity, but a Cauchy covariance of small shape is far from 0 where the
# square of a finite distance overflows.
correlation_at <- function(component, scaled_distance) {
  infinite <- is.infinite(scaled_distance)
  if (any(scaled_distance[!infinite] > 1e150)) {
    abort_neargp("argument", "`distance` must be at most 1e150 times the range, or Inf.")
  }
  scaled_distance[infinite] <- 0
  values <- core_correlation(list(
    family = component$family, variance = 1, range = 1, group = 1L, anisotropy = double(0),
    shape = component$shape
  ), as.double(scaled_distance))
  replace(values, infinite, 0)
}

# Scaled length of the unit vector e in a direction is |exp(-B) e| / range with B = [[u, v], [v,
# -u]]. B squared is h^2 times the identity (h^2 = u^2 + v^2), so that |exp(-B) e|^2 = e' exp(-2B) e
# = cosh(2h) - sinh(2h) cos(2 (phi - phi_major)).
range_in_direction <- function(component, direction) {
  if (!length(component$anisotropy)) return(component$range[1L])
  h <- sqrt(sum(component$anisotropy^2))
  if (is.null(direction)) return(component$range[1L] * exp(h))
  check_number(direction, "direction")
  phi <- (90 - direction) * pi / 180
  phi_major <- atan2(component$anisotropy[2L], component$anisotropy[1L]) / 2
  component$range[1L] / sqrt(cosh(2 * h) - sinh(2 * h) * cos(2 * (phi - phi_major)))
}
