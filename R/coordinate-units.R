# Coordinates that share a range but probably not a unit. With one range for both, a day counts as
# far as a degree or a metre, whatever the data. With `time` or `ard = TRUE`, each gets its own
# range, estimated from the data.

# Words in the name of a column, however they are joined: day, obs_time, depth.m.
time_words <- c("t", "time", "date", "datetime", "timestamp", "day", "days", "doy", "yday", "week",
  "month", "year", "yr", "hour", "hours", "minute", "second", "epoch", "julian")
vertical_words <- c("depth", "height", "elevation", "elev", "altitude", "alt", "level", "pressure")

# Spreads (standard deviations) within this factor may be those of a long and narrow region. Two
# coordinates are never judged by their spread: a transect is ordinary data. Longitude and latitude
# of the sphere are one distance, in km.
unlike_spread <- 20

warn_unlike_units <- function(problem, distance) {
  # users who name the distance want it, as in inform_degrees()
  if (identical(distance, "euclidean")) return(invisible())
  # an ellipsoid stretches each of its coordinates
  sharing <- Filter(function(x) is.null(x$ellipsoid), problem$groups)
  pairs <- lapply(unique(lapply(sharing, function(x) x$group)), unlike_coordinates, problem)
  found <- Filter(Negate(is.null), pairs)
  if (length(found)) warn_units(found[[1L]], problem$covariance$components[[1L]]$family)
  invisible()
}

# The first of the coordinates that share a range with one of another kind or spread, or NULL.
unlike_coordinates <- function(group, problem) {
  locations <- problem$locations
  for (shared in split(seq_along(group), group)) {
    shared <- shared[locations$kind[locations$block[shared]] %in% c("number", "time")]
    names <- unique(locations$embedded_names[shared])
    if (length(names) < 2L) next
    kinds <- vapply(names, coordinate_kind, "")
    odd <- which(kinds != "space")
    if (length(unique(kinds)) > 1L) {
      return(list(odd = names[odd[1L]], other = names[-odd[1L]], kind = kinds[[odd[1L]]]))
    }
    columns <- split(shared, factor(locations$embedded_names[shared], names))
    spread <- vapply(columns,
      function(of_name) coordinate_spread(problem$data$coords[, of_name, drop = FALSE]), 0)
    spread <- spread[spread > 0]
    if (length(shared) < 3L || length(spread) < 2L || max(spread) < unlike_spread * min(spread)) {
      next
    }
    extremes <- names(spread)[c(which.max(spread), which.min(spread))]
    return(list(odd = extremes[1L], other = extremes[2L], kind = "spread",
      ratio = max(spread) / min(spread)))
  }
}

# In an expression such as I(depth / 1000) the user has chosen the unit.
coordinate_kind <- function(name) {
  if (name != make.names(name)) return("space")
  words <- strsplit(tolower(name), "[^a-z]+")[[1L]]
  if (any(words %in% time_words)) "time" else if (any(words %in% vertical_words)) "vertical" else
    "space"
}

coordinate_spread <- function(columns) sqrt(sum(apply(columns, 2L, stats::var)))

warn_units <- function(found, family) {
  others <- format_some(ifelse(found$other == "longlat", "longitude and latitude", found$other))
  why <- if (found$kind == "spread")
    sprintf("Coordinates %s and %s share a range, and their spreads differ by a factor of %s.",
      found$odd, others, format_count(signif(found$ratio, 2L))) else
      sprintf("Coordinates %s and %s share a range, as if their units were one.", found$odd, others)
  warn_neargp("units", c(why,
    i = if (found$kind == "time")
    sprintf("Give %s by time = ~ %s, not in `coords`: it then gets its own range.", found$odd,
      found$odd),
    i = sprintf("%s gives each coordinate its own range: covariance = cov_%s(ard = TRUE).",
      if (found$kind == "time") "For more such coordinates `ard = TRUE`" else "`ard = TRUE`",
      family),
    i = "If they share one unit, use distance = \"euclidean\"."))
}
