# The posterior at the points of areas, by the sparse precision of the field at data and points
# together. All of them are nodes of one nearest-neighbour prior, in one maxmin ordering. The data
# are observed with their precision W, and the points are not observed. The posterior is therefore
# N(m, A^-1) with A = Q + C'WC, the posterior of vnngp() with further nodes. Points could also be
# conditioned on their nearest data and on each other. Means over areas of smooth fields were then
# wrong by 0.6 of their standard deviation.

# Neighbours of a node. The largest error of 25 means, in units of their exact standard deviation,
# was 0.05 to 0.26 with 15 neighbours, 0.01 to 0.08 with 30, and below 0.013 with 60. Standard
# deviations were within 1.5%, 0.7% and 0.06% (bench/areas.R). Time grows with the cube of the
# number of neighbours, and memory with the square.
most_neighbors_of_areas <- 500L

neighbors_of_areas <- function(object) min(max(30L, object$k), 60L)

latent_area_posterior <- function(given, support, settings) {
  latent <- latent_of_areas(given, support, settings)
  support$node <- latent$node_of_point
  columns <- cbind(given$natural, given$precision * given$design)
  at_nodes <- sums_by_group(columns, latent$node_of_datum, latent$count)
  weighted <- core_latent_solve(latent$pointer, at_nodes, settings$context)
  with_area_trend(given, support, weighted[support$node, , drop = FALSE], list(is_sparse = TRUE,
    variances = function() latent_area_variances(latent, support, settings),
    covariance = function() latent_area_covariance(latent, support, settings),
    blocks = function(areas) latent_area_blocks(latent, support, areas, settings),
    draws = function(n) core_latent_draws(latent$pointer, n, order_key(),
      settings$context)$field[support$node, , drop = FALSE]))
}

# `weighted`: the posterior mean of the field at each point, with the responses and then with each
# column of the trend as data.
with_area_trend <- function(given, support, weighted, field) {
  object <- given$object
  target <- support$target
  columns <- design_columns(object$data, target$X)
  unseen <- unname(columns - weighted[, -1L, drop = FALSE])
  trend <- core_trend(object)
  mean <- base_mean(object$data, target$X, target$offset, columns) + given$bias +
    (weighted[, 1L] + drop(row_products(unseen, trend$beta)))
  c(list(mean = mean, unseen = unseen, vcov = trend$beta_vcov), field)
}

# The posterior behind a pointer, at distinct nodes: `node_of_datum`, `node_of_point`, and their
# number. `most_exact`: up to so many the factor is exact.
latent_of_areas <- function(given, support, settings, most_exact = 3000L) {
  coords <- rbind(given$object$data$coords, support$target$coords)
  node <- location_index(coords)
  nodes <- coords[!duplicated(node), , drop = FALSE]
  n <- length(given$precision)
  k <- min(settings$k %||% neighbors_of_areas(given$object), nrow(nodes) - 1L)
  component <- metric_component(given$object$core_covariance)
  scaled <- break_ties(core_scale(nodes, component), settings$context)
  order <- core_order(scaled, "maxmin", 0, settings$context)
  neighbors <- core_neighbors_before(scaled, order, k, settings$context)
  pointer <- factored_posterior(core_nodes(nodes, order, neighbors, given$jitter, NULL),
    node[seq_len(n)], given, nrow(nodes) <= most_exact, settings$context)
  list(pointer = pointer, count = nrow(nodes), node_of_datum = node[seq_len(n)],
    node_of_point = node[-seq_len(n)])
}

core_nodes <- function(coords, order, neighbors, jitter, low_rank) {
  nodes <- list(coords = coords, order = order, neighbors = neighbors, jitter = jitter)
  nodes$inducing <- low_rank
  nodes
}

# An incomplete factor may break down where a field is smooth compared with the distances of its
# nodes. A greater jitter, at most a hundred times, then succeeds. Means change by hundredths of
# their standard deviation, and by more if there is almost no noise.
factored_posterior <- function(nodes, node_of_datum, given, exact, context) {
  with_enough_jitter(given$jitter, function(jitter) {
    nodes$jitter <- jitter
    posterior_at_nodes(nodes, node_of_datum, given, exact, context)
  })
}

with_enough_jitter <- function(jitter, posterior_with) {
  failure <- NULL
  for (times in c(1, 10, 100)) {
    pointer <- tryCatch(posterior_with(times * jitter), neargp_error_core = function(condition) {
      failure <<- condition
      NULL
    })
    if (is.null(pointer)) next
    if (times > 1) tell_jitter(times * jitter)
    return(pointer)
  }
  abort_neargp("cholesky", c(
    "The posterior at data and areas cannot be computed to working precision.",
    x = conditionMessage(failure),
    i = "Use a greater `spacing`, or another `k`; a rougher covariance or a nugget also helps."))
}

# A posterior of Laplace's kind, which leaves out entries of the inverse that nothing here needs.
posterior_at_nodes <- function(nodes, node_of_datum, given, exact, context) {
  n <- length(given$precision)
  m <- nrow(nodes$coords)
  nothing <- list(y = double(n), trials = NULL, weights = rep(1, n), offset = double(n),
    design = matrix(0, n, 0L))
  pointer <- core_latent(nodes, list(node = node_of_datum), nothing, "laplace", exact,
    factor_memory_of_areas, context)
  core_latent_restore(pointer, as_specified(given$object$core_covariance), double(m), double(0),
    given$precision, matrix(0, m, 0L), context)
  pointer
}

factor_memory_of_areas <- 8 * 2^30

# Variances by solves that are exact whatever the factor, where they take seconds; else by the
# factor, whose errors are of the order of 0.1% of a standard deviation.
latent_area_variances <- function(latent, support, settings, most_numbers = 5e6) {
  areas <- unique(support$area)
  if (length(areas) * latent$count <= most_numbers) {
    return(diag(latent_area_covariance(latent, support, settings)))
  }
  core_latent_group_variances(latent$pointer, tabulate(match(support$area, areas)), support$node,
    support$weight, settings$context)
}

latent_area_covariance <- function(latent, support, settings, most_numbers = 2e7) {
  areas <- unique(support$area)
  number <- match(support$area, areas)
  result <- matrix(0, length(areas), length(areas))
  at_once <- max(1, most_numbers %/% latent$count)
  for (part in split(seq_along(areas), (seq_along(areas) - 1) %/% at_once)) {
    right <- matrix(0, latent$count, length(part))
    rows <- which(number %in% part)
    right[cbind(support$node[rows], match(number[rows], part))] <- support$weight[rows]
    solved <- core_latent_solve(latent$pointer, right, settings$context)
    result[, part] <- area_means(solved[support$node, , drop = FALSE], support)
  }
  (result + t(result)) / 2
}

latent_area_blocks <- function(latent, support, areas, settings) {
  rows <- which(support$area %in% areas)
  sizes <- tabulate(match(support$area[rows], areas))
  entries <- core_latent_group_covariances(latent$pointer, sizes, support$node[rows],
    settings$context)
  Map(matrix, split(entries, rep(seq_along(sizes), sizes^2)), sizes, sizes, USE.NAMES = FALSE)
}
