#' Covariance as a function of distance
#'
#' @description
#' Returns the covariance of a fit at its estimates, or of a covariance whose parameters are all
#' fixed, without the nugget.
#'
#' ```r
#' covariance_value(cov_exponential(variance = 2, range = 5), distance = c(0, 5, 15))
#' ```
#'
#' @details
#' For a component with `by = ~ x`, a covariance uses `x = 1`, and a fit the root mean square of
#' `x`. You can compute a variogram as the covariance at 0 minus the covariance at the distance,
#' plus the nugget.
#'
#' @param object a fit by [neargp()], or a covariance such as [cov_matern()].
#' @param distance numbers, the distances in units of the range (kilometres for degrees).
#' @param ... arguments of the methods.
#' @param direction the direction of anisotropic covariances, in degrees clockwise from the second
#'   axis (north), and horizontal in three dimensions. Default `NULL`: the major axis. With several
#'   ranges, the distance is along the first coordinate.
#' @param time numbers, the time lags in units of the time range: one or as many as `distance`.
#'   Default: see Usage. Lags need a fit with `time`, or a covariance whose last range is that of
#'   time.
#' @return Numbers, the covariances at `distance` and `time`.
#' @seealso [covariance], [empirical_variogram()]
#' @examples
#' covariance_value(cov_exponential(variance = 2, range = 5), distance = c(0, 5, 15))
#' covariance_value(cov_spacetime(cov_exponential(2, c(5, 1)), alpha = 1, beta = 0.5),
#'   distance = 5, time = c(0, 1, 2))
#' @export
covariance_value <- function(object, distance, ...) {
  check_required()
  UseMethod("covariance_value")
}

#' @export
covariance_value.default <- function(object, distance, ...) {
  abort_argument("object", "a covariance or a fit of neargp()", object)
}

#' @rdname covariance_value
#' @export
covariance_value.neargp_covariance <- function(object, distance, time = 0, ...) {
  check_no_more_arguments()
  if (has_linear(object)) {
    abort_neargp("argument", "With cov_linear() the covariance is not a function of distance.")
  }
  object$components <- lapply(object$components, with_time_range, groups = list(names = 1:2))
  open <- vapply(object$components, function(x) is.null(x$variance) || is.null(x$range) ||
    anyNA(x$range) || has_open_space_time(x) ||
    (is.null(x$shape) && !is.null(family_shape(x$family))) || estimates_axes(x), NA)
  if (any(open)) {
    abort_neargp("argument",
      c("Some parameters of the covariance are not fixed, so its values are unknown.",
        i = "Give `variance`, `range` and the shape as numbers, or use a fit of neargp()."))
  }
  components <- lapply(object$components, function(x) list(family = x$family, variance = x$variance,
    range = x$range, shape = if (is.null(x$shape)) double(0) else x$shape,
    space_time = x$space_time))
  check_lags(time, all(lengths(lapply(components, `[[`, "range")) > 1L))
  sum_of_covariances(components, distance,
    directional_range = function(component) component$range[1L], time = time)
}

check_lags <- function(time, possible) {
  if (!is.numeric(time) || anyNA(time)) abort_argument("time", "a vector of lags in time", time)
  if (possible || all(time == 0)) return(invisible())
  abort_neargp("argument", c("The covariance does not include a range in time, so `time` must be 0.",
    i = "Give the range in time as the last number of `range`, or in cov_spacetime()."))
}

sum_of_covariances <- function(components, distance, directional_range, time = 0) {
  if (!is.numeric(distance) || anyNA(distance) || any(distance < 0)) {
    abort_argument("distance", "a vector of distances of at least 0", distance)
  }
  if (!length(time) %in% c(1L, length(distance)) && length(distance) != 1L) {
    abort_neargp("length", sprintf("`distance` and `time` must be of one length, not %d and %d.",
      length(distance), length(time)))
  }
  parts <- lapply(components, function(component) {
    r <- distance / directional_range(component)
    u <- abs(time) / range_of_time(component)
    if (is_periodic(component)) {
      lag <- periodic_lag(component, distance, abs(time))
      return(component$variance * correlation_at(component, lag / component$range))
    }
    component$variance * (if (all(time == 0)) correlation_in_space(component, r) else if
      (is_space_time(component)) space_time_correlation(component, r, u) else
      correlation_at(component, sqrt(r^2 + u^2)))
  })
  Reduce(`+`, parts)
}

# The range of the last coordinate. A component of a fit that does not depend on it is constant.
range_of_time <- function(component) {
  last <- utils::tail(component$group %||% length(component$range), 1L)
  if (last > 0L) component$range[last] else Inf
}

# The correlation at one time.
correlation_in_space <- function(component, scaled_distance) {
  if (is_space_time(component)) space_time_correlation(component, scaled_distance, 0) else
    correlation_at(component, scaled_distance)
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

# The same for space and time, at distances and lags in units of their ranges, by the core's matrix
# of points on a line. Beyond the core's greatest coordinate a correlation is the one at infinity.
space_time_correlation <- function(component, r, u) {
  component[c("variance", "range", "group", "anisotropy")] <- list(1, c(1, 1), 1:2, double(0))
  component$space_time <- Filter(Negate(is.null), component$space_time)
  points <- pmin(cbind(r, u), range_limits[["largest"]])
  drop(core_covariance_matrix(matrix(0, 1L, 2L), unname(points),
    as_specified(without_local_fields(list(components = list(component))))))
}

# The scaled length of the unit vector e in a direction is |exp(-B) e| / range with
# B = [[u, v], [v, -u]]. Let h^2 = u^2 + v^2. Since B squared is h^2 times the identity, the square
# of |exp(-B) e| is e' exp(-2B) e = cosh(2h) - sinh(2h) cos(2 (phi - phi_major)).
range_in_direction <- function(component, direction) {
  if (identical(component$group[1L], 0L)) return(Inf)
  if (!length(component$anisotropy)) return(component$range[1L])
  if (length(component$anisotropy) == 5L) return(range_in_space(component, direction))
  h <- sqrt(sum(component$anisotropy^2))
  if (is.null(direction)) return(component$range[1L] * exp(h))
  check_number(direction, "direction")
  phi <- (90 - direction) * pi / 180
  phi_major <- atan2(component$anisotropy[2L], component$anisotropy[1L]) / 2
  component$range[1L] / sqrt(cosh(2 * h) - sinh(2 * h) * cos(2 * (phi - phi_major)))
}
