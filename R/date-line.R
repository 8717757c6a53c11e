# Polygons of longitude and latitude that cross the date line or go around a pole. Their longitudes
# jump by 360 there: within a ring, as those of sf::st_buffer() do, or from one part of a
# MULTIPOLYGON that was cut to the next. On the sphere these are the same polygon. Their bounding
# box, however, is the whole globe, or all except the polygon. The bounding box of a cap around a
# pole is its edge.

# The polygons for computations in the plane. Longitudes go on beyond 180 where polygons cross the
# line, and polygons around a pole get an edge along it. Parts that touch at the line do not form
# valid polygons. Other polygons are returned as they are.
unbroken_polygons <- function(geometry) {
  wide <- is_wide(geometry)
  if (!any(wide)) return(geometry)
  pole <- pole_within(geometry[wide])
  polygons <- lapply(seq_along(geometry), function(i) geometry[[i]])
  polygons[wide] <- Map(unbroken_polygon, polygons[wide], pole)
  suppressWarnings(sf::st_sfc(polygons, crs = sf::st_crs(geometry)))
}

unbroken_boxes <- function(geometry) polygon_boxes(unbroken_polygons(geometry))

# The latitude of the pole within each polygon, else of the one that it is nearer to.
pole_within <- function(geometry) {
  contains <- function(pole) {
    lengths(suppressMessages(sf::st_intersects(geometry, points_like(cbind(0, pole),
      geometry)))) > 0L
  }
  boxes <- polygon_boxes(geometry)
  nearer <- ifelse(boxes[2L, ] + boxes[4L, ] < 0, -90, 90)
  north <- contains(90)
  ifelse(north == contains(-90), nearer, ifelse(north, 90, -90))
}

# Whether longitudes span more than half of the globe, as those of all polygons do that cross the
# line or go around a pole.
is_wide <- function(geometry) {
  boxes <- polygon_boxes(geometry)
  isTRUE(suppressWarnings(sf::st_is_longlat(geometry))) & boxes[3L, ] - boxes[1L, ] > 180
}

unbroken_polygon <- function(polygon, pole) {
  is_single <- inherits(polygon, "POLYGON")
  parts <- lapply(if (is_single) list(unclass(polygon)) else unclass(polygon), unbroken_rings,
    pole)
  spans <- vapply(parts, function(rings) range(rings[[1L]][, 1L]), double(2L))
  west <- westernmost(spans)
  turns <- floor((spans[1L, ] - west) / 360 + 1e-9)
  parts <- Map(function(rings, turn) lapply(rings, turned_back, turn), parts, turns)
  if (is_single) sf::st_polygon(parts[[1L]]) else sf::st_multipolygon(parts)
}

# Each edge goes the shorter way, but for one as long as a parallel. Rings with a hole around a pole
# stay as they are.
unbroken_rings <- function(rings, pole) {
  gone_on <- lapply(rings, unbroken_ring)
  around <- vapply(gone_on, function(ring) ring[nrow(ring), 1L] != ring[1L, 1L], NA)
  if (any(around[-1L])) return(rings)
  if (around[1L]) gone_on[[1L]] <- closed_at_pole(gone_on[[1L]], pole)
  middle <- vapply(gone_on, function(ring) mean(range(ring[, 1L])), 0)
  Map(turned_back, gone_on, round((middle - middle[1L]) / 360))
}

unbroken_ring <- function(ring) {
  steps <- diff(ring[, 1L])
  if (any(abs(steps) >= 360)) return(ring)
  ring[, 1L] <- ring[, 1L] - 360 * c(0, cumsum(round(steps / 360)))
  ring
}

# A ring that has gone once around, back along the pole.
closed_at_pole <- function(ring, pole) {
  ends <- ring[c(nrow(ring), 1L), ]
  ends[, 2L] <- pole
  unname(rbind(ring, ends, ring[1L, ]))
}

turned_back <- function(ring, turns) {
  ring[, 1L] <- ring[, 1L] - 360 * turns
  ring
}

# The end of the widest gap between intervals, columns of start and end.
westernmost <- function(spans) {
  gap <- widest_gap(spans[1L, ], spans[2L, ] - spans[1L, ])
  turned_longitude(gap$middle + gap$width / 2, -180)
}

# Points `xy` of unbroken polygons, `area` the number of each, in the longitudes of the polygons as
# they were given.
within_given <- function(xy, area, geometry) {
  if (!isTRUE(suppressWarnings(sf::st_is_longlat(geometry)))) return(xy)
  beyond <- xy[, 1L] > 180 & polygon_boxes(geometry)[3L, area] <= 180
  xy[beyond, 1L] <- xy[beyond, 1L] - 360
  xy
}

# Weighted mean of longitudes on either side of the line, counted from their mean direction.
mean_longitude <- function(longitude, weight) {
  center <- mean_direction(longitude, weight)
  offset <- turned_longitude(longitude - center, -180)
  turned_longitude(center + sum(weight * offset) / sum(weight), -180)
}

# The same longitudes between `cut` and a turn more. A rounding error would put a location at the
# cut on either side of it.
turned_longitude <- function(longitude, cut) cut + (longitude - cut + 1e-9) %% 360 - 1e-9

# Between longitudes, or what reaches east from them by a width.
widest_gap <- function(longitude, width = 0) {
  start <- turned_longitude(longitude, -180)
  order <- order(start)
  reach <- cummax((start + width)[order])
  gaps <- c(start[order][-1L], start[order[1L]] + 360) - reach
  widest <- which.max(gaps)
  list(width = gaps[widest], middle = reach[widest] + gaps[widest] / 2)
}

# Longitudes of a map, cut in the middle of the widest gap between them where that makes the map
# narrower by a quarter. This is so for data on both sides of the date line.
joined_longitude <- function(longitude) {
  known <- longitude[is.finite(longitude)]
  if (!length(known)) return(longitude)
  gap <- widest_gap(known)
  if (360 - gap$width >= 0.75 * diff(range(known))) return(longitude)
  turned_longitude(longitude, gap$middle)
}

mean_direction <- function(longitude, weight = 1) {
  radians <- longitude * pi / 180
  atan2(sum(weight * sin(radians)), sum(weight * cos(radians))) * 180 / pi
}
