# Class labels by distinct location. Each holds the number of labels of every class that its rows
# have: k neighbours are k distinct locations, and no subset of tied rows is picked at random.
#
# Leaving an observation out of a location with others leaves those others: its conditioning set
# then begins with a row of its own, the same location with one label less. An observation's own
# label is therefore never among its predictors.
#
# R/neighbours-pseudo-observations.R aggregates pseudo-observations likewise. Conditioning sets need
# `coords`, `content`, a matrix with a row for each location to which observations add up, and
# `total`, the number of observations at each.

new_labels <- function(data, classes, location_index) {
  first <- which(!duplicated(location_index))
  content <- matrix(sums_by_group(data$weights, (data$class - 1) * length(first) + location_index,
    length(first) * classes), length(first))
  list(location_index = location_index, class = data$class, count = data$weights, classes = classes,
    coords = data$coords[first, , drop = FALSE], content = content, total = rowSums(content))
}

# The observations that the leave-one-out score sums over. Those of one class at one location are
# alike unless the trend distinguishes them.
label_observations <- function(labels, merge) {
  if (!merge) return(take_observations(labels, seq_along(labels$location_index)))
  key <- (labels$class - 1) * nrow(labels$coords) + labels$location_index
  first <- which(!duplicated(key))
  list(row = first, location_index = labels$location_index[first], class = labels$class[first],
    count = labels$content[cbind(labels$location_index[first], labels$class[first])])
}

take_observations <- function(labels, rows) {
  list(row = rows, location_index = labels$location_index[rows], class = labels$class[rows],
    count = labels$count[rows])
}

# Conditioning sets of observations: the k nearest other locations in the metric of `component`, and
# what is left of their own. The result contains the locations that are involved and refers to them:
# those that lack an observation come last. `own(which)`: what those of the observations `at` add to
# the content of their locations.
leave_one_out_sets <- function(locations, at, component, k, context, own) {
  nearest <- nearest_other_locations(locations, at$location_index, component, k, context)
  shared <- which(locations$total[at$location_index] > 1)
  used <- sort(unique(c(nearest, at$location_index[shared])))
  neighbors <- matrix(match(nearest, used), k)
  coords <- locations$coords[used, , drop = FALSE]
  content <- locations$content[used, , drop = FALSE]
  if (length(shared)) {
    home <- match(at$location_index[shared], used)
    rest <- replace(rep(NA_integer_, ncol(neighbors)), shared, length(used) + seq_along(home))
    neighbors <- rbind(rest, neighbors, deparse.level = 0L)
    content <- rbind(content, content[home, , drop = FALSE] - own(shared))
    coords <- rbind(coords, coords[home, , drop = FALSE])
  }
  list(coords = coords, content = content,
    targets = locations$coords[at$location_index, , drop = FALSE], neighbors = neighbors)
}

# Neighbours in columns, one for each of the locations `of`.
nearest_other_locations <- function(locations, of, component, k, context) {
  distinct <- unique(of)
  nearest <- others_of_targets(locations$coords, component, distinct, k, context)
  nearest[, match(of, distinct), drop = FALSE]
}

# The content of single observations: one label each.
label_content <- function(labels, at) {
  function(which) {
    content <- matrix(0, length(which), labels$classes)
    content[cbind(seq_along(which), at$class[which])] <- 1
    content
  }
}
