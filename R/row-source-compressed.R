# Whether a compressed file is whole: gzfile() reads a file that is cut off as a shorter one,
# without a warning. Formats are recognised by their first bytes, as in gzfile().

check_whole_file <- function(file) {
  state <- paste(normalizePath(file), file.size(file), as.numeric(file.mtime(file)))
  if (state %in% process_state$whole_files) return(invisible()) # the check reads all of the file
  begin <- readBin(file, "raw", 6L)
  begins <- function(...) identical(begin[seq_along(c(...))], as.raw(c(...)))
  is_whole <- if (begins(0x1f, 0x8b)) is_whole_gzip(file) else
    if (begins(0x42, 0x5a, 0x68)) is_whole_bzip2(file) else
    if (begins(0xfd, 0x37, 0x7a, 0x58, 0x5a)) is_whole_xz(file) else TRUE
  if (is_whole) {
    process_state$whole_files <- c(process_state$whole_files, state)
    return(invisible())
  }
  abort_source(c(sprintf("The compressed file %s is cut off or damaged.", file),
    i = "Copy or compress it again."))
}

# The bytes of a file from `first` on, counted from 0.
read_bytes <- function(file, first, count) {
  connection <- base::file(file, "rb")
  on.exit(close(connection))
  seek(connection, first)
  readBin(connection, "raw", count)
}

last_bytes <- function(file, count) read_bytes(file, max(0, file.size(file) - count), count)

# A member of a gzip file ends with its uncompressed length, modulo 2^32 (RFC 1952). A file may
# consist of several members, and its last bytes belong to the last member.
is_whole_gzip <- function(file) {
  length <- sum(as.integer(last_bytes(file, 4L)) * 256^(0:3))
  if (uncompressed_length(file) %% 2^32 == length) return(TRUE)
  for (start in rev(member_starts(file))) {
    member <- tempfile()
    on.exit(unlink(member))
    copy_from(file, start, member)
    if (uncompressed_length(member) %% 2^32 == length) return(TRUE)
  }
  FALSE
}

uncompressed_length <- function(file, block = 2^22) {
  connection <- gzfile(file, "rb")
  on.exit(close(connection))
  total <- 0
  repeat {
    read <- suppressWarnings(tryCatch(length(readBin(connection, "raw", block)),
      error = function(e) 0L))
    if (!read) return(total)
    total <- total + read
  }
}

# Where members after the first one may begin, the last few of them: compressed bytes may look so.
member_starts <- function(file, at_most = 20L, block = 2^22) {
  found <- double(0)
  for (first in seq(0, file.size(file), by = block)) {
    bytes <- read_bytes(file, first, block + 2)
    n <- length(bytes)
    if (n < 3L) break
    at <- which(bytes[-c(n - 1L, n)] == 0x1f & bytes[-c(1L, n)] == 0x8b & bytes[-(1:2)] == 0x08)
    found <- utils::tail(c(found, first + at - 1), at_most)
  }
  found[found > 0]
}

copy_from <- function(file, first, to, block = 2^22) {
  from <- base::file(file, "rb")
  on.exit(close(from))
  seek(from, first)
  target <- base::file(to, "wb")
  on.exit(close(target), add = TRUE)
  while (length(bytes <- readBin(from, "raw", block))) writeBin(bytes, target)
}

# The stream ends with a mark of 48 bits, a checksum of 32, and up to 7 bits to a whole byte.
is_whole_bzip2 <- function(file) {
  bits <- bits_of(last_bytes(file, 11L))
  mark <- bits_of(as.raw(c(0x17, 0x72, 0x45, 0x38, 0x50, 0x90)))
  starts <- length(bits) - 80L - 0:7
  any(vapply(starts[starts >= 0L], function(start) identical(bits[start + 1:48], mark), NA))
}

# The most significant bit of each byte first.
bits_of <- function(bytes) as.vector(matrix(as.integer(rawToBits(bytes)), 8L)[8:1, ])

is_whole_xz <- function(file) identical(last_bytes(file, 2L), charToRaw("YZ"))
