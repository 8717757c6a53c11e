# Priors of covariances with features. The logarithms of variances are normal in units of the
# response's variance about its trend, and those of ranges in units of the root mean square distance
# between the rows. Few rows cannot determine these parameters, and wider priors predict worse. The
# search starts at the medians.

feature_priors <- list(
  variance = c(median = 0.3, sd = 1.5), nugget = c(median = 0.3, sd = 1.5),
  range = c(median = 1.5, sd = 1),         # of predictors
  space_range = c(median = 0.6, sd = 1))   # of an exponential covariance of the coordinates

with_feature_priors <- function(layout, covariance, data, locations, gaussian) {
  if (!has_features(covariance)) return(layout)
  kind <- ifelse(layout$kind == "range" & !of_features(layout, covariance), "space_range",
    layout$kind)
  given <- layout$prior_rate %||% double(nrow(layout)) > 0
  rows <- which(!layout$fixed & !given & kind %in% names(feature_priors))
  center <- vapply(rows, function(row) {
    unit <- prior_unit(layout, row, covariance, data, locations, gaussian)
    log(feature_priors[[kind[row]]][["median"]] * unit)
  }, 0)
  layout$penalty_center <- 0
  layout$penalty_center[rows] <- center
  layout$penalty[rows] <- vapply(kind[rows], function(x) feature_priors[[x]][["sd"]]^-2, 0)
  open <- rows[is.na(layout$start[rows])]
  layout$start[open] <- exp(layout$penalty_center[open])
  layout
}

of_features <- function(layout, covariance) {
  of_component <- vapply(covariance$components, is_of_features, NA)
  !is.na(layout$component) & of_component[layout$component]
}

# Other covariances get the effective distance of the exponential.
prior_unit <- function(layout, row, covariance, data, locations, gaussian) {
  if (layout$kind[row] != "range") {
    return(if (gaussian) residual_variance(data) else 1)
  }
  component <- covariance$components[[layout$component[row]]]
  group <- range_groups(component, locations)$group
  own <- data$coords[, which(group == layout$group[row]), drop = FALSE]
  distance <- sqrt(2 * sum(apply(own, 2L, stats::var)))
  if (is_of_features(component)) return(distance)
  shape <- c(layout$value[component_rows(layout, layout$component[row], "shape")], NA)[1L]
  known <- family_shape(component$family)
  if (is.na(shape) && !is.null(known)) shape <- known$start
  distance * effective_distance("exponential", NULL) / starting_distance(component$family, shape)
}

# Neighbours of a method that conditions on them: among many predictors each contains little
# information.
feature_neighbors <- 30L

with_feature_neighbors <- function(method, covariance, data) {
  if (is.null(method$default_k) || !has_features(covariance)) return(method)
  method$default_k <- feature_neighbors
  method$k <- max(1L, min(feature_neighbors, nrow(data$coords) - 1L))
  method
}
