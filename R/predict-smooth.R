# Predictions without edges where the set of neighbours changes. A prediction from the k nearest
# jumps where one of them is replaced by another that is equally far. The mean over radii r of the
# predictions from all neighbours within r does not jump: their number changes at single radii.
#
# Let d_1 <= d_2 <= ... be the distances of the neighbours. Radii are uniform between those of the
# j-th and the (k + 1)-th neighbour, with w = d_(k+1) - d_j. The weight of the prediction from the
# nearest m is then (d_(m+1) - d_m) / w. The m-th neighbour is in all predictions from m or more,
# with the sum of their weights,
#
#     a_m = min(1, (d_(k+1) - d_m) / w).
#
# This taper is 0 where a neighbour would be replaced. One factor gives the predictions from the
# nearest 1, 2, ... (src/core/conditional/cpu/conditional_weights.h). The variance is the mean of
# theirs. It is no less than that of the mean of the predictions, since a variance is convex in the
# weights of neighbours.

# The taper, a row for each target, from the distances of k + 1 neighbours (columns) that rise. All
# neighbours up to the j-th, half of them, are in every prediction.
smooth_taper <- function(distances) {
  k <- ncol(distances) - 1L
  farthest <- distances[, k + 1L]
  width <- farthest - distances[, ceiling(k / 2)]
  # Equally far up to the last: they are in none but the widest.
  taper <- (farthest - distances[, seq_len(k), drop = FALSE]) / ifelse(width > 0, width, Inf)
  taper[, seq_len(ceiling(k / 2))] <- 1
  pmin(taper, 1)
}

# Distances to neighbours, a matrix with a column for each target, in the metric of the search.
neighbor_distances <- function(object, coords, neighbors) {
  component <- metric_component(object$core_covariance)
  data <- core_scale(conditioned_data(object)$coords, component)
  targets <- core_scale(coords, component)
  squares <- matrix(0, ncol(neighbors), nrow(neighbors))
  for (j in seq_len(ncol(data))) squares <- squares + (targets[, j] - t(matrix(data[neighbors, j],
    nrow(neighbors))))^2
  sqrt(squares)
}

# The nearest of each target, and their taper.
smooth_neighbors <- function(object, coords, settings) {
  neighbors <- core_index_nearest(cached_distance_index(object, settings$context), coords,
    settings$k + 1L, settings$context)
  list(neighbors = core_neighbors_first(neighbors, settings$k),
    taper = smooth_taper(neighbor_distances(object, coords, as.matrix(neighbors))))
}

# `sectors` as given: directions have edges of their own.
with_smooth <- function(settings, object, smooth, sectors) {
  if (!check_flag(smooth, "smooth")) return(settings)
  refuse <- function(reason, hint) {
    abort_neargp("argument", c(sprintf("`smooth` must be FALSE %s.", reason), i = hint))
  }
  if (!has_ability(object$method, "nearest_observations")) {
    refuse(sprintf("for a fit by %s", method_call(object$method)),
      sprintf("It is for Gaussian responses predicted from their nearest observations: %s.",
        able_methods("nearest_observations")))
  }
  if (settings$joint) refuse("with joint = TRUE", "All rows share one set of neighbours.")
  if (!is.null(sectors) && settings$sectors > 0L) {
    refuse("with `sectors`", "The neighbours in a sector also change at an edge.")
  }
  settings$sectors <- 0L
  # From all observations there are no edges.
  settings$smooth <- !settings$exact && settings$k < count_conditioned(object)
  settings
}
