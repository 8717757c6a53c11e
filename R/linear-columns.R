# The coordinates that a linear covariance needs. With t = x - c, c the mean of the rows of a fit,
# the points t / (sqrt(2) |t|) lie on a sphere. The cosine family (families.h of the core) is the
# cosine of the angle between two t there. The component is multiplied by the column |t| / s at both
# rows, s the root mean square of |t|, which makes it their inner product.

# `places`: embedded coordinates of the rows of a fit. The caller describes the embedding again.
with_linear_recipe <- function(locations, places) {
  numbers <- places[, linear_numbers(locations), drop = FALSE]
  center <- colMeans(numbers)
  squares <- rowSums(sweep(numbers, 2L, center)^2)
  locations$linear <- list(center = center, scale = sqrt(mean(squares)))
  locations
}

linear_numbers <- function(locations) locations$kind[locations$block] == "number"

# The sphere is one block of coordinates, before those of time.
linear_sizes <- function(locations) {
  if (is.null(locations$linear)) return(NULL)
  c(linear = length(locations$linear$center))
}

count_linear_columns <- function(locations) as.integer(!is.null(locations$linear))

# The column that comes after all coordinates.
linear_column <- function(locations) length(locations$embedded_names) + 1L

with_linear_columns <- function(places, locations) {
  recipe <- locations$linear
  is_time <- is_time_column(places, locations)
  t <- sweep(places[, seq_along(recipe$center), drop = FALSE], 2L, recipe$center)
  size <- sqrt(rowSums(t^2))
  unname(cbind(places[, !is_time, drop = FALSE], t / (sqrt(2) * ifelse(size > 0, size, 1)),
    places[, is_time, drop = FALSE], size / recipe$scale))
}
