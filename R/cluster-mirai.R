# Workers of package mirai. A node belongs to a compute profile, and a call goes to any idle daemon
# of the profile. Shards stay with a process, so that each worker must be a profile of its own.

is_mirai <- function(node) inherits(node, "miraiNode")

of_mirai <- function(name) getExportedValue("mirai", name)

# The nodes of clusters of one daemon each: `cluster` is one of them, or a list.
mirai_nodes <- function(cluster) {
  clusters <- if (inherits(cluster, "miraiCluster")) list(cluster) else cluster
  nodes <- do.call(c, lapply(clusters, unclass))
  profiles <- vapply(nodes, attr, "", "id")
  if (!anyDuplicated(profiles)) return(structure(nodes, class = "cluster"))
  abort_neargp("cluster", c(
    "Each worker of mirai must be a cluster of one daemon: mirai sends calls to any idle daemon, and shards stay with theirs.",
    i = "cluster = lapply(1:4, function(i) mirai::make_cluster(1))"))
}

is_mirai_cluster <- function(cluster) {
  is_one <- function(x) inherits(x, "miraiCluster")
  is_one(cluster) || (is.list(cluster) && length(cluster) && all(vapply(cluster, is_one, NA)))
}

# Names in the expression that a daemon evaluates.
utils::globalVariables(c("fun", "arguments"))

# A task without an answer stays in the node, with the tag of its call.
send_by_mirai <- function(node, message) {
  call <- message$data
  task <- of_mirai("mirai")(do.call(fun, arguments, quote = TRUE), fun = call$fun,
    arguments = call$args, .compute = attr(node, "id"))
  assign("neargp_task", list(task = task, tag = call$tag), envir = node)
  is_connected(node)  # for its record
}

# An error of the function is a value of its own, and other errors are those of the connection.
receive_by_mirai <- function(node) {
  task <- node$neargp_task
  if (of_mirai("unresolved")(task$task)) stop("The daemon has ended.")
  value <- task$task$data
  failed <- of_mirai("is_error_value")(value)
  if (failed && !of_mirai("is_mirai_error")(value)) stop("The daemon has ended.")
  list(type = "VALUE", value = if (failed) as.character(value) else value, success = !failed,
    tag = task$tag)
}

# The nodes with an answer, and those whose daemon is gone, after a second at most.
answering_daemons <- function(nodes, seconds = 1) {
  unresolved <- of_mirai("unresolved")
  began <- core_monotonic_seconds()
  repeat {
    ready <- vapply(nodes, function(node) !unresolved(node$neargp_task$task), NA)
    if (any(ready)) return(ready)
    if (core_monotonic_seconds() - began > seconds) return(vapply(nodes, has_ended, NA))
    Sys.sleep(2e-4)
  }
}

# A daemon that was never connected is still starting.
has_ended <- function(node) !is_connected(node) && isTRUE(node$neargp_connected)

# Whether a daemon serves the node. The node keeps that it was ever connected, for has_ended().
is_connected <- function(node) {
  connections <- of_mirai("status")(.compute = attr(node, "id"))$connections
  connected <- is.numeric(connections) && connections > 0
  if (connected) assign("neargp_connected", TRUE, envir = node)
  connected
}
