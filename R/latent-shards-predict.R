# Predictions of a fit by vnngp() in shards. Each row is predicted by the shard that contains its
# location. This shard uses the posterior at its extended rows, with the values of the shards that
# own them. Draws concern all nodes jointly, and are made as without shards.

shard_predictor <- function(object, settings) {
  function(coords, X, offset) {
    shard <- shard_of_places(object, coords)
    rows <- split(seq_along(shard), shard)
    found <- lapply(stats::setNames(nm = names(rows)), function(id) {
      predict_by_shard(object, as.integer(id), coords[rows[[id]], , drop = FALSE], settings)
    })
    in_order <- function(name) gather(lapply(found, `[[`, name), rows, length(shard))
    latent_prediction(object, list(mean = drop(in_order("mean")),
      variance = drop(in_order("variance")), response = in_order("response")), X, offset)
  }
}

shard_of_places <- function(object, coords) {
  shard_of_coords(coords, list(locations = object$locations, groups = component_groups(
    object$covariance, object$locations)), object$posterior$shards)
}

part_of_fit <- function(object, id) {
  posterior <- object$posterior
  shard <- factor(shard_of_places(object, posterior$coords), seq_len(object$control$shards))
  latent_parts(list(method = list(overlap = posterior$shards$overlap)),
    posterior[c("coords", "node")], posterior[c("component", "neighbors")], shard, id)[[1L]]
}

# A part of the fit that predicts as if it were all.
fit_of_part <- function(object, part) {
  posterior <- object$posterior
  own <- nodes_of_part(part, posterior$coords, posterior$node, posterior$order,
    posterior$neighbors)
  posterior[names(own)] <- own
  posterior$mean <- posterior$mean[part$nodes]
  posterior$field_response <- posterior$field_response[part$nodes, , drop = FALSE]
  posterior$pseudo_precision <- posterior$pseudo_precision[part$rows]
  object$posterior <- posterior
  object$data <- take_data_rows(object$data, part$rows)
  object
}

predict_by_shard <- function(object, id, coords, settings) {
  context <- settings$context
  of_shard <- cached(object, paste0("latent_", id), context, {
    one <- fit_of_part(object, part_of_fit(object, id))
    list(pointer = restored_latent(one, context), nodes = nrow(one$posterior$coords),
      index = core_index(one$posterior$coords, one$posterior$component,
        search_lags(one$posterior$component)))
  })
  core_latent_predict(of_shard$pointer, coords, spread_neighbors(of_shard$index, of_shard$nodes,
    coords, settings), context)
}

# The shard of each row of newdata, for callers that distribute these rows. Rows without a location
# get shard 1, since no shard can predict them. Returns NULL where the fit is not in shards.
shard_of_targets <- function(object, newdata, settings) {
  if (is.null(object$posterior$shards)) return(NULL)
  target <- new_target(object, newdata, settings$part)
  shard <- rep(1L, NROW(newdata))
  shard[target$complete] <- shard_of_places(object, target$coords)
  shard
}
