# Location means (location-means.R) of rows that are read in shards. Each shard computes those of
# its own rows, which include all rows of a location. The terms from within locations are summed
# over shards. Rows in memory are reduced before they are sent.

# Leaving out single rows needs tables of rows and of locations, and means that move with the noise
# need the rows of each, which shards do not exchange.
keeps_rows_in_shards <- function(method, data) {
  identical(method$leave_out, "row") || !is.null(data$noise)
}

# The default number of neighbours counts locations (R/default-method.R), and here these are rows.
counting_rows <- function(problem) {
  default <- problem$method$default_k
  if (!is.null(default)) problem$method$k <- max(1L, min(default, row_count(problem$data) - 1L))
  problem
}

# Whether shards of a problem or a fit replace the rows that they read by location means.
takes_means_in_shards <- function(object) {
  has_ability(object$method, "location_means", object$family) && !is_compressed(object$data) &&
    !keeps_rows_in_shards(object$method, object$data)
}

# Location means of the matrix of rows that a shard holds, raw or not.
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
  list(rows = means, within = if (!is.null(form$columns)) within_sums(within_locations(
    of_columns(rows), weights, of_columns(means), means[, form$weights], index)))
}

# The sums within the locations of a shard, and their number.
shard_within <- function(shard) {
  size <- length(shard$form$columns)
  within <- shard$within %||% list(gram = matrix(0, size, size), contrasts = 0, log_weights = 0)
  as_sums(c(list(locations = nrow(shard$rows)), within))
}

# Notes the locations of a host whose parts read their rows. Their number bounds that of neighbours.
# The sums within locations are NULL where no rows share a location.
note_locations <- function(host) {
  sums <- reduce_rows(host, "shard_within")
  host$most_neighbors <- sums$locations - 1
  if (sums$contrasts > 0) host$within <- list(sums[c("gram", "contrasts", "log_weights")])
}
