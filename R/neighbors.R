# The searches for neighbours that fits make, always in the metric of a covariance component:
# coordinates divided by its ranges, and rotated where it is anisotropic. In space and time the
# nearest are those of the largest correlation (search_lags()).

neighbors_before <- function(problem, component, k, ordering, key) {
  if (has_outputs(problem)) return(earlier_outputs(problem, component, k, ordering, key))
  order <- row_order(problem, component, ordering, key, k)
  neighbors_in_order(problem, component, k, order)
}

neighbors_in_order <- function(problem, component, k, order) {
  release_unused(k * length(order))
  core_neighbors_before(core_scale(problem$data$coords, component), order, k, problem$context,
    search_lags(component))
}

neighbors_others <- function(problem, component, k) {
  release_unused(k * nrow(problem$data$coords))
  core_neighbors_others(core_scale(problem$data$coords, component), k, problem$context,
    search_lags(component))
}

# The same of some rows, as a matrix with a column for each of these.
others_of_targets <- function(coords, component, targets, k, context) {
  index <- core_index(coords, component, search_lags(component))
  without_self(core_index_nearest(index, coords[targets, , drop = FALSE], k + 1L, context), targets)
}

# Those before some rows in an order, as such a matrix.
earlier_of_targets <- function(problem, component, targets, k, order) {
  scaled <- core_scale(problem$data$coords, component)
  rank <- order(order)
  as.matrix(core_neighbors_earlier(scaled, rank, scaled[targets, , drop = FALSE], rank[targets], k,
    problem$context))
}

# A function of component and k: the neighbours of each row among the others, of several responses
# those that `leave_out` leaves in (neighbors_of_outputs()).
others_search <- function(problem, largest_k, leave_out = "row") {
  if (!has_outputs(problem)) {
    return(search_once(function(component, k) neighbors_others(problem, component, k), largest_k))
  }
  function(component, k) {
    neighbors_of_outputs(problem$data, component, k, k_other_of(problem, k), leave_out,
      problem$context)
  }
}

# Where the metric has one range only, neighbours never change, and those of a smaller k are the
# first of those of the largest: one search, for the largest k, serves every level. The last level
# takes the table with it, so that it is not kept while the core works on its own.
search_once <- function(search, largest_k) {
  found <- NULL
  function(component, k, ...) {
    if (!is_isotropic(component)) return(search(component, k, ...))
    table <- found %||% search(component, largest_k)
    found <<- if (k < largest_k) table
    if (k < largest_k) core_neighbors_first(table, k) else table
  }
}

# The last result, as long as the same is asked for: where the search has ended its objective is
# wanted once more. The last one is let go before another is made.
last_made <- function(make) {
  made_for <- made <- NULL
  function(component, k, ...) {
    now <- list(if (!is_isotropic(component)) list(component, ...), k)
    if (is.null(made) || !identical(now, made_for)) {
      made <<- NULL
      made <<- make(component, k, ...)
      made_for <<- now
    }
    made
  }
}

# R's collector knows nothing of the memory that the core holds behind a pointer. It would leave the
# last problem where it is, with fewer neighbours or in another metric, while the next one is made,
# and the table that a problem was made of while that is solved. It is asked to collect where tables
# of `entries` neighbours, of 4 bytes each, make that worth its time.
release_unused <- function(entries) {
  if (entries > 5e6) gc()
}

# A key for the core's generator, drawn from R's, so that set.seed() governs it.
order_key <- function() floor(stats::runif(1L) * 2^31)

# Keeps only the rows that `targets` and their neighbours (column i: those of targets[i]) involve,
# with both renumbered.
reduce_to_neighbors <- function(data, targets, neighbors) {
  rows <- sort(unique(c(targets, neighbors)))
  list(data = take_data_rows(data, rows), neighbors = matrix(match(neighbors, rows),
    nrow(neighbors)), targets = match(targets, rows))
}

# Distances on a lattice are equal by the dozen, and rounding would choose among them: a slightly
# different range, another order and other neighbours, and a log-likelihood that differs by several
# units. Shifts by a millionth of the spacing choose the same ones always.
break_ties <- function(scaled, context) {
  n <- nrow(scaled)
  spacing <- max(apply(scaled, 2L, function(x) diff(range(x)))) / n^(1 / ncol(scaled))
  ranks <- vapply(seq_len(ncol(scaled)),
    function(column) as.double(core_order(scaled, "random", column, context)), double(n))
  scaled + 1e-6 * spacing * (ranks / n - 0.5)
}
