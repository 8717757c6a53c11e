# Shards: compact parts of the rows, by which a sum over all rows is computed. They are fixed by the
# data and by their number alone; who computes them, this process or workers of a cluster, and how
# many of these there are, does not matter to the last bit.

# Rows of a shard that is chosen by default, at most and at least: more shards are for more workers,
# and small ones have most of their rows near a border, where orderings are worse.
rows_per_shard <- c(least = 500, most = 1e6)

default_shards <- function(n) {
  wanted <- max(16, 2^ceiling(log2(n / rows_per_shard[["most"]])))
  as.integer(max(1, min(wanted, 2^floor(log2(max(n / rows_per_shard[["least"]], 1))))))
}

is_sharded <- function(problem) !is.null(problem$control$shards)

# ---- the partition -------------------------------------------------------------------------------

# A tree of cuts, at medians of the widest side and between two different values, so that equal
# places share a shard. A leaf is the number of its shard; of an odd number the smaller half is low.
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
  abort_neargp("cluster", c("There are fewer distinct places than shards.",
    i = "Take fewer shards: neargp_control(shards = )."))
}

# The shard of each place.
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

# Places in units in which sides are compared: ranges of one kind share their unit.
shard_places <- function(coords, problem, scales = shard_scales(coords, problem)) {
  places <- places_of(coords, problem$locations)
  sweep(places, 2L, scales[problem$groups[[1L]]$group], "/")
}

shard_scales <- function(coords, problem) {
  scales <- group_scales(coords, problem$groups[[1L]]$group)
  ifelse(scales > 0, scales, 1)
}

# ---- sums ----------------------------------------------------------------------------------------

# Sums of shards are added along the tree of halves of their numbers: whoever holds all of a branch
# can add it, and the result has one rounding however the shards are spread.
branch_name <- function(ids) paste(range(ids), collapse = "-")

halves <- function(ids) {
  low <- seq_len(length(ids) %/% 2L)
  list(ids[low], ids[-low])
}

# `parts`: sums by the names of their branches. What can be added of the branch `ids` is.
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

# `failed`: the row of the first shard that could not be computed, else 0.
add_sums <- function(a, b) {
  list(failed = if (a$failed > 0) a$failed else b$failed, size = a$size, sums = a$sums + b$sums)
}

# Sums that cannot fail.
as_sums <- function(sums) list(failed = 0, size = 0, sums = sums)

# What core_evaluate() returns, as numbers in a row and back. `size`: columns and parameters.
pack_sums <- function(result, row_of) {
  parts <- c("log_det", "gram", "d_log_det", "d_gram", "information")
  list(failed = if (result$failed > 0L) row_of[result$failed] else 0,
    size = c(ncol(result$gram), length(result$d_log_det)),
    sums = unlist(lapply(result[intersect(parts, names(result))], as.vector), use.names = FALSE))
}

unpack_sums <- function(packed) {
  columns <- packed$size[1L]
  parameters <- packed$size[2L]
  dims <- list(log_det = 1L, gram = c(columns, columns), d_log_det = parameters,
    d_gram = c(columns, columns, parameters), information = c(parameters, parameters))
  ends <- cumsum(vapply(dims, prod, 0))
  read <- function(name) {
    values <- packed$sums[seq_len(prod(dims[[name]])) + ends[[name]] - prod(dims[[name]])]
    if (length(dims[[name]]) > 1L) array(values, dims[[name]]) else values
  }
  names <- if (parameters > 0 && length(packed$sums) == ends[["information"]]) names(dims) else
    c("log_det", "gram")
  c(stats::setNames(lapply(names, read), names), list(failed = packed$failed))
}
