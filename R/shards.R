# Shards: compact parts of the rows, by which a sum over all rows is computed. The data and the
# number of shards alone determine them. To the last bit, it does not matter whether this process or
# workers of a cluster compute them, nor how many workers there are.

# The least and the largest number of rows in a shard by default. More shards allow more workers. In
# small shards most rows are near a border, where orderings are worse.
rows_per_shard <- c(least = 500, most = 1e6)

default_shards <- function(n) {
  wanted <- max(16, 2^ceiling(log2(n / rows_per_shard[["most"]])))
  as.integer(max(1, min(wanted, 2^floor(log2(max(n / rows_per_shard[["least"]], 1))))))
}

is_sharded <- function(problem) !is.null(problem$control$shards)

# ---- the partition -------------------------------------------------------------------------------

# A tree of cuts, at medians of the widest side and between two different values, so that equal
# locations share a shard. A leaf is the number of its shard. If the number of shards is odd, the
# smaller half is low.
shard_cuts <- function(places, count, first = 1L) {
  if (count == 1L) return(first)
  extent <- apply(places, 2L, function(x) max(x) - min(x))
  column <- which.max(extent)
  if (!nrow(places) || !(extent[column] > 0)) abort_few_places()
  x <- places[, column]
  low <- count %/% 2L
  rank <- max(1L, round(length(x) * low / count))
  at <- sort(x, partial = rank)[rank]
  if (at == max(x)) at <- max(x[x < at])
  below <- x <= at
  list(column = column, at = at,
    low = shard_cuts(places[below, , drop = FALSE], low, first),
    high = shard_cuts(places[!below, , drop = FALSE], count - low, first + low))
}

abort_few_places <- function() {
  abort_neargp("cluster", c("There are fewer distinct locations than shards.",
    i = "Use fewer shards: neargp_control(shards = )."))
}

# The shard of each location.
shard_of <- function(places, cuts) {
  found <- integer(nrow(places))
  walk <- function(rows, cuts) {
    if (!is.list(cuts)) {
      found[rows] <<- cuts
      return(invisible())
    }
    below <- places[rows, cuts$column] <= cuts$at
    walk(rows[below], cuts$low)
    walk(rows[!below], cuts$high)
  }
  walk(seq_len(nrow(places)), cuts)
  found
}

# The shard of each row of coordinates, in the form of the core. `like`: a problem, or another
# object with its locations and groups.
shard_of_coords <- function(coords, like, partition) {
  shard_of(shard_places(coords, like, partition$scales), partition$cuts)
}

# Locations in units in which sides are compared: ranges of one kind share their unit.
shard_places <- function(coords, problem, scales = shard_scales(coords, problem)) {
  places <- places_of(coords, problem$locations)
  sweep(places, 2L, scales[problem$groups[[1L]]$group], "/")
}

shard_scales <- function(coords, problem) {
  scales <- group_scales(coords, problem$groups[[1L]]$group)
  ifelse(scales > 0, scales, 1)
}

# The numbers by which parts know their rows, in the order of all `n`. `rows`: of each part.
gather <- function(found, rows, n) {
  values <- matrix(0, n, NCOL(found[[1L]]))
  for (id in names(rows)) values[rows[[id]], ] <- found[[id]]
  values
}

# ---- sums ----------------------------------------------------------------------------------------

# Sums of shards are added along the tree of halves of their numbers. A process that holds a whole
# branch can add it, and the result is rounded in the same way however the shards are spread.
branch_name <- function(ids) paste(range(ids), collapse = "-")

halves <- function(ids) {
  low <- seq_len(length(ids) %/% 2L)
  list(ids[low], ids[-low])
}

# `parts`: sums by the names of their branches. The sum of the known parts of the branch `ids`.
add_branches <- function(parts, ids) {
  name <- branch_name(ids)
  if (!is.null(parts[[name]])) return(parts[name])
  if (length(ids) == 1L) return(list())
  sides <- halves(ids)
  found <- lapply(sides, function(side) add_branches(parts, side))
  whole <- all(vapply(1:2, function(i) identical(names(found[[i]]), branch_name(sides[[i]])), NA))
  if (!whole) return(c(found[[1L]], found[[2L]]))
  stats::setNames(list(add_sums(found[[1L]][[1L]], found[[2L]][[1L]])), name)
}

# Sums are a list of numbers and arrays. `failed`: the row of the first shard that could not be
# computed, else 0; where there is one, there are no sums.
add_sums <- function(a, b) {
  if (a$failed > 0) a["failed"] else if (b$failed > 0) b["failed"] else Map(`+`, a, b)
}

# Sums that cannot fail.
as_sums <- function(sums) c(list(failed = 0), sums)
