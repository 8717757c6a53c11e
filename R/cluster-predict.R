# Predictions by the workers of a cluster, and from rows that are read in shards. A prediction of a
# row depends on that row alone, so that whoever makes it makes the same one.

# Whether the fit's rows are read by whoever needs them.
reads_shards <- function(object) !is.null(object$source$recipe)

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
    object["keeper"] <- list(NULL)
    bind_predictions(on_shards(host, "predict_piece", list(object = object, settings = settings),
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

refuse_on_workers <- function(what, instead) {
  abort_neargp("cluster", c(sprintf(
    "By workers, or from rows that are read, there is no prediction of %s.", what), i = instead))
}

# Predicts a part of the rows on a worker.
predict_piece <- function(shard, object, settings, newdata) {
  without_far_message(predict_rows(with_own_keeper(object), newdata, settings))
}

bind_predictions <- function(pieces, rows, newdata) {
  at <- order(unlist(rows, use.names = FALSE))
  bound <- do.call(rbind, unname(Filter(NROW, pieces)))[at, , drop = FALSE]
  if (!is_sf(bound)) attr(bound, "row.names") <- attr(newdata, "row.names")
  bound
}

# ---- rows that are read --------------------------------------------------------------------------

# Each row of newdata goes to the shard that has its place, with all rows that may be among its k
# nearest: the shard's own, and those that others have within the reach of the k-th of these.
predict_from_shards <- function(object, newdata, settings, workers) {
  check_cluster_target(newdata, settings)
  target <- new_target(object, newdata, settings$part)
  recipe <- object$source$recipe
  host <- new_shard_host(recipe$partition$count, workers)
  settings$context <- shard_context(settings$context, workers)
  component <- metric_component(object$core_covariance)
  shard <- shard_of(shard_places(target$coords, recipe, recipe$partition$scales),
    recipe$partition$cuts)
  of_shard <- split(seq_along(shard), factor(shard, host$ids))
  rows <- lapply(of_shard, function(places) which(target$complete)[places])
  # rows without a place have no prediction, whoever makes it
  rows[[1L]] <- sort(c(rows[[1L]], which(!target$complete)))
  problem <- list(data = list(stream = recipe$stream, basis = object$data$basis),
    locations = object$locations, groups = recipe$groups)
  raw <- shard_recipe(problem, recipe$partition, raw = TRUE, takes_means_in_shards(object))
  reading <- reading_call(object$method, object, raw, shard_context(plain_context(1L), workers))
  parts <- parts_of_shards(recipe$stream, problem, recipe$partition)
  on_shards(host, reading$what, reading$common, lapply(parts, function(numbers)
    list(parts = numbers)), makes = TRUE)
  search <- list(component = component, k = settings$k)
  context <- settings$context
  boxes <- on_shards(host, "shard_box", list(component = component))
  queries <- lapply(of_shard, function(places) list(x = core_scale(target$coords[places, ,
    drop = FALSE], component)))
  asks <- on_shards(host, "shard_queries", c(search, list(boxes = boxes, context = context)),
    queries)
  answers <- on_shards(host, "shard_answers", c(search, list(before = FALSE, context = context)),
    transposed(asks, "asks"))
  received <- transposed(answers, "received")
  own <- lapply(stats::setNames(host$ids, host$ids), function(id) c(received[[id]],
    list(newdata = newdata[rows[[id]], , drop = FALSE])))
  object["keeper"] <- list(NULL)
  object$source["recipe"] <- list(NULL)
  bind_predictions(on_shards(host, "predict_in_shard", list(object = object, settings = settings),
    own), rows, newdata)
}

# The call by which a shard reads its parts of what predictions are conditioned on, rows as
# raw_rows() has them: the name of a function, and arguments that are those of all shards.
reading_call <- function(method, object, recipe, context) {
  UseMethod("reading_call")
}

#' @export
reading_call.default <- function(method, object, recipe, context) {
  list(what = "shard_read", common = list(recipe = recipe))
}

# The fit with these rows to predict from.
with_held_rows <- function(method, object, data) {
  UseMethod("with_held_rows")
}

#' @export
with_held_rows.default <- function(method, object, data) {
  object$data[names(data)] <- data
  object
}

# Rows as the user has them.
raw_rows <- function(data, number) {
  rows_with_form(list(number = number, coords = unname(data$coords), y = data$y,
    X = unname(data$X), offset = data$offset, weights = data$weights))
}

# What is asked of other shards for the k nearest of the queries `x`.
shard_queries <- function(shard, id, component, k, boxes, context, x) {
  if (!nrow(x)) return(stats::setNames(vector("list", length(boxes)), names(boxes)))
  scaled <- shard_scaled(shard, component)
  reach2 <- core_neighbor_reach(scaled, x, core_neighbors_to(scaled, x, k, context)) *
    rounding_margin
  asks_of(x, reach2, NULL, boxes, id)
}

predict_in_shard <- function(shard, object, settings, received, newdata) {
  if (!NROW(newdata)) return(NULL)
  conditioned <- with_rows_of_shard(object, settings, shard, received)
  without_far_message(predict_rows(conditioned$object, newdata, conditioned$settings))
}

# The fit to the rows of a shard and those that others have sent, and the settings for these.
with_rows_of_shard <- function(object, settings, shard, received) {
  rows <- bind_received(shard, received)
  column <- function(name) rows[, shard$form[[name]]]
  data <- list(y = column("y"), X = shard_columns(rows, shard$form, "X"), offset = column("offset"),
    weights = column("weights"), coords = shard_columns(rows, shard$form, "coords"))
  colnames(data$X) <- names(object$beta)
  object <- with_held_rows(object$method, object, data)
  settings$k <- min(settings$k, nrow(rows))
  list(object = with_own_keeper(object), settings = settings)
}

# ---- cross-validation ----------------------------------------------------------------------------

# Folds by workers, each of which gets the fits. Random numbers of a fold are its own, whoever
# computes it.
validate_on_cluster <- function(cases, tasks, splits, refit, level, cluster) {
  seeds <- sample.int(.Machine$integer.max, nrow(tasks))
  for (i in seq_along(cases)) cases[[i]]$fit["keeper"] <- list(NULL)
  with_workers(cluster, NULL, cases[[1L]]$fit, function(workers) {
    host <- new_shard_host(nrow(tasks), workers)
    own <- lapply(host$ids, function(id) list(number = tasks$case[id],
      split = splits[[tasks$split[id]]], seed = seeds[id]))
    unname(on_shards(host, "validate_piece", list(cases = cases, refit = refit, level = level,
      threads = workers$threads), stats::setNames(own, host$ids)))
  })
}

# Validates one fold of one case on a worker.
validate_piece <- function(shard, cases, refit, level, threads, number, split, seed) {
  before <- current_seed()
  on.exit(set_seed(before))
  set.seed(seed)
  cases[[number]]$fit <- with_own_keeper(cases[[number]]$fit)
  cases[[number]]$fit$threads <- threads
  cases[[number]]$arguments$threads <- cases[[number]]$arguments$threads %||% threads
  validate_split(cases, number, split, refit, level)
}
