# Messages to the workers of a cluster of package parallel, by its own protocol. A call goes to a
# node by sendData(). Its value comes back by recvData(), with the tag of the call. A worker that
# was lost or given up may still send an answer later: tags distinguish such answers from those
# awaited.

send_data <- function(node, data, limit) {
  if (is_mpi(node)) return(send_by_mpi(node, data, limit))
  if (is_mirai(node)) return(send_by_mirai(node, data))
  within_seconds(node, limit, if (goes_at_once(node, data)) write_at_once(node, packed(node, data))
    else utils::getFromNamespace("sendData", "parallel")(node, data))
}

receive_data <- function(node, limit) {
  if (is_mpi(node)) return(receive_by_mpi(node, limit))
  if (is_mirai(node)) return(receive_by_mirai(node))
  within_seconds(node, limit, utils::getFromNamespace("recvData", "parallel")(node))
}

# ---- packets -------------------------------------------------------------------------------------

# sendData() writes to a socket in packets of 4,096 bytes. The second packet waits until the first
# is acknowledged (RFC 896, 1984). The receiver delays this by some 40 milliseconds, since it waits
# for the second packet (RFC 1122, 4.2.3.2). A message that is written at once does not wait: only
# its last packet is a short one. Memory then contains the message twice.
longest_at_once <- 2^20

goes_at_once <- function(node, data) {
  inherits(node, c("SOCKnode", "SOCK0node")) && utils::object.size(data) < longest_at_once
}

# The message as sendData() packs it, by the class of the node.
packed <- function(node, data) serialize(data, NULL, xdr = inherits(node, "SOCKnode"))

write_at_once <- function(node, message) tryCatch(writeBin(message, node$con), warning = stop)

# Answers on the worker. Its loop would send the value in packets, and would send nothing after an
# interrupt, which a terminal sends to all processes. The session would then wait for it. The value
# is therefore sent here, and the loop goes on with the next message, as it does after an interrupt.
answer_call <- function(name, arguments, tag) {
  answer <- get(name, envir = asNamespace("neargp"))
  node <- node_of_master()
  if (is.null(node)) return(answer(arguments))
  suspendInterrupts(send_answer(node, list(type = "VALUE", value = answer(arguments),
    success = TRUE, tag = tag)))
  signalCondition(structure(class = c("interrupt", "condition"), list()))
}

send_answer <- function(node, data) {
  if (is_mpi(node)) return(answer_by_mpi(node, data))
  if (goes_at_once(node, data)) return(write_at_once(node, packed(node, data)))
  utils::getFromNamespace("sendData", "parallel")(node, data)
}

# The name by which the loop of a worker calls the other end; NULL in other processes.
node_of_master <- function() {
  for (frame in sys.frames()) {
    master <- frame[["master"]]
    if (inherits(master, c("SOCKnode", "SOCK0node", "MPInode"))) return(master)
  }
}

# ---- calls ---------------------------------------------------------------------------------------

# Functions travel with their environments: those that are sent live in the global one, which goes
# by name.
as_sent <- function(f) {
  environment(f) <- globalenv()
  utils::removeSource(f)
}

# The package on the worker answers; errors come back as they are.
worker_call <- as_sent(function(name, arguments, tag) {
  get("answer_call", envir = asNamespace("neargp"))(name, arguments, tag)
})

# Sends a call to the worker `at` of `workers`, and returns its tag; NULL where it is lost.
send_call <- function(workers, at, f, arguments, limit) {
  tag <- next_serial()
  if (identical(f, worker_call)) arguments$tag <- tag
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

# The answers of `waiting` within about a second: messages by number of the worker, NULL of one that
# has ended, or says nothing more for `most` seconds. An interrupt comes before or after a message,
# not within: the rest of it would be taken for the next one.
take_messages <- function(workers, waiting, limit, most = 300) {
  found <- list()
  for (name in names(ready_workers(workers, waiting))) {
    at <- as.integer(name)
    message <- suspendInterrupts(tryCatch(receive_data(workers$nodes[[at]], min(limit, most)),
      error = function(e) NULL))
    if (is.null(message)) lose_worker(workers, at,
      "it ended, or stopped in the middle of its answer")
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
  if (all(vapply(nodes, is_mirai, NA))) return(waiting[answering_daemons(nodes)])
  connections <- lapply(nodes, function(node) node$con)
  if (any(vapply(connections, is.null, NA))) return(waiting[1L])
  waiting[socketSelect(unname(connections), FALSE, timeout = 1)]
}

# Ends the calls of all workers, which then are idle. A worker that answers this call sends nothing
# else, since messages keep their order. An interrupt of all processes may have removed a request or
# an answer, so that a silent worker is asked again. The waiting time doubles each time: on a loaded
# machine every answer might otherwise come after the next request was sent.
settle_workers <- function(workers, seconds = 60, patience = 2) {
  ends <- core_monotonic_seconds() + seconds
  left <- which(workers$alive)
  while (length(left) && core_monotonic_seconds() < ends) {
    waiting <- list()
    for (at in left) {
      waiting[[as.character(at)]] <- send_call(workers, at, worker_call, list(name = "end_worker",
        arguments = list()), patience)
    }
    again <- core_monotonic_seconds() + patience
    while (length(waiting) && core_monotonic_seconds() < again) {
      found <- take_messages(workers, waiting, seconds)
      waiting <- waiting[!names(waiting) %in% names(found)]
    }
    left <- intersect(as.integer(names(waiting)), which(workers$alive))
    patience <- 2 * patience
  }
  for (at in left) lose_worker(workers, at, "it did not become idle")
}

lose_worker <- function(workers, at, why) {
  workers$alive[at] <- FALSE
  workers$why <- c(workers$why, why)
}
