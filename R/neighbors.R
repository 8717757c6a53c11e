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

# Returns a function of component and k that finds the neighbours of each row among the others. With
# several responses, `leave_out` says which rows may be neighbours (neighbors_of_outputs()).
others_search <- function(problem, largest_k, leave_out = "row") {
  if (!has_outputs(problem)) {
    return(search_once(function(component, k) neighbors_others(problem, component, k), largest_k))
  }
  function(component, k) {
    neighbors_of_outputs(problem$data, component, k, k_other_of(problem, k), leave_out,
      problem$context)
  }
}

# With a single range the neighbours never change, and the neighbours of a smaller k are the first
# of those of the largest k. One search, for the largest k, therefore serves every level. The last
# level returns the table without keeping it, so that it is freed while the core works on its own
# copy.
search_once <- function(search, largest_k) {
  found <- NULL
  function(component, k, ...) {
    if (!is_isotropic(component)) return(search(component, k, ...))
    table <- found %||% search(component, largest_k)
    found <<- if (k < largest_k) table
    if (k < largest_k) core_neighbors_first(table, k) else table
  }
}

# Keeps the last result as long as the same is asked for: once the search has ended, its objective
# is needed once more. The last result is released before another is made.
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

# R's collector does not count the memory that the core keeps behind a pointer. Without this call,
# the last problem, with fewer neighbours or in another metric, would stay while the next is made.
# The table that a problem was made of would stay while the problem is solved. The collector runs
# where tables of `entries` neighbours, of 4 bytes each, make that worth its time.
release_unused <- function(entries) {
  if (entries > 5e6) gc()
}

# A latent model takes about 200 bytes for each neighbour.
release_models <- function(neighbors) release_unused(20 * prod(dim(neighbors)))

# A key for the core's generator, drawn from R's, so that set.seed() governs it.
order_key <- function() floor(stats::runif(1L) * 2^31)

# Keeps only the rows that `targets` and their neighbours (column i: those of targets[i]) involve,
# with both renumbered.
reduce_to_neighbors <- function(data, targets, neighbors) {
  rows <- sort(unique(c(targets, neighbors)))
  list(data = take_data_rows(data, rows), neighbors = matrix(match(neighbors, rows),
    nrow(neighbors)), targets = match(targets, rows))
}

# Many distances on a lattice are equal, and rounding would choose among them. A slightly different
# range would then lead to another order and other neighbours, and change the log-likelihood by
# several units. Shifts by a millionth of the spacing choose the same ones always.
break_ties <- function(scaled, context) {
  n <- nrow(scaled)
  spacing <- max(apply(scaled, 2L, function(x) diff(range(x)))) / n^(1 / ncol(scaled))
  ranks <- vapply(seq_len(ncol(scaled)),
    function(column) as.double(core_order(scaled, "random", column, context)), double(n))
  scaled + 1e-6 * spacing * (ranks / n - 0.5)
}
