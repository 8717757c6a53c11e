# Searches compared with those of simpler models. A search with several ranges or an anisotropy can
# wander between sets of neighbours or end at a local optimum, below the optimum of a model that it
# contains. The simpler model is fitted for itself, which takes less time. If the search has ended
# below its optimum, another search begins there.

# With other neighbours, values differ by themselves. Where the search from the nested optimum ends
# below that as well, the nested optimum is the result.
fit_above_nested <- function(method, problem) {
  if (!has_ability(method, "nested_models", problem) || is_begun(problem)) {
    return(fit_method(method, problem))
  }
  problem <- with_start_of_sum(problem)
  result <- fit_method(method, problem)
  if (!is.null(result$instead)) return(result)
  problem <- with_jitter_of(problem, result)
  problem$method <- on_responses(problem$method)
  is_below <- function(simple) {
    !is.null(simple) && !isTRUE(result$value >= simple$value - problem$control$refresh_gain)
  }
  for (nested in c(isotropic_models(problem), smoothness_models(method, problem))) {
    if (loses_on_few_rows(problem, nested$problem, result$working, scoring_optimizer) ||
      holds_on_few_rows(problem, nested, result$working)) next
    near <- near_result(problem, nested, result$working)
    near$control$tolerance <- max(near$control$tolerance, 0.02)
    simple <- if_computable(fit_method(method, near))
    if (!is_below(simple)) next
    simple <- if_computable(fit_method(method, continued_at(nested$problem, simple$working)))
    begun <- continued_at(problem, nested$expand(simple$working))
    result <- better_result(result, if_computable(fit_method(method, begun)))
    if (!is_below(simple)) next
    result <- better_result(result, if_computable(evaluated_at_start(method, begun, simple)))
  }
  result
}

# The nested problem begins at the result of the search, which saves most of its steps. A mean of
# ranges that differ by more than a factor of ten is near none of them. Without variance a range
# means nothing. In both cases the nested model begins at its own starting values.
near_result <- function(problem, nested, working, most = log(10)) {
  if (is.null(nested$reduce)) return(nested$problem)
  start <- nested$reduce(working)
  moved <- abs(working - nested$expand(start))[problem$free]
  if (max(moved) <= most / 2 && !any(at_bound(working, problem))) {
    return(continued_at(nested$problem, start))
  }
  if (has_effects(problem$data)) nested$problem else with_start(problem$method, nested$problem)
}

better_result <- function(result, other) {
  if (is.null(other)) return(result)
  is_better <- isTRUE(other$value > result$value)
  better <- if (is_better) other else result
  worse <- if (is_better) result else other
  better$convergence <- add_counts(better$convergence, worse$convergence)
  # sampled at the first optimum; later searches condition on responses, whatever they lose
  better$conditioning <- result$conditioning
  better
}

# The search from these parameters, with all neighbours at once.
continued_at <- function(problem, working) {
  problem$start <- clamp(working, problem$bounds, problem$free)
  problem$layout$start[problem$free] <- to_core(problem$start,
    problem$layout$transform)[problem$free]
  problem$control$coarse_k <- 0L
  problem$further_starts <- list()
  problem["rough"] <- list(NULL)
  problem
}

# The result of a search that takes no step, where another search has converged.
evaluated_at_start <- function(method, problem, simple) {
  problem$control[c("max_iterations", "max_refreshes")] <- list(0L, 1L)
  result <- fit_method(method, problem)
  result$convergence[c("converged", "message")] <- simple$convergence[c("converged", "message")]
  result
}

# Where the user gave starting values, the search begins there. With priors, a nested model would
# need priors of its own.
is_begun <- function(problem) {
  !is.null(problem$warm_start) || !is.null(problem$prior) ||
    !all(is.na(problem$layout$start[problem$layout$kind != "noise"]))
}

# ---- one range for all coordinates ---------------------------------------------------------------

# The same covariance without `ard` and `anisotropy`, where all that these add is estimated: a list
# of none or one. It consists of a `problem` and the functions `expand`, from its working parameters
# to those of the whole problem, and `reduce`, back.
isotropic_models <- function(problem) {
  layout <- problem$layout
  if (any(layout$kind %in% c("loading", local_kinds))) return(list())
  source <- seq_len(nrow(layout))
  groups <- problem$groups
  for (j in seq_along(groups)) {
    if (!is.null(groups[[j]]$space_time)) next
    own <- groups[[j]]$group
    group <- isotropic_groups(problem$covariance$components[[j]], problem$locations)
    ranges <- component_rows(layout, j, "range")
    tied <- group[match(seq_along(ranges), own)]
    source[ranges] <- ranges[own[match(tied, group)]]
    source[component_rows(layout, j, axes_kinds)] <- NA
    groups[[j]]$group <- group
    if (is_zonal(problem$covariance$components[[j]])) {
      groups[[j]]$search <- core_group(groups[[j]])
    }
  }
  changed <- is.na(source) | source != seq_along(source)
  if (!any(changed) || any(layout$fixed[changed])) return(list())
  list(tied_model(problem, groups, source))
}

# Coordinates that the component does not depend on remain so.
isotropic_groups <- function(component, locations) {
  own <- range_groups(component, locations)$group
  component$ard <- component$anisotropy <- FALSE
  component["range"] <- list(NULL)
  group <- replace(range_groups(component, locations)$group, is.na(own), NA)
  match(group, unique(stats::na.omit(group)))
}

# The problem with the parameters that are their own `source`; others follow their source, or are 0
# where that is NA.
tied_model <- function(problem, groups, source) {
  kept <- which(source == seq_along(source))
  reduce <- function(working) c(unname(tapply(working, factor(source, kept), mean)))
  simple <- problem
  simple$groups <- groups
  simple$layout <- problem$layout[kept, ]
  simple$layout$component <- match(simple$layout$component, sort(unique(simple$layout$component)))
  ranges <- simple$layout$kind == "range"
  simple$layout$group[ranges] <- stats::ave(which(ranges), simple$layout$component[ranges],
    FUN = seq_along)
  simple$free <- problem$free[kept]
  simple$bounds[c("lower", "upper")] <- lapply(problem$bounds[c("lower", "upper")], `[`, kept)
  simple$start <- clamp(reduce(problem$start), simple$bounds, simple$free)
  simple$further_starts <- lapply(problem$further_starts, reduce)
  simple["keep"] <- list(NULL)  # its parameters are not those of the model
  simple["rough"] <- list(NULL)
  list(problem = simple, reduce = reduce, expand = function(working) {
    expanded <- working[match(source, kept)]
    replace(expanded, is.na(source), 0)
  })
}

# ---- a smoothness that is known ------------------------------------------------------------------

# With several ranges the leave-one-out score is nearly flat in many directions, and a search of the
# smoothness as well may end far below one with a smoothness of 1.5.
smoothness_models <- function(method, problem) {
  UseMethod("smoothness_models")
}

#' @export
smoothness_models.default <- function(method, problem) list()

#' @export
smoothness_models.neargp_loo_k <- function(method, problem) {
  smoothness <- 1.5
  layout <- problem$layout
  shape <- layout$kind == "shape" & layout$transform == "log" & problem$free
  if (!any(shape) || sum(layout$kind == "range") < 2L) return(list())
  simple <- problem
  simple$layout$fixed[shape] <- TRUE
  simple$layout$value[shape] <- smoothness
  simple$free[shape] <- FALSE
  simple$start[shape] <- log(smoothness)
  simple["keep"] <- list(NULL)
  list(list(problem = simple, expand = identity))
}

# ---- searches from other ranges ------------------------------------------------------------------

# The slope of a spherical correlation jumps at the range. The likelihood is not smooth where the
# range passes the distance of a pair (Mardia and Watkins 1989), and so rises to several maxima if
# pairs are few. A wave fits few pairs in several ways. In simulations of 60 observations, half of
# the searches ended below the best maximum, by up to 2 units of log-likelihood. With 200
# observations none did.

most_range_starts_rows <- 300L

# The result of the best search from the ranges that were found, times each of these factors.
above_other_ranges <- function(problem, result, factors = c(1 / 4, 1 / 2, 2, 4)) {
  if (!has_range_starts(problem)) return(result)
  ranges <- problem$layout$kind == "range" & problem$free
  for (factor in factors) {
    start <- result$working
    start[ranges] <- start[ranges] + log(factor)
    other <- if_computable(fit_method(problem$method, continued_at(problem, start)))
    result <- better_result(result, other)
  }
  result
}

has_range_starts <- function(problem) {
  few <- vapply(problem$groups, function(group) {
    group$family != "periodic" && is.finite(few_dimensions(group$family))
  }, NA)
  any(few) && any(problem$layout$kind == "range" & problem$free) &&
    row_count(problem$data) <= most_range_starts_rows && !is_begun(problem) &&
    has_ability(problem$method, "range_starts", problem)
}
