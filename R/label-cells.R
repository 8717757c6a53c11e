# Class labels by location. Rows at exactly the same location are one cell, which holds the number of its labels of each class: k
# neighbours are k distinct locations, and no subset of tied rows is picked at random.
#
# Leaving an observation out of a cell with others leaves those others: its conditioning set then begins with a cell of its own, the same
# location with one label less. So an observation's own label is never among what predicts it.

new_labels <- function(data, classes, cell) {
  first <- which(!duplicated(cell))
  counts <- matrix(0, length(first), classes)
  sums <- rowsum(data$weights, (data$class - 1) * length(first) + cell)
  counts[as.numeric(rownames(sums))] <- sums
  list(cell = cell, class = data$class, count = data$weights, classes = classes,
    coords = data$coords[first, , drop = FALSE], counts = counts, total = rowSums(counts))
}

# Numbers of the distinct rows of a matrix, in order of appearance.
location_index <- function(coords) {
  n <- nrow(coords)
  order <- do.call(base::order, lapply(seq_len(ncol(coords)), function(j) coords[, j]))
  sorted <- coords[order, , drop = FALSE]
  differs <- rowSums(sorted[-1L, , drop = FALSE] != sorted[-n, , drop = FALSE]) > 0
  index <- integer(n)
  index[order] <- cumsum(c(TRUE, differs))
  match(index, unique(index))
}

# What the leave-one-out score sums over. Observations of one class in one cell are alike unless the trend tells them apart.
label_observations <- function(labels, merge) {
  if (!merge) return(take_observations(labels, seq_along(labels$cell)))
  key <- (labels$class - 1) * nrow(labels$coords) + labels$cell
  first <- which(!duplicated(key))
  list(row = first, cell = labels$cell[first], class = labels$class[first],
    count = labels$counts[cbind(labels$cell[first], labels$class[first])])
}

take_observations <- function(labels, rows) {
  list(row = rows, cell = labels$cell[rows], class = labels$class[rows], count = labels$count[rows])
}

# Conditioning sets of observations: the k nearest other cells in the metric of `component`, and what is left of their own. The result
# has the cells that are involved and refers to them: those that lack a label come last.
leave_one_out_sets <- function(labels, at, component, k, threads) {
  scaled <- core_scale(labels$coords, component)
  cells <- unique(at$cell)
  nearest <- if (length(cells) == nrow(scaled)) {
    core_neighbors_others(scaled, k, threads)[, cells, drop = FALSE]
  } else {
    without_self(core_neighbors_to(scaled, scaled[cells, , drop = FALSE], k + 1L, threads), cells)
  }
  nearest <- nearest[, match(at$cell, cells), drop = FALSE]
  shared <- which(labels$total[at$cell] > 1)
  used <- sort(unique(c(nearest, at$cell[shared])))
  neighbors <- matrix(match(nearest, used), k)
  coords <- labels$coords[used, , drop = FALSE]
  counts <- labels$counts[used, , drop = FALSE]
  if (length(shared)) {
    own <- match(at$cell[shared], used)
    left <- counts[own, , drop = FALSE]
    chosen <- cbind(seq_along(own), at$class[shared])
    left[chosen] <- left[chosen] - 1
    rest <- replace(rep(NA_integer_, ncol(neighbors)), shared, length(used) + seq_along(own))
    neighbors <- rbind(rest, neighbors, deparse.level = 0L)
    coords <- rbind(coords, coords[own, , drop = FALSE])
    counts <- rbind(counts, left)
  }
  list(coords = coords, counts = counts, targets = labels$coords[at$cell, , drop = FALSE], neighbors = neighbors)
}
