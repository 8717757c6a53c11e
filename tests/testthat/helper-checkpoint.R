# All of a fit but how long it took, what called it, and what R keeps beside it.
fit_numbers <- function(fit) {
  fit <- unclass(fit)
  plain_part(fit[setdiff(names(fit), c("call", "elapsed", "keeper"))])
}

# Answers and rounds are written whenever there are so many more.
local_write_each <- function(count, env = parent.frame()) {
  original <- write_when_due
  withr::defer(utils::assignInNamespace("write_when_due", original, "neargp"), env)
  asked <- 0
  utils::assignInNamespace("write_when_due", function() {
    asked <<- asked + 1
    if (asked %% count == 0) write_journal()
  }, "neargp")
}

# Where the blocks of a checkpoint end.
block_ends <- function(path) {
  bytes <- readBin(path, "raw", file.size(path))
  at <- length(file_beginning())
  ends <- double(0)
  while (!is.null(block <- read_block(bytes, at))) ends <- c(ends, at <- block$end)
  ends
}

cut_file <- function(from, to, length) writeBin(readBin(from, "raw", length), to)

# Whether the fit `run(control, resume, seed)` that was killed after `share` of its file had been
# written goes on to the numbers and the random state of one that was left alone.
expect_resumes <- function(run, shares = c(0.3, 0.8), label = NULL, each = 1) {
  alone <- suppressMessages(run(seed = 3))
  after <- .Random.seed
  local_write_each(each)
  file <- withr::local_tempfile(fileext = ".checkpoint")
  watched <- suppressMessages(run(control = neargp_control(checkpoint = file), seed = 3))
  expect_identical(fit_numbers(watched), fit_numbers(alone), label = label)
  expect_true(identical(.Random.seed, after), label = label)
  ends <- block_ends(file)
  expect_identical(ends[length(ends)], as.double(file.size(file)))
  for (share in shares) {
    end <- ends[1 + round(share * (length(ends) - 1))]
    left <- withr::local_tempfile(fileext = ".checkpoint")
    cut_file(file, left, min(end + 100, file.size(file)))
    again <- suppressMessages(run(resume = left, seed = 4))
    expect_true(identical(fit_numbers(again), fit_numbers(alone)), label = paste(label, "from",
      share))
    expect_true(identical(.Random.seed, after), label = paste(label, "and its random numbers"))
    whole <- merged_records(read_checkpoint(left)$records)
    expect_identical(length(whole$known), length(merged_records(
      read_checkpoint(file)$records)$known), label = label)
  }
  ends
}
