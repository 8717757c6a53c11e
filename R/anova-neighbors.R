# Nested fits on common neighbours. Fits by neighbours search these each in its own metric, and one
# that takes location means (location-means.R) has other neighbours than one that keeps rows apart.
# Approximate likelihoods on other neighbours differ by more than nested models may.

# The log-likelihoods of `fits` and whether they are on `common` neighbours, those of the fit
# `largest`, where those of their own differ.
compared_likelihoods <- function(fits, largest) {
  values <- vapply(fits, function(fit) c(stats::logLik(fit)), 0)
  if (!differ_in_neighbors(fits, largest)) return(list(values = values, common = FALSE))
  found <- if (all(vapply(fits, takes_other_neighbors, NA))) on_common_neighbors(fits, largest)
  if (is.null(found)) inform_own_neighbors("anova()", "Compare them by cross_validate() instead.")
  list(values = found %||% values, common = !is.null(found))
}

differ_in_neighbors <- function(fits, largest = 1L) {
  if (any(vapply(fits[-largest], have_own_sets, NA, larger = fits[[largest]]))) return(TRUE)
  apart <- vapply(fits, keeps_rows_apart, NA)
  any(apart) && !all(apart) && anyDuplicated(location_index(fits[[1L]]$data$coords)) > 0L
}

# Whether neighbours are rows, whatever their locations.
keeps_rows_apart <- function(fit) {
  inherits(fit$method, "neargp_vecchia") &&
    !(takes_location_means(fit$method, fit$family, fit$data) &&
      !has_many_effects(fit$method, fit$data))
}

takes_other_neighbors <- function(fit) {
  inherits(fit$method, "neargp_vecchia") && has_likelihood_objective(fit) &&
    is.null(fit$control$shards) && !has_many_effects(fit$method, fit$data)
}

inform_own_neighbors <- function(what, hint) {
  inform_neargp("neighbors", c(
    sprintf("%s compares approximate likelihoods on different neighbours, each fit's own.", what),
    i = hint))
}

# NULL where a covariance matrix is singular.
on_common_neighbors <- function(fits, largest) {
  problems <- at_same_rows(lapply(fits, problem_of_fit))
  given <- problems[[largest]]
  k <- min(fits[[largest]]$k, length(given$data$y) - 1L)
  neighbors <- neighbors_before(given, component_at(given, given$start), k, given$method$ordering,
    0)
  values <- Map(function(fit, problem) {
    if_computable(likelihood_on(fit, problem, neighbors), NA_real_)
  }, fits, problems)
  if (!anyNA(values)) unlist(values)
}

# Maximised from the fit's estimates, and in the units of its log-likelihood.
likelihood_on <- function(fit, problem, neighbors) {
  objective <- local_objective(problem, neighbors)
  state <- scoring_optimizer(problem)(objective, problem$start, FALSE)
  solved <- in_data_units(problem_at_rows(problem), method_result(state, fit$score))
  fit$log_likelihood <- solved$result$value + penalty_at(solved$problem$layout,
    solved$result$working)
  with_jacobian(fit)$log_likelihood
}

# A table of neighbours has the same numbers for all of these: locations where all have the same
# ones, with their covariates, and else rows.
at_same_rows <- function(problems) {
  reduced <- !vapply(problems, function(problem) is.null(problem$all_rows), NA)
  if (!any(reduced)) return(problems)
  index <- lapply(problems, function(problem) location_index(observations_of(problem)$coords))
  alike <- all(vapply(index[-1L], identical, NA, index[[1L]]))
  if (all(reduced) && alike) problems else lapply(problems, problem_at_rows)
}
