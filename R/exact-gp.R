#' Exact Gaussian process
#'
#' @description
#' Fits and predicts with the dense covariance matrix.
#'
#' ```r
#' neargp(precipitation ~ 1, colorado_precipitation(), coords = ~ lon + lat, crs = 4326,
#'   method = exact_gp())
#' ```
#'
#' @details
#' It is the default for up to 500 Gaussian observations: equation 5 of
#' `vignette("model-and-methods")`, or 6 for REML. Time grows with the cube of the
#' locations, memory with the square: 10,000 need several GiB.
#'
#' @section Conjugate gradients:
#' `solver = "cg"` fits up to 100,000 observations without storing the matrix (Wang et al. 2019), on
#' the CPU. It takes maximum likelihood, without random effects, areas, local covariances and
#' models of the noise. Vecchia's approximation preconditions the solver, and random probes estimate
#' the rest of the determinant. `print()` reports the standard error. For maps use
#' `predict(k = )`. [loo_predict()] and [simulate()][simulate.neargp]
#' condition on neighbours. A fit of 50,000 observations took 27 minutes of one core and 0.5 GiB.
#'
#' @param max_rows the largest number of observations accepted. Default: 10,000, so that a mistake
#'   does not exhaust memory, and 100,000 with `solver = "cg"`.
#' @param estimation `"ML"` or `"REML"`, see [vecchia()]. Default `NULL`: `"REML"` with
#'   [random effects or smooths][random_effects], else `"ML"`.
#' @param solver `"cholesky"` (default) or `"cg"`, see the section Conjugate gradients.
#' @param neighbors the neighbours of the preconditioner, a positive integer. Default: 30.
#' @param probes the random probes of the search, an integer of at least 2. The reported
#'   log-likelihood takes four times as many. Default: 16.
#' @return A settings object for the argument `method` of [neargp()].
#' @references Wang, K. A. et al. (2019). Exact Gaussian processes on a million data points.
#'   *NeurIPS*.
#' @seealso [vecchia()], which approximates it.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' stations <- colorado_precipitation()
#' fit <- neargp(precipitation ~ elevation, stations, coords = ~ lon + lat, crs = 4326,
#'   covariance = cov_matern(nu = 1.5), method = exact_gp(estimation = "REML"))
#' summary(fit)
#' predict(fit, data.frame(lon = -105, lat = 39.7, elevation = 1600), interval = "prediction")
#'
#' # The same likelihood by conjugate gradients, for many more observations
#' update(fit, method = exact_gp(solver = "cg"))
#' @export
exact_gp <- function(max_rows = if (solver == "cg") 100000L else 10000L, estimation = NULL,
                     solver = c("cholesky", "cg"), neighbors = 30L, probes = 16L) {
  solver <- check_choice(solver, "solver", c("cholesky", "cg"))
  method <- new_method("exact_gp", "exact likelihood", max_rows = check_count(max_rows, "max_rows"))
  if (solver == "cg") return(with_conjugate_gradients(method, estimation, neighbors, probes))
  with_estimation(method, estimation)
}

with_conjugate_gradients <- function(method, estimation, neighbors, probes) {
  if (identical(check_estimation(estimation), "REML")) {
    abort_argument("estimation", "\"ML\" with solver = \"cg\"", estimation)
  }
  method[c("label", "solver", "neighbors", "probes", "estimation")] <- list(
    "exact likelihood by conjugate gradients", "cg", check_count(neighbors, "neighbors"),
    check_count(probes, "probes", lower = 2L), "ML")
  class(method) <- c("neargp_exact_gp_cg", class(method))
  method
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
