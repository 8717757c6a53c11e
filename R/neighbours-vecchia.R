#' Vecchia approximation
#'
#' @description
#' Approximates the Gaussian likelihood: each observation is conditioned on its `k` nearest
#' predecessors in an ordering.
#'
#' ```r
#' cells <- subset(land_temperature(), !held_out)
#' neargp(temperature ~ 1, cells, coords = ~ lon + lat, crs = 4326, method = vecchia(k = 20))
#' ```
#'
#' @details
#' `vecchia()` is the default for more than 500 Gaussian observations. Time grows with `n * k^3`.
#' With `k = n - 1` the likelihood is exact. The trend is profiled out by generalised least squares,
#' and Fisher scoring maximises over the covariance parameters, first with few neighbours. Standard
#' errors come from the information matrix. With several ranges or an anisotropy, neighbours are
#' found in the estimated metric. The likelihood is equation 7 of
#' `vignette("model-and-methods")`, or 7a if it conditions on the process.
#'
#' The result is never worse than the isotropic fit, and a sum of covariances never worse than one
#' term. Fits of more than 4,000 observations that condition on the process check this on a tenth of
#' them.
#'
#' @param k the number of neighbours, an integer from 1 to n - 1. Default `NULL`: 30, enough for
#'   predictions in two coordinates, 44 with blocks, or n - 1. Use 60 if you need the
#'   estimates themselves.
#' @param ordering `"maxmin"`, each next location the farthest from its predecessors; `"random"`;
#'   `"coordinate"`, the first coordinate; `"pca"`, the first principal component; `"given"`, the
#'   rows; or `"auto"`. Default `"auto"`: `"maxmin"`, or the best of three for space-time
#'   covariances.
#' @param inducing the number of inducing points of an additional low-rank part, an integer, or
#'   their positions as a matrix, data frame or sf points. Try 200 for smooth processes with many
#'   predictors. Default: 0, none.
#' @param estimation `"ML"` or `"REML"`, see the section below. Default `NULL`: `"REML"` with
#'   [random effects or smooths][random_effects], else `"ML"`.
#' @param condition what the neighbours are: `"responses"` with noise, `"field"` without noise, or
#'   `"auto"`. Default `NULL`: `"auto"`, and `"responses"` if you give `k` or
#'   `block`.
#' @param optimizer `"scoring"` (default), Fisher scoring with all observations, or `"adam"`,
#'   mini-batches, see the section below.
#' @param batch_size,steps,learning_rate,refresh settings of `"adam"`: rows in a random batch, the
#'   number of steps (1000 by default), the first learning rate and the steps between searches for
#'   neighbours. The rate is divided by 5 at 25%, 50% and 75% of the steps.
#' @param block the number of observations in a block, an integer from 1 to 32, see the section
#'   below. Default: 1, no blocks.
#' @param ... not used.
#' @section Noise:
#' `k` noisy neighbours contain less information than all observations, above all in clusters.
#' `neargp()` samples this loss, see [neighbor_loss()]. `"auto"` conditions on the process without
#' noise if a prediction loses more than 0.06 standard deviations. It also does so if the
#' log-likelihood loses more than 0.3 units and more than 0.05% of what the neighbours add to it.
#' Smaller losses leave predictions as they are. The fit then takes five to ten times as long, as
#' [vnngp()] does, and `print()` says so. For example, `vecchia(condition = "field")` always
#' conditions on the process, for slightly more precise estimates.
#'
#' With a nugget of 1e-9 to 0.01 of the variance and at most two coordinates, the higher of both
#' likelihoods decides. More than 4,000 observations are compared in two windows of 1,500
#' neighbouring observations. Other nuggets below 1% use responses. Large tables do so below 10%:
#' 10,000 observations with three ranges or more. The estimates by responses decide this, which
#' differ from those by the process. Some fits always use responses: REML, random effects, noise
#' models, `nugget_ratio`, single precision, [cov_spacetime()], several responses, areas and shards.
#' A message reports a loss above one unit or 0.1 standard deviations.
#' @section Repeated locations:
#' All observations at one location count as one neighbour. Their weighted means reproduce the
#' likelihood, trend and predictions of all observations exactly, also with weights, offsets, noise
#' models, random effects and varying trends. `k` and all defaults count locations.
#'
#' Three kinds of fits count observations: noise models in shards, [loo_k()] with `leave_out =
#' "row"` of several responses, and random effects with more than 60 coefficients whose levels
#' differ within a location. You should use [exact_gp()], [vnngp()] or a larger `k` there.
#' @section Space and time:
#' With [cov_spacetime()], the neighbours are the `k` most correlated observations. `"auto"`
#' compares three orderings, by maxmin, by time, and by the first coordinate and then time, on at
#' most 2,000 observations.
#' @section Inducing points:
#' With `inducing`, the process is a low-rank part plus a residual process, to which the
#' approximation applies (Gyger, Furrer and Sigrist 2025). Use it for many predictors or smooth
#' processes. In two coordinates with rough processes it only costs time. It supports one Gaussian
#' response on the CPU.
#'
#' Time grows with `n * inducing * (k^2 + 5 * inducing)`. See the article "Model and methods" for
#' points and neighbours.
#' @section Mini-batches:
#' `optimizer = "adam"` is for very many observations, or many ranges. It treats the trend as
#' [loo_k()] does, see its section Mini-batches, and makes ordering and neighbours again before
#' every `refresh` steps. The log-likelihood, the trend and all standard errors at the end use all
#' observations. Adam does not test for convergence.
#'
#' Mini-batches condition on responses. They support one response in memory, without inducing
#' points, REML, random effects, noise models, priors and areas.
#' @section Blocks:
#' The observations of a block share `k` neighbours and condition on each other. One matrix of
#' `k + block` rows then serves all of them. With `block = 4` an evaluation takes less time than
#' with `k = 30` on responses, and the likelihood is typically nearer to the exact one. With much
#' noise the default is nearer. The estimates are those of another approximation, so that you cannot
#' compare the likelihoods of fits with different blocks.
#'
#' Within each half of the ordering, medians of the coordinates cut the observations into blocks.
#' The neighbours come from the blocks before. The observations of a block take turns to add their
#' nearest one. Predictions do not use blocks.
#'
#' Blocks condition on responses, on the CPU. They do not support several responses, inducing
#' points, mini-batches, space-time covariances, areas, shards and more than 60 coefficients of
#' random effects.
#' @section Restricted maximum likelihood:
#' Maximum likelihood underestimates variance and range with tens of observations or many
#' covariates, and a message says so. `"REML"` does not (Harville 1974), for one response without
#' inducing points. Its log-likelihood follows nlme and lme4. You cannot compare trends by it:
#' `AIC()`, `anova()`, `drop1()` and `step()` refuse. `logLik(fit, REML = FALSE)` returns the
#' likelihood at the same estimates.
#' @return A settings object for the argument `method` of [neargp()]. With inducing points, the fit
#'   contains the data frame `inducing` with their positions.
#' @seealso [neargp_methods], [exact_gp()], [vnngp()] for other families,
#'   `vignette("model-and-methods", package = "neargp")`.
#' @references Vecchia, A. V. (1988). Estimation and model identification for continuous spatial
#'   processes. *JRSS B* 50, 297–312. Guinness, J. (2018). Permutation and grouping methods for
#'   sharpening Gaussian process approximations. *Technometrics* 60, 415–429. Guinness, J. (2021).
#'   Gaussian process learning via Fisher scoring of Vecchia's approximation. *Statistics and
#'   Computing* 31, 25. Gyger, T., Furrer, R. and Sigrist, F. (2025). Vecchia-inducing-points
#'   full-scale approximations for Gaussian processes. arXiv:2507.05064. Harville, D. A. (1974).
#'   Bayesian inference for variance components using only error contrasts. *Biometrika* 61,
#'   383–385. Katzfuss and Guinness (2021): see `citation("neargp")`.
#' @examplesIf requireNamespace("sf", quietly = TRUE)
#' # More neighbours, nearer to the exact likelihood
#' stations <- colorado_precipitation()
#' fit_by <- function(method) {
#'   neargp(precipitation ~ 1, stations, coords = ~ lon + lat, crs = 4326, method = method)
#' }
#' fits <- list(k5 = fit_by(vecchia(k = 5)), k20 = fit_by(vecchia(k = 20)),
#'   exact = fit_by(exact_gp()))
#' sapply(fits, function(fit) c(logLik = logLik(fit), coef(fit, what = "covariance")))
#'
#' # Fill the gaps of a map
#' cells <- land_temperature()
#' cells <- cells[cells$lon < -92.4, ]
#' fit <- neargp(temperature ~ 1, cells[!cells$held_out, ], coords = ~ lon + lat, crs = 4326,
#'   method = vecchia(k = 20))
#' fit
#' scores(fit, newdata = cells[cells$held_out, ])
#'
#' # The same on the process without noise, or on responses alone
#' on_process <- update(fit, method = vecchia(k = 20, condition = "field"))
#' on_responses <- update(fit, method = vecchia(k = 20, condition = "responses"))
#' sapply(list(on_process, on_responses), coef, what = "covariance")
#'
#' # Restricted maximum likelihood with few observations
#' few <- stations[1:40, ]
#' estimate <- function(estimation) {
#'   fit <- neargp(precipitation ~ elevation, few, coords = ~ lon + lat, crs = 4326,
#'     method = vecchia(k = 20, estimation = estimation), covariance = cov_matern(nu = 1.5))
#'   coef(fit, what = "covariance")
#' }
#' rbind(ML = estimate("ML"), REML = estimate("REML"))
#'
#' # Inducing points for a smooth function of five predictors
#' set.seed(1)
#' d <- as.data.frame(matrix(runif(2000), 400, 5, dimnames = list(NULL, paste0("x", 1:5))))
#' d$y <- sin(3 * d$x1) + d$x2 * d$x3 + rnorm(400, sd = 0.1)
#' fit <- neargp(y ~ 1, d, coords = ~ x1 + x2 + x3 + x4 + x5,
#'   method = vecchia(k = 10, inducing = 30), covariance = cov_matern(nu = 2.5))
#' predict(fit, d[1:3, ], interval = "prediction")
#' @export
vecchia <- function(k = NULL,
                    ordering = c("auto", "maxmin", "random", "coordinate", "pca", "given"),
                    inducing = 0L, estimation = NULL, condition = NULL,
                    optimizer = c("scoring", "adam"), batch_size = 128L, steps = NULL,
                    learning_rate = 0.03, refresh = 50L, block = 1L, ...) {
  check_no_more_arguments()
  block <- check_count(block, "block", upper = 32L)
  ordering <- check_choice(ordering, "ordering", row_orderings)
  method <- do.call(new_method, c(list("vecchia", "Vecchia approximation"),
    neighbor_settings(k, if (block > 1L) 44L else 30L), list(ordering = ordering)))
  method <- with_adam(method, optimizer, c("scoring", "adam"), batch_size, steps, learning_rate,
    refresh)
  if (is.null(condition) && !without_adam(method)) condition <- "responses"
  if (block > 1L) condition <- check_block_settings(method, block, inducing, condition)
  condition <- check_condition(condition, k, inducing, estimation)
  if (condition != "responses") refuse_adam(method, "unless condition = \"responses\"")
  if (condition == "field") return(on_field(method))
  positions <- is.data.frame(inducing) || is.matrix(inducing)
  if (!positions && check_count(inducing, "inducing", lower = 0L) == 0L) {
    method$condition <- condition
    if (block > 1L) method <- with_blocks(method, block)
    method <- with_estimation(method, estimation)
    if (is_restricted(method)) refuse_adam(method, "with estimation = \"REML\"")
    return(method)
  }
  if (identical(check_estimation(estimation), "REML")) {
    abort_argument("estimation", "\"ML\" with inducing points", estimation)
  }
  refuse_adam(method, "with inducing points")
  with_inducing(method, check_start_positions(inducing))
}

#' @export
fit_method.neargp_vecchia <- function(method, problem) {
  check_blocks(problem)
  if (identical(method$optimizer, "adam")) return(vecchia_by_adam(method, problem))
  problem <- with_search_tolerance(from_separable(problem))
  order_in <- if (!is_sharded(problem)) kept_order(problem, method$ordering)
  objective_for <- vecchia_objectives(method, problem, order_in)
  # Coefficients of further coordinates follow the noise that each set of neighbours brings.
  negligible <- if (is_expanded(problem)) negligible_score(problem) else
    max(problem$control$refresh_gain,
      if (has_many_ranges(problem)) negligible_in_table(row_count(problem$data)))
  optimize <- with_single_precision(problem, scoring_optimizer(problem))
  begun <- with_best_start(problem, method$k, objective_for, optimize)
  few <- from_few_rows(begun$problem, method$k, scoring_optimizer,
    function(working) objective_for(component_at(problem, working), method$k))
  problem <- few$problem
  state <- fit_with_neighbors(problem, method$k, objective_for, optimize, negligible,
    function(state) is_clearly_lossy(problem, state$working, order_in),
    own_objective = function(component, k) objective_for(component, k, 0),
    refined = function(state) with_field_of_few_rows(problem, state, method$k))
  state <- add_counts(add_counts(state, begun), few)
  conditioning <- conditioning_at(problem, state, isTRUE(state$left), order_in)
  if (identical(conditioning$on, "field")) {
    return(list(instead = problem_on_field(problem, state, conditioning)))
  }
  objective_at <- function(working) objective_for(component_at(problem, working), method$k, 0)
  state <- with_fresh_neighbors(problem, state,
    function(working) objective_at(working)$evaluate(working, information = TRUE),
    max(problem$control$refresh_gain, clear_in_large_table(problem)))
  result <- scored_result(problem, state, objective_at, method$k)
  result$conditioning <- conditioning
  result
}

vecchia_by_adam <- function(method, problem) {
  order_in <- kept_order(problem, method$ordering)
  state <- adam_fit(method, problem, terms_of_earlier(problem, order_in), function(working) {
    component <- component_at(problem, working)
    neighbors <- neighbors_in_order(problem, component, method$k, order_in(component, method$k, 0))
    local_objective(problem, neighbors)$evaluate(working, information = TRUE)
  })
  method_result(state, score = likelihood_name(method), k = method$k)
}

# The terms of adam_fit(), each a row with the nearest before it. The order follows from the metric
# alone, so that a fit that goes on from a checkpoint makes the same one.
terms_of_earlier <- function(problem, order_in) {
  list(n = length(problem$data$y), objective = local_objective,
    neighbors = function(component, targets, k) {
      earlier_of_targets(problem, component, targets, k, order_in(component, k, 0))
    })
}

# The likelihood in the neighbours of a component and k.
vecchia_objectives <- function(method, problem, order_in = kept_order(problem, method$ordering)) {
  if (is_sharded(problem)) return(shard_objectives(problem, "before", method$k))
  each <- vecchia_search(problem, method$ordering, order_in)
  search <- if (has_blocks(method)) each else search_once(each, method$k)
  last_made(function(component, k, ...) local_objective(problem, search(component, k, ...)))
}

#' @export
likelihood_objective.neargp_vecchia <- function(method, problem) {
  component <- component_at(problem, problem$start)
  if (is_sharded(problem)) return(vecchia_objectives(method, problem)(component, method$k))
  search <- if (has_blocks(method)) blocks_before else neighbors_before
  local_objective(problem, search(problem, component, method$k, method$ordering, 0))
}

# The neighbours before each row in the metric of a component. The ordering is made again only when
# the metric has changed a lot. The likelihood differs between orderings, so that a new one after
# every small change keeps the estimates from settling.
reorder_at <- 0.5

vecchia_search <- function(problem, ordering, order_in = kept_order(problem, ordering)) {
  function(component, k, renew_at = reorder_at) {
    conditioning_sets(problem, component, k, order_in(component, k, renew_at))
  }
}

kept_order <- function(problem, ordering) {
  key <- if (ordering == "random") order_key() else 0
  order <- NULL
  ordered_in <- NULL
  chosen_for <- NULL
  function(component, k, renew_at) {
    shape <- shape_for_search(problem, component)
    chosen_again <- ordering == "auto" && !identical(k, chosen_for)
    if (is.null(order) || chosen_again || is_another_shape(shape, ordered_in, renew_at)) {
      order <<- row_order(problem, component, ordering, key, k)
      ordered_in <<- shape
      chosen_for <<- k
    }
    order
  }
}

# The component that sets the metric of a sum can change, and with it the number of coordinates.
is_another_shape <- function(shape, before, renew_at) {
  length(shape) != length(before) || max(abs(shape - before)) > renew_at
}

# The coarse round only has to come near: a tenth of a unit of log-likelihood.
scoring_optimizer <- function(problem) {
  function(objective, working, coarse) {
    expands <- is_expanded(problem)
    if (expands) objective <- with_expansion_curvature(objective, problem, working)
    state <- fisher_scoring(objective, working, problem$free, problem$bounds, problem$control,
      tolerance = max(if (coarse) 0.1, if (expands) 0.01, problem$control$tolerance,
        resolution_of(objective)))
    if (expands) state$evaluated$information <- state$evaluated$fisher
    state
  }
}

stationary_vecchia <- function(problem) vecchia(min(30L, length(problem$data$y) - 1L))
