# Predictions by the workers of a cluster, and from rows that are read in shards. A prediction of a
# row depends on that row alone, so that whoever makes it makes the same one.

# ---- rows in memory ------------------------------------------------------------------------------

# Rows of newdata in as many pieces as there are workers, or as shards of the fit that they are in,
# each with the fit.
predict_on_cluster <- function(object, newdata, settings, cluster, threads) {
  if (!reads_shards(object)) check_cluster_target(newdata, settings)
  with_workers(cluster, threads, object, function(workers) {
    if (reads_shards(object)) return(predict_from_shards(object, newdata, settings, workers))
    rows <- pieces_of_targets(object, newdata, settings, length(workers$nodes))
    host <- new_shard_host(length(rows), workers)
    settings$context <- shard_context(settings$context, workers)
    object["cache"] <- list(NULL)
    bind_predictions(map_rows(host, "predict_piece", list(object = object, settings = settings),
      lapply(rows, function(rows) list(newdata = newdata[rows, , drop = FALSE]))), rows, newdata)
  })
}

pieces_of_targets <- function(object, newdata, settings, workers) {
  n <- NROW(newdata)
  shard <- shard_of_targets(object, newdata, settings)
  piece <- if (!length(shard)) blocks_of(n, seq_len(max(1L, min(workers, n)))) else
    match(shard, sort(unique(shard)))
  split(seq_len(n), factor(piece, seq_len(max(piece, 1L))))
}

check_cluster_target <- function(newdata, settings) {
  if (is_raster(newdata) || is_stars(newdata)) {
    refuse_on_workers("a grid as a whole",
      "Give its cells as a data frame: terra::as.data.frame(raster, xy = TRUE).")
  }
  if (!is.data.frame(newdata)) {
    abort_neargp("newdata", "`newdata` must be a data frame or sf points.")
  }
  if (settings$joint) refuse_rows_jointly()
}

refuse_rows_jointly <- function() refuse_on_workers("rows jointly", "Leave out joint = TRUE.")

# Predicts a part of the rows on a worker.
predict_piece <- function(shard, object, settings, newdata) {
  without_far_message(predict_rows(with_own_cache(object), newdata, settings))
}

bind_predictions <- function(pieces, rows, newdata) {
  at <- order(unlist(rows, use.names = FALSE))
  bound <- do.call(rbind, unname(Filter(NROW, pieces)))[at, , drop = FALSE]
  if (!is_sf(bound)) attr(bound, "row.names") <- attr(newdata, "row.names")
  bound
}

# ---- rows that are read --------------------------------------------------------------------------

# Each row of newdata goes to the shard that contains its location. The shard needs all rows that
# may be among the k nearest: its own, and those of other shards within the distance of its own k-th
# nearest.
predict_from_shards <- function(object, newdata, settings, workers) {
  check_cluster_target(newdata, settings)
  target <- new_target(object, newdata, settings$part)
  recipe <- object$source$recipe
  host <- new_shard_host(recipe$partition$count, workers)
  settings$context <- shard_context(settings$context, workers)
  component <- metric_component(object$core_covariance)
  of_shard <- split(seq_len(nrow(target$coords)), factor(shard_of_coords(target$coords, recipe,
    recipe$partition), host$ids))
  rows <- lapply(of_shard, function(places) which(target$complete)[places])
  # rows without a location get no prediction, so any shard can take them
  rows[[1L]] <- sort(c(rows[[1L]], which(!target$complete)))
  read_by(host, reading_of(object, shard_context(plain_context(1L), workers)))
  queries <- lapply(of_shard, function(places) list(x = core_scale(target$coords[places, ,
    drop = FALSE], component)))
  received <- exchange_neighbors(host, component, settings$k, before = FALSE, queries,
    context = settings$context)
  own <- lapply(stats::setNames(host$ids, host$ids), function(id) c(received[[id]],
    list(newdata = newdata[rows[[id]], , drop = FALSE])))
  object["cache"] <- list(NULL)
  object$source["recipe"] <- list(NULL)
  bind_predictions(map_rows(host, "predict_in_shard", list(object = object, settings = settings),
    own), rows, newdata)
}

predict_in_shard <- function(shard, object, settings, received, newdata) {
  if (!NROW(newdata)) return(NULL)
  conditioned <- with_rows_of_shard(object, settings, shard, received)
  without_far_message(predict_rows(conditioned$object, newdata, conditioned$settings))
}

# ---- cross-validation ----------------------------------------------------------------------------

# Folds by workers, each of which gets the fits. Random numbers of a fold are its own, whoever
# computes it.
validate_on_cluster <- function(cases, tasks, splits, refit, level, cluster) {
  seeds <- sample.int(.Machine$integer.max, nrow(tasks))
  for (i in seq_along(cases)) cases[[i]]$fit["cache"] <- list(NULL)
  with_workers(cluster, NULL, cases[[1L]]$fit, function(workers) {
    host <- new_shard_host(nrow(tasks), workers)
    own <- lapply(host$ids, function(id) list(number = tasks$case[id],
      split = splits[[tasks$split[id]]], seed = seeds[id]))
    unname(map_rows(host, "validate_piece", list(cases = cases, refit = refit, level = level,
      threads = workers$threads), stats::setNames(own, host$ids)))
  })
}

# Validates one fold of one case on a worker.
validate_piece <- function(shard, cases, refit, level, threads, number, split, seed) {
  before <- current_seed()
  on.exit(set_seed(before))
  set.seed(seed)
  cases[[number]]$fit <- with_own_cache(cases[[number]]$fit)
  cases[[number]]$fit$threads <- threads
  cases[[number]]$arguments$threads <- cases[[number]]$arguments$threads %||% threads
  validate_split(cases, number, split, refit, level)
}
