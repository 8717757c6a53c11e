# Who computes the shards of a fit: this process, or the workers of a cluster, of which each holds
# some. A host is an environment. It holds the `shards` of this process. For workers it keeps the
# calls by which each shard was made, so that the shards of a worker that is lost are made again by
# another.

new_shard_host <- function(count, workers = NULL) {
  host <- list2env(list(key = paste(format(Sys.time(), "%H%M%OS6"), Sys.getpid(), next_serial()),
    ids = seq_len(count), workers = workers, owner = NULL, made_by = vector("list", count),
    most_neighbors = Inf, within = NULL, shards = new.env(parent = emptyenv())),
    parent = emptyenv())
  if (!is.null(workers)) host$owner <- blocks_of(count, which(workers$alive))
  host
}

# Blocks of neighbouring shards, so that branches of the tree of sums stay together.
blocks_of <- function(count, owners) {
  owners[1L + ((seq_len(count) - 1L) * length(owners)) %/% count]
}

# The result of the function `what` (shard-worker.R) for each shard, by its number. `common`:
# arguments of all, `own`: of each, lists by number. `makes`: whether it changes the shards.
on_shards <- function(host, what, common = list(), own = NULL, makes = FALSE) {
  call <- list(what = what, common = common, tree = NULL)
  found <- ask_host(host, call, own)
  if (makes && !is.null(host$workers)) for (id in host$ids) {
    made <- c(call, list(own = own[as.character(id)]))
    host$made_by[[id]] <- c(host$made_by[[id]], list(made))
  }
  found[as.character(host$ids)]
}

# The sum of what the shards return. Who has several adds what is a branch of the tree of all.
sum_of_shards <- function(host, what, common, own = NULL) {
  found <- ask_host(host, list(what = what, common = common, tree = host$ids), own)
  add_branches(found, host$ids)[[branch_name(host$ids)]]
}

# The same of sums that are here, one of each shard.
sum_here <- function(host, sums) {
  names(sums) <- vapply(host$ids, branch_name, "")
  add_branches(sums, host$ids)[[branch_name(host$ids)]]
}

# What made a part of the shards' state is made anew and need not be repeated.
forget_calls <- function(host, what) {
  host$made_by <- lapply(host$made_by, function(calls) Filter(function(call) !call$what %in% what,
    calls))
}

ask_host <- function(host, call, own) {
  if (is.null(host$workers)) return(answer_here(host$shards, call, host$ids, own))
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

answer_here <- function(shards, call, ids, own) {
  adds <- !is.null(call$tree)
  found <- call_shards(shards, call$what, ids, call$common, own, adds)
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

send_shards <- function(host, data, places, cuts) {
  own <- lapply(rows_of_shards(host, places, cuts), function(rows)
    shard_rows(take_data_rows(data, rows), rows))
  on_shards(host, "shard_load", own = own, makes = TRUE)
}

# The numbers of the rows of each shard.
rows_of_shards <- function(host, places, cuts) {
  split(seq_len(nrow(places)), factor(shard_of(places, cuts), host$ids))
}

# Searches by the kd-tree, on the threads of whoever computes: workers have their own number.
shard_context <- function(context, workers = context$cluster) {
  plain <- plain_context(context$threads)
  if (!is.null(workers)) plain$threads <- workers$threads
  plain
}

# Makes the problems of all shards: neighbours before each row (`before`) in the order of maxmin, or
# among all others. `reorder`: whether the order is made anew in this metric.
make_problems <- function(host, component, k, before, joint = FALSE, reorder = before,
                          largest = k) {
  forget_calls(host, c("shard_problem", "shard_narrow", if (reorder) "shard_order"))
  k <- min(k, host$most_neighbors)
  largest <- min(largest, host$most_neighbors)
  if (reorder) on_shards(host, "shard_order", list(component = component), makes = TRUE)
  received <- exchange_neighbors(host, component, largest, before)
  on_shards(host, "shard_problem", list(component = component, k = k, before = before,
    joint = joint, largest = largest), received, makes = TRUE)
}

# What shards receive of each other: all that may be among the k nearest of their rows.
exchange_neighbors <- function(host, component, k, before) {
  search <- list(component = component, k = k, before = before)
  boxes <- on_shards(host, "shard_box", list(component = component))
  asks <- on_shards(host, "shard_asks", c(search, list(boxes = boxes)))
  answers <- on_shards(host, "shard_answers", search, transposed(asks, "asks"))
  transposed(answers, "received")
}

# The same from tables of a larger k, which are kept for another time or not.
narrow_problems <- function(host, k, joint, keep) {
  forget_calls(host, "shard_narrow")
  on_shards(host, "shard_narrow", list(k = k, joint = joint, keep = keep), makes = TRUE)
}

# `sent`: of each shard a list, by receiver, of what it sends. Returns what each shard receives, by
# sender and in their order, as an argument of this `name`.
transposed <- function(sent, name) {
  ids <- names(sent)
  received <- lapply(ids, function(id) {
    stats::setNames(list(Filter(Negate(is.null), lapply(sent, `[[`, id))), name)
  })
  stats::setNames(received, ids)
}
