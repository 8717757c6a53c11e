# Predictions from the neighbours within a distance, as `maxdist` of gstat. Neighbours that are
# farther away are left out of the table. A row without neighbours returns the trend with the
# standard deviation of the process and of the trend.

with_maxdist <- function(settings, object, maxdist) {
  check_number(maxdist, "maxdist", 0, null_ok = TRUE, open = TRUE)
  if (is.null(maxdist)) return(settings)
  refuse <- function(reason, hint) {
    abort_neargp("argument", c(sprintf("`maxdist` is not supported %s.", reason), i = hint))
  }
  if (!has_ability(object$method, "nearest_observations") || !is.null(object$outputs)) {
    refuse(sprintf("for a fit by %s", method_call(object$method)),
      sprintf("It is for one Gaussian response predicted from its nearest observations: %s.",
        able_methods("nearest_observations")))
  }
  if (settings$exact) refuse("for predictions from all observations", "Give `k` as well.")
  if (settings$joint) refuse("with joint = TRUE", "All rows share one set of neighbours.")
  if (settings$smooth) refuse("with smooth = TRUE", "Leave one of them out.")
  if (is_compressed(object$data)) refuse("with this many random effects", "Leave it out.")
  if (reads_shards(object)) refuse("for rows that are read in shards", "Leave it out.")
  if (!length(columns_in_space(object$locations))) refuse("without coordinates of space",
    "Leave it out.")
  with_fields(settings, maxdist = as.double(maxdist))
}

# The columns of numbers among the embedded coordinates: a distance on the sphere is that through
# the earth, as in the covariance.
columns_in_space <- function(locations) {
  which(locations$kind[locations$block] %in% "number" | locations$embedded_names == "longlat")
}

# The neighbours of each target (columns), NA where one is farther away.
neighbors_within <- function(object, coords, settings) {
  neighbors <- as.matrix(prediction_neighbors(object, coords, settings))
  data <- conditioned_data(object)$coords
  squares <- 0
  for (j in columns_in_space(object$locations)) {
    squares <- squares + (data[neighbors, j] - rep(coords[, j], each = nrow(neighbors)))^2
  }
  replace(neighbors, which(squares > settings$maxdist^2), NA)
}

# A predictor that reports how many rows of a chunk lack neighbours.
reporting_lonely_rows <- function(predict_at, object, settings) {
  force(predict_at)
  function(coords, X, offset) {
    lonely <- sum(colSums(!is.na(neighbors_within(object, coords, settings))) == 0)
    if (lonely > 0L) {
      inform_neargp("maxdist", c(sprintf("%s of %s %s farther than maxdist = %s from all observations: predictions there use the trend alone, with the variance of a location without data.",
        format_count(lonely), counted(nrow(coords), "location"), if (lonely == 1L) "is" else "are",
        format(settings$maxdist)),
        i = "A larger `maxdist`, or none, uses the nearest observations."))
    }
    predict_at(coords, X, offset)
  }
}
