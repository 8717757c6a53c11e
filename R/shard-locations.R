# Location means (location-means.R) of rows that are read in shards. Each shard makes those of its
# own rows, among which all rows of a location are, and the terms from within them are summed over
# shards. Rows in memory are reduced before they are sent.

# Whether shards of a problem or a fit do so with the rows that they read.
takes_means_in_shards <- function(object) {
  conditions_on_locations(object$method) && is_gaussian(object$family) &&
    is.null(object$data$noise) && !is_compressed(object$data) &&
    !identical(object$method$leave_out, "row")
}

# Of the matrix of rows that a shard holds, raw or not.
shard_means <- function(rows, form) {
  index <- location_index(shard_columns(rows, form, "coords"))
  if (!anyDuplicated(index)) return(list(rows = rows))
  weights <- rows[, form$weights]
  averaged <- unlist(form[intersect(names(form), c("columns", "y", "X", "offset"))])
  means <- rows[!duplicated(index), , drop = FALSE]
  means[, averaged] <- location_average(rows[, averaged, drop = FALSE],
    shares_of_location(weights, index), index)
  means[, form$weights] <- rowsum(weights, index)
  of_columns <- function(rows) shard_columns(rows, form, "columns")
  list(rows = means, within = if (!is.null(form$columns)) within_terms(within_locations(
    of_columns(rows), weights, of_columns(means), means[, form$weights], index)))
}

# With the number of locations.
shard_within <- function(shard) {
  size <- length(shard$form$columns)
  within <- shard$within %||% list(gram = matrix(0, size, size), contrasts = 0, log_weights = 0)
  as_sums(c(nrow(shard$rows), within$contrasts, within$log_weights, within$gram))
}

# Of all shards of a problem whose rows are read, NULL where none shares its location.
read_within <- function(host) {
  sums <- sum_of_shards(host, "shard_within", list())$sums
  gram <- sums[-(1:3)]
  list(locations = sums[1L], terms = if (sums[2L] > 0) list(gram = matrix(gram,
    sqrt(length(gram))), contrasts = sums[2L], log_weights = sums[3L]))
}

# The terms from within locations, of rows in memory or in the shards of a host.
within_of_problem <- function(problem, host) {
  if (is.null(problem$data$stream)) within_terms(problem$data$within) else host$within
}
