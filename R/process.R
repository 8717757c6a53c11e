# The state that stays with this R process between calls. All else that a running call keeps is in
# its session (R/session.R), its problem, or its host of shards. None of the following belongs to
# one call:
#
#   `cores`, `cuda`, `faiss`: the number of cores, the files of modules. They do not change, and
#     finding them takes longer than a prediction.
#   `whole_files`: compressed files that were read once to see whether they are whole.
#   `serial`: the last serial number. Answers of workers to an earlier call may still come when a
#     later one waits. Numbers are therefore never used twice.
#   `incomplete`: messages that MPI may still read or write after their call was left.
#   `shards`, `plans`: the state of a worker, lists by the key of the call that it works for. A
#     worker answers one request at a time, and only its process connects the requests.
#   `stop_file`: the calling process makes this file to stop the part that a worker predicts.
#   `last`: what the last fit that recorded it had reached. When neargp_last() is called, that fit
#     is gone.
process_state <- list2env(list(serial = 0, shards = list(), plans = list()), parent = emptyenv())

# Serial numbers of this process.
next_serial <- function() {
  process_state$serial <- process_state$serial + 1
  process_state$serial
}
