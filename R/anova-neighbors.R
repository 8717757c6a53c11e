# Nested fits on common neighbours. Each fit searches its neighbours in its own metric. A fit that
# takes location means (location-means.R) uses other neighbours than a fit that keeps rows separate.
# Likelihoods on different neighbours can differ by more than the nested models themselves.

# The log-likelihoods of `fits`. If their own neighbours differ, likelihoods are on the neighbours
# of the fit `largest` where possible, and `common` is TRUE.
compared_likelihoods <- function(fits, largest) {
  values <- vapply(fits, function(fit) c(stats::logLik(fit)), 0)
  if (!differ_in_neighbors(fits, largest)) return(list(values = values, common = FALSE))
  found <- if (all(vapply(fits, takes_other_neighbors, NA))) on_common_neighbors(fits, largest)
  if (is.null(found)) inform_own_neighbors("anova()", "Compare them by cross_validate() instead.")
  list(values = found %||% values, common = !is.null(found))
}

differ_in_neighbors <- function(fits, largest = 1L) {
  if (any(vapply(fits[-largest], have_own_sets, NA, larger = fits[[largest]]))) return(TRUE)
  unlike <- length(unique(vapply(fits, neighbor_unit, ""))) > 1L
  unlike && anyDuplicated(key_of_rows(fits[[1L]]$data)) > 0L
}

# One neighbour of a fit: a row, whatever its location, or a location, or a point of it in the
# covariates that multiply the field.
neighbor_unit <- function(fit) {
  data <- fit$data
  if (!inherits(fit$method, "neargp_vecchia")) return("")
  keeps_rows <- if (is.null(fit$control$shards)) has_many_effects(fit$method, data) &&
    effects_need_rows(data) else keeps_rows_in_shards(fit$method, data)
  if (!takes_location_means(fit$method, fit$family, data) || keeps_rows) return("row")
  paste(c("location", data$by, if (length(data$by) && !is.null(data$noise)) "noise"),
    collapse = " ")
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

# A table of neighbours needs the same numbers in all problems. These are numbers of locations, or
# of their points in the covariates, if all problems contain the same ones. Otherwise they are of
# rows.
at_same_rows <- function(problems) {
  reduced <- !vapply(problems, function(problem) is.null(problem$all_rows), NA)
  if (!any(reduced)) return(problems)
  index <- lapply(problems, function(problem) {
    list(location_index(observations_of(problem)$coords), problem$data$within$points)
  })
  alike <- all(vapply(index[-1L], identical, NA, index[[1L]]))
  if (all(reduced) && alike) problems else lapply(problems, problem_at_rows)
}
