# The empirical variogram of values: half their mean squared differences in classes of distance.

# `space`: of new_variogram_space().
variogram_of <- function(values, space, cutoff, width, estimator, directions, tolerance,
                         max_pairs) {
  coords <- space$coords
  check_variogram_values(values, coords)
  if (is.null(cutoff)) cutoff <- extent_of(coords) / 3
  check_number(cutoff, "cutoff", 0, open = TRUE)
  if (is.null(width)) width <- cutoff / 15
  check_number(width, "width", cutoff / 1e6)
  check_number(tolerance, "tolerance", 0, 90, open = TRUE)
  check_number(max_pairs, "max_pairs", 100)
  pairs <- close_pairs(coords, cutoff, max_pairs, space$aside, space$lag, space$lag_name)
  pairs$difference <- abs(values[pairs$i] - values[pairs$j])
  selected <- directional_pairs(pairs, space$plane, directions, tolerance)
  table <- do.call(rbind, Map(function(pairs, direction) {
    cbind(direction = rep_len(direction, 1L), variogram_classes(pairs, width, estimator))
  }, selected, if (is.null(directions)) NA_real_ else directions))
  structure(table, row.names = seq_len(nrow(table)), class = c("neargp_variogram", "data.frame"),
    estimator = estimator, cutoff = cutoff, width = width, unit = space$unit)
}

check_variogram_values <- function(values, coords) {
  if (!is.numeric(values) || length(values) != nrow(coords)) {
    abort_neargp("length", c(
      "There must be one value for each location.",
      x = sprintf("There are %d values (%s) and %d locations.", length(values), class(values)[1L],
        nrow(coords))
    ))
  }
  if (!all(is.finite(values))) {
    abort_neargp("missing", sprintf("Values must be finite; they are not in %s.",
      format_rows(which(!is.finite(values)))))
  }
}

# The diagonal of the box around locations.
extent_of <- function(coords) sqrt(sum(apply(coords, 2L, function(x) diff(range(x)))^2))

# One row for each distance class ((m - 1) width, m width]; distance zero belongs to the first.
variogram_classes <- function(pairs, width, estimator) {
  class <- pmax(1L, as.integer(ceiling(pairs$distance / width - 1e-9)))
  n <- tabulate(class)
  used <- which(n > 0)
  mean_of <- function(x) as.vector(rowsum(x, class)) / n[used]
  data.frame(distance = mean_of(pairs$distance),
    gamma = class_semivariances(pairs$difference, class, n[used], estimator), n_pairs = n[used])
}

# `n`: the numbers of pairs in the classes that occur, in order.
class_semivariances <- function(difference, class, n, estimator) {
  mean_of <- function(x) as.vector(rowsum(x, class)) / n
  switch(estimator,
    classical = mean_of(difference^2) / 2,
    robust = mean_of(sqrt(difference))^4 / (2 * (0.457 + 0.494 / n)))
}

directional_pairs <- function(pairs, coords, directions, tolerance) {
  if (is.null(directions)) return(list(pairs))
  if (!is.numeric(directions) || !length(directions) || !all(is.finite(directions)) ||
      ncol(coords) < 2L) {
    abort_neargp("argument",
      "`directions` must be angles in degrees, for locations of two coordinates or more.")
  }
  delta <- coords[pairs$i, 1:2, drop = FALSE] - coords[pairs$j, 1:2, drop = FALSE]
  angle <- atan2(delta[, 1L], delta[, 2L]) * 180 / pi
  lapply(directions, function(direction) {
    off <- abs((angle - direction + 90) %% 180 - 90)
    kept <- take_pairs(pairs, off <= tolerance)
    if (!length(kept$i)) {
      abort_neargp("variogram", c(
        sprintf("No pair of locations lies within %s degrees of direction %s.", format(tolerance),
          format(direction)),
        i = "Increase `tolerance` or `max_pairs`."
      ))
    }
    kept
  })
}
