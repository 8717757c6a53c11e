# The searches for neighbours that fits make, always in the metric of a covariance component: coordinates divided by its ranges, and
# rotated where it is anisotropic.

neighbors_before <- function(problem, component, k, ordering, key) {
  order <- row_order(problem, component, ordering, key)
  core_neighbors_before(core_scale(problem$data$coords, component), order, k, problem$threads)
}

neighbors_others <- function(problem, component, k) {
  core_neighbors_others(core_scale(problem$data$coords, component), k, problem$threads)
}

row_order <- function(problem, component, ordering, key) {
  if (ordering == "given") return(seq_len(nrow(problem$data$coords)))
  core_order(core_scale(problem$data$coords, component), ordering, key, problem$threads)
}

# Where the metric has one range only, neighbours never change, and those of a smaller k are the first of those of the largest:
# `search(component, k)` then runs once, for the largest k.
search_once <- function(search, largest_k) {
  found <- NULL
  function(component, k) {
    if (!is_isotropic(component)) return(search(component, k))
    if (is.null(found)) found <<- search(component, largest_k)
    if (k == largest_k) found else found[seq_len(k), , drop = FALSE]
  }
}

# A key for the core's generator, drawn from R's, so that set.seed() governs it.
order_key <- function() floor(stats::runif(1L) * 2^31)

# Only the rows that `targets` and their neighbours (column i: those of targets[i]) involve, with both renumbered.
reduce_to_neighbors <- function(data, targets, neighbors) {
  rows <- sort(unique(c(targets, neighbors)))
  list(data = take_data_rows(data, rows), neighbors = matrix(match(neighbors, rows), nrow(neighbors)),
    targets = match(targets, rows))
}

take_data_rows <- function(data, rows) {
  list(y = data$y[rows], X = data$X[rows, , drop = FALSE], offset = data$offset[rows], weights = data$weights[rows],
    coords = data$coords[rows, , drop = FALSE], response_name = data$response_name)
}
