# Areas as columns of the coordinates. The location in the middle comes first. Each of at most
# `points` points follows, with its weight in the row's mean (src/core/covariance/areal.h). The only
# point of a row that is no area is its location.

# The fit keeps how many points a row has at most, and how areas get theirs.
with_support <- function(locations, areal, rows) {
  locations$support <- c(list(points = max(tabulate(areal$area)[rows])), areal$described)
  locations
}

# `rows` of the data that are fitted, in their order.
support_of_rows <- function(places, areal, rows, locations) {
  own <- which(areal$area %in% rows)
  xy <- areal$xy[own, , drop = FALSE]
  colnames(xy) <- locations$raw_names
  support_columns(places, embed_places(xy, locations, "data"), match(areal$area[own], rows),
    areal$weight[own], locations$support$points)
}

# `coords`, `row` and `weight`: of points, in groups of one row of `places` each.
support_columns <- function(places, coords, row, weight, count) {
  d <- ncol(places)
  columns <- array(0, c(nrow(places), d + 1L, count))
  columns[, seq_len(d), ] <- places  # where points are that a row has not
  number <- sequence(rle(row)$lengths)
  for (j in seq_len(d)) columns[cbind(row, j, number)] <- coords[, j]
  columns[cbind(row, d + 1L, number)] <- weight
  cbind(places, matrix(columns, nrow(places)))
}

with_own_support <- function(places, locations) {
  if (is.null(locations$support)) return(places)
  n <- nrow(places)
  support_columns(places, places, seq_len(n), rep(1, n), locations$support$points)
}

# The same rows with room for `count` points.
with_more_points <- function(coords, locations, count) {
  places <- places_of(coords, locations)
  more <- count - locations$support$points
  if (more <= 0L) return(coords)
  cbind(coords, matrix(rep(cbind(places, 0), more), nrow(coords)))
}
