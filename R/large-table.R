# Tables: a range for each of several predictors. Large ones consist of ten thousand rows or more.
#
# Each set of neighbours and each order changes the log-likelihood of 15,000 rows of 18 predictors
# by 10 to 50 units, whatever the parameters. Rounds that gain less than a fiftieth of the sampling
# error therefore end the search of a table, and in large tables steps that promise less than 0.2
# units (bench/notes/speed.md).

# The number of terms from which a search begins (R/few-rows.R).
search_rows <- 5000L

is_large_table <- function(problem, least = 2L * search_rows) {
  has_many_ranges(problem) && row_count(problem$data) >= least
}

# In a plane, with at most two ranges, the results of a search depend little on the neighbours. With
# a time, neighbours are chosen by the correlation.
has_many_ranges <- function(problem, many = 3L) {
  ranges <- problem$layout$component[problem$layout$kind == "range" & problem$free]
  length(ranges) >= many && max(tabulate(ranges)) >= many && is.null(problem$locations$time)
}

# The numbers that neighbours and orders depend on. A predictor whose range is above `most` standard
# deviations adds next to nothing to distances. Its range changes at random from step to step, and
# if it is the first one, the ratios of all others to it do so as well. Longer ranges therefore
# count as `most` for vecchia().
shape_for_search <- function(problem, component, most = 10) {
  by_vecchia <- inherits(problem$method, c("neargp_vecchia", "neargp_vecchia_field"))
  if (by_vecchia && has_many_ranges(problem) && !is_sharded(problem)) {
    scales <- group_scales(problem$data$coords, component$group)
    component$range <- pmin(component$range, ifelse(scales > 0, most * scales, Inf))
  }
  search_shape(component)
}

# The problem with the tolerance of its search, unless the call gives one. `of_small_table`: the
# tolerance for fewer rows. On the field a step costs more than it gains long before the default.
with_search_tolerance <- function(problem, of_table = 0.2, of_small_table = NULL) {
  control <- problem$control
  given <- "tolerance" %in% attr(control, "given") || control$tolerance != default_tolerance
  if (given || !has_many_ranges(problem)) return(problem)
  found <- if (is_large_table(problem)) of_table else of_small_table
  problem$control$tolerance <- found %||% control$tolerance
  problem
}

# Returns the gain below which a round ends the search, for a sum of `n` log densities.
negligible_in_table <- function(n) 0.02 * sqrt(n)

# Returns the difference above which one value of a large table is better than another with other
# neighbours. Orders alone change values by 10 to 50 units.
clear_in_large_table <- function(problem) {
  if (is_large_table(problem)) sqrt(row_count(problem$data)) else 0
}
