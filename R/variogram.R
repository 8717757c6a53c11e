#' Empirical variogram (semivariogram)
#'
#' @description
#' Computes half the mean squared difference between pairs of values by distance, and compares it
#' with the covariance of a fit.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' plot(empirical_variogram(fit))
#' ```
#'
#' @details
#' For a fit, the values are residuals from the trend, and the fitted curve is \eqn{\gamma(h) =
#' \tau^2 + \sum_c \sigma_c^2 (1 - \rho_c(h))} with nugget \eqn{\tau^2} and partial sills
#' \eqn{\sigma_c^2}. With differences \eqn{d} of the pairs \eqn{N}, the classical estimator is
#' \eqn{\frac{1}{2 |N|} \sum d^2} (Matheron 1962). The robust one is \eqn{\frac12 (\frac{1}{|N|}
#' \sum |d|^{1/2})^4 / (0.457 + 0.494 / |N|)} (Cressie and Hawkins 1980).
#'
#' Beyond `max_pairs`, pairs are sampled at every scale with R's random numbers. Maximum likelihood
#' follows short distances, so the curve can differ from the points at long ones. You should not fit
#' the covariance by eye, because the points are strongly correlated.
#'
#' Pairs share the level of [replicates]. An anisotropic fit returns two variograms, along its axes.
#' With several ranges, distances are in units of the ranges. With time, the rows of a pair differ
#' by at most `time_lag`, or with `along = "time"` by at most `space_lag` in space. With [expand()]
#' there is no curve, and for [monotone()] it is that of slopes 1.
#'
#' @param object a fit by [neargp()] to a Gaussian response, or a numeric vector.
#' @param coords locations of a vector: sf points, a numeric matrix or a data frame.
#' @param width the width of the distance classes. Default `NULL`: `cutoff / 15`.
#' @param cutoff the largest distance, in units of the coordinates (km for degrees). Default `NULL`:
#'   a third of the diagonal.
#' @param estimator `"classical"` (default) or `"robust"`.
#' @param directions degrees clockwise from north, one variogram for each. Default `NULL`: all
#'   together.
#' @param tolerance the largest angle between a pair and its direction, in degrees. Default: 22.5.
#' @param max_pairs the largest number of pairs. Default: 1e6.
#' @param time_lag,space_lag largest differences in time or space. Default `NULL`: a tenth of the
#'   fitted range.
#' @param along `"space"` (default) or `"time"`.
#' @param longlat `TRUE` if the columns of `coords` are degrees. Default: `FALSE`.
#' @param ... for methods.
#' @return A data frame of class `neargp_variogram`: `direction`, `distance`, `gamma`, `n_pairs`,
#'   and the attribute `curve`. Use `plot()` and `autoplot()`.
#' @references Cressie, N. and Hawkins, D. M. (1980). Robust estimation of the variogram: I.
#'   *Mathematical Geology* 12, 115–125.
#' @seealso [covariance], [covariance_value()]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326)
#' v <- empirical_variogram(fit, cutoff = 300)
#' v
#' plot(v)
#'
#' # Directions: is there an anisotropy?
#' plot(empirical_variogram(fit, cutoff = 300, directions = c(0, 90), tolerance = 45))
#'
#' # Without a fit
#' set.seed(1)
#' x <- cbind(runif(400), runif(400))
#' empirical_variogram(sin(6 * x[, 1]) + rnorm(400, sd = 0.2), coords = x, width = 0.1)
#' @export
empirical_variogram <- function(object, ...) {
  check_required()
  UseMethod("empirical_variogram")
}

#' @rdname empirical_variogram
#' @export
empirical_variogram.default <- function(object, coords, width = NULL, cutoff = NULL,
                                        estimator = c("classical", "robust"), directions = NULL,
                                        tolerance = 22.5, max_pairs = 1e6, longlat = FALSE, ...) {
  check_no_more_arguments()
  estimator <- check_choice(estimator, "estimator", c("classical", "robust"))
  if (!is.numeric(object)) {
    abort_neargp("argument",
      c(sprintf("`object` must be values (numeric), with `coords`, or a fit of neargp(), not %s.",
        describe_value(object)),
        i = "For example empirical_variogram(data$z, coords = data[c(\"x\", \"y\")])."))
  }
  check_given(missing(coords), "coords",
    "the locations of the values: sf points, or a matrix or data frame of coordinates")
  place <- fold_locations(coords, longlat)
  if (!is.null(directions) && place$longlat) {
    abort_neargp("argument", c("`directions` need planar coordinates.",
      i = "Project the locations first."))
  }
  variogram_of(object, new_variogram_space(place$coords, place$unit), cutoff = cutoff,
    width = width, estimator = estimator, directions = directions, tolerance = tolerance,
    max_pairs = max_pairs)
}

#' @rdname empirical_variogram
#' @export
empirical_variogram.neargp <- function(object, width = NULL, cutoff = NULL,
                                       estimator = c("classical", "robust"), directions = NULL,
                                       tolerance = 22.5, max_pairs = 1e6, time_lag = NULL,
                                       along = c("space", "time"), space_lag = NULL, ...) {
  check_fit(object)
  check_no_more_arguments()
  estimator <- check_choice(estimator, "estimator", c("classical", "robust"))
  check_gaussian(object$family,
    abort_neargp("variogram",
      c(sprintf("The variogram of a fit to %s response is not available.",
        with_article(object$family)),
        x = "Its residuals depend on the family, and the covariance describes the linear predictor.",
        i = "See plot(fit, which = \"residual_map\") and cross_validate().")))
  if (check_choice(along, "along", c("space", "time")) == "time") {
    return(variogram_in_time(object, width, cutoff, estimator, max_pairs, space_lag))
  }
  if (is.null(time_lag)) time_lag <- short_time_lag(object)
  space <- variogram_space(object, time_lag)
  if (is.null(directions) && !space$scaled) directions <- anisotropy_axes(object)
  result <- variogram_of(trend_residuals(object), space, cutoff = cutoff, width = width,
    estimator = estimator, directions = directions, tolerance = tolerance, max_pairs = max_pairs)
  distance <- seq(0, max(result$distance), length.out = 200L)
  attr(result, "curve") <- fitted_variogram(object, distance, directions, space$scaled)
  attr(result, "note") <- variogram_note(object)
  result
}

# The variogram of residuals at about one location, as a function of the lag.
variogram_in_time <- function(fit, width, cutoff, estimator, max_pairs, space_lag) {
  place <- fit$locations
  if (is.null(place$time)) {
    abort_neargp("argument", c("The fit uses no time, so that `along` must be \"space\".",
      i = "Fit in space and time with neargp(time = )."))
  }
  coords <- places_of(fit$data$coords, place)
  last <- ncol(coords)
  space_lag <- check_number(space_lag %||% (min(vapply(falling_components(fit),
    function(x) x$range[1L], 0)) / 10), "space_lag", 0)
  times <- new_variogram_space(coords[, last, drop = FALSE], place$time_unit,
    aside = apart_by_levels(coords, place, space_lag)[, -last, drop = FALSE], lag = space_lag,
    lag_name = "space_lag")
  result <- variogram_of(trend_residuals(fit), times, cutoff = cutoff, width = width,
    estimator = estimator, directions = NULL, tolerance = 90, max_pairs = max_pairs)
  lags <- seq(0, max(result$distance), length.out = 200L)
  noise <- fit$nugget * mean(1 / fit$data$weights)
  attr(result, "curve") <- data.frame(direction = NA_real_, distance = lags,
    gamma = noise + covariance_value(fit, 0) - covariance_value(fit, 0, time = lags))
  attr(result, "note") <- variogram_note(fit)
  structure(result, along = "time")
}

# The subtitle of the plot.
variogram_note <- function(fit) {
  if (has_areal_data(fit)) return("curve of points, pairs of rows that are means over areas")
  kinds <- vapply(fit$locations$local, `[[`, "", "kind")
  if ("expand" %in% kinds) return("no curve: distances of the fit include its further coordinates")
  if (!length(kinds)) return(NULL)
  paste("model where", paste(c(
    if (!all(kinds %in% c("monotone", "by"))) "covariates are at their mean",
    if ("by" %in% kinds) "columns of `by` are at their root mean square",
    if ("monotone" %in% kinds) "slopes of the warp are 1"), collapse = " and "))
}

# Coordinates in which levels of replicates differ by more than a lag, so that the pairs within it
# share their level.
apart_by_levels <- function(coords, place, lag) {
  levels <- replicate_columns(place)
  coords[, levels] <- max(2 * lag, 1) * coords[, levels]
  coords
}

# Coordinates and unit in which the variogram of a fit is measured. With several ranges or an
# ellipsoid the correlation is a function of distance alone in these coordinates. Pairs are close in
# time, and share the levels of replicates.
variogram_space <- function(fit, time_lag) {
  place <- fit$locations
  if (!is.null(place$time)) check_number(time_lag, "time_lag", 0)
  coords <- apart_by_levels(places_of(fit$data$coords, place), place, time_lag)
  away <- c(replicate_columns(place), if (!is.null(place$time)) ncol(coords))
  aside <- if (length(away)) coords[, away, drop = FALSE]
  in_space <- setdiff(seq_len(ncol(coords)), away)
  coords <- coords[, in_space, drop = FALSE]
  component <- fit$core_covariance$components[[1L]]
  component$group <- component$group[in_space]
  component$warps <- NULL
  scaled <- length(unique(component$group)) > 1L || length(component$anisotropy) == 5L
  metric <- if (scaled) core_scale(coords, component) else coords
  unit <- if (scaled) "ranges" else if (!nzchar(place$unit) && is_longlat_fit(fit)) "degrees" else
    place$unit
  is_number <- place$kind[place$block[in_space]] == "number"
  space <- new_variogram_space(metric, unit, coords[, is_number, drop = FALSE], aside, time_lag)
  c(space, list(scaled = scaled))
}

short_time_lag <- function(fit) {
  if (is.null(fit$locations$time)) return(0)
  min(vapply(falling_components(fit), range_of_time, 0)) / 10
}

# Periodic components are not functions of the distance, unless there are no others.
falling_components <- function(fit) {
  components <- fit$core_covariance$components
  falling <- Filter(Negate(is_periodic), components)
  if (length(falling)) falling else components
}

# Major and minor axis, in degrees clockwise from north, of the first component with an anisotropy
# of the plane.
anisotropy_axes <- function(fit) {
  for (component in fit$core_covariance$components) {
    if (length(component$anisotropy) == 2L) {
      major <- axis_angle(component$anisotropy)
      return(c(major, (major + 90) %% 180))
    }
  }
  NULL
}

# gamma(h) = nugget + C(0) - C(h) in each direction; `scaled` distances are in units of the ranges,
# which is one curve only when there is one component.
fitted_variogram <- function(fit, distance, directions = NULL, scaled = FALSE) {
  components <- fit$core_covariance$components
  expands <- any(vapply(fit$locations$local, function(recipe) recipe$kind == "expand", NA))
  if (expands || has_no_curve(fit)) return(NULL)
  if (scaled && length(components) > 1L) return(NULL)
  if (!scaled && any(lengths(lapply(components, `[[`, "anisotropy")) == 5L)) return(NULL)
  noise <- fit$nugget * mean(1 / fit$data$weights)
  sill <- noise + sum(vapply(components, function(x) x$variance, 0))
  curve <- function(direction) {
    covariance <- if (scaled) {
      components[[1L]]$variance * correlation_in_space(components[[1L]], distance)
    } else {
      covariance_value(fit, distance, direction = if (!is.na(direction)) direction)
    }
    data.frame(direction = direction, distance = distance, gamma = sill - covariance)
  }
  do.call(rbind, lapply(directions %||% NA_real_, curve))
}
