# Runs the R tests against the installed package; called by tools/test.sh.
# Appends "passed failed skipped", in tests, to the file named as its argument. NEARGP_TEST_PART=2/5 runs the second
# of five parts of the files: sorted by their sizes, every fifth.

counts_file <- normalizePath(commandArgs(trailingOnly = TRUE)[[1]])
filter <- Sys.getenv("NEARGP_TEST_FILTER")
exclude <- Sys.getenv("NEARGP_TEST_EXCLUDE")
part <- Sys.getenv("NEARGP_TEST_PART", "1/1")

files <- list.files("tests/testthat", "^test.*[.][rR]$", full.names = TRUE)
files <- files[order(-file.size(files), files)]
names <- sub("[.][rR]$", "", sub("^test-?", "", basename(files)))
if (nzchar(filter)) names <- names[grepl(filter, names)]
if (!nzchar(filter) && nzchar(exclude)) names <- names[!grepl(exclude, names)]
number <- as.integer(strsplit(part, "/")[[1]])
names <- names[seq_along(names) %% number[[2]] == number[[1]] - 1]

Sys.setenv(NOT_CRAN = "true")
results <- testthat::test_dir(
  "tests/testthat",
  package = "neargp",
  load_package = "installed",
  filter = paste0("^(", paste(names, collapse = "|"), ")$"),
  reporter = testthat::CheckReporter$new(),
  stop_on_failure = FALSE
)

tests <- as.data.frame(results)
failed <- tests$failed > 0 | tests$error
skipped <- !failed & tests$skipped
# Once more at the end, where tools/test.sh finds them.
for (test in results) {
  for (result in Filter(function(result) inherits(result, c("expectation_failure", "expectation_error")), test$results)) {
    message <- utils::head(strsplit(conditionMessage(result), "\n", fixed = TRUE)[[1L]], 8L)
    cat(sprintf("Failed: %s: %s\n", test$file, test$test), paste0("  ", message, "\n"), sep = "")
  }
}
slowest <- utils::head(tests[order(-tests$real), ], 5)
cat("Slowest tests:\n")
cat(sprintf("  %6.1f s  %s: %s\n", slowest$real, slowest$file, slowest$test), sep = "")
cat(sum(!failed & !skipped), sum(failed), sum(skipped), "\n",
  file = counts_file, append = TRUE
)
