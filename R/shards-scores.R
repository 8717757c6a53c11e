# Leave-one-out scores of rows in shards, of classes and of what is neither Gaussian nor classes:
# what problem$loo$scoring (R/neighbours-loo-optimizers.R) asks of them. The prior of the
# pseudo-observations is that of some rows of all, or of the sample of a source, and is found here.

# `basis`: of the user's columns, where rows are read.
with_scores_in_shards <- function(problem, basis) {
  host <- new_rows_host(problem)
  rows <- give_responses(host, problem, basis)
  send_model(host, problem)
  model <- c(problem[c("layout", "groups", "family")],
    list(intercept = problem$loo$design$intercept))
  counted <- Reduce(`+`, map_rows(host, "shard_response_model", list(model = model),
    makes = TRUE))
  problem$loo$distinct <- counted[["locations"]]
  check_location_count(problem$loo$distinct, problem$method$k)
  if (!is.null(problem$data$stream)) warn_of_copied(counted)
  problem$loo$scoring$trend_covariance <- function(problem, pseudo_observations, known, k) {
    own <- if (has_gamma_variables(problem$family)) lapply(rows, function(rows)
      list(weights = pseudo_observations$row_weights[rows]))
    trend_covariance_in_shards(problem, host, known, k, own)
  }
  # the state of pseudo-observations is the problem's: shards that have another make it first
  known_at <- function(problem) {
    observe_in_shards(host, problem)
    if (has_gamma_variables(problem$family)) {
      pseudo_observation_values(problem, problem$loo$reference)
    }
  }
  with_scoring_in_shards(problem, host, known_at, function(problem, rows) {
    score_over_rows(problem, counted[["observations"]], rows)
  })
}

# Labels of rows in memory: theirs is no state that changes.
with_labels_in_shards <- function(problem) {
  host <- new_rows_host(problem)
  data <- c(problem$data[c("class", "weights", "offset", "coords")], list(X = problem$loo$design$X))
  send_rows(host, problem, "shard_hold", function(rows) list(data = take_rows_of(data, rows)))
  send_model(host, problem)
  model <- list(per_class = problem$classes$per_class, classes = problem$classes$labels$classes,
    merged = length(problem$loo$observations$row) < length(data$class))
  map_rows(host, "shard_label_model", list(model = model), makes = TRUE)
  with_scoring_in_shards(problem, host, function(problem) NULL, function(problem, rows) {
    label_score_over_rows(problem, sum(problem$classes$labels$count), rows)
  })
}

take_rows_of <- function(data, rows) {
  lapply(data, function(x) if (is.matrix(x)) x[rows, , drop = FALSE] else x[rows])
}

# The plan is the host, with the conditioning sets that its shards have made. `known_at(problem)`:
# parameters of the gamma variables, where there are any, with shards in the problem's state.
with_scoring_in_shards <- function(problem, host, known_at, objective_of) {
  plan <- function(problem, at, component, k) {
    known <- known_at(problem)
    forget_calls(host, "shard_plan")
    map_rows(host, "shard_plan", list(component = component, k = k, known = known),
      exchange_neighbors(host, component, k, before = FALSE), makes = TRUE)
    host
  }
  objective <- function(problem, plan) {
    force(plan)  # made before anything is asked of the shards
    objective_of(problem, plan)
  }
  problem$loo$scoring[c("plan", "objective")] <- list(plan, objective)
  problem$loo$scoring["count"] <- list(NULL)
  problem
}

# Rows in memory go to their shards, and their numbers are returned; those of a source are read
# there.
give_responses <- function(host, problem, basis) {
  if (!is.null(problem$data$stream)) {
    recipe <- replace(shard_recipe(problem, new_partition(problem)), "basis", list(basis))
    recipe$design <- problem$loo$design[c("back", "rotation")]
    read_shards(host, problem, "shard_read_responses", recipe)
    return(NULL)
  }
  send_rows(host, problem, "shard_hold", function(rows) {
    list(data = c(take_data_rows(problem$data, rows),
      list(design = problem$loo$design$X[rows, , drop = FALSE])), number = as.double(rows))
  })
}

observe_in_shards <- function(host, problem) {
  forget_calls(host, c("shard_observed", "shard_plan"))
  map_rows(host, "shard_observed", problem$loo[c("known", "marginal")],
    makes = TRUE)
}

# The result of pseudo_observation_trend_covariance() for shards. `own`: weights of the rows of each
# shard, where gamma variables have changed them.
trend_covariance_in_shards <- function(problem, host, known, k, own) {
  if (!length(known$beta)) return(matrix(0, 0L, 0L))
  observe_in_shards(host, problem)
  map_rows(host, "shard_trend_rows", own = own, makes = TRUE)
  make_problems(host, known$component, k, before = TRUE)
  known$trend_noise <- trend_noise(problem$family, known$family)
  parts <- reduce_rows(host, "shard_trend_sums",
    list(known = known[setdiff(names(known), c("covariance", "component"))]))
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
