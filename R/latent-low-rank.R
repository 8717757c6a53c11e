# vnngp(low_rank = ) adds to the latent field a low-rank part by inducing points. As in
# vecchia(inducing = ), the nearest-neighbour prior applies to the residual field. See
# src/core/latent/low_rank_prior.h.

# Checks the argument of vnngp(): NULL where there is to be no such part.
check_low_rank <- function(low_rank, settings) {
  low_rank <- check_count(low_rank, "low_rank", lower = 0L)
  if (low_rank == 0L) return(NULL)
  refuse <- function(other, remedy) {
    abort_neargp("argument",
      c(sprintf("`low_rank` cannot be combined with %s.", other), i = remedy))
  }
  if (!is.null(settings$inducing)) {
    refuse("`inducing`", "Leave one of them out; svgp() has inducing points alone.")
  }
  if (settings$posterior == "mean-field") {
    refuse("posterior = \"mean-field\", whose nodes are independent",
      "Use posterior = \"sparse\" or \"laplace\".")
  }
  low_rank
}

without_low_rank <- function(problem) {
  problem$method$low_rank <- NULL
  problem
}

latent_search <- function(problem, nodes, component, k) {
  scaled <- break_ties(core_scale(nodes$coords, component), problem$context)
  ordering <- problem$method$ordering
  order <- order_places(scaled, ordering, if (ordering == "random") order_key() else 0,
    problem$context)
  neighbors <- if (is.null(nodes$low_rank)) core_neighbors_before(scaled, order, k,
    problem$context, search_lags(component)) else
    residual_neighbors(problem, nodes, component, order, k)
  list(order = order, neighbors = neighbors, component = component)
}

# ---- fitting -------------------------------------------------------------------------------------

# The optimum of few rows without the low-rank part determines the metric in which its points are
# placed. The points are fixed from then on.
fit_low_rank <- function(problem, few_rows = 1000L) {
  check_low_rank_places(problem)
  many <- has_many_parameters(problem)
  plain <- without_low_rank(problem)
  start <- if (many) optimum_of_few(plain) else rough_optimum(plain, few_rows)
  problem$low_rank <- latent_positions(problem, component_at(problem, start$working))
  nodes <- latent_nodes(problem)
  optimize <- if (many) scale_up_fit else fit_latent
  latent_result(problem, optimize(problem, nodes, start))
}

# Before the search, which would have left parameters that no start can use.
check_low_rank_places <- function(problem) {
  wanted <- problem$method$low_rank
  places <- max(location_index(problem$data$coords))
  if (wanted <= places) return(invisible())
  abort_neargp("inducing", c(
    sprintf("low_rank = %s is more than the %s distinct locations of the data.",
      format_count(wanted), format_count(places)),
    i = "Use fewer points: some hundred serve any number of rows."))
}

# The positions of a fit that is continued, where as many were asked for.
latent_positions <- function(problem, component) {
  before <- problem$warm_start
  wanted <- problem$method$low_rank
  if (!is.null(problem$low_rank)) return(problem$low_rank)
  if (identical(before$method$low_rank, wanted)) return(before$posterior$low_rank)
  places <- distinct_locations(problem$data$coords)
  if (wanted == nrow(places)) return(places)
  chosen_positions("kmeans", problem$data$coords, places, wanted, component, problem$context,
    replicate_columns(problem$locations))
}

# For each node, the k earlier nodes whose residuals correlate most with its own. The candidates are
# its nearest earlier nodes, five times as many. In a sum the component that sets the metric stands
# for all: any neighbours define a valid model, and these need only be good ones.
residual_neighbors <- function(problem, nodes, component, order, k) {
  n <- nrow(nodes$coords)
  scaled <- break_ties(core_scale(nodes$coords, component), problem$context)
  candidates <- core_neighbors_before(scaled, order, min(candidates_for_each * k, n - 1L),
    problem$context)
  found <- core_residual_neighbors(nodes$coords, nodes$low_rank, candidates, k,
    as_specified(list(components = list(component))), problem$method$jitter, problem$context)
  if (nzchar(found$failure)) abort_low_rank(found)
  found$neighbors
}

low_rank_detail <- function(method, fit) {
  if (!has_latent_low_rank(method)) return(NULL)
  share <- fit$posterior$unexplained * method$jitter / jitter_variance(fit)
  c("Low rank" = sprintf("%s points, which leave %s of the process variance to the neighbours",
    format_count(nrow(fit$inducing)), format(signif(share, 2L))))
}

# ---- predictions and draws -----------------------------------------------------------------------

low_rank_candidates <- function(object, coords, settings) {
  settings$k <- candidates_for_each * settings$k
  nearest_inducing(object, coords, settings)
}

# Joint moments given the union U of all neighbours. Let R be the covariance of the residual field
# and b = (R_UU + jitter)^-1 R_U0. To R_00 - R_0U b the posterior adds the result of
# joint_low_rank(), see src/core/latent/low_rank_prediction.h.
low_rank_joint <- function(object, target, settings) {
  posterior <- object$posterior
  rows <- neighbor_union(nearest_inducing(object, target$coords, settings))
  given <- checked_bound(core_inducing_features(rbind(posterior$coords[rows, , drop = FALSE],
    target$coords), cached_prior(object, posterior$low_rank, settings$context), settings$context))
  known <- seq_along(rows)
  new <- length(rows) + seq_len(nrow(target$coords))
  rest <- given$unexplained[known, known, drop = FALSE]
  factor <- tryCatch(chol(rest + diag(jitter_variance(object), length(rows))),
    error = function(e) abort_cholesky(0L, is_gaussian(object$family)))
  cross <- backsolve(factor, given$unexplained[known, new, drop = FALSE], transpose = TRUE)
  b <- backsolve(factor, cross)
  spread <- matrix(0, nrow(posterior$coords), length(new))
  spread[rows, ] <- b
  alpha <- given$features[, new, drop = FALSE] - given$features[, known, drop = FALSE] %*% b
  part <- core_latent_low_rank_joint(cached_latent(object, settings$context), spread, alpha,
    settings$context)
  part$covariance <- given$unexplained[new, new, drop = FALSE] - crossprod(cross) + part$covariance
  part
}

# The field at the nodes, and the whitened one at the inducing points of the part; `center`: means
# of the nodes in each draw.
low_rank_draws <- function(pointer, center, nsim, context) {
  drawn <- core_latent_draws(pointer, nsim, order_key(), context)
  list(field = center + drawn$field,
    whitened = core_latent_whitened(pointer, center, context) + drawn$whitened)
}

# The field at other locations given the field at the nodes.
low_rank_elsewhere <- function(object, coords, nodes, whitened, settings) {
  posterior <- object$posterior
  known <- list(coords = posterior$coords[seq_len(nrow(nodes)), , drop = FALSE])
  plan <- simulation_plan(object$core_covariance, known, coords, settings)
  normals <- matrix(stats::rnorm(nrow(coords) * ncol(nodes)), ncol = ncol(nodes))
  drawn <- check_drawn(core_residual_simulate(known$coords, nodes, rep(1, nrow(nodes)), coords,
    plan$order, plan$neighbors, posterior$low_rank, as_specified(object$core_covariance),
    jitter_variance(object),
    object$method$jitter, whitened, normals, settings$context))
  tell_jitter(drawn$jitter)
  drawn$field
}
