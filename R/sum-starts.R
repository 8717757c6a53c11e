# Where the search of a sum of covariances begins. The likelihood of a sum has several optima:
# either component may be the one that reaches far, and one of them may be next to nothing. Searches
# among few neighbours from all of these are compared. Components that are multiplied by columns of
# their own, linear ones among them, do not compete.

with_start_of_sum <- function(problem) {
  if (length(problem$groups) < 2L || any(problem$layout$kind == "loading") ||
      length(problem$locations$local) || !is.null(problem$locations$linear)) {
    return(problem)
  }
  k <- min(start_neighbors, row_count(problem$data) - 1L)
  method <- problem$method
  problem$method <- vecchia(k)
  starts <- lapply(c(list(problem$start, reversed_ranges(problem)), starts_alone(problem, k)),
    clamp, problem$bounds, problem$free)
  found <- compared_starts(problem, starts, k, vecchia_objectives(problem$method, problem),
    scoring_optimizer(problem))$problem
  found$method <- method
  found
}

# The start with the ranges of candidate_values() the other way round. `share`: 2 for that, 1 for no
# difference between components.
reversed_ranges <- function(problem, share = 2) {
  place <- place_among_alike(problem)
  ranges <- which(problem$layout$kind == "range" & problem$free)
  moves <- share * place[problem$layout$component[ranges]] * log(3)
  replace(problem$start, ranges, problem$start[ranges] - moves)
}

# For each component, where the others can vanish, the optimum of that component alone.
starts_alone <- function(problem, k) {
  variance <- problem$layout$kind == "variance"
  fixed <- problem$layout$component[variance & !problem$free]
  starts <- lapply(seq_along(problem$groups), function(j) {
    if (length(setdiff(fixed, j))) NULL else start_alone(problem, j, k)
  })
  Filter(Negate(is.null), starts)
}

# The others begin with a small `share` of its variance, at which the slope of the likelihood shows
# whether they are wanted.
start_alone <- function(problem, j, k, share = 0.05) {
  layout <- problem$layout
  others <- !is.na(layout$component) & layout$component != j
  alone <- tied_model(problem, problem$groups[j], replace(seq_along(others), others, NA))$problem
  objective <- vecchia_objectives(vecchia(k), alone)(component_at(alone, alone$start),
    first_k(problem$control, k))
  state <- if_computable(scoring_optimizer(alone)(objective, alone$start, TRUE))
  if (is.null(state)) return(NULL)
  start <- replace(reversed_ranges(problem, 1), !others, state$working)
  own <- component_rows(layout, j, "variance")
  replace(start, others & layout$kind == "variance", start[own] + log(share))
}
