# The covariance of a call that names none. bench/notes/defaults.md describes the panel of data sets
# from which it is taken.

# Fewer rows do not determine an anisotropy well enough to gain from it. Measurements that share a
# location count as one row, here and below.
anisotropic_rows <- 1000L

# Fewer rows for each range do not distinguish the ranges; a class or a count contains less
# information than a measurement.
rows_per_range <- c(gaussian = 20L, other = 50L)

# Fewer inputs may be coordinates in space, where distances count as they are.
least_features <- c(gaussian = 5L, other = 10L)

# More rows determine the ranges. Other families condition on neighbours, which costs less.
most_feature_rows <- c(gaussian = 2000L, other = 5000L)

# Fewer rows do not determine how space and time interact.
space_time_rows <- 200L

# In one or two coordinates predictions go into gaps, where a rough field claims least. Among
# several inputs targets lie as the data do, and the inputs have units of their own. One metric of
# space and time makes forecasts too sure, because it takes what near locations say at one time for
# knowledge of the next. Gneiting's covariance, of the smoothness that the data have, separates the
# two (bench/forecast-coverage.R, bench/space-time.R). `apart`: whether the method can have it; else
# a rough field that changes slowly and another that is as smooth as the data have it do much of
# that. `features`: whether the method takes predictors.
default_covariance <- function(family, data, locations, apart = TRUE, features = FALSE) {
  if (!is.null(data$output)) return(cov_matern(nu = 1.5))
  gaussian <- is_gaussian(family)
  if (features && are_features(if (gaussian) "gaussian" else "other", data, locations)) {
    return(cov_features())
  }
  has_rows <- function(least) {
    least <= if (gaussian) count_locations(data$coords, least) else nrow(data$coords)
  }
  each <- has_inputs(locations) && can_tell_ranges(data$coords, has_rows, locations,
    rows_per_range[[if (gaussian) "gaussian" else "other"]])
  if (!gaussian) return(cov_matern(nu = 1.5, ard = each))
  if (each) return(cov_matern(nu = NULL, ard = TRUE))
  if (!is.null(locations$time) && has_rows(space_time_rows)) {
    return(if (apart) cov_spacetime() else cov_exponential() + cov_matern(nu = NULL))
  }
  cov_exponential(anisotropy = is_plane(locations) && has_rows(anisotropic_rows) &&
    can_tell_directions(data$coords))
}

# Many inputs and few rows: one range in raw units predicts far worse (bench/limesoda.R). Presence
# with more rows is predicted better by a range for each input (bench/presence-inputs.R).
are_features <- function(kind, data, locations) {
  rows <- nrow(data$coords)
  inputs <- length(locations$raw_names)
  few <- rows <= rows_per_range[[kind]] * inputs
  few && inputs >= least_features[[kind]] && rows <= most_feature_rows[[kind]] &&
    is.null(locations$time) && locations$metric == "planar" && is.null(locations$support) &&
    is.null(locations$crs)
}

# The columns of a factor share one range.
can_tell_ranges <- function(coords, has_rows, locations, rows_per_range) {
  of_factor <- locations$kind[locations$block] == "factor"
  extent <- apply(coords, 2L, function(x) diff(range(x)))
  ranges <- sum(!of_factor) + sum(locations$kind == "factor")
  has_rows(rows_per_range * ranges) && all(tapply(extent, locations$block, max) > 0)
}

is_plane <- function(locations) {
  locations$metric != "longlat" && is.null(locations$time) && length(locations$raw_names) == 2L &&
    !has_factors(locations)
}

# Along a line there is nothing across.
can_tell_directions <- function(coords) {
  extent <- eigen(stats::var(coords), symmetric = TRUE, only.values = TRUE)$values
  extent[2L] > 1e-10 * extent[1L]
}

# The covariance of a fit: as given, or the method's, or the default.
settle_covariance <- function(settings, data, locations, streamed) {
  settings$covariance <- settings$covariance %||%
    method_default_covariance(settings$method, locations) %||% default_covariance(settings$family,
      data, locations, is.null(space_time_obstacle(settings, streamed)),
      !streamed && has_ability(settings$method, "features", settings$family) &&
        settings$device != "cuda")
  settle_space_time(settings, data, locations, streamed)
}
