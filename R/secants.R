# The curvature that a search by quasi-Newton has shown: second derivatives of minus an objective.
# They are BFGS updates from the changes of the gradient between points that each raised the
# objective. PORT does not return its own, and a later search can begin with these.

# `matrix`: the curvature before. The objective writes `evaluated` and `gradient` of each evaluation
# into the record. `reached`: `evaluated` at the last of the points.
secant_record <- function(matrix) list2env(list(matrix = matrix), parent = emptyenv())

# Flat and steep directions differ by factors of thousands.
widest_secant <- 1e4

add_secant <- function(record, point, free) {
  if (!is.null(record$point)) {
    pair <- list(step = point - record$point, fall = record$point_gradient - record$gradient)
    record$matrix[free, free] <- secant_correction(record$matrix[free, free, drop = FALSE],
      list(pair), free, widest_secant)
  }
  record$point <- point
  record$point_gradient <- record$gradient
  record$reached <- record$evaluated
}
