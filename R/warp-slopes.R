# Slopes of monotone warps and the range of their coordinates, see warp.R.

# If a range divides warped coordinates alone, all their slopes can be doubled with it, and so can
# the further coordinates that it divides. The covariance is the same, and only the penalty differs.
# Each such direction is a list of rows of the layout. The logarithms `slopes` and `range` move by a
# constant, and the coefficients `scaled` are multiplied. `components`: lists with the `group` of
# each coordinate.
slope_directions <- function(layout, locations, components) {
  ranges <- which(layout$kind == "range" & !layout$fixed & !is.na(layout$component))
  found <- lapply(ranges, function(range) {
    component <- layout$component[range]
    recipes <- recipes_of(locations, component, "monotone")
    divided <- which(components[[component]]$group == layout$group[range])
    warped <- vapply(recipes, `[[`, 0, "coordinate")
    if (!length(recipes) || !all(divided %in% warped)) return(NULL)
    own <- rep(warped, lengths(lapply(recipes, `[[`, "names"))) %in% divided
    list(range = range, slopes = component_rows(layout, component, "monotone")[own],
      scaled = if (layout$group[range] == 1L) component_rows(layout, component, "expand"))
  })
  Filter(Negate(is.null), found)
}

count_slope_directions <- function(fit) {
  if (!is_warped(fit)) return(0L)
  length(slope_directions(fit$layout, fit$locations, fit$core_covariance$components))
}

# Makes the sum of the logarithms of slopes 0 for each such direction. This is a convention. The
# information treats the sum as almost exactly known. The value is the likelihood less the penalty,
# which changes.
with_centred_slopes <- function(problem, result) {
  if (!any(problem$layout$kind == "monotone")) return(result)
  for (direction in slope_directions(problem$layout, problem$locations, problem$groups)) {
    centred <- centred_slopes(result$working, direction)
    beyond <- centred < problem$bounds$lower | centred > problem$bounds$upper
    if (any(beyond[unlist(direction)])) next
    result$value <- result$value + penalty_at(problem$layout, result$working) -
      penalty_at(problem$layout, centred)
    if (!is.null(result$information)) {
      result$information <- centred_information(result$information, problem$layout,
        mean(result$working[direction$slopes]), direction)
    }
    result$working <- centred
  }
  result
}

centred_slopes <- function(working, direction) {
  mean <- mean(working[direction$slopes])
  working[direction$slopes] <- working[direction$slopes] - mean
  working[direction$range] <- working[direction$range] - mean
  working[direction$scaled] <- working[direction$scaled] * exp(-mean)
  working
}

# The penalty's part is the same anywhere, that of the likelihood goes with the scale of the
# coefficients.
centred_information <- function(information, layout, mean, direction) {
  penalty <- diag(layout$penalty, nrow(layout))
  scale <- replace(rep(1, nrow(layout)), direction$scaled, exp(mean))
  information <- (information - penalty) * outer(scale, scale) + penalty
  own <- direction$slopes
  known_to <- 1e6 * max(diag(information)[own])
  information[own, own] <- information[own, own] + known_to / length(own)
  information
}
