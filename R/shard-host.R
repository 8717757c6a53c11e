# Objectives are sums over rows, which are in one or more parts. All rows in memory, or a stream of
# chunks, are one part, and shards are several. An objective names a function of one part that
# returns its sums, and reduce_rows() adds those of all parts. It is therefore written once,
# wherever its rows are.
#
# A host, which is an environment, computes the parts: in this process, or by the workers of a
# cluster, each of which holds some. It keeps the calls by which each part was made, so that another
# worker can make the parts of a lost worker again.

new_shard_host <- function(count, workers = NULL) {
  host <- list2env(list(ids = seq_len(count), workers = workers, most_neighbors = Inf,
    within = NULL), parent = emptyenv())
  if (is.null(workers)) {
    host$parts <- new.env(parent = emptyenv())
    return(host)
  }
  host$key <- paste(format(Sys.time(), "%H%M%OS6"), Sys.getpid(), next_serial())
  host$owner <- blocks_of(count, which(workers$alive))
  host$made_by <- vector("list", count)
  host
}

# A host of one part. `...`: the values that functions of the part need.
rows_in_one_part <- function(...) {
  host <- new_shard_host(1L)
  host$parts[["1"]] <- list2env(list(...), parent = emptyenv())
  host
}

# Blocks of neighbouring shards, so that branches of the tree of sums stay together.
blocks_of <- function(count, owners) {
  owners[1L + ((seq_len(count) - 1L) * length(owners)) %/% count]
}

# The sum of what the function `what` (shard-worker.R) returns for each part. A process with several
# parts adds those that form a branch of the tree of all. `common`: arguments of all, `own`: of
# each, lists by number.
reduce_rows <- function(host, what, common = list(), own = NULL) {
  found <- ask_host(host, list(what = what, common = common, tree = host$ids), own)
  add_branches(found, host$ids)[[branch_name(host$ids)]]
}

# Adds sums that this process has, one of each part, in the same order.
sum_here <- function(host, sums) {
  names(sums) <- vapply(host$ids, branch_name, "")
  add_branches(sums, host$ids)[[branch_name(host$ids)]]
}

# The values of the function for each part, by its number. `makes`: whether it changes the parts.
map_rows <- function(host, what, common = list(), own = NULL, makes = FALSE) {
  call <- list(what = what, common = common, tree = NULL)
  found <- ask_host(host, call, own)
  if (makes && !is.null(host$workers)) for (id in host$ids) {
    made <- c(call, list(own = own[as.character(id)]))
    host$made_by[[id]] <- c(host$made_by[[id]], list(made))
  }
  found[as.character(host$ids)]
}

# Drops calls that later ones replace. A worker that takes over a part need not repeat them.
forget_calls <- function(host, what) {
  host$made_by <- lapply(host$made_by, function(calls) Filter(function(call) !call$what %in% what,
    calls))
}

ask_host <- function(host, call, own) {
  if (is.null(host$workers)) return(answer_here(host$parts, call, host$ids, own))
  results <- list()
  left <- host$ids
  while (length(left)) {
    restore_lost(host)
    shares <- split(left, host$owner[left])
    requests <- lapply(shares, function(ids) list(key = host$key, call = call, ids = ids,
      own = own[as.character(ids)]))
    answers <- ask_workers(host$workers, as.integer(names(shares)), requests)
    answered <- !vapply(answers, is.null, NA)
    results <- c(results, unlist(answers[answered], recursive = FALSE, use.names = TRUE))
    left <- unlist(shares[!answered], use.names = FALSE)
  }
  results
}

answer_here <- function(parts, call, ids, own) {
  adds <- !is.null(call$tree)
  found <- call_parts(parts, call$what, ids, call$common, own, adds)
  if (adds) add_branches(found, call$tree) else found
}

# Shards of workers that are lost go to those with the fewest, and are made there.
restore_lost <- function(host) {
  while (length(lost <- which(!host$workers$alive[host$owner]))) {
    alive <- which(host$workers$alive)
    if (!length(alive)) abort_no_workers(host$workers)
    id <- lost[1L]
    host$owner[id] <- alive[which.min(tabulate(host$owner, length(host$workers$alive))[alive])]
    host$workers$moved <- host$workers$moved + 1L
    for (call in host$made_by[[id]]) {
      request <- list(key = host$key, call = call[names(call) != "own"], ids = id, own = call$own)
      if (is.null(ask_workers(host$workers, host$owner[id], list(request))[[1L]])) break
    }
  }
}

abort_no_workers <- function(workers) {
  abort_neargp("cluster", c(sprintf("All %d workers of the cluster are lost: %s.",
    length(workers$alive), format_some(unique(workers$why))),
    i = "Start a new cluster, or go without: cluster = NULL. Fits go on from a checkpoint."))
}

# ---- of a fit ------------------------------------------------------------------------------------

# The partition of rows in memory, or of the sample of those that are read.
new_partition <- function(problem) {
  coords <- problem$data$coords
  scales <- shard_scales(coords, problem)
  count <- problem$control$shards
  list(count = count, scales = scales, cuts = shard_cuts(shard_places(coords, problem, scales),
    count))
}

# A host for the rows of a problem that is in shards.
new_rows_host <- function(problem) {
  new_shard_host(problem$control$shards, problem$context$cluster)
}

# Sends rows in memory to their shards. `take(rows)`: the arguments of the function `load` of a
# shard for these rows. `common`: the arguments for all. Returns the numbers of the rows of each
# shard.
send_rows <- function(host, problem, load, take, common = list()) {
  shard <- shard_of_coords(problem$data$coords, problem, new_partition(problem))
  rows <- split(seq_along(shard), factor(shard, host$ids))
  map_rows(host, load, common, lapply(rows, take), makes = TRUE)
  rows
}

send_model <- function(host, problem) {
  map_rows(host, "shard_model", list(layout = problem$layout, groups = problem$groups,
    unit = problem$data$basis$unit, context = shard_context(problem$context)), makes = TRUE)
}

# Searches by the kd-tree, on the threads of the computing process. Workers use their own number.
shard_context <- function(context, workers = context$cluster) {
  plain <- plain_context(context$threads)
  if (!is.null(workers)) plain$threads <- workers$threads
  plain
}

# Makes the problems of all shards: neighbours before each row (`before`) in the order of maxmin, or
# among all others. `reorder`: whether the order is made again in this metric.
make_problems <- function(host, component, k, before, joint = FALSE, reorder = before,
                          largest = k) {
  forget_calls(host, c("shard_problem", "shard_narrow", if (reorder) "shard_order"))
  k <- min(k, host$most_neighbors)
  largest <- min(largest, host$most_neighbors)
  if (reorder) map_rows(host, "shard_order", list(component = component), makes = TRUE)
  received <- exchange_neighbors(host, component, largest, before)
  map_rows(host, "shard_problem", list(component = component, k = k, before = before,
    joint = joint, largest = largest), received, makes = TRUE)
}

# Rows that shards receive from each other: all that may be among the k nearest of their rows, or of
# `queries`, a list with those of each shard. `...`: the context, for shards without one.
exchange_neighbors <- function(host, component, k, before, queries = NULL, ...) {
  search <- list(component = component, k = k, before = before, ...)
  boxes <- map_rows(host, "shard_box", list(component = component))
  asks <- map_rows(host, "shard_asks", c(search, list(boxes = boxes)), queries)
  answers <- map_rows(host, "shard_answers", search, transposed(asks, "asks"))
  transposed(answers, "received")
}

# The same from tables of a larger k. `keep`: whether these are kept for another time.
narrow_problems <- function(host, k, joint, keep) {
  forget_calls(host, "shard_narrow")
  map_rows(host, "shard_narrow", list(k = k, joint = joint, keep = keep), makes = TRUE)
}

# Rows that each shard receives, as lists by receiver. `sent`: lists by sender, of the rows for each
# receiver. The rows of a receiver are in the order of the senders.
transposed <- function(sent, name) {
  ids <- names(sent)
  received <- lapply(ids, function(id) {
    from <- lapply(sent, `[[`, id)
    stats::setNames(list(Filter(Negate(is.null), from)), name)
  })
  stats::setNames(received, ids)
}
