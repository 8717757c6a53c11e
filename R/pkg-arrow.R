# All code for arrow's datasets: their record batches as chunks.

# Datasets of arrow::open_dataset(), what the verbs of dplyr make of them, and scanners.
is_arrow_rows <- function(x) inherits(x, c("Dataset", "arrow_dplyr_query", "Scanner"))

# A function of the number of a chunk. A batch is at most `chunk_rows` rows of a file, or as many as
# the given scanner reads. Scanners of a dataset can begin again any number of times.
batch_reader <- function(x, chunk_rows) {
  force(x)
  process <- Sys.getpid()
  forward_reader(open = function() {
    check_own_process(process)
    scanner <- if (inherits(x, "Scanner")) x else new_scanner(x, chunk_rows)
    scanner$ToRecordBatchReader()
  }, fetch = next_rows)
}

new_scanner <- function(dataset, chunk_rows) {
  require_package("arrow", "for an Arrow dataset")
  arrow::Scanner$create(dataset, batch_size = chunk_rows)
}

# The rows of the next batch that contains any: a filter can leave a batch empty.
next_rows <- function(reader) {
  repeat {
    batch <- reader$read_next_batch()
    if (is.null(batch)) return(NULL)
    rows <- as.data.frame(batch)
    if (nrow(rows)) return(rows)
  }
}

# Pointers of arrow are those of the process that opened the dataset.
check_own_process <- function(process) {
  if (Sys.getpid() == process) return(invisible())
  abort_source(c("An Arrow dataset cannot be read by the workers of a cluster.",
    i = "Give its files: row_source(dataset$files, read = arrow::read_parquet)."))
}
