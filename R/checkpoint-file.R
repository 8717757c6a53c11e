# The file of a checkpoint: a header that describes the fit, and records that follow each other
# (R/checkpoint-journal.R). Header and records are blocks: the number of bytes, a checksum, and so
# many bytes of serialize(). A block that is cut off at the end was being written when the process
# was killed, and is ignored. A new file, and a file that is written again, appear under their name
# by a rename.

checkpoint_magic <- "NEARGPCK"

# The format of the file; another one cannot be read.
checkpoint_format <- 1

checksum_size <- 32L

as_block <- function(object) {
  payload <- serialize(object, NULL, xdr = FALSE, version = 3L)
  c(number_bytes(length(payload)), charToRaw(rlang::hash(payload)), payload)
}

number_bytes <- function(number) writeBin(as.double(number), raw(), endian = "little")

file_beginning <- function() c(charToRaw(checkpoint_magic), number_bytes(checkpoint_format))

write_checkpoint <- function(path, header, records) {
  bytes <- c(file_beginning(), as_block(header), unlist(lapply(records, as_block)))
  core_replace_file(path, bytes)
  length(bytes)
}

# The length at which a file is written again that had `length` when all in it was needed.
rewrite_length <- function(length) 3 * length + 2^22

# All answers, and of each state the newest.
merged_records <- function(records) {
  states <- list()
  for (record in records) states[names(record$states)] <- record$states
  list(known = unlist(lapply(records, `[[`, "known"), recursive = FALSE), states = states)
}

# ---- reading -------------------------------------------------------------------------------------

# The header and the records; `length`: of the bytes that are whole. `header_only`: nothing but the
# header is looked at.
read_checkpoint <- function(path, header_only = FALSE) {
  bytes <- tryCatch(readBin(path, "raw", file.size(path)), error = function(e) NULL,
    warning = function(w) NULL)
  if (is.null(bytes)) {
    abort_checkpoint(path, "unreadable", "It cannot be read.", "Check its name and permissions.")
  }
  check_beginning(path, bytes)
  at <- length(file_beginning())
  blocks <- list()
  repeat {
    block <- read_block(bytes, at)
    if (is.null(block)) break
    if (is.character(block)) {
      abort_checkpoint(path, "damaged", sprintf("It is damaged: the checksum of its part %d, at byte %s, does not match.",
        length(blocks) + 1L, format_count(at)),
        "Use a copy of it, or delete the file to begin again.")
    }
    blocks[[length(blocks) + 1L]] <- block$object
    at <- block$end
    if (header_only) break
  }
  if (!length(blocks)) {
    abort_checkpoint(path, "damaged", "It is damaged: its beginning is incomplete.",
      "Use a copy of it, or delete the file to begin again.")
  }
  list(header = blocks[[1L]], records = blocks[-1L], length = at, is_whole = at == length(bytes))
}

check_beginning <- function(path, bytes) {
  beginning <- file_beginning()
  magic <- seq_len(nchar(checkpoint_magic))
  if (length(bytes) < length(beginning) || !identical(bytes[magic], beginning[magic])) {
    abort_checkpoint(path, "foreign", "It is not a checkpoint of neargp.",
      "Give another file name. This file is left as it is.")
  }
  format <- readBin(bytes[seq_along(beginning)[-magic]], "double", endian = "little")
  if (!identical(format, checkpoint_format)) {
    abort_checkpoint(path, "version",
      sprintf("It has format %s, and this version of neargp reads format %s.", format(format),
        checkpoint_format),
      "Go on with the version that wrote it, or delete the file to begin again.")
  }
}

# NULL where there is none, or the last one is cut off; "damaged" where others follow one that is
# not as it was written.
read_block <- function(bytes, at) {
  start <- at + 8L + checksum_size
  if (start > length(bytes)) return(NULL)
  size <- readBin(bytes[at + 1:8], "double", endian = "little")
  if (!is.finite(size) || size < 0 || start + size > length(bytes)) return(NULL)
  payload <- bytes[start + seq_len(size)]
  if (identical(charToRaw(rlang::hash(payload)), bytes[at + 8L + seq_len(checksum_size)])) {
    return(list(object = unserialize(payload), end = start + size))
  }
  if (start + size < length(bytes)) "damaged"
}

# ---- errors --------------------------------------------------------------------------------------

# `reason`: one of "unreadable", "unwritable", "locked", "damaged", "foreign", "version",
# "diverged", "method", "missing"; the condition has it as well.
abort_checkpoint <- function(path, reason, what, remedy) {
  abort_neargp("checkpoint", c(sprintf("The checkpoint \"%s\" cannot be used.", path),
    stats::setNames(what, rep("x", length(what))), i = remedy), reason = reason)
}
