# From embedded coordinates back to those of the data: degrees, levels of factors, times.

position_frame <- function(coords, place) {
  raw <- raw_positions(coords, place)
  if (is.null(place$network)) with_levels(raw, place) else as.data.frame(raw)
}

# The locations before a network (network.R), and the coordinates of rows there.
input_locations <- function(locations) locations$inputs %||% locations

input_places <- function(data, locations) {
  data$inputs %||% places_of(data$coords, locations)
}

# Raw coordinates of the training rows (longitude and latitude in degrees), time last.
original_coords <- function(fit) {
  raw_positions(input_places(fit$data, fit$locations), input_locations(fit$locations))
}

# The features of a network are their own.
raw_positions <- function(coords, place) {
  if (!is.null(place$network)) {
    return(structure(coords, dimnames = list(NULL, place$embedded_names)))
  }
  if (has_made_blocks(place)) {
    coords <- coords[, !is_made_block(place)[place$block], drop = FALSE]
    place <- without_made_blocks(place)
  }
  if (has_factors(place)) {
    numbers <- place$kind[place$block] %in% c("number", "time")
    columns <- split(seq_along(place$block), place$block)[place$kind %in% level_kinds]
    codes <- Map(function(own, known) level_numbers(coords[, own, drop = FALSE], known), columns,
      place$factors)
    raw <- cbind(degrees_of(coords[, numbers, drop = FALSE], place), do.call(cbind, codes))
    known <- c(numeric_names(place), place$time, names(place$factors))
    coords <- raw[, match(c(place$raw_names, place$time), known), drop = FALSE]
  } else {
    coords <- degrees_of(coords, place)
  }
  structure(coords, dimnames = list(NULL, c(place$raw_names, place$time)))
}

degrees_of <- function(coords, place) {
  if (place$metric != "longlat") return(coords)
  degrees <- 180 / pi
  longitude <- turned_longitude(atan2(coords[, 2L], coords[, 1L]) * degrees, -180)
  latitude <- atan2(coords[, 3L], sqrt(coords[, 1L]^2 + coords[, 2L]^2)) * degrees
  cbind(joined_longitude(longitude), latitude, coords[, -(1:3), drop = FALSE])
}
