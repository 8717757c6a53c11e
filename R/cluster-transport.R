# Messages to the workers of a cluster of package parallel, by its own protocol: a call goes to a
# node by sendData(), and its value comes back by recvData(), with the tag of the call. A worker
# that was lost or given up may still send an answer later: tags tell such answers from those
# awaited.

send_data <- function(node, data, limit) {
  if (is_mpi(node)) return(send_by_mpi(node, data, limit))
  within_seconds(node, limit, utils::getFromNamespace("sendData", "parallel")(node, data))
}

receive_data <- function(node) utils::getFromNamespace("recvData", "parallel")(node)

# Serial numbers of this session.
next_serial <- function() {
  of_session$serial <- (of_session$serial %||% 0) + 1
  of_session$serial
}

# Functions travel with their environments: those that are sent have the global one, which goes by
# name.
as_sent <- function(f) {
  environment(f) <- globalenv()
  utils::removeSource(f)
}

# The package on the worker answers; errors come back as they are.
worker_call <- as_sent(function(name, arguments) {
  get(name, envir = asNamespace("neargp"))(arguments)
})

# Sends a call to the worker `at` of `workers`, and returns its tag; NULL where it is lost.
send_call <- function(workers, at, f, arguments, limit) {
  tag <- next_serial()
  message <- list(type = "EXEC", data = list(fun = f, args = arguments, return = TRUE, tag = tag))
  sent <- tryCatch({
    send_data(workers$nodes[[at]], message, limit)
    TRUE
  }, error = function(e) FALSE)
  if (sent) return(tag)
  lose_worker(workers, at, "its process does not take messages, as after stopCluster()")
  NULL
}

# A worker that is stopped reads no more: a long message would wait for it.
within_seconds <- function(node, limit, value) {
  if (is.null(node$con)) return(value)
  before <- socketTimeout(node$con)
  socketTimeout(node$con, as.integer(min(ceiling(limit), 1e6)))
  on.exit(socketTimeout(node$con, before))
  value
}

# The values of calls, by the tags of `waiting`, whose names are numbers of workers. A worker that
# ends, or does not answer within `limit` seconds, is lost; its value is NULL.
receive_values <- function(workers, waiting, limit) {
  values <- vector("list", length(waiting))
  names(values) <- names(waiting)
  on.exit(workers$pending <- waiting)
  began <- core_monotonic_seconds()
  while (length(waiting)) {
    found <- take_messages(workers, waiting, limit)
    values[names(found)] <- found
    waiting <- waiting[!names(waiting) %in% names(found)]
    if (length(waiting) && core_monotonic_seconds() - began > limit) {
      for (name in names(waiting)) lose_worker(workers, as.integer(name),
        sprintf("it did not answer within %s seconds", format(signif(limit, 3L))))
      waiting <- waiting[0L]
    }
  }
  values
}

# What those of `waiting` have answered within about a second: messages by number of the worker,
# NULL of one that has ended.
take_messages <- function(workers, waiting, limit) {
  found <- list()
  for (name in names(ready_workers(workers, waiting))) {
    at <- as.integer(name)
    message <- tryCatch(within_seconds(workers$nodes[[at]], limit,
      receive_data(workers$nodes[[at]])), error = function(e) NULL)
    if (is.null(message)) lose_worker(workers, at, "it ended")
    # else perhaps an answer to an earlier call
    if (is.null(message) || identical(message$tag, waiting[[name]])) found[name] <- list(message)
  }
  found
}

# Those of `waiting` that have something to say, after a second at most. Nodes without a connection
# that can be asked are waited for in turn.
ready_workers <- function(workers, waiting) {
  nodes <- workers$nodes[as.integer(names(waiting))]
  if (all(vapply(nodes, is_mpi, NA))) return(waiting[answering_ranks(nodes)])
  connections <- lapply(nodes, function(node) node$con)
  if (any(vapply(connections, is.null, NA))) return(waiting[1L])
  waiting[socketSelect(unname(connections), FALSE, timeout = 1)]
}

# After an interrupt: workers end their calls, and what they answer is read, so that they are idle.
drain_workers <- function(workers, seconds = 20) {
  waiting <- workers$pending[workers$alive[as.integer(names(workers$pending))]]
  if (length(waiting)) try(receive_values(workers, waiting, seconds), silent = TRUE)
  workers$pending <- workers$pending[0L]
}

lose_worker <- function(workers, at, why) {
  workers$alive[at] <- FALSE
  workers$why <- c(workers$why, why)
}
