# vnngp() with rows in shards. The exact posterior of a field uses all rows. A shard finds it at its
# own rows, with a small error, from the rows near them and from all rows that these are conditioned
# on. These are the neighbours, their neighbours, and so on to the first of the ordering. For such a
# set the prior is exact, and the data that it lacks are far away. Each shard therefore fits its
# extended rows and adds its share of the ELBO (src/core/latent/bound_share.h). Shards exchange no
# factors.
#
# Ordering and neighbours are those of all rows, and are found where the rows are. Between
# evaluations the session that fits keeps the posterior, with the values of each row's owner. A
# request to a shard therefore never depends on earlier requests.

# The default overlap: how far a shard reaches beyond its own rows, in spacings. The smoother a
# field, the farther away data are informative. On a line the overlap takes as many rows as a square
# of that side contains.
default_overlap <- function(component, dimensions) {
  rough <- switch(component$family, exponential = TRUE, matern = component$shape <= 0.5,
    powered_exponential = component$shape <= 1, FALSE)
  spacings <- if (rough) 8 else 16
  if (dimensions == 1L) spacings^2 else spacings
}

overlap_of <- function(problem, nodes, search) {
  problem$method$overlap %||% default_overlap(search$component, ncol(core_scale(nodes$coords[1L, ,
    drop = FALSE], search$component)))
}

# ---- extended shards -----------------------------------------------------------------------------

# The parts of each of the shards `ids`, by number. `nodes`: the extended nodes, and `own`: which of
# them are the shard's own. `near`: those of other shards within a quarter of the overlap, at which
# shards are compared. `rows`: all rows at these nodes, and `own_rows`: which are the shard's own.
latent_parts <- function(problem, nodes, search, shard, ids = levels(shard)) {
  scaled <- core_scale(nodes$coords, search$component)
  neighbors <- as.matrix(search$neighbors)
  overlap <- overlap_of(problem, nodes, search)
  rows_at <- split(seq_along(nodes$node), factor(nodes$node, seq_len(nrow(scaled))))
  lapply(split(seq_along(shard), shard)[ids], function(own) {
    box <- apply(scaled[own, , drop = FALSE], 2L, range)
    distance2 <- distance2_to_box(scaled, box)
    reach2 <- (overlap * mean_spacing(box, length(own)))^2
    inside <- replace(distance2 <= reach2, own, TRUE)
    extended <- with_ancestors(inside, neighbors)
    is_own <- !is.na(match(extended, own))
    rows <- sort(unlist(rows_at[extended], use.names = FALSE))
    list(nodes = extended, own = which(is_own), rows = rows,
      own_rows = which(!is.na(match(nodes$node[rows], own))),
      near = which(!is_own & distance2[extended] <= reach2 / 16))
  })
}

# The spacing of `count` locations that fill a box.
mean_spacing <- function(box, count) {
  sides <- box[2L, ] - box[1L, ]
  sides <- sides[sides > 0]
  if (length(sides)) exp(mean(log(sides)) - log(count) / length(sides)) else 0
}

# The nodes inside, and all nodes that they are conditioned on, directly or through others.
with_ancestors <- function(inside, neighbors) {
  front <- which(inside)
  while (length(front)) {
    found <- unique(as.vector(neighbors[, front]))
    front <- found[!is.na(found) & !inside[found]]
    inside[front] <- TRUE
  }
  which(inside)
}

# The nodes of a part, their order and neighbours among themselves.
nodes_of_part <- function(part, coords, node, order, neighbors) {
  rank <- integer(length(order))
  rank[order] <- seq_along(order)
  place <- integer(length(order))
  place[part$nodes] <- seq_along(part$nodes)
  table <- neighbors[, part$nodes, drop = FALSE]
  table[] <- place[table]
  list(coords = coords[part$nodes, , drop = FALSE], node = place[node[part$rows]],
    order = order(rank[part$nodes]), neighbors = table)
}

load_latent_shards <- function(host, problem, nodes, search, parts) {
  neighbors <- as.matrix(search$neighbors)
  forget_calls(host, c("latent_shard_load", "latent_shard_fit"))
  map_rows(host, "latent_shard_load", list(layout = problem$layout, groups = problem$groups,
    family = family_core_name(problem$family), jitter = problem$method$jitter,
    bytes = factor_bytes(problem$method), context = shard_context(problem$context)),
    lapply(parts, function(part) list(nodes = nodes_of_part(part, nodes$coords, nodes$node,
      search$order, neighbors), response = latent_response(take_data_rows(problem$data, part$rows)),
      part = part[c("own", "own_rows", "near")])), makes = TRUE)
}

# The field `name` of nodes, or of `rows`, from the shards that own them, in the order of all.
gather_nodes <- function(found, name, parts) {
  own <- lapply(parts, function(part) part$nodes[part$own])
  gather(lapply(found, `[[`, name), own, sum(lengths(own)))
}

gather_rows <- function(found, name, parts) {
  own <- lapply(parts, function(part) part$rows[part$own_rows])
  gather(lapply(found, `[[`, name), own, sum(lengths(own)))
}

# ---- the posterior of all ------------------------------------------------------------------------

# A state: `beta`, and of all nodes the `mean`, of all rows linear predictors, pseudo-precisions and
# slopes. Before the first fit, `beta` and the linear predictors that responses suggest.
start_of_shards <- function(problem, nodes) {
  warm <- problem$warm_start
  if (!is.null(warm) && identical(nodes$coords, warm$posterior$coords)) {
    was <- warm$posterior
    return(list(beta = spherical_trend(warm), mean = was$mean,
      rows = cbind(was$linear_predictor, was$pseudo_precision, was$slope)))
  }
  eta <- data_linear_predictor(problem$data, problem$family)
  design <- full_design(problem$data)
  beta <- if (ncol(design)) stats::lm.wfit(design, eta - problem$data$offset,
    problem$data$weights)$coefficients
  list(beta = as.double(beta), rows = matrix(eta))
}

part_of_state <- function(state, part) {
  list(mean = state$mean[part$nodes], rows = state$rows[part$rows, , drop = FALSE])
}

# The fields of all shards given the trend, from those of `state`.
fit_fields <- function(host, parts, state, request) {
  forget_calls(host, "latent_shard_fit")
  found <- map_rows(host, "latent_shard_fit", c(request, list(beta = state$beta)),
    lapply(parts, function(part) list(start = part_of_state(state, part))), makes = TRUE)
  each <- function(name) unlist(lapply(found, `[[`, name), use.names = FALSE)
  list(beta = state$beta, mean = drop(gather_nodes(found, "mean", parts)),
    rows = gather_rows(found, "rows", parts), iterations = max(each("iterations")),
    converged = all(each("converged")), restricted = any(each("restricted")))
}

# The response of the field at each node to the trend, at the posteriors of the last fit.
field_response <- function(host, parts, state) {
  if (!length(state$beta)) return(matrix(0, length(state$mean), 0L))
  gather_nodes(map_rows(host, "latent_shard_response"), "response", parts)
}

# The ELBO at the fields of a state, with its slope and information in the coefficients of the
# trend.
share_bound <- function(host, parts, state, response, derivatives = FALSE) {
  own <- lapply(parts, function(part) list(mean = state$mean[part$nodes],
    response = response[part$nodes, , drop = FALSE]))
  reduce_rows(host, "latent_shard_share", list(derivatives = derivatives), own)
}

# Fields and trend in turn: Newton's method for the coefficients, with the fields that belong to
# them. A step after which there is more to be gained was too long.
fit_shards <- function(host, parts, state, request, derivatives, most = 30L) {
  last <- NULL
  for (round in seq_len(most)) {
    state <- fit_fields(host, parts, state, request)
    if (round == 1L) response <- field_response(host, parts, state)
    share <- share_bound(host, parts, state, response)
    if (!is.finite(share$value) || !length(state$beta)) break
    step <- drop(solve(share$information, share$score))
    gain <- 0.5 * sum(step * share$score)
    if (gain < request$tolerance || round == most) break
    if (!is.null(last) && gain > last$gain) {
      state$beta <- (state$beta + last$beta) / 2
    } else {
      last <- list(gain = gain, beta = state$beta)
      state$beta <- state$beta + step
    }
  }
  if (derivatives) share <- share_bound(host, parts, state, response,
    derivatives = TRUE)
  c(share[c("value", "d_covariance", "d_likelihood")], list(beta = state$beta,
    iterations = state$iterations, converged = state$converged && round < most, exact = FALSE,
    restricted = state$restricted, end = state[c("beta", "mean", "rows")]))
}

# ---- the objective -------------------------------------------------------------------------------

# A host for all searches of a fit, and the shard of each node.
new_latent_shards <- function(problem, nodes) {
  partition <- new_partition(problem)
  list(host = new_rows_host(problem), partition = partition,
    shard = factor(shard_of_coords(nodes$coords, problem, partition), seq_len(partition$count)))
}

latent_shard_objective <- function(problem, nodes, search, shards) {
  parts <- latent_parts(problem, nodes, search, shards$shard)
  load_latent_shards(shards$host, problem, nodes, search, parts)
  request <- function(values, tolerance, max_iterations) list(values = values,
    parameters = family_values(problem$family, problem$layout, values), tolerance = tolerance,
    max_iterations = max_iterations)
  solver <- list(pack = identity,
    fit = function(end, values, tolerance, max_iterations, derivatives) fit_shards(shards$host,
      parts, end, request(values, tolerance, max_iterations), derivatives))
  objective <- latent_objective(problem, list(nodes = nodes, search = search),
    start_of_shards(problem, nodes), solver)
  objective$converge <- function(working) {
    converge_shards(problem, objective, shards, parts, working)
  }
  objective
}

# The posterior at the optimum, in the format of converge_posterior().
converge_shards <- function(problem, objective, shards, parts, working) {
  fitted <- objective$fit_at(working, 1e-8, 500L)
  state <- objective$best_end()
  p <- length(state$beta)
  checked <- fitted$restricted || any(vapply(covariance_at(problem, working)$components, `[[`, "",
    "family") == "gaussian")
  found <- map_rows(shards$host, "latent_shard_state", list(checked = checked))
  variance_at_nodes <- drop(gather_nodes(found, "nodes", parts))
  variance <- drop(gather_rows(found, "variance", parts))
  response <- field_response(shards$host, parts, state)
  information <- share_bound(shards$host, parts, state, response)$information
  vcov <- if (p > 0L) solve(information) else information
  unseen <- full_design(problem$data) - response[objective$latent$nodes$node, , drop = FALSE]
  evaluated <- list(mean = state$mean, node_variance = variance_at_nodes, field_response = response,
    linear_predictor = state$rows[, 1L], pseudo_precision = state$rows[, 2L],
    slope = state$rows[, 3L], variance = variance + row_forms(unseen, vcov),
    variance_given_nodes = double(length(variance)), beta = state$beta, beta_vcov = vcov)
  error <- if (checked) max(vapply(found, `[[`, 0, "error"))
  if (checked) check_variance_error(error, fitted$restricted)
  extent <- list(cuts = shards$partition$cuts, scales = shards$partition$scales,
    overlap = overlap_of(problem, objective$latent$nodes, objective$latent$search),
    extended = sum(lengths(lapply(parts, `[[`, "nodes"))) / length(state$mean),
    difference = shard_difference(shards$host, parts, state$mean, variance_at_nodes))
  inform_of_difference(extent)
  list(fitted = fitted, evaluated = evaluated, variance_error = error, shards = extent)
}

# The largest difference between the means of a shard and of the owner at the same node, in
# posterior standard deviations. It is over the nodes within a quarter of the overlap.
shard_difference <- function(host, parts, mean, variance) {
  found <- map_rows(host, "latent_shard_difference", own = lapply(parts, function(part) {
    near <- part$nodes[part$near]
    list(mean = mean[near], sd = sqrt(variance[near]))
  }))
  max(unlist(found, use.names = FALSE))
}

# ---- of a fit ------------------------------------------------------------------------------------

# A wider overlap would change results where means differ by more.
reported_difference <- 0.05

wider_overlap <- function(shards) {
  sprintf("vnngp(overlap = %s), or fewer shards, bring results nearer to those without shards",
    format(2 * shards$overlap))
}

inform_of_difference <- function(shards) {
  if (shards$difference <= reported_difference) return(invisible())
  inform_neargp("overlap", c(sprintf(
    "Shards have means that differ by up to %s posterior standard deviations where they overlap.",
    format(shards$difference, digits = 2L)), i = paste0(wider_overlap(shards), ".")))
}

overlap_detail <- function(fit) {
  shards <- fit$posterior$shards
  if (is.null(shards)) return(NULL)
  c(Overlap = sprintf(
    "%s spacings; means of shards differ there by up to %s posterior standard deviations%s",
    format(shards$overlap), format(shards$difference, digits = 1L),
    if (shards$difference > reported_difference) paste0("; ", wider_overlap(shards)) else ""))
}
