# Which coordinate a periodic component is of.

is_periodic <- function(component) is.list(component) && identical(component$family, "periodic")

has_periodic <- function(covariance) any(vapply(covariance$components, is_periodic, NA))

# Which range divides each coordinate.
periodic_groups <- function(component, locations) {
  list(group = ifelse(locations$embedded_names == component$coordinate, 1L, NA_integer_),
    names = range_label("periodic"))
}

# Neighbours are searched in the metric of a periodic component only where it is alone.
periodic_search_group <- function(component, locations) {
  group <- periodic_groups(component, locations)$group
  replace(group, is.na(group), 0L)
}

# The difference along the coordinate of a component of a fit, at a distance along the first
# coordinate and a lag in time, the last one. Without a fit, its coordinate is that of the distance.
periodic_lag <- function(component, distance, time) {
  at <- which(component$group > 0L)
  if (!length(at) || at == 1L) return(distance)
  if (at == length(component$group)) time else 0
}
