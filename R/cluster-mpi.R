# Nodes of MPI, by packages snow and Rmpi: what they say can be asked for without waiting, so that a
# rank that hangs is noticed and an interrupt is heard.

is_mpi <- function(node) inherits(node, "MPInode")

of_rmpi <- function(name) getExportedValue("Rmpi", name)

# As snow sends, which collects garbage after each message: some milliseconds for each worker.
send_by_mpi <- function(node, data) {
  of_rmpi("mpi.send")(serialize(data, NULL), 4L, node$rank, node$SENDTAG, node$comm)
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
