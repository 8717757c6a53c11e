# Tables of logs.

bad_outcomes <- c("UNCLASSED", "NONFINITE", "WRONG", "CRASH", "HANG", "MEMORY", "HARNESS")

# A row for each call that came to an end.
read_ends <- function(lines) {
  fields <- strsplit(lines[startsWith(lines, "END\t")], "\t", fixed = TRUE)
  field <- function(i) vapply(fields, function(x) if (length(x) >= i) x[i] else "", "")
  data.frame(case = as.integer(field(2L)), operation = field(3L), outcome = field(4L), text = field(5L), warnings = trimws(field(6L)))
}

count_outcomes <- function(ends) {
  counts <- lapply(bad_outcomes, function(outcome) sum(ends$outcome == outcome))
  names(counts) <- tolower(bad_outcomes)
  fits <- startsWith(ends$operation, "neargp/")
  data.frame(seed = ends$case[1L] %/% cases_of_seed, calls = nrow(ends), fits = sum(fits & ends$outcome == "ok"),
    ok = sum(ends$outcome == "ok"), classed = sum(ends$outcome == "classed"), counts)
}

print_outcomes <- function(ends) {
  print(table(sub("[(/].*", "", ends$operation), ends$outcome, dnn = NULL))
  cat("Calls with warnings of no class:", sum(nzchar(ends$warnings)), "\n")
  bad <- ends[ends$outcome %in% bad_outcomes, ]
  cat(sprintf("%s  %d  %s  %s\n", bad$outcome, bad$case, bad$operation, bad$text), sep = "")
}

# Prints the table of all logs and writes it. Returns the number of calls that ended badly.
report_logs <- function(logs, file = NULL) {
  ends <- lapply(logs, function(log) read_ends(readLines(log)))
  lapply(ends, print_outcomes)
  counts <- do.call(rbind, lapply(ends, count_outcomes))
  print(counts, row.names = FALSE)
  if (!is.null(file)) utils::write.csv(counts, file, row.names = FALSE, quote = FALSE)
  sum(counts[tolower(bad_outcomes)])
}
