# Class labels by location. Rows at exactly the same location are one cell, which holds the number of its labels of each class: k
# neighbours are k distinct locations, and no subset of tied rows is picked at random.
#
# Leaving an observation out of a cell with others leaves those others: its conditioning set then begins with a cell of its own, the same
# location with one label less. So an observation's own label is never among what predicts it.
#
# R/pseudo-observations.R has cells of pseudo-observations. What conditioning sets need of either are `coords`, `content`, a matrix with a row for each
# cell to which observations add up, and `total`, the number of observations in each.

new_labels <- function(data, classes, cell) {
  first <- which(!duplicated(cell))
  content <- matrix(0, length(first), classes)
  sums <- rowsum(data$weights, (data$class - 1) * length(first) + cell)
  content[as.numeric(rownames(sums))] <- sums
  list(cell = cell, class = data$class, count = data$weights, classes = classes,
    coords = data$coords[first, , drop = FALSE], content = content, total = rowSums(content))
}

# What the leave-one-out score sums over. Observations of one class in one cell are alike unless the trend tells them apart.
label_observations <- function(labels, merge) {
  if (!merge) return(take_observations(labels, seq_along(labels$cell)))
  key <- (labels$class - 1) * nrow(labels$coords) + labels$cell
  first <- which(!duplicated(key))
  list(row = first, cell = labels$cell[first], class = labels$class[first],
    count = labels$content[cbind(labels$cell[first], labels$class[first])])
}

take_observations <- function(labels, rows) {
  list(row = rows, cell = labels$cell[rows], class = labels$class[rows], count = labels$count[rows])
}

# Conditioning sets of observations: the k nearest other cells in the metric of `component`, and what is left of their own. The result
# has the cells that are involved and refers to them: those that lack an observation come last. `own(which)`: what those of the
# observations `at` add to the content of their cells.
leave_one_out_sets <- function(cells, at, component, k, threads, own) {
  nearest <- nearest_other_cells(cells, at$cell, component, k, threads)
  shared <- which(cells$total[at$cell] > 1)
  used <- sort(unique(c(nearest, at$cell[shared])))
  neighbors <- matrix(match(nearest, used), k)
  coords <- cells$coords[used, , drop = FALSE]
  content <- cells$content[used, , drop = FALSE]
  if (length(shared)) {
    home <- match(at$cell[shared], used)
    rest <- replace(rep(NA_integer_, ncol(neighbors)), shared, length(used) + seq_along(home))
    neighbors <- rbind(rest, neighbors, deparse.level = 0L)
    content <- rbind(content, content[home, , drop = FALSE] - own(shared))
    coords <- rbind(coords, coords[home, , drop = FALSE])
  }
  list(coords = coords, content = content, targets = cells$coords[at$cell, , drop = FALSE], neighbors = neighbors)
}

# A column for each of the cells `of`.
nearest_other_cells <- function(cells, of, component, k, threads) {
  scaled <- core_scale(cells$coords, component)
  distinct <- unique(of)
  nearest <- if (length(distinct) == nrow(scaled)) {
    core_neighbors_others(scaled, k, threads)[, distinct, drop = FALSE]
  } else {
    without_self(core_neighbors_to(scaled, scaled[distinct, , drop = FALSE], k + 1L, threads), distinct)
  }
  nearest[, match(of, distinct), drop = FALSE]
}

# One label each.
label_content <- function(labels, at) {
  function(which) {
    content <- matrix(0, length(which), labels$classes)
    content[cbind(seq_along(which), at$class[which])] <- 1
    content
  }
}
