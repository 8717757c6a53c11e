# Large tables: a range for each of several predictors and ten thousand rows or more.
#
# Each set of neighbours and each order changes the log-likelihood of 15,000 rows of 18 predictors
# by 10 to 50 units, whatever the parameters. Steps that promise less than 0.2 units, and rounds
# that gain less than a fiftieth of the sampling error, therefore end the search
# (bench/notes/speed.md).

# The number of terms from which a search begins (R/few-rows.R).
search_rows <- 5000L

# In a plane, with at most two ranges, the results of a search depend little on the neighbours. With
# a time, neighbours are chosen by the correlation.
is_large_table <- function(problem, many = 3L, least = 2L * search_rows) {
  ranges <- problem$layout$component[problem$layout$kind == "range" & problem$free]
  length(ranges) >= many && max(tabulate(ranges)) >= many && is.null(problem$locations$time) &&
    row_count(problem$data) >= least
}

# The problem with the tolerance of its search, unless the call gives one.
with_search_tolerance <- function(problem, of_table = 0.2) {
  control <- problem$control
  given <- "tolerance" %in% attr(control, "given") || control$tolerance != default_tolerance
  if (!given && is_large_table(problem)) problem$control$tolerance <- of_table
  problem
}

# Returns the gain below which a round ends the search, for a sum of `n` log densities.
negligible_in_table <- function(n) 0.02 * sqrt(n)
