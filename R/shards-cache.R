# Predictions from rows that are read in shards, by one process. It reads a shard when it needs it,
# and keeps the shards used last. New locations are taken shard by shard, so that each is
# conditioned on the same rows as with a worker for each shard (R/cluster-predict.R).

# `most`: shards that are kept.
new_shard_cache <- function(object, most = object$source$recipe$partition$count) {
  reading <- reading_of(object, plain_context(1L))
  recipe <- reading$common$recipe
  list2env(list(reading = reading, most = as.integer(most), shards = list(),
    parts = parts_of_shards(recipe), reach = shard_reach(recipe)), parent = emptyenv())
}

# The call by which a shard reads the rows for predictions, in the form of raw_rows(). It consists
# of the name of a function, and of arguments that all shards share. In a fit by leave-one-out
# scores, these include the prior by which its rows are observed.
reading_of <- function(object, context) {
  recipe <- object$source$recipe
  recipe["basis"] <- list(object$data$basis)
  prior <- object$pseudo_observations$prior
  if (is.null(prior)) return(list(what = "shard_read", common = list(recipe = recipe)))
  recipe$raw <- FALSE
  list(what = "shard_read_observed", common = list(recipe = recipe, prior = prior,
    family = object$family, context = context))
}

# The shard, which is read unless it is kept. The last of the list is the one used last.
cached_shard <- function(cache, id) {
  name <- as.character(id)
  shard <- cache$shards[[name]]
  if (is.null(shard)) {
    kept <- utils::tail(cache$shards, max(cache$most - 1L, 0L))
    cache$shards <- kept
    shard <- new.env(parent = emptyenv())
    do.call(cache$reading$what, c(list(shard, id), cache$reading$common,
      list(parts = cache$parts[[name]])), quote = TRUE)
  }
  cache$shards[[name]] <- NULL
  cache$shards[[name]] <- shard
  shard
}

# ---- where shards may have rows ------------------------------------------------------------------

# A box around the rows of each shard, in the coordinates of the core. It is the box of the chunks
# that reach into the shard, within the cuts at the borders of the shard. It is known without
# reading.
shard_reach <- function(recipe) {
  partition <- recipe$partition
  boxes <- recipe$stream$parts$boxes
  scales <- partition$scales[recipe$groups[[1L]]$group]
  cells <- cut_boxes(partition$cuts, length(scales))
  parts <- parts_of_shards(recipe)
  lapply(stats::setNames(nm = names(parts)), function(name) {
    of_chunks <- apply(do.call(rbind, boxes[parts[[name]]]), 2L, range)
    if (ncol(of_chunks) != length(scales)) return(NULL)  # columns that are no locations
    cell <- sweep(cells[[name]], 2L, scales, "*")
    rbind(pmax(of_chunks[1L, ], cell[1L, ]), pmin(of_chunks[2L, ], cell[2L, ]))
  })
}

# The boxes between the cuts of the tree, by the number of the shard.
cut_boxes <- function(cuts, dimension) {
  walk <- function(cuts, box) {
    if (!is.list(cuts)) return(stats::setNames(list(box), cuts))
    low <- high <- box
    low[2L, cuts$column] <- high[1L, cuts$column] <- cuts$at
    c(walk(cuts$low, low), walk(cuts$high, high))
  }
  walk(cuts, matrix(c(-Inf, Inf), 2L, dimension))
}

# Boxes in the metric, a linear map of coordinates, by which corners stay corners. In more than
# `most` dimensions a box is NULL, for everywhere. Rounding of cuts and corners is far below the
# margin.
scaled_boxes <- function(reach, component, most = 10L) {
  lapply(reach, function(box) {
    if (is.null(box) || ncol(box) > most) return(NULL)
    corners <- as.matrix(expand.grid(asplit(box, 2L)))
    scaled <- core_scale(unname(corners), component)
    margin <- 1e-9 * max(abs(scaled))
    apply(scaled, 2L, range) + c(-margin, margin)
  })
}

# ---- predictions ---------------------------------------------------------------------------------

#' @export
moments_from_cache.neargp_streamed <- function(object, target, settings) {
  recipe <- object$source$recipe
  cache <- object$source$cache %||% new_shard_cache(object)
  object$source["recipe"] <- list(NULL)
  of_shard <- split(seq_len(nrow(target$coords)), shard_of_coords(target$coords, recipe,
    recipe$partition))
  boxes <- scaled_boxes(cache$reach, metric_component(object$core_covariance))
  parts <- lapply(names(of_shard), function(name) {
    own <- of_shard[[name]]
    conditioned <- with_cached_rows(object, cache, as.integer(name), boxes,
      target$coords[own, , drop = FALSE], settings)
    chunked_moments(conditioned$object, c(take_places(target, own),
      list(complete = rep(TRUE, length(own)))), conditioned$settings)
  })
  spread_over_places(parts, lengths(of_shard), target$complete,
    which(target$complete)[unlist(of_shard, use.names = FALSE)])
}

# The fit with the rows that the targets at `coords`, all in the shard `id`, may need.
with_cached_rows <- function(object, cache, id, boxes, coords, settings) {
  component <- metric_component(object$core_covariance)
  shard <- cached_shard(cache, id)
  everywhere <- matrix(c(-Inf, Inf), 2L, ncol(core_scale(coords, component)))
  boxes <- lapply(boxes, function(box) box %||% everywhere)
  asks <- Filter(Negate(is.null), shard_asks(shard, id, component, settings$k, before = FALSE,
    boxes, settings$context, core_scale(coords, component)))
  received <- lapply(stats::setNames(nm = names(asks)), function(name) {
    shard_answers(cached_shard(cache, as.integer(name)), as.integer(name), component, settings$k,
      before = FALSE, stats::setNames(asks[name], id), settings$context)[[1L]]
  })
  with_rows_of_shard(object, settings, shard, received)
}

# The fit to the rows of a shard and those that others have sent, and the settings for these.
with_rows_of_shard <- function(object, settings, shard, received) {
  rows <- bind_received(shard, received)
  column <- function(name) rows[, shard$form[[name]]]
  data <- list(y = column("y"), X = shard_columns(rows, shard$form, "X"), offset = column("offset"),
    weights = column("weights"), coords = shard_columns(rows, shard$form, "coords"))
  colnames(data$X) <- names(object$beta)
  # rows to predict from
  held <- if (is.null(object$pseudo_observations)) "data" else c("pseudo_observations", "data")
  object[[held]][names(data)] <- data
  settings$k <- min(settings$k, nrow(rows))
  list(object = with_own_cache(object), settings = settings)
}
