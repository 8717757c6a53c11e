# Which rows share a location. The field takes one value there, so conditioning on it twice would be
# singular, and neighbours at one location are copies of each other.

# Rows at the same location share a number, 1, 2, ... in order of appearance. Coordinates that
# differ by rounding are the same, such as 0.3 and 0.1 + 0.2.
location_index <- function(coords) {
  index <- rep(1, nrow(coords))
  for (x in asplit(coords, 2L)) {
    x <- rounded_coordinate(x)
    if (!anyDuplicated(x)) return(seq_len(nrow(coords)) + 0L) # a compact sequence hashes otherwise
    index <- as.double(index) * nrow(coords) + match(x, unique(x)) # beyond the range of integers
    index <- match(index, unique(index))
  }
  index
}

# The number of locations, or `at_most`. Few of the first rows show in most data that there are so
# many.
count_locations <- function(coords, at_most = Inf) {
  rows <- min(4 * at_most, nrow(coords))
  repeat {
    found <- max(location_index(coords[seq_len(rows), , drop = FALSE]), 0L)
    if (found >= at_most || rows == nrow(coords)) return(as.integer(min(found, at_most)))
    rows <- min(16 * rows, nrow(coords))
  }
}

distinct_locations <- function(coords) coords[!duplicated(location_index(coords)), , drop = FALSE]

# Rows that share their location with an earlier or later row.
duplicated_locations <- function(coords) {
  index <- location_index(coords)
  which(index %in% index[duplicated(index)])
}

# Row of `among`, where no two are alike, at each location; NA where there is none.
match_locations <- function(coords, among) {
  place <- location_index(rbind(among, coords))
  match(place[nrow(among) + seq_len(nrow(coords))], place[seq_len(nrow(among))])
}

# Values closer than a billionth of their extent, and than rounding of the largest one leaves them,
# become equal. A chain of close values, as of times by a fast clock, is cut into pieces so long.
rounded_coordinate <- function(x) {
  if (!length(x)) return(x)
  ascending <- order(x)
  sorted <- x[ascending]
  closest <- min(1e-9 * (sorted[length(x)] - sorted[1L]), 1e-12 * max(abs(sorted)))
  is_new <- c(TRUE, diff(sorted) > closest)
  piece <- (sorted - sorted[is_new][cumsum(is_new)]) %/% max(closest, .Machine$double.xmin)
  is_new <- is_new | c(FALSE, diff(piece) != 0)
  replace(x, ascending, sorted[is_new][cumsum(is_new)])
}

# Areas may share their middle.
fold_location_index <- function(fit) {
  if (!is.null(fit$locations$support)) return(location_index(fit$data$coords))
  location_index(input_places(fit$data, fit$locations))
}
