#' Coordinates: degrees, units and times
#'
#' @description
#' Locations are sf points, cells of a raster, or the columns that `coords` of [neargp()] names.
#'
#' ```r
#' fit <- neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326)
#' ```
#'
#' @details
#' Distances are Euclidean in the units of the coordinates. With longitude and latitude they are
#' chordal distances through the sphere, in km: for sf data with a geographic CRS, `crs = 4326` or
#' `distance = "chordal"`. A Matérn covariance of great-circle distances would not be positive
#' definite for a smoothness above 1/2. Without a CRS, columns called `lon` and `lat` are Euclidean,
#' and a message says so. For projected coordinates (UTM, for example), ranges are in metres or in
#' your unit.
#'
#' Duplicated locations are fine for Gaussian responses with a nugget, and for all other families.
#'
#' Coordinates that share a range should share a unit. If their spreads or names suggest otherwise,
#' a warning suggests `time = ` for a time and `ard = TRUE` in the covariance for a depth. `distance
#' = "euclidean"` confirms one unit.
#'
#' @section Columns with units:
#' Durations and columns of package units count as numbers in their own unit, and columns of
#' `newdata` are converted to the units of the fit. Give all coordinates in one unit. Predictions
#' are plain numbers. Weights, offsets and measurement variances must be numbers without a unit.
#' @seealso [factor_coordinates] for factors, [cov_spacetime()], [barrier_embedding()] for distances
#'   around barriers.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Degrees: the range is in km
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326)
#' coef(fit, what = "covariance")
#'
#' # A plane: the range is in the unit of the columns, here 100 km
#' stations$east <- 0.85 * (stations$lon + 105)
#' stations$north <- 1.11 * (stations$lat - 39)
#' coef(neargp(precipitation ~ 1, stations, coords = ~ east + north), what = "covariance")
#' @name neargp_coordinates
NULL

# Where the rows of a data set are. The recipe `locations` is kept in the fit. It describes how to
# get raw coordinates from a data set (columns, geometry, time), and the metric and unit of
# distances. Raw coordinates are those of the user: longitude and latitude in degrees, factors by
# the numbers of their levels. Embedded ones are those of the core: longitude and latitude as points
# in space, in km, factors as corners of a simplex (factor-coordinates.R). In both, numbers come
# first, then factors, and time last.

new_locations <- function(data, coords, time, distance, crs, response, replicates = NULL) {
  distance <- check_choice(distance, "distance", c("auto", "euclidean", "chordal"))
  found <- if (is_sf(data)) {
    sf_locations(data, coords, distance, crs, replicates)
  } else if (is.null(coords)) {
    no_locations()
  } else {
    frame_locations(data, coords, time, distance, crs, response, replicates)
  }
  found$factors <- mark_replicates(found$factors, replicates)
  found$time <- time_variable(time)
  check_coordinate_levels(found$factors, nrow(data))
  locations <- c(found[c("names", "terms", "crs", "metric", "unit", "raw_names", "factors", "dot")],
    list(time = found$time))
  if (!is.null(found$time)) {
    check_columns_present(found$time, data, "data")
    locations$time_unit <- time_unit(data[[found$time]])
    locations$time_example <- data[[found$time]][NA_integer_]  # its class, and its time zone
  }
  describe_embedding(locations)
}

# Adds the names of the embedded coordinates and their blocks, within which ranges cannot differ:
# the sphere, each other number, factor or feature, linear terms, time. `kind`: that of each block.
describe_embedding <- function(locations) {
  numbers <- numeric_names(locations)
  on_sphere <- locations$metric == "longlat"
  sizes <- c(stats::setNames(rep(1L, length(numbers)), numbers),
    vapply(locations$factors %||% list(), simplex_columns, 0L), feature_sizes(locations),
    linear_sizes(locations), stats::setNames(rep(1L, length(locations$time)), locations$time))
  if (on_sphere) sizes <- c(longlat = 3L, sizes[-(1:2)])
  locations$embedded_names <- rep(names(sizes), sizes)
  locations$block <- rep(seq_along(sizes), sizes)
  locations$kind <- c(rep("number", length(numbers) - on_sphere),
    vapply(locations$factors, kind_of_factor, "", USE.NAMES = FALSE),
    rep("feature", length(feature_sizes(locations))),
    if (!is.null(locations$linear)) "linear",
    if (!is.null(locations$time)) "time")
  locations
}

# Blocks that are made of predictors or of the coordinates themselves.
is_made_block <- function(locations) locations$kind %in% c("feature", "linear")

has_made_blocks <- function(locations) {
  !is.null(locations$features) || !is.null(locations$linear)
}

without_made_blocks <- function(locations) {
  locations[c("features", "linear")] <- list(NULL)
  describe_embedding(locations)
}

# The locations of a fit. Saved fits of format 0 lack the blocks.
fitted_locations <- function(fit) {
  if (is.null(fit$locations$block)) describe_embedding(fit$locations) else fit$locations
}

# c(x, y) for ~ x + y, and day for ~ day, are looked for where neargp() was called from.
columns_argument <- function(value, name, example) {
  tryCatch(value, error = function(e) {
    abort_neargp("coordinates", c(sprintf("`%s` cannot be evaluated.", name),
      i = sprintf("Name columns by a formula, %s = %s, or by strings.", name, example)), parent = e)
  })
}

frame_locations <- function(data, coords, time, distance, crs, response, replicates = NULL) {
  terms <- coordinate_terms(coords, data, c(response, all.vars(time)))
  names <- attr(terms, "term.labels")
  factors <- coordinate_factors(terms, data, replicates)
  raw_names <- c(setdiff(names, names(factors)), names(factors))
  if (length(factors)) terms <- sum_of(raw_names, environment(terms))
  metric <- resolve_metric(distance, crs, length(raw_names) - length(factors))
  if (metric$metric == "planar" && distance == "auto" && is.null(crs)) {
    inform_degrees(raw_names, data)
  }
  list(names = raw_names, terms = terms, crs = crs_of(crs), metric = metric$metric,
    unit = metric$unit, raw_names = raw_names, factors = if (length(factors)) factors,
    dot = rlang::is_formula(coords) && "." %in% all.vars(coords))
}

# `coords` as terms without response and intercept. A dot stands for all columns but the response,
# time and weights.
coordinate_terms <- function(coords, data, not_coordinates) {
  if (is.character(coords)) {
    if (!length(coords) || anyNA(coords) || !all(validEnc(coords)) || !all(nzchar(coords))) {
      abort_argument("coords", "a one-sided formula or column names", coords)
    }
    check_distinct_coordinates(coords)
    coords <- stats::reformulate(sprintf("`%s`", coords), env = globalenv())
  }
  if (!rlang::is_formula(coords) || length(coords) != 2L) {
    abort_argument("coords", "a one-sided formula such as ~ x + y, or column names", coords)
  }
  check_columns_present(setdiff(all.vars(coords), "."), data, "data", environment(coords), "coords")
  terms <- stats::terms(coords, data = data[setdiff(names(data), not_coordinates)])
  labels <- attr(terms, "term.labels")
  if (!length(labels) || any(attr(terms, "order") > 1L) || !is.null(attr(terms, "offset"))) {
    abort_neargp("coordinates", c("`coords` must be a sum of coordinates.",
      i = "For example coords = ~ x + y."))
  }
  check_distinct_coordinates(summands(coords[[2L]]))
  sum_of(labels, environment(coords))
}

sum_of <- function(labels, environment) {
  stats::terms(stats::reformulate(labels, intercept = FALSE, env = environment))
}

# The summands of a sum, as text. Repeated ones are kept, whereas terms() returns each only once.
summands <- function(expression) {
  if (is.call(expression) && as.character(expression[[1L]])[1L] %in% c("+", "(")) {
    return(unlist(lapply(as.list(expression)[-1L], summands)))
  }
  deparse1(expression)
}

check_distinct_coordinates <- function(labels) {
  again <- unique(labels[duplicated(labels)])
  if (!length(again)) return(invisible())
  abort_neargp("coordinates", c(
    sprintf("`coords` names %s more than once.", paste0("`", again, "`", collapse = ", ")),
    i = "Name each coordinate once, for example coords = ~ x + y."))
}

resolve_metric <- function(distance, crs, dimensions) {
  longlat <- if (is.null(crs)) distance == "chordal" else crs_is_longlat(crs)
  chordal <- distance == "chordal" || (distance == "auto" && isTRUE(longlat))
  if (distance == "chordal" && identical(longlat, FALSE)) {
    abort_neargp("crs",
      c("distance = \"chordal\" needs longitude and latitude, but the CRS is projected.",
        i = "Use distance = \"euclidean\", or transform with sf::st_transform(data, 4326)."))
  }
  if (chordal && dimensions < 2L) {
    abort_neargp("coordinates",
      "Chordal distance needs longitude and latitude as the first two coordinates.")
  }
  list(metric = if (chordal) "longlat" else "planar",
    unit = if (chordal) "km" else if (is.null(crs)) "" else if (isTRUE(longlat)) "degrees" else
    crs_unit(crs))
}

has_inputs <- function(locations) length(locations$raw_names) > 2L || has_factors(locations)

coordinate_matrix <- function(locations) {
  if (is_sf(locations)) {
    locations <- structure(sf_coordinates(locations, "locations"),
      dimnames = list(NULL, c("x", "y")))
  }
  locations <- plain_columns(locations)
  if (is.data.frame(locations)) check_numeric_locations(locations)
  if (!is.data.frame(locations) && !is.matrix(locations) &&
      !(is.numeric(locations) && length(locations))) {
    abort_neargp("coordinates",
      sprintf("Locations must be sf points, or a matrix or data frame of coordinates, not %s.",
        describe_value(locations)))
  }
  coords <- as.matrix(locations)
  bad <- if (is.numeric(coords)) which(rowSums(!is.finite(coords)) > 0)
  if (!is.numeric(coords) || length(bad) || !nrow(coords)) {
    abort_neargp("coordinates", c(
      "Locations must be finite numbers, one row for each point.",
      if (length(bad)) c(x = sprintf("They are not in %s.", format_rows(bad)))
    ))
  }
  coords
}

check_numeric_locations <- function(locations) {
  other <- names(locations)[!vapply(locations, is.numeric, NA)]
  if (length(other)) {
    abort_neargp("coordinates",
      c(sprintf("Locations must be numbers, but %s is of class %s.", other[1L],
        class(locations[[other[1L]]])[1L]),
        i = "Give the columns of coordinates alone, as in data[c(\"x\", \"y\")]."))
  }
}

# The coordinates alone, without covariates.
places_of <- function(coords, locations) coords[, seq_along(locations$embedded_names), drop = FALSE]

# ---- checks on the training locations ------------------------------------------------------------

# Whether the first two coordinates are not all on a line, or the first three in a plane. Their
# scatter off the line or plane of least squares must exceed what rounding of the coordinates can
# cause.
spans <- function(coords, dimension) {
  first <- coords[, seq_len(dimension), drop = FALSE]
  size <- max(abs(first))
  scatter <- svd(sweep(first, 2L, colMeans(first)), 0L, 0L)$d
  least <- scatter[dimension]
  least > 1e-8 * scatter[1L] && least > 1e-14 * size * sqrt(nrow(coords))
}
