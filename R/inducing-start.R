# Where inducing points begin: given by the user, or chosen among the rows.

check_start_positions <- function(inducing) {
  if (is.null(inducing)) return(NULL)
  if (is.data.frame(inducing) || is.matrix(inducing)) {
    if (nrow(inducing) == 0L) abort_neargp("inducing", "`inducing` is empty: it must include at least one row.")
    if (is.matrix(inducing) && !is.numeric(inducing)) {
      abort_neargp("inducing", "A matrix of inducing points must be numeric.")
    }
    return(inducing)
  }
  check_count(inducing, "inducing")
}

# Starting positions in the core's coordinates. `component`: in whose metric. `number`: how many
# where the user does not say.
start_positions <- function(method, problem, component, number) {
  held <- problem$inducing %||% problem$warm_start$svgp$positions %||% problem$start_positions
  if (!is.null(held)) return(held)
  given <- method$inducing
  if (is.data.frame(given) || is.matrix(given)) return(given_positions(given, problem))
  coords <- problem$data$coords
  wanted <- given %||% number
  places <- distinct_locations(coords)
  if (wanted >= nrow(places)) {
    if (wanted > nrow(places)) inform_fewer(method, wanted, nrow(places))
    return(places)
  }
  chosen_positions(method$select, coords, places, wanted, component, problem$context,
    replicate_columns(problem$locations))
}

inform_fewer <- function(method, wanted, places) {
  inform_neargp("inducing",
    sprintf("inducing = %s is lowered to %s, the number of distinct locations%s.",
      format_count(wanted), format_count(places), if (is_svgp(method)) ": svgp() is exact then" else
      ""))
}

describe_inducing <- function(inducing, otherwise) {
  if (is.null(inducing)) return(otherwise)
  if (is.numeric(inducing) && is.null(dim(inducing))) format_count(inducing) else
    paste(format_count(nrow(inducing)), "given positions")
}

given_positions <- function(given, problem) {
  locations <- problem$locations
  wanted <- c(locations$raw_names, locations$time)
  if (is.matrix(given)) {
    if (ncol(given) != length(wanted)) {
      abort_neargp("inducing",
        sprintf("The inducing points must have %d columns, the coordinates %s, not %d.",
          length(wanted), format_some(wanted), ncol(given)))
    }
  } else {
    check_place_columns(given, locations, "inducing")
    given <- raw_coordinates(given, locations, "inducing")
  }
  wrong <- which(colSums(!is.finite(given)) > 0)
  if (length(wrong)) {
    abort_neargp("inducing", sprintf("The inducing points have missing or infinite values of %s.",
      format_some(wanted[wrong])))
  }
  embed_coordinates(given, locations, "inducing")
}

# Rows in a random order that is always the same one, or the centres of their clusters. The order
# depends on locations, and not on the order of the rows of the data. `replicates`: the columns of
# factors of which a component has independent copies.
chosen_positions <- function(select, coords, places, wanted, component, context,
                             replicates = integer(0)) {
  coords <- by_distance_from_center(coords)
  places <- by_distance_from_center(places)
  order <- of_each_copy_first(core_order(places, "random", 1, context), places, replicates)
  first <- places[order[seq_len(wanted)], , drop = FALSE]
  if (select == "random") return(first)
  some <- coords[core_order(coords, "random", 2,
    context)[seq_len(min(nrow(coords), max(8000L, 8L * wanted)))], , drop = FALSE]
  cluster_centers(rbind(first, some), first, component, replicates)
}

# The order with one location of each combination of levels at its front, so that no copy is without
# a point as long as there are enough.
of_each_copy_first <- function(order, places, replicates) {
  if (!length(replicates)) return(order)
  order[order(duplicated(places[order, replicates, drop = FALSE]))]
}

# Coordinates in which rows are clustered. A point between two levels would be independent of both.
# Rows of different levels are therefore far from each other, even if `component` ignores levels.
clustering_coordinates <- function(coords, component, replicates) {
  cbind(core_scale(coords, component), coords[, replicates, drop = FALSE] / replicate_range)
}

# Sorts by distances in units of each column's scatter, so that the order of columns does not matter
# either. Distances are rounded to digits that do not depend on the order of summation.
by_distance_from_center <- function(coords) {
  squares <- apply(coords, 2L,
    function(x) (x - mean(x))^2 / max(stats::var(x), .Machine$double.xmin))
  distances <- signif(rowSums(matrix(squares, nrow(coords))), 10L)
  coords[do.call(order, c(list(distances), asplit(coords, 2L))), , drop = FALSE]
}

# Rows that repeat a location draw centres to it. The sweeps need not have settled. A cluster may
# also have lost its last row: its centre stays the row that it began at. `kmeans()` would interpret
# one centre as the number of centres. Rows of a level without a point of its own may join a cluster
# of another level, in which its centre stays.
cluster_centers <- function(coords, first, component, replicates = integer(0), sweeps = 8L) {
  if (nrow(first) == 1L) return(with_levels_of(matrix(colMeans(coords), 1L), first, replicates))
  spread <- clustering_coordinates(coords, component, replicates)
  clusters <- suppressWarnings(stats::kmeans(spread, spread[seq_len(nrow(first)), , drop = FALSE],
    iter.max = sweeps, algorithm = "Lloyd")$cluster)
  sums <- sums_by_group(coords, clusters, nrow(first))
  sizes <- tabulate(clusters, nrow(first))
  centers <- first
  centers[sizes > 0L, ] <- sums[sizes > 0L, ] / sizes[sizes > 0L]
  with_levels_of(unname(centers), first, replicates)
}

with_levels_of <- function(centers, first, replicates) {
  centers[, replicates] <- first[, replicates]
  centers
}

has_cusp <- function(problem, working) {
  any(vapply(covariance_at(problem, working)$components, function(component) {
    covariance_families[[component$family]]$cusp(c(component$shape, NA)[1L])
  }, NA))
}

# Which coordinates of the points are searched, as 0 or 1. Points are not compared with chunks, and
# do not leave the levels of replicates.
moving_points <- function(problem, working, positions) {
  moves <- array(1, dim(positions))
  moves[, replicate_columns(problem$locations)] <- 0
  if (is.null(problem$data$stream) && has_cusp(problem, working)) {
    moves[!is.na(match_locations(positions, problem$data$coords)), ] <- 0
  }
  moves
}
