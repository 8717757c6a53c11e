# Leave-one-out scores of rows in shards, of classes and of what is neither gaussian nor classes:
# what problem$loo$scoring (R/neighbours-loo-optimizers.R) asks of them. The prior of the
# pseudo-observations is that of some rows of all, or of the sample of a source, and is found here.

# `basis`: of the user's columns, where rows are read.
with_scores_in_shards <- function(problem, basis) {
  host <- new_shard_host(problem$control$shards, problem$context$cluster)
  rows <- give_responses(host, problem, basis)
  model <- c(problem[c("layout", "groups", "family")],
    list(intercept = problem$loo$design$intercept))
  counted <- Reduce(`+`, on_shards(host, "shard_response_model", list(model = model,
    context = shard_context(problem$context)), makes = TRUE))
  problem$loo$distinct <- counted[["locations"]]
  check_location_count(problem$loo$distinct, problem$method$k)
  if (!is.null(problem$data$stream)) warn_of_copied(counted)
  plan <- function(problem, at, component, k) make_plan(host, problem, component, k)
  objective <- function(problem, plan) score_in_shards(problem, plan, counted[["observations"]])
  # of all rows, whatever their number
  problem$loo$scoring$score <- function(problem, theta, k) {
    component <- component_at(problem, split_pseudo_observation_theta(problem, theta)$working)
    scored <- objective(problem, plan(problem, NULL, component, k))$evaluate(theta)
    if (!is.finite(scored$value)) abort_cholesky(0L)
    list(value = scored$score)
  }
  problem$loo$scoring$trend_covariance <- function(problem, pseudo_observations, known, k) {
    own <- if (has_gamma_variables(problem$family)) lapply(rows, function(rows)
      list(weights = pseudo_observations$row_weights[rows]))
    trend_covariance_in_shards(problem, host, known, k, own)
  }
  problem$loo$scoring[c("plan", "objective")] <- list(plan, objective)
  problem
}

# Labels of rows in memory: theirs is no state that changes.
with_labels_in_shards <- function(problem) {
  host <- new_shard_host(problem$control$shards, problem$context$cluster)
  data <- c(problem$data[c("class", "weights", "offset", "coords")], list(X = problem$loo$design$X))
  partition <- new_partition(problem)
  rows <- rows_of_shards(host, shard_places(data$coords, problem, partition$scales), partition$cuts)
  on_shards(host, "shard_labels", own = lapply(rows, function(rows) list(data = list(
    class = data$class[rows], weights = data$weights[rows], offset = data$offset[rows],
    coords = data$coords[rows, , drop = FALSE], X = data$X[rows, , drop = FALSE]))), makes = TRUE)
  model <- c(problem[c("layout", "groups")], list(classes = problem$classes$labels$classes,
    per_class = problem$classes$per_class,
    merged = length(problem$loo$observations$row) < length(data$class)))
  on_shards(host, "shard_label_model", list(model = model,
    context = shard_context(problem$context)), makes = TRUE)
  plan <- function(problem, at, component, k) {
    forget_calls(host, "shard_label_plan")
    on_shards(host, "shard_label_plan", list(component = component, k = k),
      exchange_neighbors(host, component, k, before = FALSE), makes = TRUE)
  }
  objective <- function(problem, plan) {
    force(plan)  # made before anything is asked of the shards
    labels_in_shards(problem, host)
  }
  problem$loo$scoring$score <- function(problem, theta, k) {
    component <- component_at(problem, split_theta(problem, theta)$working)
    scored <- objective(problem, plan(problem, NULL, component, k))$evaluate(theta)
    if (!is.finite(scored$value)) abort_cholesky(0L)
    list(value = scored$score)
  }
  problem$loo$scoring[c("plan", "objective")] <- list(plan, objective)
  problem
}

labels_in_shards <- function(problem, host) {
  n <- sum(problem$classes$labels$count)
  label_objective_of_terms(problem, n, function(known, with_gradient) {
    found <- sum_of_shards(host, "shard_label_score", list(known = known,
      with_gradient = with_gradient))
    c(list(failed = found$failed), if (found$failed == 0) unpack_score(found$sums,
      label_sizes(known), with_gradient))
  })
}

# How many numbers there are of the score and each of its derivatives.
label_sizes <- function(known) {
  c(score = 1L, d_covariance = length(known$values), d_log_slope = 1L,
    d_trend = length(known$trend), d_bias = ncol(known$trend))
}

# Rows in memory go to their shards, and their numbers are returned; those of a source are read
# there.
give_responses <- function(host, problem, basis) {
  data <- problem$data
  partition <- new_partition(problem)
  if (!is.null(data$stream)) {
    recipe <- replace(shard_recipe(problem, partition), "basis", list(basis))
    recipe$design <- problem$loo$design[c("back", "rotation")]
    read_shards(host, problem, partition, "shard_read_responses", recipe)
    return(NULL)
  }
  data$design <- problem$loo$design$X
  rows <- rows_of_shards(host, shard_places(data$coords, problem, partition$scales), partition$cuts)
  on_shards(host, "shard_responses", own = lapply(rows, function(rows)
    list(data = take_response_rows(data, rows), number = as.double(rows))), makes = TRUE)
  rows
}

take_response_rows <- function(data, rows) {
  c(take_data_rows(data, rows), list(design = data$design[rows, , drop = FALSE]))
}

observe_in_shards <- function(host, loo) {
  on_shards(host, "shard_observed", list(known = loo$known, marginal = loo$marginal), makes = TRUE)
}

# The state of pseudo-observations is the problem's: shards that have another make it first.
make_plan <- function(host, problem, component, k) {
  forget_calls(host, c("shard_observed", "shard_plan"))
  observe_in_shards(host, problem$loo)
  known <- if (has_gamma_variables(problem$family)) pseudo_observation_values(problem,
    problem$loo$reference)
  on_shards(host, "shard_plan", list(component = component, k = k, known = known),
    exchange_neighbors(host, component, k, before = FALSE), makes = TRUE)
  host
}

score_in_shards <- function(problem, host, n) {
  force(host)  # with its plan
  at <- function(known, with_gradient) {
    found <- sum_of_shards(host, "shard_score", list(known = known, with_gradient = with_gradient))
    c(list(failed = found$failed), if (found$failed == 0) unpack_score(found$sums,
      score_sizes(problem$layout, length(known$beta)), with_gradient))
  }
  objective_of_terms(problem, n, at, function(known) {
    rows <- on_shards(host, "shard_not_integrated", list(known = known))
    abort_not_integrated(sort(unlist(rows)), problem$family)
  })
}

# How many numbers there are of the score and each of its derivatives.
score_sizes <- function(layout, columns) {
  family <- sum(layout$kind == "family")
  c(score = 1L, d_covariance = nrow(layout) - family, d_family = family, d_link = columns,
    d_bias = 1L)
}

unpack_score <- function(sums, sizes, with_gradient) {
  if (!with_gradient) return(list(score = sums))
  split(sums, factor(rep(names(sizes), sizes), names(sizes)))
}

# What pseudo_observation_trend_covariance() gives, of shards. `own`: weights of the rows of each
# shard, where gamma variables have changed them.
trend_covariance_in_shards <- function(problem, host, known, k, own) {
  if (!length(known$beta)) return(matrix(0, 0L, 0L))
  forget_calls(host, c("shard_observed", "shard_plan"))
  observe_in_shards(host, problem$loo)
  on_shards(host, "shard_trend_rows", own = own, makes = TRUE)
  make_problems(host, known$component, k, before = TRUE)
  known$trend_noise <- trend_noise(problem$family, known$family)
  parts <- unpack_sums(sum_of_shards(host, "shard_trend_sums",
    list(known = known[setdiff(names(known), c("covariance", "component"))])))
  solved_trend(parts, problem$loo$distinct)$beta_vcov
}

# ---- what a fit keeps ----------------------------------------------------------------------------

# Rows in memory are observed once more here; of a source a fit has what its rows are observed by.
held_pseudo_observations <- function(given, problem, known) {
  if (is.null(given$stream)) {
    return(fitted_pseudo_observations(given, with_rows_observed(problem), known))
  }
  none <- take_data_rows(given, integer(0))
  list(data = none[c("coords", "y", "X", "offset", "weights", "basis")], bias = known$bias,
    prior = c(problem$loo[c("known", "marginal")], list(design = problem$loo$design[c("back",
      "rotation")])))
}

#' @export
reading_call.neargp_loo_k_families <- function(method, object, recipe, context) {
  recipe$raw <- FALSE
  list(what = "shard_read_observed", common = list(recipe = recipe,
    prior = object$pseudo_observations$prior, family = object$family, context = context))
}

#' @export
with_held_rows.neargp_loo_k_families <- function(method, object, data) {
  object$pseudo_observations$data[names(data)] <- data
  object
}
