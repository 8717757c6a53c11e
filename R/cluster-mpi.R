# Nodes of MPI, by packages snow and Rmpi: what they say can be asked for without waiting, so that a
# rank that hangs is noticed and an interrupt is heard.

is_mpi <- function(node) inherits(node, "MPInode")

of_rmpi <- function(name) getExportedValue("Rmpi", name)

# As snow sends, but without collecting garbage after each message, some milliseconds for each
# worker, and no longer than `limit` seconds: a rank that is stopped takes short messages, and no
# long ones. What was not taken stays in memory, since MPI may still read it.
send_by_mpi <- function(node, data, limit) {
  message <- serialize(data, NULL)
  request <- length(of_session$untaken)
  of_rmpi("mpi.isend")(message, 4L, node$rank, node$SENDTAG, node$comm, request)
  taken <- FALSE
  on.exit(if (!taken) of_session$untaken <- c(of_session$untaken, list(message)))
  began <- core_monotonic_seconds()
  while (!(taken <- of_rmpi("mpi.test")(request))) {
    waited <- core_monotonic_seconds() - began
    if (waited > limit) stop("The rank does not take its message.")
    if (waited > 1) Sys.sleep(2e-4)
  }
}

# Which have something to say, after a second at most.
answering_ranks <- function(nodes, seconds = 1) {
  has_answer <- of_rmpi("mpi.iprobe")
  began <- core_monotonic_seconds()
  repeat {
    ready <- vapply(nodes, function(node) has_answer(node$rank, node$RECVTAG, node$comm), NA)
    if (any(ready) || core_monotonic_seconds() - began > seconds) return(ready)
    Sys.sleep(2e-4)
  }
}
