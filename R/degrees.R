# Longitude and latitude among the columns of a data set: their names, their order and their limits.

# Whether names and values of the first two columns are those of degrees. Projected coordinates may
# share the names, but not the values.
named_degrees <- function(coords) {
  coords <- as.data.frame(coords)
  limits <- c(lon = 360, long = 360, longitude = 360, lat = 90,
    latitude = 90)[tolower(colnames(coords)[1:2])]
  if (anyNA(limits)) return(FALSE)
  all(vapply(1:2, function(j) is.numeric(coords[[j]]) &&
    all(abs(coords[[j]]) <= limits[[j]], na.rm = TRUE), NA))
}

# Without a CRS nothing but names says that coordinates are degrees, and names alone should not
# decide.
inform_degrees <- function(names, data) {
  columns <- as.data.frame(data)
  if (!named_degrees(columns[intersect(names[1:2], colnames(columns))])) return(invisible())
  inform_neargp("degrees", c(
    sprintf("Distances are Euclidean in degrees of %s and %s, where a degree of longitude is as long as one of latitude.",
      names[1L], names[2L]),
    i = "Use distance = \"chordal\" for distances in km, or distance = \"euclidean\" if that is what you want."))
}

# Longitude comes first. Both orders have valid values in most of the world, so that names alone
# show that they are exchanged.
check_order_of_degrees <- function(names, argument) {
  if (length(names) < 2L) return(invisible())
  exchanged <- names_latitude(names[1L]) || names_longitude(names[2L]) ||
    identical(tolower(names[1:2]), c("y", "x"))
  if (!exchanged) return(invisible())
  rest <- names[-(1:2)]
  abort_neargp("coordinates", c(
    sprintf("Longitude must come first and latitude second, but the first two coordinates of `%s` are %s and %s.",
      argument, names[1L], names[2L]),
    i = sprintf("Exchange them: ~ %s.", paste(c(names[2:1], rest), collapse = " + "))))
}

# Whole names or words in them: lat, site_lat, decimalLatitude.
names_latitude <- function(name) grepl("(^|[._ ])lat([._ ]|$)|latitude", name, ignore.case = TRUE)

names_longitude <- function(name) {
  grepl("(^|[._ ])(lon|long|lng)([._ ]|$)|longitude", name, ignore.case = TRUE)
}

check_longlat <- function(raw, argument) {
  check_order_of_degrees(colnames(raw), argument)
  wrong <- which(abs(raw[, 2L]) > 90 | abs(raw[, 1L]) > 540)
  if (length(wrong)) {
    abort_neargp("coordinates", c(
      paste0("`", argument, "` contains locations that are not longitude and latitude in degrees (",
        format_rows(wrong), ")."),
      x = sprintf("The first of them is (%g, %g).", raw[wrong[1L], 1L], raw[wrong[1L], 2L]),
      i = "Longitude comes first, latitude (-90 to 90) second; use distance = \"euclidean\" for planar coordinates."))
  }
}
