# Predictions of areas from responses on areas: block kriging whose targets are sets of points as
# well.

# Steps by the rule of the fit, so that its own areas are the same points again; in larger ones
# their distance is at most the largest of the fit.
steps_of_fit <- function(size, boxes, locations) {
  areal_steps(size, boxes, locations, locations$support$asked, locations$support$step)
}

# The result of area_posterior() for areas as targets, each with the moments of its mean at all of
# its points.
areal_area_posterior <- function(given, support, settings) {
  areas <- areas_as_rows(given$object, support)
  object <- areas$object
  part <- predict_settings(object, k = settings$k, joint = settings$joint)
  part$context <- settings$context
  if (is.null(settings$k) && is_dense_fit(given$object)) part$exact <- TRUE
  field <- if (settings$joint) {
    joint_field(object, joint_data(object, areas$target, part), areas$target$coords)
  } else conditional_weights(object, areas$target$coords, part)
  of_areas <- with_area_trend(given, list(target = areas$target), field$weighted, list(
    variances = function() field$variance, covariance = function() field$covariance))
  of_areas$mean <- of_areas$mean[areas$number]
  of_areas$unseen <- of_areas$unseen[areas$number, , drop = FALSE]
  of_areas
}

# The areas as rows of coordinates, and the fit with as many columns.
areas_as_rows <- function(object, support) {
  number <- match(support$area, unique(support$area))
  points <- places_of(support$target$coords, object$locations)
  count <- max(tabulate(number), object$locations$support$points)
  object$data$coords <- with_more_points(object$data$coords, object$locations, count)
  middle <- area_means(points, support)
  coords <- support_columns(middle, points, number, support$weight, count)
  list(object = with_own_cache(object), number = number, target = list(coords = unname(coords),
    X = area_means(support$target$X, support),
    offset = drop(area_means(support$target$offset, support))))
}
