# Class labels in shards, by leave-one-out scores: what is computed of one shard (see
# shard-worker.R). As pseudo-observations are (R/shards-pseudo-observations.R), labels are added at
# each place, and locations with their numbers of labels are what shards tell each other of.

# `data`: class, weights, offset and coordinates of the rows, and columns of the design.
shard_labels <- function(shard, data) {
  shard$data <- data
  NULL
}

# `model`: layout and groups of the problem, the number of classes, whether each has a process of
# its own, and whether observations that are alike are one.
shard_label_model <- function(shard, model, context) {
  data <- shard$data
  labels <- new_labels(data, model$classes, location_index(data$coords))
  shard$context <- context
  shard$problem <- list(classes = list(labels = labels, per_class = model$per_class),
    loo = list(design = list(X = data$X)), context = context, data = list(offset = data$offset))
  shard$at <- label_observations(labels, merge = model$merged)
  shard$specification <- covariance_specification(model$layout, model$groups)
  set_rows(shard, labels[c("coords", "content", "total")])
  NULL
}

# The conditioning sets, from locations of this shard and those that others have sent.
shard_label_plan <- function(shard, component, k, received) {
  problem <- shard$problem
  rows <- bind_received(shard, received)
  problem$classes$labels[c("coords", "content")] <- lapply(c("coords", "content"), function(name)
    shard_columns(rows, shard$form, name))
  problem$classes$labels$total <- rows[, shard$form$total]
  shard$terms <- label_terms(problem, label_plan(problem, shard$at, component, k))
  NULL
}

# `known`: of label_values().
shard_label_score <- function(shard, known, with_gradient) {
  packed_score(shard, known, with_gradient, label_sizes(known))
}
