# Messages about numbers that are fitted as Gaussian because no `family` is named, where another
# family is the usual one: 0 and 1, and counts.

inform_family <- function(settings, frame, transform) {
  response <- stats::model.response(frame)
  named <- !settings$family_open || !is.null(transform)
  if (named || !is_gaussian(settings$family) || !is.numeric(response) || !is.null(dim(response))) {
    return(invisible())
  }
  name <- names(frame)[1L]
  if (all(response %in% c(0, 1))) {
    return(inform_neargp("family", c(sprintf("`%s` is 0 or 1, and is fitted as Gaussian.", name),
      i = "For presence or absence, name the family: family = binomial().")))
  }
  if (looks_like_counts(response, frame[["(locations)"]])) {
    inform_neargp("family", c(sprintf("`%s` has counts whose variance grows with their mean, and is fitted as Gaussian.",
      name), i = "For counts, name the family: family = negative_binomial()."))
  }
}

# Counts are whole, not negative and mostly small. Two neighbours a and b share about one mean. For
# counts, `(a - b)^2 / 2` therefore grows with `(a + b) / 2`, and is not much less than it.
# Elevations, ages and codes differ in one of these.
looks_like_counts <- function(y, coords, most = 500L, largest_median = 50) {
  y <- as.double(y)
  if (length(y) < 20L || anyNA(y) || any(y < 0 | y != round(y)) || length(unique(y)) < 4L ||
    stats::median(y) > largest_median || anyNA(coords)) {
    return(FALSE)
  }
  coords <- coords[, apply(coords, 2L, function(x) any(x != x[1L])), drop = FALSE]
  if (!ncol(coords)) return(FALSE)
  coords <- unname(sweep(coords, 2L, apply(coords, 2L, stats::sd), "/"))
  rows <- unique(round(seq(1, length(y), length.out = most)))
  pairs <- as.matrix(core_neighbors_to(coords, coords[rows, , drop = FALSE], 2L, plain_context()))
  mean <- colMeans(matrix(y[pairs], 2L))
  variance <- (y[pairs[1L, ]] - y[pairs[2L, ]])^2 / 2
  grows <- suppressWarnings(stats::cor(mean, variance, method = "spearman"))
  isTRUE(grows * sqrt(length(rows) - 1) > 3) && sum(variance) > 0.5 * sum(mean)
}
