# Folds of whole locations, and held-out rows whose location is among those that predict them. Equal
# locations are those of location_index(): with `time` the same location at the same time.

# The number of each row's location in a fit or in sf points; NULL where locations are not known.
known_location_index <- function(object) {
  if (inherits(object, "neargp")) return(fold_location_index(as_places(object)))
  if (!is_sf(object) || !all(sf::st_geometry_type(object) == "POINT")) return(NULL)
  location_index(fold_locations(object, FALSE)$coords)
}

# As many locations in each fold.
location_folds <- function(index, v) {
  check_fold_count(v, max(index), "locations")
  new_folds(sample(rep_len(seq_len(v), max(index)))[index], v, "location")
}

# Rows that differ from the first one of their location by rounding get its coordinates: a border
# between blocks, or the end of a map, could part them.
with_equal_locations <- function(place, time = FALSE) {
  of_place <- seq_len(ncol(place$coords) - time)
  index <- location_index(place$coords[, of_place, drop = FALSE])
  if (!anyDuplicated(index)) return(place)
  first <- which(!duplicated(index))[index]
  place$coords[, of_place] <- place$coords[first, of_place]
  place$flat <- place$flat[first, , drop = FALSE]
  place
}
