# Leave-one-out scores of rows in shards, for classes and for responses that are neither Gaussian
# nor classes: the computations on one shard (see shard-worker.R). Rows at one location share a
# shard. Labels and pseudo-observations are therefore added there, and shards exchange distinct
# locations with these sums. Predictions of a row, and its score, are in
# R/neighbours-pseudo-observations-objective.R and R/classes-objective.R.

# A shard holds `data`, rows in the core's columns, and their `number` among all. Data of responses
# also contain the columns of the `design`. `model`: layout, groups, family and intercept of the
# problem. Returns counts that are needed of all rows.
shard_response_model <- function(shard, model) {
  data <- shard$data
  shard$problem <- c(model[c("layout", "groups", "family")], list(data = data,
    context = shard$context, loo = list(design = list(X = data$design,
      intercept = model$intercept), location_index = if (has_gamma_variables(model$family))
      seq_along(data$y) else location_index(data$coords))))
  shard$at <- list(row = seq_along(shard$number), location_index = shard$problem$loo$location_index)
  shard$specification <- pseudo_observation_specification(shard$problem)
  shard$terms_at <- function(problem, at, component, k, known) {
    pseudo_observation_terms(problem, pseudo_observation_plan(problem, at, component, k, known))
  }
  count <- observation_counts(data, model$family)
  c(locations = max(shard$problem$loo$location_index), observations = sum(count),
    copied_weight(data))
}

# `model`: the number of classes, whether each class uses its own process, and whether equal
# observations are merged into one.
shard_label_model <- function(shard, model) {
  data <- shard$data
  labels <- new_labels(data, model$classes, location_index(data$coords))
  shard$problem <- list(classes = list(labels = labels, per_class = model$per_class),
    loo = list(design = list(X = data$X)), context = shard$context,
    data = list(offset = data$offset))
  shard$at <- label_observations(labels, merge = model$merged)
  shard$terms_at <- function(problem, at, component, k, known) {
    label_terms(problem, label_plan(problem, at, component, k))
  }
  set_rows(shard, labels[c("coords", "content", "total")])
  NULL
}

# The rows that shards exchange.
set_rows <- function(shard, parts) list2env(rows_with_form(parts), shard)

# The pseudo-observations of the family's parameters `known` and the prior `marginal`, as locations.
shard_observed <- function(shard, known, marginal) {
  state <- list(known, marginal)
  if (identical(shard$observed, state)) return(NULL)
  shard$problem$loo[c("known", "marginal")] <- state
  shard$problem <- with_rows_observed(shard$problem, known, shard$number)
  locations <- shard$problem$loo$distinct_locations
  set_rows(shard, locations[c("coords", "content", "total")])
  shard$observed <- state
  NULL
}

# The conditioning sets of the rows, from locations of this shard and those that others have sent
# (`received`). `known`: parameters of the gamma variables, where there are any.
shard_plan <- function(shard, component, k, received, known = NULL) {
  problem <- shard$problem
  rows <- bind_received(shard, received)
  path <- if (is.null(problem$classes)) c("loo", "distinct_locations") else c("classes", "labels")
  problem[[path]][c("coords", "content")] <- lapply(c("coords", "content"), function(name)
    shard_columns(rows, shard$form, name))
  problem[[path]]$total <- rows[, shard$form$total]
  if (!is.null(known)) known <- with_covariance(known, shard$specification)
  shard$terms <- shard$terms_at(problem, shard$at, component, k, known)
  NULL
}

# ---- rows that are read --------------------------------------------------------------------------

# The rows of a shard as they are given; `recipe$design`: how their columns become those of the
# design.
read_responses <- function(id, recipe, parts) {
  found <- read_parts(id, recipe, parts)
  number <- unlist(lapply(found, `[[`, "number"))
  data <- Reduce(bind_response_rows, lapply(found, `[[`, "data"))
  if (!response_family(recipe$stream$family)$scaled) check_whole_weights(data$weights, number)
  list(data = data, number = number)
}

bind_response_rows <- function(a, b) {
  columns <- c("y", "offset", "weights", "trials")
  a[columns] <- Map(c, a[columns], b[columns])
  a[c("X", "coords")] <- Map(rbind, a[c("X", "coords")], b[c("X", "coords")])
  a
}

with_design <- function(data, design) {
  data$design <- row_products(row_products(data$X, design$back), design$rotation)
  data
}

shard_read_responses <- function(shard, id, recipe, parts) {
  found <- read_responses(id, recipe, parts)
  shard_hold(shard, data = with_design(core_data(found$data), recipe$design),
    number = found$number)
}

# The locations of a fit to a source, in the form of raw_rows(). `prior`: of their
# pseudo-observations.
shard_read_observed <- function(shard, id, recipe, parts, prior, family, context) {
  found <- read_responses(id, recipe, parts)
  data <- with_design(core_data(found$data), prior$design)
  observed <- with_rows_observed(list(data = data, family = family, context = context,
    loo = list(design = list(X = data$design), marginal = prior$marginal,
      location_index = location_index(data$coords))), prior$known, found$number)$loo
  rows <- locations_as_data(aggregate_by_location(found$data, found$data$X,
    observed$pseudo_observations, observed$location_index, observation_counts(data, family)))
  set_rows(shard, c(list(number = as.double(seq_along(rows$y))), rows))
  length(rows$y)
}

# ---- the trend at the end ------------------------------------------------------------------------

# Locations as rows of a Gaussian response. `weights`: given where they are not the precisions.
shard_trend_rows <- function(shard, weights = NULL) {
  problem <- shard$problem
  count <- observation_counts(problem$data, problem$family)
  locations <- aggregate_by_location(problem$data, problem$data$X, problem$loo$pseudo_observations,
    problem$loo$location_index, count)
  rows <- locations_as_data(locations)
  set_rows(shard, list(number = as.double(seq_along(rows$y)), coords = rows$coords,
    columns = cbind(rows$y, rows$X), weights = weights %||% rows$weights))
  shard$within <- information_within_locations(locations, count)
  shard$observed <- shard$terms <- NULL
  NULL
}

# The sums of shard_sums(), with those of rows at one location for the trend.
shard_trend_sums <- function(shard, known) {
  known <- with_covariance(known, shard$specification)
  found <- core_evaluate(shard$pointer, known$covariance, known$trend_noise, FALSE, shard$context)
  design <- 1L + seq_len(ncol(shard$within))
  found$gram[design, design] <- found$gram[design, design] + shard$within / known$trend_noise
  with_failed_row(found, shard$numbers)
}
