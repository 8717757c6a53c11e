# Conditional simulation of several outputs: places in maxmin order, at each the outputs one after the other; each is drawn given its nearest
# among the observations and what has been drawn before, at the same place, too.

#' @rdname simulate.neargp
#' @section Several outputs:
#' They are drawn jointly, at each place one after the other; columns are `sim_1_<output>`, `sim_2_<output>`, ....
#' @export
simulate.neargp_outputs <- function(object, nsim = 1, seed = NULL, newdata = NULL, type = c("response", "link"), k = NULL,
                                    conditional = TRUE, threads = NULL, device = NULL, ...) {
  rlang::check_dots_empty()
  nsim <- check_count(nsim, "nsim")
  type <- check_choice(type, "type", c("response", "link"))
  settings <- outputs_predict_settings(object, k, threads = threads, device = "cpu")
  # fits by exact_gp(), too, are simulated with neighbours
  settings[c("noise", "conditional", "device")] <- list(type == "response", check_flag(conditional, "conditional"), resolve_device(device))
  if (is_raster(newdata)) abort_neargp("newdata", "Simulations of several outputs are not for rasters.", i = "Use the cells as a data frame.")
  state <- seed_generator(seed)
  on.exit(state$restore())
  target <- if (is.null(newdata)) places_of_fit(object) else new_target(object, newdata)
  draws <- on_outputs_device(object, nrow(target$coords), settings, outputs_simulations(object, target, nsim, settings))
  result <- target$restore(draws)
  attr(result, "seed") <- state$seed
  result
}

# The rows of the model frame as places to predict at. Their design is that of an output which is known there.
places_of_fit <- function(object) {
  data <- object$data
  first <- match(seq_len(data$places), data$place)
  q <- ncol(data$X) %/% length(data$outputs)
  X <- matrix(0, data$places, q)
  for (p in seq_along(data$outputs)) {
    own <- first[data$output[first] == p]
    X[data$place[own], ] <- data$X[own, (p - 1L) * q + seq_len(q)]
  }
  list(coords = data$coords[first, , drop = FALSE], X = X, weights = data$weights[first], complete = rep(TRUE, data$places), restore = identity)
}

outputs_simulations <- function(object, target, nsim, settings) {
  P <- length(object$outputs)
  m <- nrow(target$coords)
  full <- array(NA_real_, c(length(target$complete), nsim, P))
  if (m > 0L) full[target$complete, , ] <- outputs_draws(object, target, nsim, settings)
  parts <- lapply(seq_len(P), function(p) {
    structure(matrix(full[, , p], ncol = nsim), dimnames = list(NULL, paste0("sim_", seq_len(nsim), "_", object$outputs[p])))
  })
  as.data.frame(do.call(cbind, parts), optional = TRUE)
}

outputs_draws <- function(object, target, nsim, settings) {
  P <- length(object$outputs)
  m <- nrow(target$coords)
  index <- location_index(target$coords)
  places <- list(coords = target$coords[!duplicated(index), , drop = FALSE], X = target$X[!duplicated(index), , drop = FALSE])
  stacked <- stacked_targets(object, places)
  data <- if (settings$conditional) object$data else take_output_rows(object$data, integer(0))
  plan <- outputs_simulation_plan(object, data, places$coords, settings)
  betas <- draw_trend(object, nsim, settings$conditional)
  normals <- matrix(stats::rnorm(length(stacked$output) * nsim), ncol = nsim)
  # rows are output after output, also of the field and the trend
  sd <- sqrt(rep(object$nugget, each = m) / (target$weights %||% 1))
  noise <- if (settings$noise) stats::rnorm(m * P * nsim) * sd else 0
  values <- data$y - data$X %*% betas
  field <- core_simulate(data$coords, values, 1 / data$weights, stacked$coords, plan$order, plan$neighbors, object$core_covariance, 0,
    normals, settings$threads, data$output, stacked$output)
  trend <- stacked_targets(object, target)$X %*% betas
  count <- nrow(places$coords)
  drawn <- field[index + rep((seq_len(P) - 1L) * count, each = m), , drop = FALSE] + trend
  aperm(array(drawn + noise, c(m, P, nsim)), c(1L, 3L, 2L)) # to place x draw x output
}

outputs_simulation_plan <- function(object, data, coords, settings) {
  component <- metric_component(object$core_covariance)
  n <- length(data$y)
  m <- nrow(coords)
  P <- length(object$outputs)
  queries <- core_scale(coords, component)
  order <- core_order(queries, "maxmin", 0, settings$threads)
  rank <- integer(m)
  rank[order] <- seq_len(m)
  scaled <- rbind(core_scale(data$coords, component), queries[rep(seq_len(m), P), , drop = FALSE])
  output <- c(data$output, rep(seq_len(P), each = m))
  all_rank <- c(rep(1L, n), 1L + (rep(rank, P) - 1L) * P + rep(seq_len(P), each = m))
  rows <- split(seq_along(output), factor(output, seq_len(P)))
  targets <- lapply(seq_len(P), function(p) (p - 1L) * m + seq_len(m))
  neighbors <- gather_neighbors(targets, settings$k, settings$k_other, function(p, q, wanted) {
    own <- n + targets[[p]]
    within_rows(core_neighbors_earlier(scaled[rows[[q]], , drop = FALSE], all_rank[rows[[q]]], scaled[own, , drop = FALSE], all_rank[own],
      wanted, settings$threads), rows[[q]])
  })
  list(order = order(all_rank[n + seq_len(m * P)]), neighbors = neighbors)
}
