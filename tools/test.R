# Runs the R tests against the installed package; called by tools/test.sh.
# Appends "passed failed skipped", in tests, to the file named as its argument.

counts_file <- normalizePath(commandArgs(trailingOnly = TRUE)[[1]])
filter <- Sys.getenv("NEARGP_TEST_FILTER")
exclude <- Sys.getenv("NEARGP_TEST_EXCLUDE")

Sys.setenv(NOT_CRAN = "true")
results <- testthat::test_dir(
  "tests/testthat",
  package = "neargp",
  load_package = "installed",
  filter = if (nzchar(filter)) filter else if (nzchar(exclude)) exclude,
  invert = !nzchar(filter) && nzchar(exclude),
  reporter = testthat::CheckReporter$new(),
  stop_on_failure = FALSE
)

tests <- as.data.frame(results)
failed <- tests$failed > 0 | tests$error
skipped <- !failed & tests$skipped
slowest <- utils::head(tests[order(-tests$real), ], 5)
cat("Slowest tests:\n")
cat(sprintf("  %6.1f s  %s: %s\n", slowest$real, slowest$file, slowest$test), sep = "")
cat(sum(!failed & !skipped), sum(failed), sum(skipped), "\n",
  file = counts_file, append = TRUE
)
