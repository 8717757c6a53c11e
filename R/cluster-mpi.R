# Nodes of MPI, by packages snow and Rmpi: what they say can be asked for without waiting, so that a
# rank that hangs is noticed and an interrupt is heard.

is_mpi <- function(node) inherits(node, "MPInode")

of_rmpi <- function(name) getExportedValue("Rmpi", name)

# Sends as snow does, but does not collect garbage after each message, which takes some milliseconds
# for each worker. Sending ends after `limit` seconds: a rank that is stopped takes short messages,
# and no long ones.
send_by_mpi <- function(node, data, limit) {
  message <- serialize(data, NULL)
  complete_by_mpi(message, limit, function(request) {
    of_rmpi("mpi.isend")(message, 4L, node$rank, node$SENDTAG, node$comm, request)
  })
}

# Receives a message whose envelope is here; the rest comes when it is asked for, unless the rank is
# stopped. MPI writes into the vector itself.
receive_by_mpi <- function(node, limit) {
  of_rmpi("mpi.probe")(node$rank, node$RECVTAG, node$comm)
  message <- raw(of_rmpi("mpi.get.count")(4L))
  complete_by_mpi(message, limit, function(request) {
    of_rmpi("mpi.irecv")(message, 4L, node$rank, node$RECVTAG, node$comm, request)
  })
  unserialize(message)
}

# Starts what MPI does with a message, and waits until it is done. A message that MPI may still read
# or write stays in memory, with the number of its request.
complete_by_mpi <- function(message, limit, start) {
  request <- length(process_state$incomplete)
  start(request)
  complete <- FALSE
  on.exit(if (!complete) {
    process_state$incomplete <- c(process_state$incomplete, list(message))
  })
  began <- core_monotonic_seconds()
  while (!(complete <- of_rmpi("mpi.test")(request))) {
    waited <- core_monotonic_seconds() - began
    if (waited > limit) stop("The rank does not go on with its message.")
    if (waited > 1) Sys.sleep(2e-4)
  }
}

# Answers on the worker, also without collecting garbage.
answer_by_mpi <- function(node, data) {
  of_rmpi("mpi.send")(serialize(data, NULL), 4L, node$rank, node$SENDTAG, node$comm)
}

# The ranks that have something to say, after a second at most.
answering_ranks <- function(nodes, seconds = 1) {
  has_answer <- of_rmpi("mpi.iprobe")
  began <- core_monotonic_seconds()
  repeat {
    ready <- vapply(nodes, function(node) has_answer(node$rank, node$RECVTAG, node$comm), NA)
    if (any(ready) || core_monotonic_seconds() - began > seconds) return(ready)
    Sys.sleep(2e-4)
  }
}
