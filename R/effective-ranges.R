# How far a range reaches, as print() and summary() show it: the effective range of coordinates with
# distances, the correlation between levels of factors.

# Effective ranges: where the correlation of a component has fallen to 0.05, for ranges on the
# natural scale; by default those of coordinates in which there are distances.
effective_ranges <- function(x, rows = setdiff(which(x$layout$kind == "range"),
                                               c(ranges_of_levels(x), periods(x)))) {
  layout <- x$layout
  values <- vapply(rows, function(row) {
    component <- x$core_covariance$components[[layout$component[row]]]
    x$parameters$estimate[row] * effective_distance_of(component, layout$group[row])
  }, 0)
  stats::setNames(values, layout$name[rows])
}

# Correlations that barely fall reach 0.05 beyond all numbers.
format_effective <- function(range, digits) {
  if (is.finite(range)) format(signif(range, digits), digits = digits) else "beyond 1e308"
}

effective_range_line <- function(x, effective, digits) {
  if (!length(effective)) return(NULL)
  multiple <- if (length(effective) > 4L) common_multiple(x, effective)
  if (!is.null(multiple)) {
    return(sprintf("Effective range (correlation 0.05): %s times each range",
      format(signif(multiple, digits), digits = digits)))
  }
  shown <- vapply(effective, format_effective, "", digits)
  units <- paste0(" ", range_units(names(effective), x$locations))
  labels <- if (length(effective) > 1L || has_factors(x$locations))
    paste0(" (", names(effective), ")") else ""
  paste0("Effective range (correlation 0.05): ", paste0(shown, trimws(units, "right"), labels,
    collapse = ", "))
}

# The factor from the ranges to the effective ranges, if all effective ranges share one, as those of
# one component do.
common_multiple <- function(x, effective) {
  ratio <- effective / x$parameters$estimate[match(names(effective), x$parameters$name)]
  if (all(is.finite(ratio)) && diff(range(ratio)) <= 1e-6 * max(ratio)) ratio[[1L]]
}

# Ranges of locations use the unit of the plane, or of the sphere. Further coordinates, such as a
# depth, use units of their own, and levels of factors none.
range_units <- function(names, locations) {
  first <- setdiff(locations$embedded_names[1:2], names(locations$factors))
  in_plane <- paste0(if (length(first)) "range_", first)
  base <- ifelse(names %in% in_plane, names, sub("_[0-9]+$", "", names))
  ifelse(base == "range_time", locations$time_unit %||% "", ifelse(base %in% c("range", in_plane),
    locations$unit, ""))
}

# Rows of the layout that are periods: a periodic correlation does not fall for good.
periods <- function(x) {
  Filter(function(row) {
    component <- x$core_covariance$components[[x$layout$component[row]]]
    is_periodic(component) || (identical(component$space_time$time_family, "periodic") &&
      x$layout$group[row] == length(component$range))
  }, which(x$layout$kind == "range"))
}

# ---- levels of factors ---------------------------------------------------------------------------

# Ranges in which there are levels and no distances: rows of the layout.
ranges_of_levels <- function(x) {
  if (!has_factors(x$locations)) return(integer(0))
  rows <- which(x$layout$kind == "range")
  rows[range_kinds(x, rows) %in% level_kinds]
}

# The kind of the coordinates that each range divides.
range_kinds <- function(x, rows) {
  vapply(rows, function(row) {
    group <- x$core_covariance$components[[x$layout$component[row]]]$group
    x$locations$kind[x$locations$block[match(x$layout$group[row], group)]]
  }, "")
}

# The correlation of two rows that differ in the level of a factor, or in one step of an ordered
# one, and in nothing else.
level_correlations <- function(x) {
  rows <- ranges_of_levels(x)
  values <- vapply(rows, function(row) {
    component <- x$core_covariance$components[[x$layout$component[row]]]
    correlation_at(component, 1 / x$parameters$estimate[row])
  }, 0)
  stats::setNames(values, x$layout$name[rows])
}

level_line <- function(correlations, digits) {
  if (!length(correlations)) return(NULL)
  # near 1 what counts is how far from it
  shown <- vapply(correlations, function(value) {
    if (value < 0.99) format(signif(value, digits), digits = digits) else
      format(1 - signif(1 - value, 2L), digits = 15L)
  }, "")
  factors <- sub("^range_", "", names(correlations))
  paste0("Correlation between levels: ", paste0(shown, " (", factors, ")", collapse = ", "))
}
