# Polygons of longitude and latitude that cross the date line or go around a pole. Their longitudes
# jump by 360 there: within a ring, as those of sf::st_buffer() do, or from one part of a
# MULTIPOLYGON that was cut to the next. On the sphere these are the same polygon, but the bounding
# box is the whole globe, or all but the polygon; that of a cap around a pole is its edge.

# The polygons with longitudes that go on beyond 180 where they cross the line, for what is done in
# the plane: parts that touch there are no valid polygon. Others, those around a pole among them,
# are as they were.
unbroken_polygons <- function(geometry) {
  wide <- is_wide(geometry)
  if (!any(wide)) return(geometry)
  polygons <- lapply(seq_along(geometry), function(i) geometry[[i]])
  polygons[wide] <- lapply(polygons[wide], unbroken_polygon)
  suppressWarnings(sf::st_sfc(polygons, crs = sf::st_crs(geometry)))
}

# Boxes that polygons around a pole lie in, too: what they have of vertices is their edge.
unbroken_boxes <- function(geometry) {
  boxes <- polygon_boxes(unbroken_polygons(geometry))
  for (pole in c(-90, 90)) {
    around <- contains_pole(geometry, pole)
    boxes[c(1L, 3L), around] <- c(-180, 180)
    boxes[if (pole < 0) 2L else 4L, around] <- pole
  }
  boxes
}

contains_pole <- function(geometry, pole) {
  found <- is_wide(geometry)
  found[found] <- lengths(suppressMessages(sf::st_intersects(geometry[found],
    points_like(cbind(0, pole), geometry)))) > 0L
  found
}

# Whether longitudes span more than half of the globe, as those of all polygons do that cross the
# line or go around a pole.
is_wide <- function(geometry) {
  boxes <- polygon_boxes(geometry)
  isTRUE(sf::st_is_longlat(geometry)) & boxes[3L, ] - boxes[1L, ] > 180
}

unbroken_polygon <- function(polygon) {
  is_single <- inherits(polygon, "POLYGON")
  parts <- lapply(if (is_single) list(unclass(polygon)) else unclass(polygon), unbroken_rings)
  spans <- vapply(parts, function(rings) range(rings[[1L]][, 1L]), double(2L))
  west <- westernmost(spans)
  turns <- floor((spans[1L, ] - west) / 360 + 1e-9)
  parts <- Map(function(rings, turn) lapply(rings, turned_back, turn), parts, turns)
  if (is_single) sf::st_polygon(parts[[1L]]) else sf::st_multipolygon(parts)
}

# Each edge goes the shorter way. Of a ring that does not close so, which goes around a pole, or an
# edge as long as a parallel, nothing can be said.
unbroken_rings <- function(rings) {
  longitudes <- lapply(rings, function(ring) {
    steps <- diff(ring[, 1L])
    turns <- cumsum(round(steps / 360))
    if (any(abs(steps) >= 360) || turns[length(turns)] != 0) ring[, 1L] else
      ring[, 1L] - 360 * c(0, turns)
  })
  middle <- vapply(longitudes, function(x) mean(range(x)), 0)
  Map(function(ring, longitude, turns) {
    ring[, 1L] <- longitude
    turned_back(ring, turns)
  }, rings, longitudes, round((middle - middle[1L]) / 360))
}

turned_back <- function(ring, turns) {
  ring[, 1L] <- ring[, 1L] - 360 * turns
  ring
}

# The end of the widest gap on the circle between intervals, columns of start and end.
westernmost <- function(spans) {
  start <- spans[1L, ] %% 360
  order <- order(start)
  start <- start[order]
  reach <- cummax(start + (spans[2L, ] - spans[1L, ])[order])
  gaps <- c(start[1L] + 360 - reach[length(reach)], start[-1L] - reach[-length(reach)])
  west <- start[which.max(gaps)]
  if (west >= 180) west - 360 else west
}

# Points of unbroken polygons in the longitudes of the polygons as they were given.
within_given <- function(points, boxes) {
  beyond <- points$xy[, 1L] > 180 & boxes[3L, points$area] <= 180
  points$xy[beyond, 1L] <- points$xy[beyond, 1L] - 360
  points
}

# Weighted mean of longitudes on either side of the line, counted from their mean direction.
mean_longitude <- function(longitude, weight) {
  radians <- longitude * pi / 180
  center <- atan2(sum(weight * sin(radians)), sum(weight * cos(radians))) * 180 / pi
  offset <- (longitude - center + 180) %% 360 - 180
  (center + sum(weight * offset) / sum(weight) + 180) %% 360 - 180
}
