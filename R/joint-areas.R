# Responses on areas in a joint fit. The response of an area is the mean of its points u_l with
# weights a_l,
#
#   y_A = x_A'b + sum_l a_l sum_q A[m, q] f_q(u_l) + e_A.
#
# Points are locations of the fields like those of other responses. The row adds the clique of its
# points to the precision of the posterior (field_loadings.h). The fit of the response alone, at
# which the search begins, takes areas for points in their middles.

#' Joint models of areas and points, and of files
#'
#' @description
#' A Gaussian response of a [joint model][joint_models] can be observed on areas, for example on the
#' cells of a satellite's grid next to stations. Experimental.
#'
#' @details
#' * **Areas**: the data of the response are sf polygons, or a grid with
#'   `support = block_support()`. Each row is the mean over the points of its area, see
#'   [block_support()]. Predictions at points use all responses.
#' * **Limits**: an area takes at most 64 points. Counts on areas, `covariates` at points, `subset`
#'   and folds of locations are errors of class `neargp_error_support`.
#' * **Accuracy**: `k` is at least 30 by default, since points of areas are close to each other.
#'   Areas with little noise and a short range need the exact factor. It replaces the incomplete
#'   one up to 5,000 unknowns and is an error beyond.
#' * **Files**: `data` may be a [row_source()]. Each response reads its columns into memory.
#' * **Size**: one process holds all locations. `neargp_control(shards = )` and `cluster` are
#'   errors, since shards of [vnngp()] return sums of one response with one field.
#' @seealso [joint_models], [block_support()]
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # Stations, and means of the same field over squares
#' set.seed(1)
#' d <- data.frame(x = runif(60), y = runif(60))
#' d$level <- sin(6 * d$x) + d$y + rnorm(60, sd = 0.2)
#' stations <- sf::st_as_sf(d, coords = c("x", "y"), crs = 32633)
#' squares <- sf::st_make_grid(sf::st_as_sfc(sf::st_bbox(stations)), n = c(4, 4))
#' middle <- sf::st_coordinates(sf::st_centroid(squares))
#' grid <- sf::st_sf(seen = 0.8 * sin(6 * middle[, 1]) + rnorm(16, sd = 0.1), geometry = squares)
#' fit <- neargp(list(stations = level ~ 1, grid = seen ~ 1), list(stations, grid),
#'   family = list(gaussian()), support = block_support(points = 4),
#'   covariance = cov_coregionalisation(cov_matern(nu = 1.5), rank = 1))
#' fit
#' predict(fit, stations[1:3, ], outputs = "stations")
#' @name joint_areas
NULL

# A clique of many points fills the factor. Its columns grow by the number of points.
most_points_of_area <- 64L

# Points of areas are close to each other compared with the range. The largest error of the
# log-likelihood of 16 areas of 16 points with 120 stations was 0.8 with 15 neighbours and 0.1 with
# 30. That of standard deviations was 6% and 1% (bench/joint-areas.R).
default_joint_k <- function(method, parts) {
  if (has_joint_areas(parts)) max(method$default_k, 30L) else method$default_k
}

# The rows of `data` as points in the middles of areas, with the points of the areas, as of
# new_areal_data(). NULL without areas. `call`: of the response alone.
areas_of_response <- function(call, data, support, frame) {
  is_grid <- !is.null(support) && (is_raster(data) || is_stars(data))
  if (is_grid) data <- areas_of_grid(data, support, all.vars(call$formula))
  if (!is_areas(data)) return(NULL)
  check_areal_family(call$family)
  for (name in intersect(c("subset", "time"), names(call))) {
    refuse_areal(sprintf("`%s` in a joint fit", name), if (name == "time")
      "Fit the times one by one." else "Take the rows of the data before the call.")
  }
  if (!is.null(support$covariates)) {
    refuse_areal("covariates at points in a joint fit",
      "Give the means of the covariates as columns of `data`.")
  }
  locations <- new_locations(data, eval(call$coords, frame), NULL,
    eval(call$distance, frame) %||% "auto", eval(call$crs, frame), character(0))
  areal <- new_areal_data(data, support, call$formula, locations)
  most <- max(tabulate(areal$area))
  if (most > most_points_of_area) {
    refuse_areal(sprintf("%d points in an area in a joint fit", most),
      sprintf("At most %d are possible. A grid of block_support(points = %d) cuts areas that are no squares into more parts: give fewer, or split large areas.",
        most_points_of_area, (support %||% block_support())$points))
  }
  areal
}

# The data of a part as points in the middles of its areas, NULL where they are no longer found.
# `support`: the expression in the call of the joint fit.
middles_of_areas <- function(part, support) {
  frame <- environment(part$formula)
  tryCatch(suppressMessages(areas_of_response(part$call, known_map(eval(part$call$data, frame)),
    eval(support, frame), frame)$data), error = function(e) NULL)
}

# `support` is for responses on areas, the other responses ignore it.
check_joint_support <- function(support) {
  if (is.null(support)) return(NULL)
  check_class(support, "support", "neargp_support", "made by block_support()")
  support
}

check_support_is_used <- function(support, parts) {
  if (is.null(support) || has_joint_areas(parts)) return(invisible())
  abort_neargp("support", c("`support` is for areas, and no response is observed on areas.",
    i = "Give sf polygons, or a SpatRaster or stars grid, as the data of a response."))
}

# The fit of a response at the middles of areas, with the points of its rows: `coords`, `row` and
# `weight`, in the order of the rows. `points`: the number that block_support() asks for.
with_points_of_areas <- function(part, areal) {
  rows <- rows_of_part(part)
  if (length(part$locations$factors)) {
    refuse_areal("a factor as a coordinate or as `by`", "Fit its levels one by one.")
  }
  own <- which(areal$area %in% rows)
  xy <- areal$xy[own, , drop = FALSE]
  colnames(xy) <- part$locations$raw_names
  part$areas <- list(coords = embed_places(xy, part$locations, "data"),
    row = match(areal$area[own], rows), weight = areal$weight[own],
    points = areal$described$asked)
  part
}

has_joint_areas <- function(parts) {
  any(vapply(parts, function(part) !is.null(part$areas), NA))
}

# The numbers of the rows in the data that were given.
# The locations of all rows: distinct `coords` and the `place` of each row. With areas, `place` is a
# matrix with a column of locations for each row, padded by NA, and `shares` are their weights.
places_of_parts <- function(parts) {
  coords <- do.call(rbind, lapply(parts, function(part) part$areas$coords %||% part$data$coords))
  index <- location_index(coords)
  found <- list(coords = coords[!duplicated(index), , drop = FALSE], place = index, shares = NULL)
  if (!has_joint_areas(parts)) return(found)
  counts <- vapply(parts, function(part) length(part$data$y), 0L)
  row <- unlist(Map(function(part, before) before + (part$areas$row %||% seq_along(part$data$y)),
    parts, cumsum(counts) - counts), use.names = FALSE)
  weight <- unlist(lapply(parts, function(part) part$areas$weight %||% rep(1, length(part$data$y))),
    use.names = FALSE)
  # points of an area that are one location count together
  key <- as.double(row) * nrow(coords) + index
  weight <- rowsum(weight, key, reorder = FALSE)
  first <- !duplicated(key)
  number <- sequence(rle(row[first])$lengths)
  at <- cbind(number, row[first])
  found$place <- matrix(NA_integer_, max(number), sum(counts))
  found$shares <- matrix(0, max(number), sum(counts))
  found$place[at] <- index[first]
  found$shares[at] <- weight
  found
}

# The points of all rows: `row`, `place` and `share` of each.
points_of_rows <- function(place, shares) {
  if (is.null(shares)) return(list(row = seq_along(place), place = place, share = 1))
  known <- which(!is.na(place))
  list(row = col(place)[known], place = place[known], share = shares[known])
}

# A remedy where points of areas with little noise depend too much on each other for an incomplete
# factor. The time of an exact one grows with the cube of the unknowns. It is 0.1 s for 1,452 of
# them on one core (bench/notes/joint.md).
remedy_for_areas <- function(shared) {
  if (is.null(shared$shares)) return(NULL)
  unknowns <- nrow(shared$coords) * count_shared_fields(shared$structures)
  fewer <- max(vapply(shared$parts, function(part) part$areas$points %||% 0L, 0L)) %/% 2L
  c(i = sprintf("%s more neighbours, vnngp(k = %d).", if (fewer > 0L)
    sprintf("Take fewer points in each area, block_support(points = %d), or", fewer) else "Take",
  2L * shared$method$k),
  i = sprintf("vnngp(factor = \"exact\") needs neither. An evaluation for these %s unknowns then takes some %s of one core.",
    format_count(unknowns), format_seconds(3e-11 * unknowns^3)))
}

refuse_without_areas <- function(object, what) {
  if (!has_joint_areas(object$parts)) return(invisible())
  refuse_areal(what, "Areas cover several locations. Compare fits by AIC, or score new data.")
}

# ---- draws ---------------------------------------------------------------------------------------

# The target of the fitted rows with a row for each point of an area.
points_as_target <- function(part, target) {
  areas <- part$areas
  if (is.null(areas)) return(target)
  target$coords <- areas$coords
  target$X <- target$X[areas$row, , drop = FALSE]
  target$offset <- target$offset[areas$row]
  target$areas <- areas[c("row", "weight")]
  target
}

# Means over the points of each row of values at points.
means_of_rows <- function(values, areas) {
  if (is.null(areas)) return(values)
  unname(rowsum(values * areas$weight, areas$row, reorder = FALSE))
}
