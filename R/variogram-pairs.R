# Pairs of rows within the distance `cutoff`: all of them, or a sample that is rich at every
# distance. `aside`: further coordinates, in which pairs are within `lag`. This is the time for a
# variogram in space, and the other way round. `lag_name`: the user's name of `lag`.
close_pairs <- function(coords, cutoff, max_pairs, aside = NULL, lag = 0, lag_name = "time_lag") {
  n <- nrow(coords)
  # Neighbours that are near in both: stretch the others so that `lag` weighs as much as `cutoff`.
  searched <- if (is.null(aside)) coords else cbind(coords, aside * stretch(aside, lag, cutoff))
  pairs <- if (n * (n - 1) / 2 <= max_pairs) all_pairs(seq_len(n)) else
    sample_pairs(searched, max_pairs)
  pairs$distance <- row_distances(coords, pairs$i, pairs$j)
  near <- pairs$distance <= cutoff
  if (!is.null(aside)) near <- near & row_distances(aside, pairs$i, pairs$j) <= lag
  pairs <- take_pairs(pairs, near)
  if (!length(pairs$i)) {
    abort_neargp("variogram", c(
      sprintf("No two locations are closer than `cutoff` = %s%s.", format(cutoff, digits = 4L),
              if (is.null(aside)) "" else sprintf(" within `%s` = %s", lag_name, format(lag))),
      i = if (is.null(aside)) "Increase `cutoff`." else sprintf("Increase `cutoff` or `%s`.",
        lag_name)
    ))
  }
  pairs
}

stretch <- function(aside, lag, cutoff) {
  if (lag <= 0) lag <- min(apply(aside, 2L, function(x) min(diff(sort(unique(x))), Inf))) / 1000
  if (is.finite(lag)) cutoff / lag else 0
}

all_pairs <- function(rows) {
  n <- length(rows)
  first <- rep.int(seq_len(n - 1L), (n - 1L):1L)
  second <- sequence((n - 1L):1L) + first
  list(i = rows[first], j = rows[second])
}

# Pairs are a list of columns: a data frame would name a million rows.
take_pairs <- function(pairs, kept) lapply(pairs, `[`, kept)

# Half of the pairs come from one small random subset, taken whole, for the long distances. The
# others come from random subsets of n, n / 2^d, n / 4^d, ... down to a few hundred rows. They are
# the nearest of random members, whose distances double from one subset to the next.
sample_pairs <- function(coords, max_pairs) {
  n <- nrow(coords)
  thinning <- 2^min(ncol(coords), 3L)
  sizes <- floor(n / thinning^seq(0, max(0, floor(log(n / 200, thinning)))))
  share <- max_pairs / 2 / length(sizes)
  pairs <- lapply(sizes, function(size) neighbor_pairs(coords, sample.int(n, size), share))
  pairs <- do.call(Map, c(list(c, all_pairs(sample.int(n, min(n, floor(sqrt(max_pairs)))))), pairs))
  lower <- pmin(pairs$i, pairs$j)
  upper <- pmax(pairs$i, pairs$j)
  take_pairs(pairs, !duplicated((lower - 1) * n + upper))
}

# Up to `share` pairs: 32 neighbours of some rows, or more neighbours of all where there are few
# rows. Pairs end at the distance within which every anchor is paired with all rows. Beyond it only
# anchors in sparse areas would add pairs. At that very distance, as on a grid, an anchor may lack
# some.
neighbor_pairs <- function(coords, rows, share) {
  anchors <- rows[sample.int(length(rows), min(max(1, floor(share / 32)), length(rows)))]
  k <- min(ceiling(share / length(anchors)), length(rows) - 1L)
  # Asks for one more than wanted: the nearest row is the anchor itself, dropped below with i = j.
  nearest <- core_neighbors_to(coords[rows, , drop = FALSE], coords[anchors, , drop = FALSE],
    k + 1L, plain_context())
  pairs <- list(i = rep(anchors, each = k + 1L), j = rows[as.vector(as.matrix(nearest))])
  distance <- row_distances(coords, pairs$i, pairs$j)
  reach <- if (k + 1L == length(rows)) Inf else
    min(apply(matrix(distance, k + 1L), 2L, max)) * (1 - 1e-9)
  take_pairs(pairs, pairs$i != pairs$j & (distance < reach | distance == 0))
}

row_distances <- function(coords, i, j) {
  sum <- 0
  for (column in seq_len(ncol(coords))) sum <- sum + (coords[i, column] - coords[j, column])^2
  sqrt(sum)
}

# Where a variogram is measured. `coords`: the coordinates of distances, in this `unit`. `plane`:
# those of directions. The values of a pair differ by at most `lag` in the coordinates `aside`.
new_variogram_space <- function(coords, unit, plane = coords, aside = NULL, lag = 0,
                                lag_name = "time_lag") {
  list(coords = coords, unit = unit, plane = plane, aside = aside, lag = lag, lag_name = lag_name)
}
