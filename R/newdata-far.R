# Locations of newdata that all lie beyond the reach of the data, as coordinates in another unit or
# another order do.

# Whether distances to single locations of data say how far a field reaches.
has_known_reach <- function(object) {
  !has_space_time(object$covariance) && !has_areal_data(object) &&
    is.null(object$locations$network)
}

# Whether locations are within the effective range of their nearest location of data.
are_in_reach <- function(object, coords, context) {
  nearest <- drop(as.matrix(core_index_nearest(cached_index(object, context), coords, 1L, context)))
  observed <- conditioned_data(object)$coords[nearest, , drop = FALSE]
  Reduce(`|`, lapply(object$core_covariance$components, function(component) {
    apart <- core_scale(coords, component) - core_scale(observed, component)
    rowSums(apart^2) <= effective_distance(component$family, component$shape)^2
  }))
}

# Says so where no location of a target is within reach. Times after those of the data are
# forecasts: they count as the last one.
tell_far_locations <- function(object, target, settings) {
  if (!nrow(target$coords) || identical(settings$part, "trend") || !is.null(object$deep) ||
      !is.null(object$source) || is_local(object) || !has_known_reach(object)) {
    return(invisible())
  }
  limits <- cached(object, "limits", NULL, apply(object$data$coords, 2L, range))
  coords <- target$coords
  places <- t(coords)
  if (any(colSums(places < limits[1L, ] | places > limits[2L, ]) == 0)) return(invisible())
  times <- object$locations$kind[object$locations$block] == "time"
  coords[, times] <- t(pmin(pmax(places, limits[1L, ]), limits[2L, ]))[, times]
  if (any(are_in_reach(object, coords, settings$context))) return(invisible())
  inform_far(raw_positions(coords, object$locations), original_coords(object))
}

# Evidence is a coordinate whose values lie outside of those of the data, where there is one.
inform_far <- function(given, fitted) {
  spans <- function(raw) apply(raw, 2L, range)
  outside <- spans(given)[2L, ] < spans(fitted)[1L, ] | spans(given)[1L, ] > spans(fitted)[2L, ]
  shown <- c(which(outside), 1L)[1L]
  span <- function(raw) paste(format(signif(range(raw[, shown]), 6L), trim = TRUE),
    collapse = " to ")
  inform_neargp("far", c(
    sprintf("%s farther from the data than the effective range, so that predictions there depend on the mean alone.",
      if (nrow(given) == 1L) "The location of `newdata` is" else
        sprintf("All %s locations of `newdata` are", format_count(nrow(given)))),
    x = sprintf("%s is %s in `newdata` and %s in the data.", colnames(fitted)[shown],
      span(given), span(fitted)),
    i = "Check the unit, the order and the reference system of the coordinates."))
}

# A part of newdata may lie far from the data where the whole does not.
without_far_message <- function(value) {
  suppressMessages(value, classes = "neargp_message_far")
}
