# Locations whose coordinates are those of space and of features().

# The locations with the recipe of the rows `data`, as coordinates after those of space.
with_features <- function(locations, wanted, data, covariance) {
  features <- new_feature_columns(data, wanted$names)
  features$term <- wanted$term
  settings <- covariance[["features"]]
  features$power <- settings$power
  features["scores"] <- list(settings$scores)
  learn_features(locations, features, seq_len(nrow(data)))
}

# The recipe is that of these rows of the fit.
learn_features <- function(locations, features, rows) {
  features$recipe <- new_feature_recipe(rows_of_predictors(features$predictors, rows),
    features$power, features$scores)
  locations$features <- features
  describe_embedding(locations)
}

rows_of_predictors <- function(predictors, rows) {
  structure(predictors[rows, , drop = FALSE], indicator = attr(predictors, "indicator"))
}

# A fit whose coordinates are those that these of its rows alone would give.
with_features_of <- function(fit, rows) {
  if (is.null(fit$locations$features)) return(fit)
  before <- fit$locations
  fit$locations <- learn_features(before, before$features, rows)
  places <- places_of(fit$data$coords, before)
  space <- places[, !is_made_block(before)[before$block], drop = FALSE]
  further <- fit$data$coords[, -seq_len(ncol(places) + count_feature_columns(before)), drop = FALSE]
  places <- with_predictors(space, fit$locations, before$features$predictors)
  fit$data$coords <- cbind(places, further)
  fit
}

# The coordinates of space with those of features after them, time last, and the columns that linear
# terms are multiplied by.
with_feature_columns <- function(places, locations, data, argument, lacking) {
  if (is.null(data)) {
    abort_neargp("local", c(sprintf("The fit uses features(), and its predictors are not in %s.",
      lacking), i = "Give `newdata` with all predictors."))
  }
  with_predictors(places, locations, feature_predictors(data, locations$features, argument))
}

with_predictors <- function(places, locations, predictors) {
  made <- feature_coordinates(predictors, locations$features$recipe)
  is_time <- is_time_column(places, locations)
  unname(cbind(places[, !is_time, drop = FALSE], made$places, places[, is_time, drop = FALSE],
    made$sizes))
}
