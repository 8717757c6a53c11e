#' Exact Gaussian process
#'
#' The dense likelihood and dense predictions, without neighbours: time grows with the cube of the
#' number of rows and memory with its square. The reference for everything else, and the right
#' choice for a few thousand rows or fewer.
#'
#' @param max_rows largest number of rows it accepts, so that memory is not exhausted by mistake;
#'   10,000 rows need several GiB.
#' @param estimation `"ML"` for maximum likelihood, `"REML"` for restricted maximum likelihood, see
#'   the section of [vecchia()]. By default `"REML"` where the formula has
#'   [random effects or smooths][random_effects], `"ML"` otherwise.
#' @return A settings object for the argument `method` of [neargp()].
#' @section Errors: [neargp()] stops with `neargp_error_size` for more than `max_rows` rows.
#' @seealso [vecchia()], which approximates it for more rows; [neargp()].
#' @examples
#' exact_gp()
#' @export
exact_gp <- function(max_rows = 10000L, estimation = NULL) {
  method <- new_method("exact_gp", "exact likelihood", max_rows = check_count(max_rows, "max_rows"))
  with_estimation(method, estimation)
}

#' @export
fit_method.neargp_exact_gp <- function(method, problem) {
  check_exact_size(method, problem)
  objective <- exact_objective(problem)
  optimize_from <- function(working) scoring_optimizer(problem)(objective, working, FALSE)
  near <- near_optimum(problem)
  state <- optimize_from_shorter(problem, near$working, optimize_from)
  state <- add_counts(state, near)
  scored_result(problem, state, function(working) objective)
}

#' @export
likelihood_objective.neargp_exact_gp <- function(method, problem) exact_objective(problem)

# Vecchia's estimate costs next to nothing and leaves the dense likelihood one or two steps to go.
# An earlier fit's is nearer still. With the iterations and evaluations that it took.
near_optimum <- function(problem, k = start_neighbors) {
  warm_start <- !anyNA(problem$layout$start[problem$free])
  none <- list(working = problem$start, iterations = 0L, evaluations = 0L)
  if (warm_start || length(problem$data$y) <= k) return(none)
  method <- with_estimation(vecchia(k), problem$method$estimation)
  if (has_many_effects(method, problem$data)) {
    # whitened without zeros there, row by row
    problem$method <- method
    problem$data <- problem$all_rows %||% problem$data
  }
  first <- if_computable(fit_above_nested(method, problem))
  if (is.null(first)) return(none)
  c(list(working = first$working), first$convergence[c("iterations", "evaluations")])
}

#' @export
stationary_method.neargp_exact_gp <- function(method, problem) stationary_vecchia(problem)

# Predictions are of all rows, unless neighbours, sectors or a mean of their own are asked for.
#' @export
prediction_conditioning.neargp_exact_gp <- function(method, object, k, local_mean, sectors, joint,
                                                    is_part) {
  exact <- is.null(k) && (is.null(sectors) || identical(as.double(sectors), 0)) &&
    (is.null(local_mean) || isFALSE(local_mean))
  given <- conditioned_on_neighbors(object, k, local_mean, sectors, is_part, alone = !joint &&
    !exact)
  given$exact <- exact
  given
}

#' @export
estimated_trend.neargp_exact_gp <- function(method, fit, data, context) {
  data <- at_locations(data)
  nugget <- trend_nugget(fit)
  result <- core_exact(data$coords, response_columns(data), 1 / data$weights,
    as_specified(fit$core_covariance), nugget, FALSE, context, data$output)
  solved_trend(add_within(result, within_terms(data$within), unname(fit$nugget)),
    count_observations(data), fitted_effects(fit))
}
