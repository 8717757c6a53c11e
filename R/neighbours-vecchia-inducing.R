# vecchia(inducing = ): a low-rank part by inducing points, and Vecchia's approximation of the rest
# (Gyger, Furrer and Sigrist 2025). Let L L' be the covariance matrix of the field at the M inducing
# points and a(x) = L^-1 k_z(x). The covariance of the residual field is k(x, y) - a(x)'a(y). The
# likelihood is that of data with the covariance matrix A'A plus Vecchia's for the residuals and the
# noise.

with_inducing <- function(method, inducing) {
  method$inducing <- inducing
  method$jitter <- 1e-6
  method$select <- "kmeans"
  method$label <- "Vecchia approximation with inducing points"
  class(method) <- c("neargp_vecchia_inducing", class(method))
  method
}

#' @export
print.neargp_vecchia_inducing <- function(x, ...) {
  x$inducing <- describe_inducing(x$inducing)
  x[c("jitter", "select")] <- NULL
  NextMethod()
}

# ---- fitting -------------------------------------------------------------------------------------

# The covariance with which the neighbours were searched, where it is not the fitted one. Neighbours
# do not depend on the response's unit.
searched_in <- function(problem, given) {
  if (!identical(given$searched_at, given$working)) {
    list(searched_in = covariance_at(problem, given$searched_at))
  }
}

# Vecchia's own optimum with few neighbours, in whose metric points and neighbours are found first.
# A function returns the information of that likelihood, which sets the parameters' units. Estimates
# that are continued, or given, are such a start themselves.
low_rank_start <- function(method, problem, continued = is_continued(problem)) {
  k <- min(method$k, max(problem$control$coarse_k, 1L))
  state <- list(working = problem$start, iterations = 0L, evaluations = 0L)
  search <- vecchia_search(problem, method$ordering)
  objective_for <- function(component, k) local_objective(problem, search(component, k))
  if (!continued) {
    state <- fit_level(problem, k, coarse = TRUE, state, objective_for, scoring_optimizer(problem),
      0.1)
  }
  state$continued <- continued
  state$information_at <- function(working) {
    check_start(objective_for(component_at(problem, working), k)$evaluate(working,
      information = TRUE))$information
  }
  state
}

is_continued <- function(problem) {
  !is.null(problem$warm_start) || !anyNA(problem$layout$start[problem$free])
}

# The order of the rows and the positions of the inducing points, in the metric of a component.
arrange <- function(method, problem, component, key) {
  list(key = key, order = row_order(problem, component, method$ordering, key, method$k),
    positions = low_rank_positions(method, problem, component))
}

# The positions of a fit that is continued, where they were asked for in the same words.
low_rank_positions <- function(method, problem, component) {
  before <- problem$warm_start
  if (!is.null(before) && identical(before$method$inducing, method$inducing)) {
    return(before$low_rank$positions)
  }
  start_positions(method, problem, component)
}

nearest_residual <- function(problem, component, order, k) {
  neighbors_in_order(problem, component, min(k, length(order) - 1L), order)
}

# Neighbours are the k of largest residual correlation among five times k of the nearest, the same
# as of all rows to two digits of the likelihood (bench/notes/vecchia-inducing.md).
candidates_for_each <- 5L

correlated_residual <- function(problem, method, arrangement, working) {
  correlated_neighbors(problem, arrangement, covariance_at(problem, working), method)
}

# `problem`: a list with data and context.
correlated_neighbors <- function(problem, arrangement, covariance, method) {
  k <- min(method$k, length(arrangement$order) - 1L)
  candidates <- nearest_residual(problem, metric_component(covariance), arrangement$order,
    candidates_for_each * k)
  found <- core_residual_neighbors(problem$data$coords, arrangement$positions, candidates, k,
    as_specified(covariance), method$jitter, problem$context)
  if (nzchar(found$failure)) abort_low_rank(found)
  found$neighbors
}

is_failure <- function(found) nzchar(found$failure) || found$failed > 0L

abort_low_rank <- function(found) rlang::cnd_signal(low_rank_condition(found))

low_rank_condition <- function(found) {
  rlang::catch_cnd(if (nzchar(found$failure)) abort_bound(found$failure) else abort_cholesky(
    found$failed), "error")
}

# ---- the fit -------------------------------------------------------------------------------------

#' @export
complete_fit.neargp_vecchia_inducing <- function(method, fit, result, context) {
  fit$low_rank <- result$low_rank[intersect(names(result$low_rank),
    c("positions", "order", "searched_in"))]
  fit$inducing <- position_frame(fit$low_rank$positions, fit$locations)
  with_low_rank_posterior(fit, result$low_rank$neighbors, context)
}

# The distribution of the field at the inducing points given the rows that the fit contains now. It
# is computed again, since the optimiser scaled the response to another unit.
with_low_rank_posterior <- function(fit, neighbors, context) {
  fit$low_rank[c("weights", "factor", "unexplained")] <- low_rank_posterior(fit,
    at_locations(fit$data), neighbors, context)[c("weights", "factor", "unexplained")]
  fit
}

# `data`: of at_locations().
low_rank_posterior <- function(fit, data, neighbors, context) {
  found <- core_residual_vecchia(data$coords, response_columns(data), 1 / data$weights,
    fit$low_rank$positions, neighbors, as_specified(fit$core_covariance), fit$nugget,
    fit$method$jitter, FALSE,
    context, within_gram(within_terms(data$within), fit$nugget))
  if (is_failure(found)) abort_low_rank(found)
  found
}

low_rank_neighbors <- function(fit, data, order, context) {
  correlated_neighbors(list(data = data, context = context),
    list(order = order, positions = fit$low_rank$positions),
    fit$low_rank$searched_in %||% fit$core_covariance, fit$method)
}

# The trend as estimated from some rows, in an ordering of their own.
#' @export
estimated_trend.neargp_vecchia_inducing <- function(method, fit, data, context) {
  data <- at_locations(data)
  order <- row_order(list(data = data, context = context), metric_component(fit$core_covariance),
    "maxmin", 0, fit$k)
  low_rank_posterior(fit, data, low_rank_neighbors(fit, data, order, context),
    context)[c("beta", "beta_vcov")]
}

#' @export
fit_details.neargp_vecchia_inducing <- function(method, fit) {
  share <- fit$low_rank$unexplained / sum(vapply(fit$core_covariance$components,
    function(component) component$variance, 0))
  c(Inducing = sprintf("%s points, which leave %s of the process variance to the neighbours",
    format_count(nrow(fit$inducing)), format(signif(share, 2L))))
}

# A fit with its parameters and inducing points, without the information of these from other rows.
# Locations keep their order.
#' @export
restrict_rows.neargp_vecchia_inducing <- function(method, fit, rows, context) {
  kept <- unique(mean_index(fit$data, conditioned_data(fit))[rows])
  rank <- order(fit$low_rank$order)[kept]
  fit$data <- take_data_rows(fit$data, rows)
  fit$low_rank$order <- order(rank)
  fit <- with_fold_trend(fit, context)
  with_low_rank_posterior(fit, low_rank_neighbors(fit, at_locations(fit$data), fit$low_rank$order,
    context), context)
}
