# The computations on one shard, in the process that holds it. A shard is an environment: its rows
# as numbers, and what was made of them. Each function here takes one, and its arguments. Some
# functions change a shard: hold, model, order, problem and narrow. If another worker repeats them
# in their order, they make the same shard there.

# Mostly `rows`: a matrix with the columns that `form` names, of rows in the order of the data.
shard_hold <- function(shard, ...) {
  list2env(list(...), shard)
  NULL
}

# The columns of the matrix of rows: their number among all, coordinates, response and trend in the
# form of the core, weights, and their noise (R/noise.R).
shard_rows <- function(data, number) {
  parts <- list(number = number, coords = unname(data$coords), columns = response_columns(data),
    weights = data$weights, known = data$noise$known, noise = unname(data$noise$columns))
  rows_with_form(Filter(Negate(is.null), parts))
}

# Columns side by side, and which of them each part has.
rows_with_form <- function(parts) {
  widths <- vapply(parts, NCOL, 0L)
  list(rows = do.call(cbind, unname(parts)), form = split(seq_len(sum(widths)),
    factor(rep(names(parts), widths), names(parts))))
}

shard_columns <- function(rows, form, name) unname(rows[, form[[name]], drop = FALSE])

# `layout` and `groups` of the problem, the unit of the response, and the context.
shard_model <- function(shard, layout, groups, unit, context) {
  shard$layout <- layout
  shard$specification <- covariance_specification(layout, groups)
  shard$unit <- unit
  shard$context <- context
  release_problem(shard)
  release_held(shard)
}

shard_scaled <- function(shard, component, rows = shard$rows) {
  core_scale(shard_columns(rows, shard$form, "coords"), component)
}

# The order of the rows in this metric: `distance2` of each rank, squared, to those before.
shard_order <- function(shard, component) {
  found <- core_maxmin(shard_scaled(shard, component), shard$context)
  shard$order <- found$order
  shard$distance2 <- found$distance2
  NULL
}

# The box of the rows in a metric: the least and largest coordinates.
shard_box <- function(shard, component) apply(shard_scaled(shard, component), 2L, range)

# Rows in the user's columns.
raw_rows <- function(data, number) {
  rows_with_form(list(number = number, coords = unname(data$coords), y = data$y,
    X = unname(data$X), offset = data$offset, weights = data$weights))
}

# ---- neighbours ----------------------------------------------------------------------------------

# Distances are compared with a margin for rounding, so that ties are asked for.
rounding_margin <- 1 + 1e-12

# Queries to other shards for the k nearest of the queries `x`, by default of the own rows. A query
# goes to another shard if its k-th neighbour here is not nearer than the box of that shard.
# `boxes`: of all shards. Returns a list with the queries to each shard.
shard_asks <- function(shard, id, component, k, before, boxes, context = shard$context, x = NULL) {
  if (identical(nrow(x), 0L)) return(lapply(boxes, function(box) NULL))
  scaled <- shard_scaled(shard, component)
  table <- if (!is.null(x)) core_neighbors_to(scaled, x, k, context) else if (before)
    core_neighbors_before(scaled, shard$order, k, context) else
    core_neighbors_others(scaled, k, context)
  x <- x %||% scaled
  reach2 <- core_neighbor_reach(scaled, x, table) * rounding_margin
  core_release_neighbors(table)
  asks_of(x, reach2, if (before) replace(reach2, shard$order, shard$distance2), boxes, id)
}

asks_of <- function(x, reach2, distance2, boxes, id) {
  asks <- lapply(boxes, function(box) {
    asking <- which(distance2_to_box(x, box) <= reach2)
    if (length(asking)) list(x = x[asking, , drop = FALSE], reach2 = reach2[asking],
      distance2 = distance2[asking])
  })
  asks[id] <- list(NULL)
  asks
}

distance2_to_box <- function(x, box) {
  sum <- double(nrow(x))
  for (j in seq_len(ncol(x))) sum <- sum + pmax(box[1L, j] - x[, j], x[, j] - box[2L, j], 0)^2
  sum
}

# The rows of this shard that answer queries: for each query the k nearest, as far as its reach.
# `asks`: queries by the shard that asks.
shard_answers <- function(shard, id, component, k, before, asks, context = shard$context) {
  if (!length(asks)) return(list())
  scaled <- shard_scaled(shard, component)
  place <- if (before) replace(integer(nrow(scaled)), shard$order, seq_len(nrow(scaled)))
  lapply(stats::setNames(names(asks), names(asks)), function(asker) {
    ask <- asks[[asker]]
    table <- if (before) {
      core_neighbors_earlier(scaled, place, ask$x, 1L + count_earlier(shard, ask$distance2,
        id < as.integer(asker)), k, context)
    } else core_neighbors_to(scaled, ask$x, k, context)
    found <- as.matrix(table)
    core_release_neighbors(table)
    query <- rep(seq_len(ncol(found)), each = nrow(found))
    near <- !is.na(found)
    away <- scaled[found[near], , drop = FALSE] - ask$x[query[near], , drop = FALSE]
    take <- sort(unique(found[near][rowSums(away^2) <= ask$reach2[query[near]] * rounding_margin]))
    list(rows = shard$rows[take, , drop = FALSE], place = if (before) place[take],
      distance2 = if (before) shard$distance2[place[take]])
  })
}

# The number of rows of the shard that are earlier than rows of another. Rows are ordered by falling
# distance, then by the number of their shard, then by their position there. `first`: whether this
# shard is the first of the two.
count_earlier <- function(shard, distance2, first) {
  findInterval(-distance2, -shard$distance2, left.open = !first)
}

# ---- the problem ---------------------------------------------------------------------------------

# The rows with those that other shards have sent (`received`, by shard), and the neighbours of the
# own rows. They are a function of all rows and the metric alone, and so are the results of the
# core. With a `largest` k, its table is kept for shard_narrow().
shard_problem <- function(shard, id, component, k, before, received, joint, largest = k) {
  release_problem(shard)
  release_held(shard)
  shard$held <- if (before) held_before(shard, id, component, received, largest) else
    held_others(shard, component, received, largest)
  shard_narrow(shard, k, joint, largest > k)
}

shard_narrow <- function(shard, k, joint, keep) {
  release_problem(shard)
  received <- shard_solver(shard, shard$held, k, joint)
  if (!keep) release_held(shard)
  received
}

release_problem <- function(shard) {
  if (!is.null(shard$pointer)) core_release_problem(shard$pointer)
  shard$pointer <- NULL
}

release_held <- function(shard) {
  if (!is.null(shard$held)) core_release_neighbors(shard$held$table)
  shard$held <- NULL
}

bind_received <- function(shard, received) {
  do.call(rbind, c(list(shard$rows), lapply(received, `[[`, "rows")))
}

# The rows that a problem is made of. They are given by their locations among the shard's own and
# those that were received, and bound again when they are asked for: they take more memory than
# locations.
held_rows <- function(shard, held) {
  rows <- bind_received(shard, held$received)
  if (is.null(held$places)) rows else rows[held$places, , drop = FALSE]
}

# Holds rows by rank, which decides between equal distances.
held_before <- function(shard, id, component, received, k) {
  own <- nrow(shard$rows)
  ids <- rep(c(id, as.integer(names(received))), c(own, vapply(received, function(part)
    nrow(part$rows), 0L)))
  place <- c(replace(integer(own), shard$order, seq_len(own)), unlist(lapply(received, `[[`,
    "place"), use.names = FALSE))
  distance2 <- c(replace(double(own), shard$order, shard$distance2), unlist(lapply(received, `[[`,
    "distance2"), use.names = FALSE))
  by_rank <- order(-distance2, ids, place, method = "radix")
  held <- list(received = received, places = by_rank, targets = which(by_rank <= own))
  scaled <- shard_scaled(shard, component, held_rows(shard, held))
  c(held, list(table = core_neighbors_earlier(scaled, seq_along(by_rank),
    scaled[held$targets, , drop = FALSE], held$targets, k, shard$context)))
}

held_others <- function(shard, component, received, k) {
  targets <- seq_len(nrow(shard$rows))
  rows <- bind_received(shard, received)
  all <- core_neighbors_others(shard_scaled(shard, component, rows), k, shard$context)
  table <- core_neighbors_head(all, length(targets))
  core_release_neighbors(all)
  list(received = received, targets = targets, table = table)
}

shard_solver <- function(shard, held, k, joint) {
  form <- shard$form
  rows <- held_rows(shard, held)
  if (nrow(rows) > 1e5) gc() # R does not count what the core takes from here on
  weights <- rows[, form$weights]
  narrower <- if (k < dim(held$table)[1L]) core_neighbors_first(held$table, k)
  pointer <- core_problem(shard_columns(rows, form, "coords"), shard_columns(rows, form, "columns"),
    1 / weights, narrower %||% held$table, shard$context, held$targets)
  if (!is.null(narrower)) core_release_neighbors(narrower)
  has_noise <- any(c("known", "noise") %in% names(form))
  data <- list(weights = weights, basis = list(unit = shard$unit), noise = if (has_noise) list(
    known = if (!is.null(form$known)) rows[, form$known],
    columns = if (!is.null(form$noise)) shard_columns(rows, form, "noise")))
  shard$pointer <- pointer
  shard$sums <- local_sums[[if (joint) "joint" else "conditional"]]
  shard$numbers <- rows[, form$number]
  shard$nugget_at <- noise_setter(data, shard$layout, pointer_noise(pointer))
  nrow(rows) - length(held$targets)
}

# The sums of a problem of the core: of conditionals, or of the joint densities of mll_k().
local_sums <- list(
  conditional = list(evaluate = function(...) core_evaluate(...),
    gradient = function(...) core_gradient(...)),
  joint = list(evaluate = function(pointer, covariance, nugget, information, context) {
    core_evaluate_joint(pointer, covariance, nugget, context)
  }, gradient = function(...) core_gradient_joint(...)))

# The same of a shard. `what`: "evaluate" or "gradient"; `asked`: information, or the coefficients
# of the trend; `values`: of the parameters, on the core's scale.
shard_sums <- function(shard, what, values, asked) {
  covariance <- specified_covariance(shard$specification, values)
  with_failed_row(shard$sums[[what]](shard$pointer, covariance, shard$nugget_at(values), asked,
    shard$context), shard$numbers)
}

# Sums of the core, in which a failed row is given by its number among all.
with_failed_row <- function(sums, numbers) {
  if (sums$failed > 0L) sums$failed <- numbers[sums$failed]
  sums
}

# ---- calls ---------------------------------------------------------------------------------------

# Calls the function `what` for each of the `parts` that `ids` number, with arguments that are
# `common` to them and arguments of their `own`. `adds`: whether the results are sums, of which
# branches are added.
call_parts <- function(parts, what, ids, common, own, adds) {
  task <- get(what, mode = "function")
  results <- lapply(ids, function(id) {
    name <- as.character(id)
    if (is.null(parts[[name]])) parts[[name]] <- new.env(parent = emptyenv())
    arguments <- c(list(parts[[name]]), if ("id" %in% names(formals(task))) list(id = id), common,
      own[[name]])
    do.call(task, arguments, quote = TRUE)
  })
  names(results) <- if (adds) vapply(ids, branch_name, "") else as.character(ids)
  results
}
